//! Gemini CLI. Its own event names, time limits in milliseconds.

use model::EventName;
use serde_json::{Map, Value, json};

use crate::dialect::forms::{BLOCK, CONTEXT, DECISION, LAST_DECISION};
use crate::dialect::payload::{keeps_in, original, rename, text};
use crate::dialect::{Dialect, Format, Rewrite, Row, Say, Switch, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("run_shell_command", Kind::Shell),
    ("replace", Kind::Edit),
    ("write_file", Kind::Edit),
    ("read_file", Kind::Read),
    ("read_many_files", Kind::Shape(model::Intent::Read)),
    ("search_file_content", Kind::Lines),
    ("grep_search", Kind::Lines),
    ("glob", Kind::Glob),
    ("list_directory", Kind::Glob),
    ("web_fetch", Kind::Shape(model::Intent::Fetch)),
    ("google_web_search", Kind::Ask),
    ("write_todos", Kind::Own("it changes the agent's own list of things to do")),
];

/// Merged into the input; the model is told that it was changed.
const MERGED: Rewrite = Rewrite::Json(
    "tool_input",
    |event, input| json!({"hookSpecificOutput": {"hookEventName": event, "tool_input": {"command": input["command"]}}}),
);

/// What it fetches stands in the words of a prompt.
fn addresses(payload: &mut Map<String, Value>) {
    if text(payload, "tool_name") != Some("web_fetch") {
        return;
    }
    let Some(Value::Object(input)) = payload.get_mut("tool_input") else { return };
    let words = input.get("prompt").and_then(Value::as_str).unwrap_or_default();
    let words = words.split(|c: char| c.is_whitespace() || "<>\"'`()[]".contains(c));
    let found = words.filter(|word| word.starts_with("http://") || word.starts_with("https://"));
    let found: Vec<Value> = found.map(|word| word.trim_end_matches(['.', ',', ';']).into()).collect();
    if !found.is_empty() {
        input.entry("urls").or_insert(Value::Array(found));
    }
}

pub(super) static GEMINI: Dialect = Dialect {
    id: "gemini",
    name: "Gemini CLI",
    proven: Some("0.61.0"),
    speaks: |payload| {
        let event = text(payload, "hook_event_name").unwrap_or_default();
        event.starts_with("Before") || event.starts_with("After") || keeps_in(payload, "/.gemini/")
    },
    plain: |payload| {
        rename(payload, "prompt_response", "last_assistant_message");
        original(payload);
        addresses(payload);
    },
    tools: TOOLS,
    rows: &[
        Row::context("SessionStart", EventName::SessionStart, CONTEXT),
        Row::prompt("BeforeAgent", BLOCK, CONTEXT),
        Row::before("BeforeTool", DECISION, MERGED, Say::Later),
        Row::context("AfterTool", EventName::PostToolUse, CONTEXT),
        Row::stop("AfterAgent", BLOCK),
        Row::quiet("PreCompress", EventName::PreCompact),
        Row::quiet("SessionEnd", EventName::SessionEnd),
    ],
    echoes: true,
    last_word: LAST_DECISION,
    wiring: Wiring {
        format: Format::Groups { key: Some("hooks"), unit: 1000 },
        user: ".gemini/settings.json",
        project: Some(".gemini/settings.json"),
        folder: ".gemini",
        program: "gemini",
        steps: &["Hooks of a project count only in a folder that you trust: `/permissions` in Gemini"],
        off: &[
            Switch::when(".gemini/settings.json", "/hooksConfig/enabled", false),
            Switch::list(".gemini/settings.json", "/hooksConfig/disabled"),
        ],
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/gemini/BeforeTool.run_shell_command.json"),
    notes: &["A held stop comes back as a prompt with our own text; Plimsoll knows it again."],
    ..Dialect::COMMAND
};
