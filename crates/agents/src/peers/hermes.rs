//! Hermes. Command hooks in `config.yaml`, run without a shell.

use model::EventName;
use serde_json::{Value, json};

use crate::dialect::forms::{BLOCK, last_word};
use crate::dialect::payload::lift;
use crate::dialect::{Dialect, Failure, Format, Rewrite, Row, Say, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("terminal", Kind::Shell),
    ("patch", Kind::Edit),
    ("write_file", Kind::Edit),
    ("read_file", Kind::Read),
    ("search_files", Kind::Grep),
    ("web_extract", Kind::Shape(model::Intent::Fetch)),
    ("web_search", Kind::Ask),
    ("delegate_task", Kind::Agent),
    ("todo", Kind::Own("it changes the agent's own list of things to do")),
    ("clarify", Kind::Own("it speaks to the user")),
];

const CONTEXT: Say = Say::Json("context", |_, text| json!({"context": text}));

pub(super) static HERMES: Dialect = Dialect {
    id: "hermes",
    name: "Hermes",
    proven: Some("0.19.0"),
    speaks: |payload| {
        payload.get("extra").is_some_and(Value::is_object) && payload.contains_key("hook_event_name")
    },
    plain: |payload| {
        let again = payload.get("extra").and_then(|extra| extra["attempt"].as_u64()).is_some_and(|n| n > 0);
        payload.insert("stop_hook_active".into(), again.into());
        lift(
            payload,
            "extra",
            &[
                ("user_message", "prompt"),
                ("tool_call_id", "tool_use_id"),
                ("result", "tool_response"),
                ("final_response", "last_assistant_message"),
            ],
        );
    },
    tools: TOOLS,
    rows: &[
        Row::quiet("on_session_start", EventName::SessionStart),
        Row::context("pre_llm_call", EventName::UserPromptSubmit, CONTEXT),
        Row::before("pre_tool_call", BLOCK, Rewrite::Deny, Say::Later),
        Row::context("post_tool_call", EventName::PostToolUse, Say::Later),
        Row::stop("pre_verify", BLOCK),
        Row::quiet("on_session_end", EventName::SessionEnd),
    ],
    asks: |_| false,
    echoes: false,
    last_word: last_word!(r#"{"decision":"block","reason":""#, r#""}"#),
    failure: Failure { killed: "runs", slow: "runs", missing: "runs", garbage: "runs" },
    wiring: Wiring {
        format: Format::Yaml,
        user: ".hermes/config.yaml",
        project: None,
        folder: ".hermes",
        program: "hermes",
        longest: 300,
        steps: &[
            "Hermes asks once about each hook when it is first used, and silently skips it where nobody can answer: agree there, or set `hooks_auto_accept: true` in ~/.hermes/config.yaml",
        ],
    },
    sample: include_str!("../../cases/hermes/pre_tool_call.terminal.json"),
    notes: &[
        "There are no hooks of a project.",
        "Nothing can be said after a tool call: what a linter finds is said with the next prompt, and when the agent has changed files and stops.",
        "A stop is asked about only in a turn that changed files.",
    ],
};
