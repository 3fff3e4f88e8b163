//! `cargo dev record`: what linters really print about the samples in their folders, for the tests of their readers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use linters::{LINTERS, Linter, Place, Places};
use model::config::JsRuntime;
use state::Machine;
use state::config::Trust;

use crate::workspace;

/// Record what the linters on this machine print about their samples.
///
/// A new version of a tool becomes a new file beside the older ones, so that a reader goes on understanding both. Look at what the
/// test of the readers then says.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these linters
    names: Vec<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let machine = Machine::real();
    for linter in LINTERS
        .iter()
        .filter(|linter| args.names.is_empty() || args.names.iter().any(|name| name == linter.name))
    {
        let folder = workspace::root().join("crates/linters/defs").join(linter.name);
        let Some(sample) = sample(&folder) else { continue };
        let root = Path::new("/nowhere");
        let places =
            Places { machine: &machine, project: root, runtime: JsRuntime::Auto, trust: Trust::Everything };
        match places.find(linter, root) {
            Some(place) => one(linter, &place, &folder, &sample)?,
            None => println!("{}: not on this machine", linter.name),
        }
    }
    Ok(())
}

fn sample(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.into_iter().find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == "Dockerfile"
            || (name.starts_with("bad.") && !name.ends_with(".out") && !name.ends_with(".read"))
    })
}

fn one(linter: &'static Linter, place: &Place, folder: &Path, sample: &Path) -> anyhow::Result<()> {
    // A formatter gets the sample on stdin; of those with several steps the first is enough to know its words.
    let (args, formats) = match (&linter.lint, linter.format.first()) {
        (Some(job), _) => (job.args, false),
        (None, Some(job)) => (job.args, true),
        (None, None) => return Ok(()),
    };
    if linter.version.is_empty() {
        // The recording's name is the version, so it is a user's to give.
        println!("{}: it cannot say its version", linter.name);
        return Ok(());
    }
    let version =
        linters::version_of(&Machine::real(), linter, place).context("it does not say its version")?;
    let work = tempfile::tempdir()?;
    let dir = work.path().canonicalize()?;
    let file = dir.join(sample.file_name().unwrap_or_default());
    std::fs::copy(sample, &file)?;
    // What it needs beside the sample to run at all.
    let beside = folder.join("beside");
    for entry in std::fs::read_dir(&beside).into_iter().flatten().flatten() {
        std::fs::copy(entry.path(), dir.join(entry.file_name()))?;
    }
    let done = Command::new(&place.program)
        .args(&place.before)
        .args(words(args, &file, &dir))
        .envs(linter.env.iter().copied())
        .current_dir(&dir)
        .stdin(if formats { std::fs::File::open(&file)?.into() } else { Stdio::null() })
        .output()?;
    let Some(code) = done.status.code() else { bail!("{}: a signal ended it", linter.name) };
    let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*dir.to_string_lossy(), "/sample");
    let text =
        format!("exit {code}\n--- stdout\n{}\n--- stderr\n{}", plain(&done.stdout), plain(&done.stderr));
    let name = format!("bad.v{version}.out");
    std::fs::write(folder.join(&name), text)?;
    println!("{}: {name}", linter.name);
    Ok(())
}

/// The command line of a definition as it is without any flag.
pub(crate) fn words(args: &[&str], file: &Path, dir: &Path) -> Vec<String> {
    let (file, dir) = (file.to_string_lossy(), dir.to_string_lossy());
    let plain = args.iter().filter(|word| !word.starts_with('?'));
    plain
        .map(|word| word.replace("{files}", &file).replace("{file}", &file).replace("{project}", &dir))
        .collect()
}
