//! `plimsoll man`: the manual pages, made from the same texts as the help.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::Context;
use state::files;

use crate::exit;
use crate::ui::{Printer, Tone};

/// Print the manual page, or write a page for every command into a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write plimsoll.1, plimsoll-init.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

pub(crate) fn run(printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let whole = crate::cli::command();
    let Some(dir) = &args.to else {
        printer.text(&page(whole)?);
        if std::io::stdout().is_terminal() {
            printer.note("plimsoll: to read it, `plimsoll man | man -l -`");
        }
        return Ok(exit::OK);
    };
    files::create_dir(dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    clap_mangen::generate_to(whole.disable_help_subcommand(true), dir)
        .with_context(|| format!("{} cannot be written", dir.display()))?;
    printer.toned(Tone::Good, &format!("the pages are in {}", dir.display()));
    Ok(exit::OK)
}

fn page(command: clap::Command) -> anyhow::Result<String> {
    let mut out = Vec::new();
    clap_mangen::Man::new(command).render(&mut out)?;
    Ok(String::from_utf8(out)?)
}
