//! Commands and the answers they get, in a project on a feature branch.

use checks::{Context, Options, cases, run};
use model::{Config, Decision, Verdict};

/// One row of `cases/evasions.jsonl`.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) command: String,
    pub(crate) expected: String,
}

pub(crate) fn rows() -> Vec<Row> {
    let text = include_str!("../../cases/evasions.jsonl");
    text.lines()
        .map(|line| {
            let json: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
            let field = |name: &str| {
                json[name].as_str().unwrap_or_else(|| panic!("{name} is missing: {line}")).to_owned()
            };
            assert!(!field("category").is_empty());
            Row { id: field("id"), command: field("command"), expected: field("expected") }
        })
        .collect()
}

/// Commands that must be denied: of the corpus, and of every check's own cases.
pub(crate) fn denied() -> Vec<String> {
    let mut commands: Vec<String> =
        rows().into_iter().filter(|row| row.expected == "deny").map(|row| row.command).collect();
    for check in checks::all().filter(|check| check.meta.id.starts_with("shell/")) {
        for case in cases::parse(check.meta.cases).expect("cases are tested") {
            if let Some(command) = case.event.command()
                && judge(command).decision == Decision::Deny
            {
                commands.push(command.to_owned());
            }
        }
    }
    commands
}

/// A project that has linters, as real ones do: the first config of one is a question, and what is there must not be in the way.
pub(crate) fn project() -> cases::Table {
    cases::Table::with_files(&[
        (".ruff.toml", "line-length = 88\n"),
        ("biome.json", "{}\n"),
        (".markdownlint.json", "{}\n"),
    ])
}

pub(crate) fn judge(command: &str) -> Verdict {
    let config = Config::default();
    let table = project();
    run(&cases::shell_event(command), &Context::new(&config, &table), &Options::default()).verdict
}

/// No deny, no ask, no other command.
pub(crate) fn is_undisturbed(verdict: &Verdict) -> bool {
    verdict.decision < Decision::Ask && verdict.command.is_none()
}

pub(crate) fn said(verdict: &Verdict) -> String {
    format!("{} {}", verdict.decision, verdict.rules().join(" "))
}

/// Fails with all that went wrong, up to a number that a user reads.
pub(crate) fn none(failures: &[String]) {
    let shown: Vec<&str> = failures.iter().take(60).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), shown.join("\n"));
}
