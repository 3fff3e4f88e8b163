//! `plimsoll doctor`: what is there, what is missing, what to do.

use serde_json::json;
use state::config::{self, Trust};
use state::{Machine, Project};

use crate::doctor::{self, Item, Patient};
use crate::exit;
use crate::ui::{Printer, Tone};

/// What is there, what is missing, and what to do about it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::is_guard, Trust::Recorded);
    let items = doctor::examine(&Patient { machine, project: &project, loaded: &loaded });
    let failed = items.iter().filter(|item| !item.pass).count();
    if args.json {
        let list: Vec<_> = items.iter().map(Item::json).collect();
        printer.json(&json!({"project": project.root, "items": list, "failed": failed}));
    } else {
        let rows: Vec<Vec<String>> = items.iter().map(|item| cells(printer, item)).collect();
        printer.table(&rows);
        let tone = if failed == 0 { Tone::Good } else { Tone::Bad };
        printer.toned(tone, &format!("{} of {} are as they should be", items.len() - failed, items.len()));
    }
    Ok(if failed == 0 { exit::OK } else { exit::FAILED })
}

fn cells(printer: &Printer, item: &Item) -> Vec<String> {
    let word = match (item.pass, item.found) {
        (false, _) => printer.paint(Tone::Bad, "bad"),
        (true, true) => printer.paint(Tone::Good, "ok "),
        (true, false) => printer.paint(Tone::Faint, "-  "),
    };
    vec![item.id.to_owned(), word, item.name.to_owned(), item.need.as_str().to_owned(), item.note.clone()]
}
