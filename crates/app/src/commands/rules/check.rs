//! `plimsoll rules check` and `test`: whether rules are well written, keep what their cases promise, and make sense.

use std::path::Path;

use anyhow::bail;
use checks::rules::test::{self, Outcome};
use serde_json::json;
use state::Machine;

use super::{here, of_file, place};
use crate::exit;
use crate::fault::Fault;
use crate::rules::Made;
use crate::ui::{Printer, Tone, human};

fn made(machine: &Machine, file: Option<&Path>) -> anyhow::Result<Made> {
    file.map_or_else(|| Ok(here(machine)), of_file)
}

/// What was found about one rule.
struct Found<'a> {
    id: &'a str,
    place: String,
    problems: Vec<String>,
}

pub(super) fn check(
    machine: &Machine,
    printer: &Printer,
    file: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<u8> {
    let made = made(machine, file)?;
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut run = 0;
    for standing in &made.rules {
        let written = &standing.written;
        let outcome = test::plain(written);
        run += outcome.run;
        let mut problems = told(&outcome);
        problems.extend(test::oddities(written));
        if written.rule.say == super::new::PLACEHOLDER {
            problems.push("its `say` is still what `plimsoll rules new` wrote: say why".to_owned());
        }
        if !problems.is_empty() {
            found.push(Found { id: &written.rule.id, place: place(&written.rule), problems });
        }
    }
    let troubles: Vec<&str> = made.troubles.iter().map(state::rules::Trouble::text).collect();
    let is_good = found.is_empty() && troubles.is_empty();
    if as_json {
        let rules: Vec<_> = found
            .iter()
            .map(|one| json!({"rule": one.id, "place": one.place, "problems": one.problems}))
            .collect();
        printer.json(&json!({"rules": made.rules.len(), "cases": run, "problems": rules, "files": troubles}));
        return Ok(if is_good { exit::OK } else { exit::FAILED });
    }
    for trouble in &troubles {
        printer.toned(Tone::Bad, trouble);
    }
    for one in &found {
        for problem in &one.problems {
            printer.toned(Tone::Bad, &format!("{}: {}: {problem}", one.place, one.id));
        }
    }
    let line =
        format!("{}, {}", human::plural(made.rules.len() as u64, "rule"), human::plural(run as u64, "case"));
    if is_good {
        printer.toned(Tone::Good, &format!("{line}: nothing is wrong"));
        return Ok(exit::OK);
    }
    printer.line(&line);
    Ok(exit::FAILED)
}

fn told(outcome: &Outcome) -> Vec<String> {
    outcome.failures.iter().map(|failed| format!("{}: {}", failed.text, one_line(&failed.case))).collect()
}

/// The first line of a text that may have several.
fn one_line(text: &str) -> String {
    text.replace('\n', "⏎")
}

pub(super) fn test(
    machine: &Machine,
    printer: &Printer,
    rule: Option<&str>,
    file: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<u8> {
    let made = made(machine, file)?;
    let wanted = |id: &str| rule.is_none_or(|rule| rule == id);
    let mut rows = Vec::new();
    let mut failed = 0;
    for standing in made.rules.iter().filter(|standing| wanted(&standing.written.rule.id)) {
        let written = &standing.written;
        let outcome = test::whole(written);
        failed += outcome.failures.len();
        if as_json {
            let failures: Vec<_> = outcome
                .failures
                .iter()
                .map(|failed| json!({"case": failed.case, "what": failed.text}))
                .collect();
            rows.push(json!({"rule": written.rule.id, "run": outcome.run, "failed": failures}));
            continue;
        }
        let tone = if outcome.failures.is_empty() { Tone::Good } else { Tone::Bad };
        let line =
            format!("{}: {} of {} hold", written.rule.id, outcome.run - outcome.failures.len(), outcome.run);
        printer.toned(tone, &line);
        for line in told(&outcome) {
            printer.line(&format!("  {line}"));
        }
        rows.push(json!(null));
    }
    if rows.is_empty() {
        match rule {
            Some(rule) => {
                bail!(Fault::Usage(format!("unknown rule {rule}; `plimsoll rules list` shows them")))
            }
            None => printer.line("there are no rules here"),
        }
    } else if as_json {
        printer.json(&json!(rows));
    }
    for trouble in &made.troubles {
        printer.note(&format!("plimsoll: {}", trouble.text()));
    }
    Ok(if failed == 0 { exit::OK } else { exit::FAILED })
}
