//! Commands of PowerShell and the answers they get, from `cases/powershell.jsonl`.

use model::{Decision, Verdict};

use crate::judge::{none, said};
use crate::tools::{call, calls};

fn holds(expected: &str, verdict: &Verdict) -> bool {
    let undisturbed = verdict.decision < Decision::Ask && verdict.command.is_none();
    match expected {
        "deny" => verdict.decision == Decision::Deny,
        "stop" => verdict.decision >= Decision::Ask,
        "allow" => verdict.decision == Decision::Allow,
        "none" => undisturbed && verdict.decision != Decision::Allow,
        // Approved or not.
        "fine" => undisturbed,
        other => panic!("{other} is not an answer"),
    }
}

#[test]
fn every_command_gets_its_answer() {
    let rows = calls(include_str!("../../cases/powershell.jsonl"));
    assert!(rows.len() > 300);
    let mut failures = Vec::new();
    for row in &rows {
        let verdict = call(&row.tool, &row.input);
        if !holds(&row.expected, &verdict) {
            let command = &row.input["command"];
            failures.push(format!(
                "{}: expected {}, got {}: {command}",
                row.id,
                row.expected,
                said(&verdict)
            ));
        }
    }
    none(&failures);
}
