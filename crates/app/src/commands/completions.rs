//! `plimsoll completions`.

use clap_complete::Shell;

use crate::exit;

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell that will read them
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<u8> {
    clap_complete::generate(args.shell, &mut crate::cli::command(), "plimsoll", &mut std::io::stdout());
    Ok(exit::OK)
}
