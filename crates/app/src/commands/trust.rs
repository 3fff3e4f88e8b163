//! `plimsoll trust`: what a project's own files may do, in the person's word.

use anyhow::Context;
use model::redact_all;
use serde_json::{Map, Value as Json};
use state::config::{self, Loaded, Trust};
use state::quality::Gates;
use state::{Machine, Project, trust};

use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Let this project's config do what needs your word: weaken protection, name things to run.
///
/// Shows what the project's `.claude/hooks/config.json` and `config.local.json` ask for, and the commands that its
/// `quality-checks.json` or `gates.json` would run, against what you trusted last, and records your yes for exactly these values. Anything new asks again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Agree, where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show what is trusted and what waits
    Show,
    /// Take the trust back
    Revoke,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    let commands =
        Gates::load(machine, &project, &machine.cwd()).map(|gates| gates.bound()).unwrap_or_default();
    let new_commands = !commands.is_empty() && !trust::is_trusted_commands(machine, &project, &commands);
    match args.what {
        Some(What::Show) => show(machine, printer, &project, &loaded, &commands, new_commands),
        Some(What::Revoke) => {
            trust::revoke(machine, &project).context("the trust could not be taken back")?;
            printer.line(&format!("{} is no longer trusted", project.root.display()));
        }
        None => {
            show(machine, printer, &project, &loaded, &commands, new_commands);
            if loaded.untrusted.is_empty() && !new_commands {
                return Ok(exit::OK);
            }
            if !person::agrees(machine, printer, "Trust these values?", Some(args.yes)) {
                return Ok(exit::FAILED);
            }
            if !loaded.untrusted.is_empty() {
                trust::add(machine, &project, &loaded.bound).context("the trust could not be recorded")?;
            }
            if new_commands {
                trust::add_commands(machine, &project, &commands)
                    .context("the trust could not be recorded")?;
            }
            printer.toned(Tone::Good, "trusted");
        }
    }
    Ok(exit::OK)
}

/// A diff against what was trusted last.
fn show(
    machine: &Machine,
    printer: &Printer,
    project: &Project,
    loaded: &Loaded,
    commands: &Map<String, Json>,
    new_commands: bool,
) {
    let mut before = trust::recorded(machine, project).unwrap_or_default();
    let known = trust::recorded_commands(machine, project).unwrap_or_default();
    let mut now = loaded.bound.clone();
    // Commands of other folders stay trusted.
    now.extend(known.clone());
    now.extend(commands.clone());
    before.extend(known);
    if now.is_empty() && before.is_empty() {
        printer.line(&format!("{} asks for nothing that needs trust", project.root.display()));
        return;
    }
    printer.toned(Tone::Title, &project.root.display().to_string());
    for line in diff(&before, &now) {
        let tone = match line.as_bytes()[0] {
            b'+' => Tone::Warning,
            b'-' => Tone::Good,
            _ => Tone::Faint,
        };
        printer.toned(tone, &line);
    }
    if loaded.untrusted.is_empty() && !new_commands {
        printer.line("all of it is trusted");
    }
}

fn diff(before: &Map<String, Json>, now: &Map<String, Json>) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in before {
        if now.get(key) != Some(value) {
            lines.push(format!("- {key} = {}", redact_all(&value.to_string())));
        }
    }
    for (key, value) in now {
        let mark = if before.get(key) == Some(value) { ' ' } else { '+' };
        lines.push(format!("{mark} {key} = {}", redact_all(&value.to_string())));
    }
    lines
}
