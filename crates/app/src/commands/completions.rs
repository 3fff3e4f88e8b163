//! `plimsoll completions`.

use clap_complete::Shell;

use crate::exit;
use crate::ui::Printer;

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell that will read them
    shell: Shell,
}

pub(crate) fn run(printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::cli::command(), "plimsoll", &mut script);
    printer.text(&String::from_utf8_lossy(&script));
    Ok(exit::OK)
}
