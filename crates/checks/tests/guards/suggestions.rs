//! No rule denies what it, or another rule, tells the agent to do instead.

use std::collections::BTreeSet;

use model::Decision;

use crate::judge::{denied, judge, none, rows, said};

/// The commands in a text: what is between backticks, and what follows a last colon.
fn commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    for line in text.lines().filter(|line| !line.contains('`')) {
        if let Some((_, command)) = line.rsplit_once(": ") {
            let first = command.split_whitespace().next().unwrap_or_default();
            if ["git", "plimsoll", "cp", "diff"].contains(&first) {
                found.push(command.to_owned());
            }
        }
    }
    // `<branch>` stands for a name.
    found.into_iter().map(|command| command.replace(['<', '>'], "")).collect()
}

#[test]
fn what_is_suggested_is_not_denied() {
    let mut texts = BTreeSet::new();
    let contested = rows().into_iter().filter(|row| row.expected == "ask").map(|row| row.command);
    for command in denied().into_iter().chain(contested) {
        for finding in judge(&command).findings {
            texts.extend(finding.instead);
        }
    }
    let mut failures = Vec::new();
    let mut seen = 0;
    for text in texts {
        for command in commands(&text) {
            seen += 1;
            let verdict = judge(&command);
            if verdict.decision == Decision::Deny {
                failures.push(format!("{text:?} suggests {command:?}, which gets {}", said(&verdict)));
            }
        }
    }
    assert!(seen >= 12, "only {seen} commands were found in suggestions");
    none(&failures);
}
