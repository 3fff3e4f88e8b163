//! Payload files in, snapshots out: the event each becomes, and what every answer of ours looks like on it.

#![expect(clippy::disallowed_methods, reason = "tests read their case files")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use model::{Decision, EventName, Finding, Verdict};
use proptest::prelude::*;

use super::{ANSWERS, Answers, ClaudeCode, Form};
use crate::{Agent, Defaults, Reply, read};

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/claude_code").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files.sort();
    files
}

fn parse(file: &Path) -> model::Event {
    let input = read(&std::fs::read(file).unwrap()).unwrap();
    ClaudeCode.parse(input.payload, Defaults::default())
}

fn verdict(decision: Decision) -> Verdict {
    let mut verdict = Verdict::default();
    if decision != Decision::None {
        let what = format!("{decision} it.");
        verdict.findings.push(Finding {
            rule: "test/rule",
            decision,
            what,
            why: "Because.".into(),
            instead: None,
            at: None,
        });
        verdict.decision = decision;
    }
    verdict
}

/// The answers that are tried on every event.
fn answers() -> Vec<(&'static str, Verdict)> {
    let mut list: Vec<_> = Decision::ALL.into_iter().map(|d| (d.as_str(), verdict(d))).collect();
    list.push(("rewrite", Verdict { command: Some("true".into()), ..verdict(Decision::None) }));
    list.push(("allow+rewrite", Verdict { command: Some("true".into()), ..verdict(Decision::Allow) }));
    list.push(("context", Verdict { context: vec!["Know this.".into()], ..verdict(Decision::None) }));
    list.push(("notice", Verdict { notices: vec!["For you.".into()], ..verdict(Decision::None) }));
    list.push((
        "deny+all",
        Verdict {
            command: Some("true".into()),
            context: vec!["Know this.".into()],
            notices: vec!["For you.".into()],
            ..verdict(Decision::Deny)
        },
    ));
    list
}

fn show(reply: &Reply) -> String {
    let mut text = format!("exit {}", reply.exit);
    for (name, stream) in [("stdout", &reply.stdout), ("stderr", &reply.stderr)] {
        if !stream.is_empty() {
            write!(text, "\n    {name}: {}", stream.trim_end().replace('\n', "\n            ")).unwrap();
        }
    }
    text
}

#[test]
fn payloads_become_events() {
    for folder in ["recorded", "documented", "spellings"] {
        let mut text = String::new();
        for file in cases(folder) {
            writeln!(text, "# {}\n{:#?}\n", file.file_stem().unwrap().display(), parse(&file)).unwrap();
        }
        insta::with_settings!({snapshot_path => "../../cases/claude_code", prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("events-{folder}"), text);
        });
    }
}

#[test]
fn every_answer_on_every_event() {
    let mut text = String::new();
    for name in EventName::ALL {
        let events = cases("recorded").into_iter().chain(cases("documented")).map(|file| parse(&file));
        let mut events: Vec<_> = events.filter(|event| event.name == *name).collect();
        // A shell call where there is one: only there can a rewrite show.
        events.sort_by_key(|event| event.command().is_none());
        let event = events.into_iter().next().unwrap_or_else(|| panic!("no payload for {name}"));
        writeln!(text, "# {name}").unwrap();
        for (label, verdict) in answers() {
            writeln!(text, "{label}: {}", show(&ClaudeCode.render(&event, &verdict).reply)).unwrap();
        }
        text.push('\n');
    }
    insta::with_settings!({snapshot_path => "../../cases/claude_code", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("replies", text);
    });
}

#[test]
fn the_table_has_each_event_once() {
    for name in EventName::ALL {
        assert_eq!(ANSWERS.iter().filter(|row| row.event == *name).count(), 1, "{name}");
    }
    assert_eq!(Answers::of(&EventName::Other("x".into())).deny, Form::Silence);
}

#[test]
fn an_allow_is_not_said_in_auto_mode() {
    let file = &cases("recorded")[0];
    let mut event = parse(file);
    event.name = EventName::PreToolUse;
    event.mode = model::PermissionMode::Auto;
    assert_eq!(ClaudeCode.render(&event, &verdict(Decision::Allow)).reply, Reply::default());
    assert!(ClaudeCode.render(&event, &verdict(Decision::Deny)).reply.stdout.contains("deny"));
}

proptest! {
    /// Whatever the texts, the reply is one JSON object or nothing, and a deny never looks like an allow.
    #[test]
    fn replies_are_whole(what in ".{0,200}", context in proptest::collection::vec(".{0,50}", 0..3), index in 0..33_usize) {
        let file = &cases("recorded")[0];
        let mut event = parse(file);
        event.name = EventName::ALL[index].clone();
        let mut verdict = verdict(Decision::Deny);
        verdict.findings[0].what = what;
        verdict.context = context;
        let reply = ClaudeCode.render(&event, &verdict).reply;
        prop_assert!(reply.exit == 0 || reply.exit == 2);
        // Before a compaction it is text.
        if !reply.stdout.is_empty() && event.name != EventName::PreCompact {
            let value: serde_json::Value = serde_json::from_str(&reply.stdout).unwrap();
            prop_assert!(value.is_object());
            prop_assert_ne!(value.pointer("/hookSpecificOutput/permissionDecision").and_then(|v| v.as_str()), Some("allow"));
        }
    }
}
