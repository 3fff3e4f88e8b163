//! `plimsoll clear-warning`: the user trusts sessions again that have met hidden instructions. Run by an agent it is a question to the user.

use anyhow::Context;
use state::{Machine, Project, session};

use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Trust the sessions of this project again after hidden instructions were found.
///
/// Until then you are asked before the agent sends anything or reads a secret. The places are shown first: look at them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Agree, where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let warnings = session::warnings(&project);
    if warnings.is_empty() {
        printer.line("no hidden instructions were found in a session of this project");
        return Ok(exit::OK);
    }
    for (_, place) in &warnings {
        printer.line(place);
    }
    if !person::agrees(machine, printer, "Trust these sessions again?", args.yes) {
        return Ok(exit::FAILED);
    }
    for (file, _) in &warnings {
        state::files::remove(file).with_context(|| format!("{} could not be removed", file.display()))?;
    }
    printer.toned(Tone::Good, "cleared: sending and reading secrets is judged as before");
    Ok(exit::OK)
}
