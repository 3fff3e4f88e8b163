//! `plimsoll quality`: the project's own commands, by hand.

use std::time::Duration;

use anyhow::bail;
use model::{GateVerdict, SessionId};
use state::{Machine, Project};

use crate::exit;
use crate::gates::{self, Here};
use crate::ui::{Printer, Tone};

/// The project's own commands, as `quality-checks.json` or `gates.json` name them: show them, run them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Run all of them, or one; fails if one that blocks does
    Run {
        /// Its name, such as `test`
        check: Option<String>,
        /// Seconds for each
        #[arg(long, default_value_t = 600)]
        limit: u64,
    },
    /// Show what would run, when, and what follows from a failure; and what is wrong with the configuration
    Show,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let Some(gates) = gates::load(machine, &project, &machine.cwd()) else {
        bail!(
            "there is no quality-checks.json or gates.json for {}; `plimsoll explain quality/commands` says where it goes",
            project.root.display()
        );
    };
    let session = SessionId::default();
    let here = Here { machine, project: &project, session: &session, end: gates::now() };
    for problem in gates.all_problems() {
        printer.note(&printer.paint(Tone::Warning, &problem));
    }
    match &args.verb {
        Verb::Show => {
            let rows = gates.list().into_iter().map(|row| {
                let runs = if row.runs.is_empty() { "never".to_owned() } else { row.runs.join("; ") };
                vec![row.name, row.on_fail, runs, row.command.unwrap_or_else(|| "no command".into())]
            });
            printer.table(&rows.collect::<Vec<_>>());
            if !gates.is_trusted(&here) {
                let text = format!(
                    "not trusted yet: hooks do not run them before `plimsoll trust` in {}",
                    gates.trusted_in().display()
                );
                printer.toned(Tone::Warning, &text);
            }
            Ok(exit::OK)
        }
        Verb::Run { check, limit } => {
            if !gates.is_trusted(&here) {
                bail!("these commands are not trusted yet; `plimsoll trust` shows them and records your yes");
            }
            let names: Vec<String> = match check {
                Some(name) => vec![name.clone()],
                None => gates.names().into_iter().map(str::to_owned).collect(),
            };
            let mut code = exit::OK;
            for name in names {
                let Some(outcome) = gates.run(&here, &name, Duration::from_secs(*limit)) else {
                    if check.is_some() {
                        bail!("{name} has no command; known: {}", gates.names().join(", "));
                    }
                    printer.line(&format!("{name}: no command, skipped"));
                    continue;
                };
                let (tone, word) = match outcome.verdict {
                    GateVerdict::Passed => (Tone::Good, "passed"),
                    GateVerdict::Warn => (Tone::Warning, "failed, does not block"),
                    GateVerdict::Block | GateVerdict::Stop => (Tone::Bad, "failed"),
                };
                if !matches!(outcome.verdict, GateVerdict::Passed | GateVerdict::Warn) {
                    code = exit::FAILED;
                }
                printer.toned(tone, &format!("{name}: {word}: {}", outcome.command));
                if outcome.verdict != GateVerdict::Passed && !outcome.output.is_empty() {
                    printer.line(&outcome.output);
                }
            }
            Ok(code)
        }
    }
}
