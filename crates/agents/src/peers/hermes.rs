//! Hermes: a plugin in Python (our bridge). Its command hooks can neither change a call nor speak after one.

use model::EventName;
use serde_json::Value;

use crate::dialect::forms::{BRIDGE_APPEND, BRIDGE_ARGS, BRIDGE_CONTEXT, BRIDGE_CONTINUE, BRIDGE_DENY};
use crate::dialect::payload::lift;
use crate::dialect::{Beside, Dialect, Format, Row, Say, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("terminal", Kind::Shell),
    ("patch", Kind::Edit),
    ("write_file", Kind::Edit),
    ("read_file", Kind::Read),
    ("search_files", Kind::Lines),
    ("web_extract", Kind::Shape(model::Intent::Fetch)),
    ("web_search", Kind::Ask),
    ("delegate_task", Kind::Agent),
    ("todo", Kind::Own("it changes the agent's own list of things to do")),
    ("clarify", Kind::Own("it speaks to the user")),
];

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
        Row::context("on_session_start", EventName::SessionStart, BRIDGE_CONTEXT),
        Row::prompt("pre_llm_call", Say::User, BRIDGE_CONTEXT),
        Row::before("pre_tool_call", BRIDGE_DENY, BRIDGE_ARGS, Say::Later),
        Row::context("transform_tool_result", EventName::PostToolUse, BRIDGE_APPEND),
        Row::stop("pre_verify", BRIDGE_CONTINUE),
        Row::quiet("on_session_end", EventName::SessionEnd),
    ],
    wiring: Wiring {
        format: Format::Bridge(include_str!("../../bridges/hermes.py")),
        user: ".hermes/plugins/plimsoll/__init__.py",
        folder: ".hermes",
        program: "hermes",
        beside: &[
            (".hermes/plugins/plimsoll/plugin.yaml", Beside::Own(include_str!("../../bridges/hermes.yaml"))),
            (
                ".hermes/config.yaml",
                Beside::YamlWord { section: "plugins", list: "enabled", word: "plimsoll" },
            ),
        ],
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/hermes/pre_tool_call.terminal.json"),
    notes: &[
        "Plugins of a project are not used.",
        "A stop is asked about only in a turn that changed files, and at most three times (`agent.max_verify_nudges`).",
        "`HERMES_SAFE_MODE` loads no plugin, and so no guard.",
    ],
    ..Dialect::BRIDGED
};
