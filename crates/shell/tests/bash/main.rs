//! The reader against bash itself: scripts made from a grammar are run for real, with programs that only write down how they were
//! called, and every call that bash made must be among those that were predicted.
//!
//! Nothing harmful is within reach: the scripts consist of assignments, expansions, control flow and calls of `one`, `two`,
//! `three`; `PATH` holds those and a few text tools; they run in a directory of their own, with bounds on time, processes and
//! file sizes, and not as root.

mod grammar;
mod machine;
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "one file for every crate's tests"
)]
#[path = "../../../app/tests/cli/needs.rs"]
mod needs;

use grammar::Grammar;
use machine::{Machine, World};
use shell::text::is_hole;
use shell::{Call, Reading};

/// Scripts that one bash runs.
const BATCH: usize = 50;

#[test]
fn what_bash_runs_was_predicted() {
    let Some(machine) = Machine::new() else {
        needs::missing("bash", "bash, or a way to run it without rights, is missing");
        return;
    };
    // `PLIMSOLL_BASH_SEEDS=1000..9000` looks further than the standing test does.
    #[expect(clippy::disallowed_methods, reason = "for whoever looks for more by hand")]
    let seeds = std::env::var("PLIMSOLL_BASH_SEEDS").ok();
    let (first, last) = seeds.as_deref().and_then(|text| text.split_once("..")).unwrap_or(("0", "500"));
    let seeds: Vec<u64> = (first.parse().expect("a number")..last.parse().expect("a number")).collect();
    let (mut compared, mut loose) = (0, 0);
    let mut failures = Vec::new();
    for batch in seeds.chunks(BATCH) {
        let scripts: Vec<String> = batch.iter().map(|seed| Grammar::new(*seed).script()).collect();
        for (script, calls) in scripts.iter().zip(machine.run(&scripts)) {
            let reading = shell::read(script, &World(&machine));
            let mut missing = false;
            for call in calls {
                compared += 1;
                match prediction(&call, &reading) {
                    Prediction::Exact => {}
                    Prediction::Loose => loose += 1,
                    Prediction::Missing => missing = true,
                }
            }
            if missing {
                failures.push(script.clone());
            }
        }
    }
    let shown: Vec<String> =
        failures.iter().take(12).map(|script| explained(&shrunk(script, &machine), &machine)).collect();
    assert!(failures.is_empty(), "{} of {} scripts\n\n{}", failures.len(), seeds.len(), shown.join("\n"));
    assert!(compared > seeds.len(), "only {compared} calls were made");
    println!("{compared} calls, {loose} of them predicted only by not knowing");
    // A reader that knows nothing predicts everything.
    assert!(loose * 5 < compared, "{loose} of {compared} calls were predicted only by not knowing");
}

/// A call of this script that was not predicted.
fn missing(script: &str, machine: &Machine) -> Option<Vec<String>> {
    let calls = machine.run(&[script.to_owned()]).pop()?;
    let reading = shell::read(script, &World(machine));
    calls.into_iter().find(|call| prediction(call, &reading) == Prediction::Missing)
}

/// The script with every line taken out that it fails without.
fn shrunk(script: &str, machine: &Machine) -> String {
    // The first lines give every name a value.
    const FIRST: usize = 9;
    let mut lines: Vec<&str> = script.lines().collect();
    let mut size = lines.len() / 2;
    while size > 0 {
        let mut at = FIRST;
        while at + size <= lines.len() {
            let fewer: Vec<&str> = [&lines[..at], &lines[at + size..]].concat();
            if missing(&fewer.join("\n"), machine).is_some() {
                lines = fewer;
            } else {
                at += 1;
            }
        }
        size /= 2;
    }
    lines.join("\n")
}

fn explained(script: &str, machine: &Machine) -> String {
    let call = missing(script, machine).unwrap_or_default();
    format!("{call:?} was not predicted for\n{script}\n{}", listed(&shell::read(script, &World(machine))))
}

#[derive(PartialEq)]
enum Prediction {
    Exact,
    /// Some word of it was not known, or something was run unseen.
    Loose,
    Missing,
}

fn prediction(call: &[String], reading: &Reading) -> Prediction {
    let words = |predicted: &Call| predicted.argv.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>();
    let of_name: Vec<Vec<String>> = reading.calls.iter().map(words).collect();
    if of_name.iter().any(|words| words == call) {
        return Prediction::Exact;
    }
    if of_name.iter().any(|words| fits(words, call))
        || !reading.unseen.is_empty()
        || !reading.doubts.is_empty()
    {
        return Prediction::Loose;
    }
    Prediction::Missing
}

/// Whether words with holes may be these words. What is not known may have blanks in it: one such word may be several, or none.
fn fits(words: &[String], call: &[String]) -> bool {
    let Some((word, rest)) = words.split_first() else { return call.is_empty() };
    if !word.contains(is_hole) {
        return call.first() == Some(word) && fits(rest, &call[1..]);
    }
    let none = word.chars().all(is_hole) && fits(rest, call);
    none || (1..=call.len()).any(|n| matches(word, &call[..n].join(" ")) && fits(rest, &call[n..]))
}

fn matches(word: &str, said: &str) -> bool {
    match word.chars().next() {
        None => said.is_empty(),
        Some(c) if is_hole(c) => (0..=said.len())
            .filter(|at| said.is_char_boundary(*at))
            .any(|at| matches(&word[c.len_utf8()..], &said[at..])),
        Some(c) => said.starts_with(c) && matches(&word[c.len_utf8()..], &said[c.len_utf8()..]),
    }
}

fn listed(reading: &Reading) -> String {
    let lines: Vec<String> = reading
        .calls
        .iter()
        .map(|call| {
            format!("  {:?}", call.argv.iter().map(|a| shell::text::show(&a.text)).collect::<Vec<_>>())
        })
        .collect();
    format!("predicted:\n{}\n", lines.join("\n"))
}
