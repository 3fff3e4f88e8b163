//! `plimsoll trust`: what a project's own files may do, in the person's word.

use anyhow::Context;
use serde_json::{Map, Value as Json};
use state::config::{self, Loaded, Trust};
use state::{Machine, Project, trust};

use crate::exit;
use crate::ui::{Printer, Prompt, Tone};

/// Let this project's config do what needs your word: weaken protection, name things to run.
///
/// Shows what the project's `.claude/hooks/config.json` and `config.local.json` ask for, against what you trusted last, and
/// records your yes for exactly these values. Anything new asks again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show what is trusted and what waits
    Show,
    /// Take the trust back
    Revoke,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::is_guard, Trust::Recorded);
    match args.what {
        Some(What::Show) => show(machine, printer, &project, &loaded),
        Some(What::Revoke) => {
            trust::revoke(machine, &project).context("the trust could not be taken back")?;
            printer.line(&format!("{} is no longer trusted", project.root.display()));
        }
        None => {
            show(machine, printer, &project, &loaded);
            if loaded.untrusted.is_empty() {
                return Ok(exit::OK);
            }
            if !Prompt::agrees(printer, args.yes, "Trust these values?") {
                return Ok(exit::FAILED);
            }
            trust::add(machine, &project, &loaded.bound).context("the trust could not be recorded")?;
            printer.toned(Tone::Good, "trusted");
        }
    }
    Ok(exit::OK)
}

/// A diff against what was trusted last.
fn show(machine: &Machine, printer: &Printer, project: &Project, loaded: &Loaded) {
    let before = trust::recorded(machine, project).unwrap_or_default();
    if loaded.bound.is_empty() && before.is_empty() {
        printer.line(&format!("{} asks for nothing that needs trust", project.root.display()));
        return;
    }
    printer.toned(Tone::Title, &project.root.display().to_string());
    for line in diff(&before, &loaded.bound) {
        let tone = match line.as_bytes()[0] {
            b'+' => Tone::Warning,
            b'-' => Tone::Good,
            _ => Tone::Faint,
        };
        printer.toned(tone, &line);
    }
    if loaded.untrusted.is_empty() {
        printer.line("all of it is trusted");
    }
}

fn diff(before: &Map<String, Json>, now: &Map<String, Json>) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in before {
        if now.get(key) != Some(value) {
            lines.push(format!("- {key} = {value}"));
        }
    }
    for (key, value) in now {
        let mark = if before.get(key) == Some(value) { ' ' } else { '+' };
        lines.push(format!("{mark} {key} = {value}"));
    }
    lines
}
