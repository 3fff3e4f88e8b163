//! `plimsoll tools`: which linters there are, and how they get onto this machine (`install`).

mod engines;
mod install;

use std::path::Path;

use linters::definition::Home;
use linters::{LINTERS, Language, Linter, Located, Place, Places, Waiting};
use model::config::JsRuntime;
use serde_json::json;
use state::config::Trust;
use state::{Machine, Project};

use crate::exit;
use crate::ui::Printer;

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
    /// Without a name, those that this project uses and that are neither installed nor linked in. Python tools come from PyPI with uv or
    /// pip, JavaScript tools from npm, through whatever proxy or mirror these are set up for. Every file is checked against
    /// hashes that are part of this program. Nothing is written into a project or a system folder. Hooks prefer a project's own
    /// tools, and those on PATH, to these. What an interrupted run has fetched is not fetched again.
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
        Command::Install { all, names } => install::run(machine, printer, *all, names),
    }
}

/// How it is with one linter here.
pub(crate) struct Row {
    pub(crate) linter: &'static Linter,
    pub(crate) found: Option<(Place, String)>,
    /// There, and not started before the project is trusted.
    pub(crate) waits: Option<Waiting>,
    pub(crate) embedded: bool,
}

pub(crate) fn rows(machine: &Machine, root: &Path, wanted: impl Fn(&Linter) -> bool) -> Vec<Row> {
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
        let threads: Vec<_> = LINTERS
            .iter()
            .filter(|linter| wanted(linter))
            .map(|linter| scope.spawn(move || one(linter)))
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

fn list(machine: &Machine, printer: &Printer, as_json: bool) {
    let project = Project::here(machine);
    let rows = rows(machine, &project.root, |_| true);
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
                    "engine": row.embedded.then(|| engines::of(row.linter.name)),
                    "tested_with": row.linter.install.map(|install| install.version),
                })
            })
            .collect();
        printer.json(&json!({ "tools": list }));
        return;
    }
    let home = machine.home();
    // As a user writes it, so that it fits on a line.
    let short = |path: &Path| {
        let below = |dir: &Path| path.strip_prefix(dir).ok().map(Path::to_owned);
        below(&project.root).unwrap_or_else(|| {
            home.as_deref().and_then(below).map_or_else(|| path.to_owned(), |rest| Path::new("~").join(rest))
        })
    };
    let cells = |row: &Row| {
        let (version, place) = match &row.found {
            Some((place, version)) => {
                let besides = if row.embedded {
                    format!("; {} is linked in", engines::of(row.linter.name))
                } else {
                    String::new()
                };
                let text =
                    format!("{} ({}){besides}", short(&place.program).display(), place.origin.as_str());
                (or_unknown(version), text)
            }
            None if let Some(waiting) = &row.waits => {
                ("-".into(), format!("{} (waits for `plimsoll trust`)", waiting.shown(&project.root)))
            }
            None if row.embedded => (engines::of(row.linter.name).into(), "linked into this program".into()),
            None => ("-".into(), how(row.linter).into()),
        };
        vec![row.linter.name.to_owned(), languages(row.linter).join(", "), version, place]
    };
    let head = ["Tool", "Languages", "Version", "Where"].map(str::to_owned).to_vec();
    printer.table(&[vec![head], rows.iter().map(cells).collect()].concat());
    printer.line("");
    printer.line(
        "`plimsoll tools install` brings what this project uses and lacks, `plimsoll tools install NAME` one of them. `--json` has more.",
    );
}

/// Some do not say it.
fn or_unknown(version: &str) -> String {
    if version.is_empty() { "?".into() } else { version.to_owned() }
}

fn how(linter: &Linter) -> &'static str {
    match (linter.install, linter.home) {
        (Some(_), _) => "not installed",
        (None, Home::Native) => "not installed; get it by hand",
        (None, _) => "not in this project",
    }
}
