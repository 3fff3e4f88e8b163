//! `plimsoll selftest`: the specification's cases, run here and now.

use anyhow::Context;
use serde_json::json;
use state::{Machine, Project};

use crate::exit;
use crate::selftest::{self, Options, Outcome, Record, Store};
use crate::ui::{Printer, Tone};

/// Run the integration specification on this machine: each case for real, one record each.
///
/// What needs a tool that is not on this machine is skipped and named; the rest must pass, and nothing is left behind. With
/// `--strict` a tool that the specification wants is a failure where it is missing. `--strict` and `--json` write records,
/// RESULTS.md and, after a second run, COMPARISON.md to `.claude/tests/hooks/results/` in the project.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Besides the specification's 103 cases, the suites for protection (CP), guardian (SG), tiers (T) and fixer (F)
    #[arg(long)]
    all: bool,
    /// Only these cases, or those that begin so: `M16`, `P`, `CP`
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    only: Vec<String>,
    /// Through `plimsoll hook`, instead of the old scripts' addresses
    #[arg(long)]
    native: bool,
    /// As the specification has it: the tools that it names must be there
    #[arg(long)]
    strict: bool,
    /// Print the records and the totals as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let store = Store::new(machine, &project);
    // A part of the cases is not a run that others are compared with.
    let whole = args.only.is_empty() && (args.strict || args.json);
    if whole {
        store.begin().with_context(|| format!("{} cannot be prepared", store.dir().display()))?;
    }
    let show = std::sync::Mutex::new(());
    let progress = |record: &Record| {
        if !args.json {
            let _turn = show.lock();
            Printer::new(machine).line(&line(&Printer::new(machine), record));
        }
    };
    let options =
        Options { only: args.only.clone(), native: args.native, strict: args.strict, all: args.all };
    let (ran, bench) = selftest::run(machine, &project, &options, &progress)?;
    let counts = selftest::counts(&ran);
    let gaps = selftest::gaps(&ran);
    let failed = counts.failed > 0 || !gaps.is_empty() || ran.is_empty();
    if whole {
        store.write(&ran).with_context(|| format!("{} cannot be written", store.dir().display()))?;
        store.page("RESULTS.md", &selftest::results(store.stamp(), &ran, &bench.environment()))?;
        if let Some(before) = store.before() {
            store.page("COMPARISON.md", &selftest::comparison(store.stamp(), &ran, &before))?;
        }
    }
    if args.json {
        let records: Vec<_> = ran.iter().flat_map(|suite| &suite.records).map(Record::json).collect();
        let totals = json!({
            "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped,
            "gaps": gaps, "records": records,
        });
        printer.line(&format!("{totals:#}"));
    } else {
        for gap in &gaps {
            printer.toned(Tone::Bad, gap);
        }
        let wanting = selftest::wanting(&ran);
        if !wanting.is_empty() {
            printer.line("");
            printer.line(&format!("Skipped for want of: {}", wanting.join(", ")));
            let (ours, others): (Vec<&str>, Vec<&str>) =
                wanting.iter().map(String::as_str).partition(|name| {
                    linters::definition::find(name).is_some_and(|linter| linter.install.is_some())
                });
            if !ours.is_empty() {
                printer.line(&format!("`plimsoll tools install {}` brings them.", ours.join(" ")));
            }
            if !others.is_empty() {
                printer.line(&format!("To be had elsewhere: {}.", others.join(", ")));
            }
        }
        let tone = if failed { Tone::Bad } else { Tone::Good };
        printer.toned(
            tone,
            &format!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped),
        );
        if whole {
            printer.line(&format!("records and RESULTS.md are in {}", store.dir().display()));
        }
    }
    if failed && (args.strict || args.json) {
        printer.note(&format!("what the cases left is kept in {}", bench.scratch.display()));
        return Ok(exit::FAILED);
    }
    bench.clear().with_context(|| format!("{} could not be removed", bench.scratch.display()))?;
    Ok(if failed { exit::FAILED } else { exit::OK })
}

fn line(printer: &Printer, record: &Record) -> String {
    let (word, tone) = match record.outcome() {
        Outcome::Passed => ("ok  ", Tone::Good),
        Outcome::Skipped => ("skip", Tone::Warning),
        Outcome::Failed => ("FAIL", Tone::Bad),
    };
    let note = match record.outcome() {
        Outcome::Passed => "",
        // How to get it is said once, at the end.
        Outcome::Skipped => record.note.split(": `").next().unwrap_or_default(),
        Outcome::Failed => record.note.as_str(),
    };
    let text = format!(
        "{} {:5} {:26} {:>6} ms  {note}",
        printer.paint(tone, word),
        record.id,
        record.test_name,
        record.duration_ms
    );
    text.trim_end().to_owned()
}
