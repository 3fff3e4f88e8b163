//! Cline: a plugin (our bridge), which can refuse and speak, and hook files, which can only rewrite a call into one that fails.

use model::{Event, EventName, Tool};
use serde_json::{Map, Value, json};

use crate::dialect::forms::{BRIDGE_APPEND, BRIDGE_ARGS, BRIDGE_CONTEXT, BRIDGE_DENY, last_word};
use crate::dialect::payload::{rename, rename_all, text};
use crate::dialect::{Dialect, Failure, Format, Rewrite, Row, Say, Switch, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("run_commands", Kind::Shell),
    ("execute_command", Kind::Shell),
    ("editor", Kind::Edit),
    ("apply_patch", Kind::Patch),
    ("read_files", Kind::Shape(model::Intent::Read)),
    ("search_codebase", Kind::Lines),
    ("fetch_web_content", Kind::Fetch),
    ("ask_question", Kind::Own("it speaks to the user")),
    ("submit_and_exit", Kind::Own("it ends the agent's turn")),
    ("skills", Kind::Own("it brings instructions, and what the agent does by them comes here")),
];

const WIRING: Wiring = Wiring {
    format: Format::Bridge(concat!(
        include_str!("../../bridges/cline.js"),
        include_str!("../../bridges/ask.js")
    )),
    user: ".cline/plugins/plimsoll.js",
    project: Some(".cline/plugins/plimsoll.js"),
    folder: ".cline",
    program: "cline",
    steps: &[
        "Cline leaves out a plugin that is not loaded within 4 s, and then every call runs unguarded. On a slow machine set CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000 in the environment that Cline is started from",
    ],
    off: &[Switch::list(".cline/data/settings/global-settings.json", "/disabledPlugins")],
    ..Wiring::USUAL
};

const NOTES: &[&str] = &[
    "A plugin that is not loaded within 4 s is left out by Cline, and every call runs: seen on a busy machine.",
    "The end of a run cannot be held; what is open is told to the user.",
];

pub(super) static CLINE: Dialect = Dialect {
    id: "cline",
    name: "Cline (plugin)",
    proven: Some("3.0.65"),
    speaks: |payload| {
        text(payload, "hook_event_name")
            .is_some_and(|event| matches!(event, "beforeTool" | "afterTool" | "beforeRun" | "afterRun"))
    },
    plain: |payload| {
        rename(payload, "call_id", "tool_use_id");
        // What the user has typed stands in a tag.
        let typed = text(payload, "prompt")
            .and_then(|prompt| {
                prompt.trim().strip_prefix("<user_input")?.split_once('>')?.1.strip_suffix("</user_input>")
            })
            .map(str::to_owned);
        if let Some(typed) = typed {
            payload.insert("prompt".into(), typed.into());
        }
    },
    tools: TOOLS,
    rows: &[
        Row::context("sessionStart", EventName::SessionStart, BRIDGE_CONTEXT),
        Row::context("beforeRun", EventName::UserPromptSubmit, BRIDGE_CONTEXT),
        Row::before("beforeTool", BRIDGE_DENY, BRIDGE_ARGS, Say::Later),
        Row::context("afterTool", EventName::PostToolUse, BRIDGE_APPEND),
        Row::stop("afterRun", Say::User),
    ],
    wiring: WIRING,
    sample: include_str!("../../cases/cline-plugin/beforeTool.run_commands.json"),
    notes: NOTES,
    ..Dialect::BRIDGED
};

/// A call can only be failed by making it another one: a command that prints the reason, an edit of what cannot be edited.
const FAILING: Say = Say::Call("overrideInput that fails", |event: &Event, text: &str| {
    let use_ = event.tool_use();
    if matches!(use_.map(|use_| &use_.tool), Some(Tool::Shell(_))) {
        let quoted = text.replace('\'', r"'\''");
        return json!({"overrideInput": {"commands": [format!("printf '%s\\n' '{quoted}' >&2; exit 1")]}});
    }
    let mut input = use_.map(|use_| use_.input.clone()).unwrap_or_default();
    input.insert("path".into(), "/dev/null/denied".into());
    json!({"overrideInput": input, "contextModification": text})
});

const MODIFICATION: Say = Say::Json("contextModification", |_, text| json!({"contextModification": text}));

fn from_file(payload: &mut Map<String, Value>) {
    let call = payload.remove("tool_call").or_else(|| payload.remove("tool_result"));
    if let Some(Value::Object(mut call)) = call {
        for (from, to) in [
            ("id", "tool_use_id"),
            ("name", "tool_name"),
            ("input", "tool_input"),
            ("output", "tool_response"),
        ] {
            if let Some(value) = call.remove(from) {
                payload.insert(to.into(), value);
            }
        }
    }
    let root = payload.get("workspaceRoots").and_then(|roots| roots.get(0)).cloned();
    if let Some(root) = root {
        payload.entry("cwd").or_insert(root);
    }
    // Names of agents, which are not subagents.
    payload.remove("agent_id");
    rename_all(payload, &[("hookName", "hook_event_name"), ("taskId", "session_id")]);
}

pub(super) static CLINE_FILE: Dialect = Dialect {
    id: "cline",
    name: "Cline (hook file)",
    proven: Some("3.0.65"),
    speaks: |payload| payload.contains_key("hookName") && payload.contains_key("taskId"),
    plain: from_file,
    unread: &[
        "clineVersion",
        "timestamp",
        "sessionContext",
        "workspaceInfo",
        "userId",
        "agent_id",
        "parent_agent_id",
        "iteration",
        "preToolUse",
        "postToolUse",
    ],
    read_instead: "hookName",
    tools: TOOLS,
    rows: &[
        Row::quiet("agent_start", EventName::SessionStart),
        Row::before(
            "tool_call",
            FAILING,
            Rewrite::Json("overrideInput", |_, input| json!({"overrideInput": input})),
            MODIFICATION,
        ),
        Row::context("tool_result", EventName::PostToolUse, MODIFICATION),
        Row::stop("agent_end", Say::User),
    ],
    last_word: last_word!(
        r#"{"overrideInput":{"commands":["printf '%s\\n' '"#,
        r#"' >&2; exit 1"],"path":"/dev/null/denied"}}"#
    ),
    failure: Failure::ALL_RUN,
    wiring: WIRING,
    sample: include_str!("../../cases/cline/PreToolUse.run_commands.json"),
    notes: NOTES,
    ..Dialect::COMMAND
};
