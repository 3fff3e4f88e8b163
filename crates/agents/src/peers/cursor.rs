//! Cursor, from the hook code of its SDK 1.0.32; not driven live, because its service is needed for that. It starts a hook by a shell,
//! with the payload as a here-document behind the line, so the line must be one command.

use model::{EventName, Intent};
use serde_json::json;

use crate::dialect::forms::last_word;
use crate::dialect::payload::rename_all;
use crate::dialect::{Dialect, Failure, Format, Rewrite, Row, Say, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("Shell", Kind::Shell),
    ("Write", Kind::Edit),
    ("Delete", Kind::Shape(Intent::Delete)),
    ("Read", Kind::Read),
    ("ReadLints", Kind::Read),
    ("Grep", Kind::Lines),
    ("List", Kind::Glob),
    ("Fetch", Kind::Fetch),
    ("WebFetch", Kind::Fetch),
    ("WebSearch", Kind::Ask),
    ("Task", Kind::Agent),
];

const DENY: Say = Say::Json(
    "permission: deny",
    |_, text| json!({"permission": "deny", "agent_message": text, "user_message": text}),
);

const ASK: Say = Say::Json(
    "permission: ask",
    |_, text| json!({"permission": "ask", "agent_message": text, "user_message": text}),
);

const CONTEXT: Say = Say::Json("additional_context", |_, text| json!({"additional_context": text}));

const UPDATED: Rewrite = Rewrite::Json("updated_input", |_, input| json!({"updated_input": input}));

pub(super) static CURSOR: Dialect = Dialect {
    id: "cursor",
    name: "Cursor",
    proven: None,
    speaks: |payload| payload.contains_key("conversation_id") && payload.contains_key("generation_id"),
    plain: |payload| {
        rename_all(payload, &[("conversation_id", "session_id"), ("tool_output", "tool_response")]);
        let root = payload.get("workspace_roots").and_then(|roots| roots.get(0)).cloned();
        if let Some(root) = root {
            payload.entry("cwd").or_insert(root);
        }
        let again = payload.get("loop_count").and_then(serde_json::Value::as_u64).is_some_and(|n| n > 0);
        payload.insert("stop_hook_active".into(), again.into());
    },
    tools: TOOLS,
    rows: &[
        Row::context("sessionStart", EventName::SessionStart, CONTEXT),
        Row::prompt(
            "beforeSubmitPrompt",
            Say::Json("continue: false", |_, text| json!({"continue": false, "user_message": text})),
            CONTEXT,
        ),
        Row::before("preToolUse", DENY, UPDATED, CONTEXT).asking(ASK),
        Row::context("postToolUse", EventName::PostToolUse, CONTEXT),
        Row::quiet("preCompact", EventName::PreCompact),
        Row::stop("stop", Say::Json("followup_message", |_, text| json!({"followup_message": text}))),
        Row::quiet("sessionEnd", EventName::SessionEnd),
    ],
    asks: |_| true,
    replaces: false,
    takes_patches: false,
    unread: &[],
    read_instead: "",
    echoes: true,
    last_word: last_word!(r#"{"permission":"deny","agent_message":""#, r#""}"#),
    nothing: "{}",
    // With `failClosed`, which its code honours.
    failure: Failure::NOT_MEASURED,
    wiring: Wiring {
        format: Format::Cursor,
        user: ".cursor/hooks.json",
        project: Some(".cursor/hooks.json"),
        folder: ".cursor",
        program: "cursor-agent",
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/cursor/preToolUse.Shell.json"),
    notes: &[
        "Read from the hook code of its SDK 1.0.32; not run in the client. By that code a hook that is missing, killed, too slow or says \
         nonsense blocks the call, because it is registered with `failClosed`.",
        "Input to a shell that is already running (`WriteShellStdin`) reaches hooks only as its length.",
    ],
};
