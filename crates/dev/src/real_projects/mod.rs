//! `cargo dev real-projects`: what Plimsoll does to other people's projects. Source distributions are taken by name and version from the
//! registries, and each gets edits that change nothing, edits that add a comment, a stop, and faults on new lines.
//!
//! Nothing of them is kept in the checkout: they lie in the cache, and are worked on in a scratch folder.

pub(crate) mod fetch;
pub(crate) mod projects;
mod seeds;
pub(crate) mod visit;

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::workspace;
use visit::{Road, Tally, Visit};

/// Try edits, stops and seeded faults on source distributions from the registries.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The executable, with engines [default: the newest of this checkout]
    #[arg(long)]
    program: Option<PathBuf>,
    /// Files of each project
    #[arg(long, default_value_t = 16)]
    files: usize,
    /// Only these projects
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// A list of one's own: lines of `pip NAME VERSION`, `crate NAME VERSION`, `npm NAME VERSION` or `git NAME FOLDER`
    #[arg(long)]
    list: Option<PathBuf>,
    /// A few projects, for everyday
    #[arg(long)]
    few: bool,
    /// Name each edit that was not left alone, and each fault that was not found
    #[arg(long)]
    names: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => newest()?,
    };
    let wanted = match &args.list {
        Some(file) => projects::read(&std::fs::read_to_string(file)?)?,
        None => projects::pinned()?,
    };
    let wanted: Vec<_> = wanted
        .into_iter()
        .filter(|project| args.only.is_empty() || args.only.contains(&project.name))
        .take(if args.few { 3 } else { usize::MAX })
        .collect();
    let scratch = tempfile::tempdir()?;
    let (mut init, mut user) = (Tally::default(), Tally::default());
    for project in &wanted {
        let archive = match fetch::fetch(project) {
            Ok(archive) => archive,
            Err(error) => {
                eprintln!("{} {}: left out: {error:#}", project.name, project.version);
                continue;
            }
        };
        for (road, tally) in [(Road::Init, &mut init), (Road::User, &mut user)] {
            let folder = scratch.path().join(format!("{}-{}", project.name, road.name()));
            let root = fetch::unpack(&archive, &folder)?;
            let visit =
                Visit { program: &program, root, base: folder, road, files: args.files, names: args.names };
            let one = visit.run().with_context(|| format!("{} on {}", project.name, road.name()))?;
            println!("{:28} {:5} {one}", project.name, road.name());
            tally.add(&one);
            // Work in the background may still write there; the whole scratch folder goes at the end.
            let _ = std::fs::remove_dir_all(&visit.base);
        }
    }
    println!(
        "\n| road | projects | edits | rewritten | blocked | stops held | our files in git status | seeded faults found |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    println!("| `plimsoll init --yes` | {} |", init.row());
    println!("| hooks at user level, no config | {} |", user.row());
    println!("\nkinds of faults seeded: {}", init.kinds().max(user.kinds()));
    println!("no fault was put into: {}", init.left_out());
    if init.is_quiet() && user.is_quiet() {
        return Ok(());
    }
    bail!("an edit was not left alone, a stop was held, or too few faults were found")
}

/// The executable of this checkout that was built last.
fn newest() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    // …/debug/dev beside …/debug/plimsoll, and the same below a target's folder.
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace::root().join("target"), PathBuf::from);
    let mut found: Vec<PathBuf> = vec![own.with_file_name("plimsoll")];
    for folder in std::fs::read_dir(&target).into_iter().flatten().flatten() {
        found.extend(["debug", "release"].map(|profile| folder.path().join(profile).join("plimsoll")));
    }
    found.extend(["debug", "release"].map(|profile| target.join(profile).join("plimsoll")));
    let newest =
        found.into_iter().filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file))).max();
    newest
        .map(|(_, file)| file)
        .context("there is no executable: run `cargo build --release`, or name one with --program")
}
