//! `cargo dev fmt`: rustfmt over every file.
//!
//! `cargo fmt` goes from module to module and does not see those that the `group!` macro declares, which is every check. So
//! the list of files comes from git.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, bail, ensure};

use crate::workspace;

/// Format every Rust file, also the checks, which `cargo fmt` does not find
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Change nothing; fail if a file is not formatted
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = workspace::root();
    let different = rustfmt(root, &files(root)?, args.check)?;
    let list = different.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>().join("\n  ");
    match (list.is_empty(), args.check) {
        (true, _) => println!("every file is formatted"),
        (false, false) => println!("formatted:\n  {list}"),
        (false, true) => bail!("not formatted:\n  {list}\nrun `cargo dev fmt`"),
    }
    Ok(())
}

/// Every Rust file that git knows or would add, relative to `root`.
fn files(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.rs"]);
    let output = run_in(root, &mut git)?;
    ensure!(output.status.success(), "git could not list the files of {}", root.display());
    let text = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    // A file that was removed but not yet staged is still listed.
    Ok(text.split_terminator('\0').map(PathBuf::from).filter(|file| root.join(file).is_file()).collect())
}

/// The files that were (or, with `check`, would be) changed. Width and edition come from the root's `rustfmt.toml`.
fn rustfmt(root: &Path, files: &[PathBuf], check: bool) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.arg("--files-with-diff").args(check.then_some("--check")).args(files);
    let output = run_in(root, &mut rustfmt)?;
    // A set, because rustfmt comes to a file twice: by its name, and by the `mod` line of another file.
    let different: BTreeSet<PathBuf> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| relative(root, line)).collect();
    // With `--check` differences are a failure too; a file that does not parse is on no list.
    let expected = check && !different.is_empty();
    ensure!(output.status.success() || expected, "rustfmt failed");
    Ok(different)
}

fn relative(root: &Path, file: &str) -> PathBuf {
    let file = Path::new(file);
    file.strip_prefix(root).unwrap_or(file).to_owned()
}

/// What a program prints; its errors go to the terminal.
fn run_in(root: &Path, command: &mut Command) -> anyhow::Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{name} could not be started"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_checks_are_found() {
        let files = files(workspace::root()).unwrap();
        assert!(files.contains(&PathBuf::from("crates/checks/src/edit/journal.rs")));
        assert!(!files.iter().any(|file| file.starts_with("target")));
    }

    #[test]
    fn differences_are_named_before_they_are_mended() {
        let dir = tempfile::tempdir().unwrap();
        let files = ["tidy.rs", "untidy.rs"].map(PathBuf::from);
        std::fs::write(dir.path().join("tidy.rs"), "fn main() {}\n").unwrap();
        std::fs::write(dir.path().join("untidy.rs"), "fn main(){}\n").unwrap();
        let different = BTreeSet::from([PathBuf::from("untidy.rs")]);
        let dir = dir.path().canonicalize().unwrap();
        assert_eq!(rustfmt(&dir, &files, true).unwrap(), different);
        assert_eq!(rustfmt(&dir, &files, false).unwrap(), different);
        assert!(rustfmt(&dir, &files, true).unwrap().is_empty());
    }

    #[test]
    fn a_file_that_does_not_parse_is_a_failure() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("broken.rs"), "fn {\n").unwrap();
        assert!(rustfmt(dir.path(), &["broken.rs".into()], true).is_err());
    }
}
