//! `plimsoll` alone: where to begin, on one short page.

use state::{Machine, Project};

use super::setup::registration;
use crate::exit;
use crate::ui::{Printer, Tone};

pub(crate) fn run(machine: &Machine) -> u8 {
    let printer = Printer::new(machine);
    printer.toned(Tone::Title, &format!("Plimsoll {}", crate::cli::VERSION));
    printer.line("Answers every hook of a coding agent: stops what would do harm, keeps the rules out of its reach, asks when in doubt.");
    let guarded = !registration::registered(machine, &Project::here(machine)).is_empty();
    let rows: &[(&str, &str)] = if guarded {
        &[
            ("plimsoll status", "what is in force here"),
            ("plimsoll log", "what was answered, and why"),
            ("plimsoll explain 'rm -rf build'", "what would be said to a command"),
            ("plimsoll doctor", "is everything in its place?"),
        ]
    } else {
        &[
            ("plimsoll try", "see it work, in a scratch project; ten seconds"),
            ("plimsoll init", "set up this project; asks before it writes"),
            ("plimsoll explain 'rm -rf build'", "what would be said to a command"),
        ]
    };
    printer.line("");
    for (command, meaning) in rows {
        printer.hanging(&format!("  {command:33}{meaning}"), 33);
    }
    printer.line("");
    printer.line("`plimsoll --help` lists every command.");
    if printer.finish().is_ok() { exit::OK } else { exit::FAILED }
}
