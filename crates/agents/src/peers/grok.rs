//! Grok Build. Claude Code's events with both spellings of every field.

use model::{EventName, PermissionMode};

use crate::dialect::forms::{BLOCK, CONTEXT, DECISION, LAST_DECISION, PERMISSION_ASK, UPDATED_INPUT};
use crate::dialect::payload::{rename_all, set_event, text};
use crate::dialect::{Dialect, Format, Row, Say, Switch, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("run_terminal_command", Kind::Shell),
    ("run_terminal_cmd", Kind::Shell),
    ("search_replace", Kind::Edit),
    ("write", Kind::Edit),
    ("read_file", Kind::Read),
    ("grep", Kind::Lines),
    ("glob", Kind::Glob),
    ("list_dir", Kind::Glob),
    ("web_fetch", Kind::Fetch),
    ("web_search", Kind::Ask),
    ("task", Kind::Agent),
    ("todo_write", Kind::Own("it changes the agent's own list of things to do")),
];

pub(super) static GROK: Dialect = Dialect {
    id: "grok",
    name: "Grok Build",
    proven: Some("1.0.41"),
    speaks: |payload| payload.contains_key("hookEventName"),
    plain: |payload| {
        // Most fields stand there in both spellings. Where one does, the others do, and a hook before a call must not cost more for it.
        if !payload.contains_key("session_id") {
            rename_all(
                payload,
                &[
                    ("toolName", "tool_name"),
                    ("toolInput", "tool_input"),
                    ("toolResponse", "tool_response"),
                    ("toolUseId", "tool_use_id"),
                    ("sessionId", "session_id"),
                ],
            );
        }
        if text(payload, "hook_event_name") == Some("Stop") {
            let names =
                [("stopHookActive", "stop_hook_active"), ("lastAssistantMessage", "last_assistant_message")];
            rename_all(payload, &names);
            // It says so once more when it shuts down; nothing can be held then.
            if text(payload, "reason").is_some_and(|reason| reason != "end_turn") {
                set_event(payload, "Shutdown");
            }
        }
    },
    unread: &[
        "toolInput",
        "toolName",
        "toolUseId",
        "toolResponse",
        "sessionId",
        "transcriptPath",
        "permissionMode",
        "timestamp",
        "toolInputTruncated",
        "workspaceRoot",
    ],
    read_instead: "session_id",
    tools: TOOLS,
    rows: &[
        Row::quiet("SessionStart", EventName::SessionStart),
        Row::prompt("UserPromptSubmit", BLOCK, Say::Later),
        Row::before("PreToolUse", DECISION, UPDATED_INPUT, CONTEXT).asking(PERMISSION_ASK),
        Row::context("PostToolUse", EventName::PostToolUse, CONTEXT),
        Row::stop("Stop", BLOCK),
        Row::quiet("PreCompact", EventName::PreCompact),
        Row::quiet("SessionEnd", EventName::SessionEnd),
    ],
    // With everything approved a question is answered by nobody, and the call runs.
    asks: |event| event.mode == PermissionMode::Default,
    last_word: LAST_DECISION,
    wiring: Wiring {
        format: Format::OwnGroups,
        user: ".grok/hooks/plimsoll.json",
        project: Some(".grok/hooks/plimsoll.json"),
        folder: ".grok",
        program: "grok",
        steps: &[
            "Hooks of a project are silently skipped until you trust the folder: /hooks-trust in Grok, or start it with --trust",
        ],
        off: &[Switch::lines(".grok/disabled-hooks")],
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/grok/PreToolUse.run_terminal_command.json"),
    notes: &[
        "It also runs the hooks of `~/.claude/settings.json`, without their arguments; Plimsoll knows the payload by its shape, and answers a call once.",
        "Nothing can be said at a start or with a prompt; it waits for the next tool call.",
    ],
    ..Dialect::COMMAND
};
