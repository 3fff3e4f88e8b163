//! Qwen Code. Claude Code's events and forms, Gemini's tools.

use model::EventName;

use crate::dialect::forms::{BLOCK, CONTEXT, PERMISSION, PERMISSION_ASK};
use crate::dialect::payload::{keeps_in, original, rename, set_event, text};
use crate::dialect::{Dialect, Rewrite, Row, Say, Switch, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("run_shell_command", Kind::Shell),
    ("edit", Kind::Edit),
    ("write_file", Kind::Edit),
    ("read_file", Kind::Read),
    ("read_many_files", Kind::Shape(model::Intent::Read)),
    ("grep_search", Kind::Lines),
    ("search_file_content", Kind::Lines),
    ("glob", Kind::Glob),
    ("list_directory", Kind::Glob),
    ("web_fetch", Kind::Fetch),
    ("web_search", Kind::Ask),
    ("task", Kind::Agent),
    ("todo_write", Kind::Own("it changes the agent's own list of things to do")),
];

pub(super) static QWEN: Dialect = Dialect {
    id: "qwen",
    name: "Qwen Code",
    proven: Some("0.24.4"),
    speaks: |payload| keeps_in(payload, "/.qwen/"),
    plain: |payload| {
        rename(payload, "tool_call_id", "tool_use_id");
        original(payload);
        // It comes after each tool, too, with nothing in it.
        if text(payload, "hook_event_name") == Some("UserPromptSubmit") && text(payload, "prompt") == Some("")
        {
            set_event(payload, "NoPrompt");
        }
    },
    tools: TOOLS,
    rows: &[
        Row::context("SessionStart", EventName::SessionStart, CONTEXT),
        Row::prompt("UserPromptSubmit", BLOCK, CONTEXT),
        Row::before("PreToolUse", PERMISSION, Rewrite::Deny, Say::Later).asking(PERMISSION_ASK),
        Row::context("PostToolUse", EventName::PostToolUse, CONTEXT),
        Row::stop("Stop", BLOCK),
        Row::quiet("PreCompact", EventName::PreCompact),
        Row::quiet("SessionEnd", EventName::SessionEnd),
    ],
    // Where nobody is there to answer, it refuses by itself.
    asks: |_| true,
    wiring: Wiring {
        user: ".qwen/settings.json",
        project: Some(".qwen/settings.json"),
        folder: ".qwen",
        program: "qwen",
        steps: &["Hooks of a project count only in a folder that you trust"],
        off: &[Switch::when(".qwen/settings.json", "/disableAllHooks", true)],
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/qwen/PreToolUse.run_shell_command.json"),
    notes: &[
        "Of several hooks the last in the list wins: an `allow` of another one beats our denial, so Plimsoll belongs last.",
    ],
    ..Dialect::COMMAND
};
