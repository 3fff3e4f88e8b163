//! `plimsoll tools`: which linters there are, and how they get onto this machine.

use std::path::Path;

use linters::definition::{Home, Registry};
use linters::{LINTERS, Language, Linter, Located, Place, Places, Waiting, install};
use model::config::JsRuntime;
use serde_json::json;
use state::config::Trust;
use state::{Machine, Project};

use crate::exit;
use crate::ui::{Printer, Tone};

/// The linters: which are there, and how to get the others
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List every linter: version, where it was found, whether it is linked into this program
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Install linters, in the versions that Plimsoll was tested with, into the user's cache folder
    ///
    /// Python tools come from PyPI with uv or pip, JavaScript tools from npm. Nothing is written into a project or a system
    /// folder. Hooks prefer a project's own tools, and those on PATH, to these.
    Install {
        /// Every linter that can be installed
        #[arg(long)]
        all: bool,
        /// These linters
        names: Vec<String>,
    },
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    match &args.command {
        Command::List { json } => {
            list(machine, printer, *json);
            Ok(exit::OK)
        }
        Command::Install { all, names } => add(machine, printer, *all, names),
    }
}

struct Row {
    linter: &'static Linter,
    found: Option<(Place, String)>,
    /// There, and not started before the project is trusted.
    waits: Option<Waiting>,
    embedded: bool,
}

fn rows(machine: &Machine, root: &Path) -> Vec<Row> {
    let places = Places { machine, project: root, runtime: JsRuntime::Auto, trust: Trust::Recorded };
    let one = |linter: &'static Linter| {
        let (place, waits) = match places.near(root).locate(linter) {
            Some(Located::Ready(place)) => (Some(place), None),
            Some(Located::Waits(waiting)) => (None, Some(waiting)),
            None => (None, None),
        };
        // Each of these starts a program; side by side they take as long as the slowest.
        let version =
            place.as_ref().and_then(|place| linters::version_of(machine, linter, place)).unwrap_or_default();
        let embedded =
            linter.languages.iter().any(|language| crate::lint::is_embedded(*language, linter.name));
        Row { linter, found: place.map(|place| (place, version)), waits, embedded }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = LINTERS.iter().map(|linter| scope.spawn(move || one(linter))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

fn list(machine: &Machine, printer: &Printer, as_json: bool) {
    let project = Project::here(machine);
    let rows = rows(machine, &project.root);
    let languages = |linter: &Linter| {
        linter.languages.iter().map(|language: &Language| language.key()).collect::<Vec<_>>()
    };
    if as_json {
        let list: Vec<_> = rows
            .iter()
            .map(|row| {
                json!({
                    "name": row.linter.name,
                    "languages": languages(row.linter),
                    "version": row.found.as_ref().map(|(_, version)| version),
                    "path": row.found.as_ref().map(|(place, _)| &place.program),
                    "from": row.found.as_ref().map(|(place, _)| place.origin.as_str()),
                    "waits_for_trust": row.waits.as_ref().map(|waiting| waiting.shown(&project.root)),
                    "embedded": row.embedded,
                    "tested_with": row.linter.install.map(|install| install.version),
                })
            })
            .collect();
        printer.json(&json!({ "tools": list }));
        return;
    }
    let cells = |row: &Row| {
        let (version, place) = match &row.found {
            Some((place, version)) => {
                (version.clone(), format!("{} ({})", place.program.display(), place.origin.as_str()))
            }
            None if let Some(waiting) = &row.waits => {
                ("-".into(), format!("{} (waits for `plimsoll trust`)", waiting.shown(&project.root)))
            }
            None if row.embedded => ("-".into(), "linked into this program".into()),
            None => ("-".into(), how(row.linter)),
        };
        let embedded = if row.embedded { "embedded" } else { "" };
        vec![
            row.linter.name.to_owned(),
            languages(row.linter).join(", "),
            version,
            embedded.to_owned(),
            place,
        ]
    };
    let head = ["Tool", "Languages", "Version", "", "Where"].map(str::to_owned).to_vec();
    printer.table(&[vec![head], rows.iter().map(cells).collect()].concat());
}

fn how(linter: &Linter) -> String {
    match (linter.install, linter.home) {
        (Some(_), _) => format!("not installed: plimsoll tools install {}", linter.name),
        (None, Home::Native) => format!("not installed: see {}", linter.docs),
        (None, _) => "not in this project".into(),
    }
}

fn add(machine: &Machine, printer: &Printer, all: bool, names: &[String]) -> anyhow::Result<u8> {
    let wanted: Vec<&'static Linter> = if all {
        LINTERS.iter().filter(|linter| linter.install.is_some()).collect()
    } else if names.is_empty() {
        anyhow::bail!("name the linters to install, or say --all; `plimsoll tools list` has their names");
    } else {
        names.iter().map(|name| named(name)).collect::<anyhow::Result<_>>()?
    };
    let mut failed = false;
    for group in install::groups(&wanted) {
        let names: Vec<&str> = group.linters.iter().map(|linter| linter.name).collect();
        if install::is_there(machine, &group) {
            printer.line(&format!("there already: {}", names.join(", ")));
            continue;
        }
        let registry = match group.registry {
            Registry::PyPi => "PyPI",
            Registry::Npm => "npm",
        };
        printer.line(&format!(
            "installing from {registry} into {}: {}",
            group.folder(machine).display(),
            names.join(", ")
        ));
        if let Err(why) = install::install(machine, &group) {
            failed = true;
            printer.note(&format!("plimsoll: {} could not be installed: {why}", names.join(", ")));
        }
    }
    if !failed {
        printer.toned(Tone::Good, "done");
    }
    Ok(if failed { exit::FAILED } else { exit::OK })
}

fn named(name: &str) -> anyhow::Result<&'static Linter> {
    let linter = linters::definition::find(name)
        .ok_or_else(|| anyhow::anyhow!("there is no linter {name}; `plimsoll tools list` has their names"))?;
    anyhow::ensure!(linter.install.is_some(), "{name} comes with its own installer: {}", linter.docs);
    Ok(linter)
}
