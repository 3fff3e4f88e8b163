//! Calls of every kind of tool and the answers they get: a corpus of their own, and the corpus of commands by way of other tools.

use checks::{Context, Options, cases, run};
use model::config::Profile;
use model::{Config, Decision, EventName, Verdict};
use serde_json::{Value, json};

use crate::judge::{is_undisturbed, judge, none, project, rows, said};

pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) expected: String,
}

const CALLS: &str = include_str!("../../cases/tools.jsonl");

/// The rows of a file of cases.
pub(crate) fn calls(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let json: Value = serde_json::from_str(line).expect("a line is JSON");
        let field = |name: &str| {
            json[name].as_str().unwrap_or_else(|| panic!("{name} is missing: {line}")).to_owned()
        };
        assert!(json["input"].is_object(), "{line}");
        Row {
            id: field("id"),
            tool: field("tool"),
            input: json["input"].clone(),
            expected: field("expected"),
        }
    };
    text.lines().map(row).collect()
}

pub(crate) fn call(tool: &str, input: &Value) -> Verdict {
    let config = Config::default();
    let table = project();
    let event = cases::tool_event(&EventName::PreToolUse, Some(tool), input.clone());
    run(&event, &Context::new(&config, &table), &Options::default()).verdict
}

fn holds(expected: &str, verdict: &Verdict) -> bool {
    match expected {
        "deny" => verdict.decision == Decision::Deny,
        "ask" => verdict.decision == Decision::Ask,
        // Either will do.
        "stop" => verdict.decision >= Decision::Ask,
        // Not in anybody's way, and not approved.
        "none" => verdict.decision == Decision::None && verdict.command.is_none(),
        other => panic!("{other} is not an answer"),
    }
}

#[test]
fn every_call_gets_its_answer() {
    let calls = calls(CALLS);
    assert!(calls.len() > 900);
    let mut failures = Vec::new();
    for row in &calls {
        // What a shell approves, these have approved too.
        let verdict = call(&row.tool, &row.input);
        let approved =
            matches!(row.tool.as_str(), "Monitor" | "PowerShell") && verdict.decision == Decision::Allow;
        if !(holds(&row.expected, &verdict) || approved && row.expected == "none") {
            failures.push(format!(
                "{}: expected {}, got {}: {} {}",
                row.id,
                row.expected,
                said(&verdict),
                row.tool,
                row.input
            ));
        }
    }
    none(&failures);
}

/// Roads to a shell: what a command is answered by `Bash`, it is answered there, but for approvals.
fn roads(command: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("mcp__box__run", json!({"command": command})),
        ("mcp__box__go", json!({"deep": [{"cmd": command}]})),
        ("mcp__box__exec", json!({"argv": ["bash", "-c", command]})),
        ("mcp__box__start", json!({"program": "sh", "args": ["-c", command]})),
        ("mcp__box__call_tool", json!({"arguments": json!({"shell_command": command}).to_string()})),
        ("LaterTool", json!({"command": command})),
    ]
}

#[test]
fn what_a_shell_refuses_no_tool_runs() {
    let mut failures = Vec::new();
    for row in rows().iter().filter(|row| row.expected == "deny") {
        if judge(&row.command).decision < Decision::Ask {
            continue;
        }
        for (tool, input) in roads(&row.command) {
            let verdict = call(tool, &input);
            if verdict.decision < Decision::Ask {
                failures.push(format!("{}: {tool} got {}: {}", row.id, said(&verdict), row.command));
            }
        }
    }
    none(&failures);
}

#[test]
fn what_a_shell_runs_a_tool_runs_and_nobody_approves_it() {
    let mut failures = Vec::new();
    for row in rows().iter().filter(|row| row.expected == "allow") {
        if !is_undisturbed(&judge(&row.command)) {
            continue;
        }
        for (tool, input) in roads(&row.command) {
            let verdict = call(tool, &input);
            if verdict.decision != Decision::None || verdict.command.is_some() {
                failures.push(format!("{}: {tool} got {}: {}", row.id, said(&verdict), row.command));
            }
        }
    }
    none(&failures);
}

#[test]
fn what_is_not_known_is_approved_in_no_profile() {
    let table = cases::Table::working_alone();
    let mut failures = Vec::new();
    for profile in [Profile::Standard, Profile::Strict, Profile::Autonomous] {
        let config = Config { profile, ..Config::default() };
        for row in calls(CALLS).iter().filter(|row| row.tool.starts_with("mcp__")) {
            let event = cases::tool_event(&EventName::PreToolUse, Some(&row.tool), row.input.clone());
            let verdict = run(&event, &Context::new(&config, &table), &Options::default()).verdict;
            if verdict.decision == Decision::Allow {
                failures.push(format!("{}: {} {}", row.id, row.tool, row.input));
            }
        }
    }
    none(&failures);
}
