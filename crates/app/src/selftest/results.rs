//! `RESULTS.md`: how the run ended, what it ran with, what failed and what to do.

use std::fmt::Write as _;

use super::{Outcome, Ran, Record};

/// Passed, failed, skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Counts {
    pub(crate) fn of<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        let mut counts = Self::default();
        for record in records {
            match record.outcome() {
                Outcome::Passed => counts.passed += 1,
                Outcome::Failed => counts.failed += 1,
                Outcome::Skipped => counts.skipped += 1,
            }
        }
        counts
    }
}

/// What is wrong with a run besides failed cases: suites that are missing records.
pub(crate) fn gaps(ran: &[Ran]) -> Vec<String> {
    ran.iter()
        .filter(|suite| suite.records.len() < suite.expected)
        .map(|suite| {
            format!(
                "{}: {} of {} records; the missing cases count as failed",
                suite.suite,
                suite.records.len(),
                suite.expected
            )
        })
        .collect()
}

pub(crate) fn page(stamp: &str, ran: &[Ran], environment: &[(String, String)]) -> String {
    let all = || ran.iter().flat_map(|suite| &suite.records);
    let counts = Counts::of(all());
    let mut text = format!(
        "# Self-test results\n\nRun {stamp}: {} passed, {} failed, {} skipped.\n\n| suite | records | passed | failed | skipped |\n| --- | --- | --- | --- | --- |\n",
        counts.passed, counts.failed, counts.skipped
    );
    for suite in ran {
        let own = Counts::of(suite.records.iter());
        let _ = writeln!(
            text,
            "| {} | {} of {} | {} | {} | {} |",
            suite.suite,
            suite.records.len(),
            suite.expected,
            own.passed,
            own.failed,
            own.skipped
        );
    }
    text.push_str("\n## Environment snapshot\n\n| what | version |\n| --- | --- |\n");
    for (name, version) in environment {
        let _ = writeln!(text, "| {name} | {} |", version.replace('|', "\\|"));
    }
    section(&mut text, "Failures", all().filter(|record| record.outcome() == Outcome::Failed));
    section(&mut text, "Skipped", all().filter(|record| record.outcome() == Outcome::Skipped));
    for gap in gaps(ran) {
        let _ = writeln!(text, "\n**{gap}**");
    }
    text
}

fn section<'a>(text: &mut String, title: &str, records: impl Iterator<Item = &'a Record>) {
    let _ = write!(text, "\n## {title}\n\n");
    let before = text.len();
    for record in records {
        let _ = writeln!(
            text,
            "- {} `{}` ({}): expected {}, got {}; {}. Asked for by: {}",
            record.id,
            record.test_name,
            record.input_summary,
            record.expected_decision,
            record.actual_decision,
            if record.note.is_empty() { "no note" } else { &record.note },
            record.basis
        );
    }
    if text.len() == before {
        text.push_str("None.\n");
    }
}
