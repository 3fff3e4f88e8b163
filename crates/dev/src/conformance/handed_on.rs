//! `cargo dev conformance` where `dev` was built without the engines: the same command with them.

use std::process::Command;

use anyhow::bail;

/// Compare the embedded engines with their originals
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let with_engines = ["run", "--quiet", "--package", "dev", "--", "conformance"];
    let status = Command::new(env!("CARGO")).args(with_engines).args(&args.words).status()?;
    if !status.success() {
        bail!("it ended with {status}");
    }
    Ok(())
}
