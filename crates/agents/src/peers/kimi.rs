//! Kimi Code. Claude Code's events in `config.toml`, user level only; most answers by exit code 2.

use model::EventName;
use serde_json::Value;

use crate::dialect::forms::LAST_EXIT;
use crate::dialect::payload::{rename, text};
use crate::dialect::{Dialect, Format, Rewrite, Row, Say, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("Bash", Kind::Shell),
    ("Shell", Kind::Shell),
    ("Edit", Kind::Edit),
    ("Write", Kind::Edit),
    ("Read", Kind::Read),
    ("Grep", Kind::Grep),
    ("Glob", Kind::Glob),
    ("FetchURL", Kind::Fetch),
    ("SearchWeb", Kind::Ask),
    ("Agent", Kind::Agent),
    ("Task", Kind::Agent),
    ("TodoList", Kind::Own("it changes the agent's own list of things to do")),
];

pub(super) static KIMI: Dialect = Dialect {
    id: "kimi",
    name: "Kimi Code",
    proven: Some("2.1.0"),
    speaks: |payload| text(payload, "client_type").is_some_and(|client| client.starts_with("kimi")),
    plain: |payload| {
        rename(payload, "tool_call_id", "tool_use_id");
        if let Some(Value::Array(parts)) = payload.get("prompt") {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            let prompt = texts.join("\n");
            payload.insert("prompt".into(), prompt.into());
        }
    },
    tools: TOOLS,
    rows: &[
        // Its answers to a start are dropped, and nobody waits after a tool.
        Row::quiet("SessionStart", EventName::SessionStart),
        Row::prompt("UserPromptSubmit", Say::Exit2, Say::Plain),
        Row::before("PreToolUse", Say::Exit2, Rewrite::Deny, Say::Later),
        Row::context("PostToolUse", EventName::PostToolUse, Say::Later),
        Row::stop("Stop", Say::Exit2),
        Row::quiet("SessionEnd", EventName::SessionEnd),
    ],
    last_word: LAST_EXIT,
    wiring: Wiring {
        format: Format::Toml,
        user: ".kimi-code/config.toml",
        folder: ".kimi-code",
        program: "kimi",
        longest: 600,
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/kimi/PreToolUse.Bash.json"),
    notes: &[
        "There are no hooks of a project.",
        "Nothing can be said after a tool call: what a linter finds is said when the agent stops.",
    ],
    ..Dialect::COMMAND
};
