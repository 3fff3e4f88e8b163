//! GitHub Copilot CLI, in both styles: events in `camelCase` have its own payload, which does not name the event, events in
//! `PascalCase` have Claude Code's, but for the names in a tool's input.

use model::EventName;
use serde_json::{Map, Value, json};

use crate::dialect::forms::{
    BLOCK, FLAT, FLAT_ASK, FLAT_CONTEXT, PERMISSION, PERMISSION_ASK, UPDATED_INPUT, last_word,
};
use crate::dialect::payload::{opened, rename_all, set_event, text};
use crate::dialect::{Dialect, Format, Rewrite, Row, Switch, Wiring};
use crate::tools::{Kind, Table};

const LIST: &str = "it changes the agent's own list of things to do";

static TOOLS: Table = &[
    ("bash", Kind::Shell),
    ("Bash", Kind::Shell),
    ("powershell", Kind::PowerShell),
    ("edit", Kind::Edit),
    ("Edit", Kind::Edit),
    ("create", Kind::Edit),
    ("Write", Kind::Edit),
    ("apply_patch", Kind::Patch),
    ("view", Kind::Read),
    ("Read", Kind::Read),
    ("grep", Kind::Grep),
    ("Grep", Kind::Grep),
    ("glob", Kind::Glob),
    ("Glob", Kind::Glob),
    ("web_fetch", Kind::Fetch),
    ("web_search", Kind::Ask),
    ("task", Kind::Agent),
    ("update_todo", Kind::Own(LIST)),
    ("report_intent", Kind::Own("it speaks to the user")),
];

/// Models of OpenAI give a patch as text where others give an object.
fn input(payload: &mut Map<String, Value>) {
    opened(payload, "tool_input");
    if let Some(Value::String(text)) = payload.get("tool_input") {
        let wrapped = json!({"patch": text});
        payload.insert("tool_input".into(), wrapped);
        payload.insert("tool_name".into(), "apply_patch".into());
    }
}

fn camel(payload: &mut Map<String, Value>) {
    let has = |key: &str| payload.contains_key(key);
    let event = if has("hookName") {
        text(payload, "hookName").unwrap_or_default().to_owned()
    } else {
        let name = if has("toolResult") {
            "postToolUse"
        } else if has("toolName") {
            "preToolUse"
        } else if has("stopReason") || has("stop_hook_active") {
            "agentStop"
        } else if has("source") || has("initialPrompt") {
            "sessionStart"
        } else if has("prompt") {
            "userPromptSubmitted"
        } else if has("reason") {
            "sessionEnd"
        } else {
            ""
        };
        name.to_owned()
    };
    rename_all(
        payload,
        &[
            ("sessionId", "session_id"),
            ("transcriptPath", "transcript_path"),
            ("toolName", "tool_name"),
            ("toolArgs", "tool_input"),
            ("toolInput", "tool_input"),
            ("toolResult", "tool_response"),
        ],
    );
    input(payload);
    if !payload.contains_key("hook_event_name") {
        set_event(payload, &event);
    }
}

const MODIFIED: Rewrite = Rewrite::Json("modifiedArgs", |_, input| json!({"modifiedArgs": input}));

/// What both styles have in common.
const EITHER: Dialect = Dialect {
    id: "copilot",
    proven: Some("1.0.102"),
    tools: TOOLS,
    // Where nobody is there to answer, it refuses by itself.
    asks: |_| true,
    echoes: true,
    wiring: Wiring {
        format: Format::OwnCopilot,
        user: ".copilot/hooks/plimsoll.json",
        project: Some(".github/hooks/plimsoll.json"),
        folder: ".copilot",
        program: "copilot",
        steps: &[
            "Hooks of a project count only in a folder that you trust: answer Copilot's question, or start it with --trust-folder",
        ],
        // As its documentation has it.
        off: &[
            Switch::when(".copilot/settings.json", "/disableAllHooks", true),
            Switch::when(".copilot/config.json", "/disableAllHooks", true),
            Switch::when(".github/copilot/settings.json", "/disableAllHooks", true),
        ],
        ..Wiring::USUAL
    },
    notes: &[
        "Any exit code but 0 before a tool call blocks the call.",
        "It also runs the hooks of `.claude/settings.json`, without their arguments; Plimsoll knows the payload by its shape.",
        "A held stop comes back as a prompt with our own text; Plimsoll knows it again.",
    ],
    ..Dialect::COMMAND
};

pub(super) static COPILOT: Dialect = Dialect {
    name: "Copilot CLI",
    speaks: |payload| payload.contains_key("sessionId") && !payload.contains_key("hook_event_name"),
    plain: camel,
    rows: &[
        Row::context("sessionStart", EventName::SessionStart, FLAT_CONTEXT),
        Row::prompt("userPromptSubmitted", BLOCK, FLAT_CONTEXT),
        Row::before("preToolUse", FLAT, MODIFIED, FLAT_CONTEXT).asking(FLAT_ASK),
        Row::context("postToolUse", EventName::PostToolUse, FLAT_CONTEXT),
        Row::stop("agentStop", BLOCK),
        Row::quiet("sessionEnd", EventName::SessionEnd),
    ],
    last_word: last_word!(r#"{"permissionDecision":"deny","permissionDecisionReason":""#, r#""}"#),
    sample: include_str!("../../cases/copilot/preToolUse.bash.json"),
    ..EITHER
};

pub(super) static COPILOT_PASCAL: Dialect = Dialect {
    name: "Copilot CLI (PascalCase)",
    // Claude Code gives a transcript, and no time.
    speaks: |payload| {
        payload.contains_key("hook_event_name")
            && payload.contains_key("timestamp")
            && payload.contains_key("session_id")
            && !payload.contains_key("sessionId")
            && text(payload, "transcript_path").is_none_or(|path| path.contains("/.copilot/"))
    },
    plain: |payload| {
        rename_all(payload, &[("tool_result", "tool_response")]);
        input(payload);
    },
    rows: &[
        Row::context("SessionStart", EventName::SessionStart, FLAT_CONTEXT),
        Row::prompt("UserPromptSubmit", BLOCK, FLAT_CONTEXT),
        Row::before("PreToolUse", PERMISSION, UPDATED_INPUT, FLAT_CONTEXT).asking(PERMISSION_ASK),
        Row::context("PostToolUse", EventName::PostToolUse, FLAT_CONTEXT),
        Row::stop("Stop", BLOCK),
        Row::quiet("SessionEnd", EventName::SessionEnd),
    ],
    sample: include_str!("../../cases/copilot-pascal/PreToolUse.Bash.json"),
    ..EITHER
};
