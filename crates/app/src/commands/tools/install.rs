//! `plimsoll tools install`: says what will be fetched and how large it is, then fetches it, with a bar where somebody looks on.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linters::definition::Registry;
use linters::install::{self, Group};
use linters::{LINTERS, Linter};
use state::{Machine, Project, files};

use super::super::setup::survey;
use super::rows;
use crate::exit;
use crate::fault::Fault;
use crate::ui::{Printer, Tone, nearest};

/// Megabytes on disk, as installed on Linux on x86-64, without what they share.
static SIZES: &[(&str, u64)] = &[
    ("bandit", 15),
    ("biome", 94),
    ("flake8", 20),
    ("hadolint", 53),
    ("jscpd", 37),
    ("knip", 45),
    ("markdownlint-cli2", 12),
    ("oxlint", 20),
    ("ruff", 59),
    ("semgrep", 368),
    ("shellcheck", 15),
    ("shfmt", 3),
    ("taplo", 11),
    ("tsgo", 31),
    ("ty", 36),
    ("vulture", 1),
    ("yamllint", 5),
];

/// What the folder of a group needs besides: the interpreter's own packages.
fn shared(group: &Group) -> u64 {
    match group.registry {
        Registry::PyPi => 15,
        Registry::Npm => 1,
    }
}

fn size(linter: &Linter) -> u64 {
    SIZES.iter().find(|(name, _)| *name == linter.name).map_or(5, |(_, megabytes)| *megabytes)
}

pub(super) fn run(machine: &Machine, printer: &Printer, all: bool, names: &[String]) -> anyhow::Result<u8> {
    let wanted = wanted(machine, all, names)?;
    if wanted.is_empty() {
        printer.line("every linter that this project uses is installed or linked into this program");
        printer
            .line("`plimsoll tools install --all` installs all there are, `plimsoll tools list` names them");
        return Ok(exit::OK);
    }
    let groups = install::groups(&wanted);
    let (there, missing): (Vec<&Group>, Vec<&Group>) =
        groups.iter().partition(|group| install::is_there(machine, group));
    for group in there {
        printer.line(&format!("there already: {}", names_of(group)));
    }
    announce(machine, printer, &missing);
    let mut failed = false;
    for group in missing {
        let done = with_bar(machine, group, || install::install(machine, group));
        match done {
            Ok(()) => printer.toned(Tone::Good, &format!("installed: {}", names_of(group))),
            Err(why) => {
                failed = true;
                printer.note(&format!("plimsoll: {} could not be installed: {why}", names_of(group)));
            }
        }
    }
    if failed {
        printer
            .note("plimsoll: the same command goes on where it ended; what was fetched is not fetched again");
    } else {
        printer.toned(Tone::Good, "done");
    }
    Ok(if failed { exit::FAILED } else { exit::OK })
}

fn names_of(group: &Group) -> String {
    group.linters.iter().map(|linter| linter.name).collect::<Vec<_>>().join(", ")
}

fn wanted(machine: &Machine, all: bool, names: &[String]) -> anyhow::Result<Vec<&'static Linter>> {
    if all {
        return Ok(LINTERS.iter().filter(|linter| linter.install.is_some()).collect());
    }
    if !names.is_empty() {
        return names.iter().map(|name| named(name)).collect();
    }
    let project = Project::here(machine);
    let languages = survey::look(machine, &project.root).languages;
    let used = |linter: &Linter| {
        linter.is_usual()
            && linter.install.is_some()
            && linter.languages.iter().any(|language| languages.contains(language))
    };
    let lacking = rows(machine, &project.root, used).into_iter();
    let lacking = lacking.filter(|row| row.found.is_none() && row.waits.is_none() && !row.embedded);
    Ok(lacking.map(|row| row.linter).collect())
}

fn named(name: &str) -> anyhow::Result<&'static Linter> {
    let Some(linter) = linters::definition::find(name) else {
        let near = nearest(name, LINTERS.iter().map(|linter| linter.name));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        anyhow::bail!(Fault::Usage(format!(
            "unknown linter {name}{near}; `plimsoll tools list` has their names"
        )));
    };
    anyhow::ensure!(linter.install.is_some(), "{name} comes with its own installer: {}", linter.docs);
    Ok(linter)
}

/// What will be fetched, from where, and what it takes on disk.
fn announce(machine: &Machine, printer: &Printer, groups: &[&Group]) {
    let mut whole = 0;
    for group in groups {
        let registry = match group.registry {
            Registry::PyPi => "PyPI",
            Registry::Npm => "npm",
        };
        let megabytes = estimate(group);
        whole += megabytes;
        let folder = group.folder(machine);
        let mut parts: Vec<String> =
            group.linters.iter().map(|linter| format!("{} ({} MB)", linter.name, size(linter))).collect();
        // So that the parts are the whole.
        let named: u64 = group.linters.iter().map(|linter| size(linter)).sum();
        if megabytes > named {
            parts.push(format!("what they share ({} MB)", megabytes - named));
        }
        printer.hanging(
            &format!(
                "installing from {registry} into {}, about {megabytes} MB: {}",
                folder.display(),
                parts.join(", ")
            ),
            2,
        );
    }
    if groups.len() > 1 {
        printer.line(&format!("about {whole} MB in all"));
    }
}

fn estimate(group: &Group) -> u64 {
    shared(group) + group.linters.iter().map(|linter| size(linter)).sum::<u64>()
}

/// Runs it, and shows meanwhile how full the folder is. Where nobody looks on, nothing is shown.
fn with_bar<T: Send>(machine: &Machine, group: &Group, work: impl FnOnce() -> T + Send) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (folder, whole, over) = (group.folder(machine), estimate(group), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut looks = 0_u32;
            while !over.load(Ordering::Relaxed) {
                // Counting a large folder takes a while itself.
                if looks.is_multiple_of(10) {
                    let megabytes = files::size_below(&folder) >> 20;
                    let mut out = std::io::stderr();
                    let _ = write!(out, "\r{}", bar(megabytes, whole)).and_then(|()| out.flush());
                }
                looks += 1;
                std::thread::sleep(Duration::from_millis(50));
            }
            let _ = write!(std::io::stderr(), "\r{:60}\r", "");
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// Never full before it is done: the whole is an estimate.
fn bar(now: u64, whole: u64) -> String {
    const WIDTH: u64 = 30;
    let full = (now * WIDTH / whole.max(1)).min(WIDTH - 1);
    let text: String = (0..WIDTH).map(|at| if at < full { '#' } else { '.' }).collect();
    format!("  [{text}] {now} of about {whole} MB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_linter_that_can_be_installed_has_a_size() {
        for linter in LINTERS.iter().filter(|linter| linter.install.is_some()) {
            assert!(SIZES.iter().any(|(name, _)| *name == linter.name), "{}", linter.name);
        }
    }

    #[test]
    fn a_bar_is_not_full_before_the_end() {
        assert_eq!(bar(0, 10), "  [..............................] 0 of about 10 MB");
        assert_eq!(bar(5, 10), "  [###############...............] 5 of about 10 MB");
        assert!(bar(99, 10).contains("#.]"));
    }
}
