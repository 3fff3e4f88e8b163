//! `cargo dev picture`: the picture of `plimsoll try` for the README, drawn from what the program prints.

mod svg;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

use crate::workspace;

/// Draw docs/images/try.svg from what `plimsoll try` prints.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program to run
    #[arg(long, value_name = "FILE")]
    program: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let done = Command::new(&args.program)
        .arg("try")
        .env_clear()
        .envs([("HOME", home.path().as_os_str()), ("PATH", &path), ("CLICOLOR_FORCE", "1".as_ref())])
        .current_dir(home.path())
        .output()
        .with_context(|| format!("{} cannot be started", args.program.display()))?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr));
    }
    let file = workspace::root().join("docs/images/try.svg");
    std::fs::write(&file, svg::draw("plimsoll try", &String::from_utf8_lossy(&done.stdout)))?;
    println!("{}", file.display());
    Ok(())
}
