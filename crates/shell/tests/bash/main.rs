//! The reader against bash itself: scripts made from a grammar are run for real, with programs that only write down how they were
//! called, and every call that bash made must be among those that were predicted.
//!
//! Nothing harmful is within reach: the scripts consist of assignments, expansions, control flow and calls of `one`, `two`,
//! `three`; `PATH` holds those and a few text tools; they run in a directory of their own, with bounds on time, processes and
//! file sizes, and not as root.

mod grammar;
mod machine;

use grammar::Grammar;
use machine::{Machine, World};
use shell::text::is_hole;
use shell::{Call, Reading};

/// Scripts that one bash runs, and how often it is started.
const BATCH: usize = 50;
const BATCHES: usize = if cfg!(debug_assertions) { 12 } else { 24 };

#[test]
fn what_bash_runs_was_predicted() {
    let Some(machine) = Machine::new() else {
        println!("bash, or a way to run it without rights, is missing: nothing was compared");
        return;
    };
    let (mut compared, mut loose) = (0, 0);
    let mut failures = Vec::new();
    for batch in 0..BATCHES {
        let scripts: Vec<String> = (0..BATCH).map(|n| Grammar::new((batch * BATCH + n) as u64).script()).collect();
        for (script, calls) in scripts.iter().zip(machine.run(&scripts)) {
            let reading = shell::read(script, &World(&machine));
            for call in calls {
                compared += 1;
                match prediction(&call, &reading) {
                    Prediction::Exact => {}
                    Prediction::Loose => loose += 1,
                    Prediction::Missing => failures.push(format!("{call:?} was not predicted for\n{script}\n{}", listed(&reading))),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {compared} calls\n\n{}", failures.len(), failures[..failures.len().min(8)].join("\n"));
    assert!(compared > BATCH * BATCHES, "only {compared} calls were made");
    // A reader that knows nothing predicts everything.
    assert!(loose * 5 < compared, "{loose} of {compared} calls were predicted only by not knowing");
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
    if of_name.iter().any(|words| fits(words, call)) || !reading.unseen.is_empty() || !reading.doubts.is_empty() {
        return Prediction::Loose;
    }
    Prediction::Missing
}

/// Whether words with holes may be these words. A word that is nothing but a hole may be any number of them.
fn fits(words: &[String], call: &[String]) -> bool {
    match (words.split_first(), call.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((word, rest)), _) if !word.is_empty() && word.chars().all(is_hole) => (0..=call.len()).any(|n| fits(rest, &call[n..])),
        (Some((word, rest)), Some((said, others))) => matches(word, said) && fits(rest, others),
        (Some(_), None) => false,
    }
}

fn matches(word: &str, said: &str) -> bool {
    match word.chars().next() {
        None => said.is_empty(),
        Some(c) if is_hole(c) => (0..=said.len()).filter(|at| said.is_char_boundary(*at)).any(|at| matches(&word[c.len_utf8()..], &said[at..])),
        Some(c) => said.starts_with(c) && matches(&word[c.len_utf8()..], &said[c.len_utf8()..]),
    }
}

fn listed(reading: &Reading) -> String {
    let lines: Vec<String> = reading.calls.iter().map(|call| format!("  {:?}", call.argv.iter().map(|a| shell::text::show(&a.text)).collect::<Vec<_>>())).collect();
    format!("predicted:\n{}\n", lines.join("\n"))
}
