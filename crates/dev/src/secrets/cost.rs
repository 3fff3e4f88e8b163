//! What looking at a result costs, as valgrind counts instructions, for each kind of text that tools return.
//!
//! `Sight::of` alone: an example of `model` looks through a file once and three times, and half of the difference is what one look takes.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::kinds::{Kind, kinds};

/// Counts every kind of text that has a limit, and the given files.
pub(super) fn run(files: &[PathBuf]) -> anyhow::Result<()> {
    let program = build()?;
    let folder = tempfile::tempdir()?;
    let mut over = Vec::new();
    println!("{:16} {:>8} {:>6}", "a byte of", "takes", "limit");
    for Kind { name, text, limit } in kinds()? {
        let file = folder.path().join(name);
        std::fs::write(&file, &text)?;
        let cost = cost(&program, &file)?;
        println!("{name:16} {cost:8.2} {limit:6.1}");
        if cost > limit {
            over.push(name);
        }
    }
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:16} {:8.2}", cost(&program, file)?);
    }
    if !over.is_empty() {
        bail!("above the limit: {}", over.join(", "));
    }
    Ok(())
}

/// Built as it is shipped.
fn build() -> anyhow::Result<PathBuf> {
    let built = Command::new("cargo")
        .args(["build", "--release", "-p", "model", "--example", "look", "--message-format", "json"])
        .current_dir(crate::workspace::root())
        .output()?;
    if !built.status.success() {
        bail!("the example does not build: {}", String::from_utf8_lossy(&built.stderr));
    }
    let text = String::from_utf8_lossy(&built.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = messages.rev().find(|message| message["target"]["name"] == "look");
    let program = program.and_then(|message| Some(PathBuf::from(message["executable"].as_str()?)));
    program.context("cargo has not said where the example is")
}

#[expect(clippy::cast_precision_loss, reason = "instructions a byte, to two places")]
fn cost(program: &Path, file: &Path) -> anyhow::Result<f64> {
    let bytes = std::fs::metadata(file)?.len();
    let (once, thrice) = (count(program, file, "1")?, count(program, file, "3")?);
    Ok((thrice - once) as f64 / 2.0 / bytes as f64)
}

fn count(program: &Path, file: &Path, times: &str) -> anyhow::Result<u64> {
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .arg(times)
        .arg(file)
        .output()
        .context("valgrind is needed")?;
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let count = said.lines().find_map(|line| line.split("Collected :").nth(1)?.trim().parse().ok());
    count.with_context(|| format!("valgrind has counted nothing: {said}"))
}
