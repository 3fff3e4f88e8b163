//! Pi: extensions in TypeScript. A bridge hands their events to us.

use model::EventName;

use crate::dialect::forms::{BRIDGE_APPEND, BRIDGE_ARGS, BRIDGE_CONTEXT, BRIDGE_CONTINUE, BRIDGE_DENY};
use crate::dialect::{Dialect, Format, Row, Say, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("bash", Kind::Shell),
    ("edit", Kind::Edit),
    ("write", Kind::Edit),
    ("read", Kind::Read),
    ("grep", Kind::Lines),
    ("find", Kind::Glob),
    ("ls", Kind::Glob),
];

pub(super) static PI: Dialect = Dialect {
    id: "pi",
    name: "Pi",
    proven: Some("0.87.1"),
    tools: TOOLS,
    rows: &[
        Row::context("session_start", EventName::SessionStart, BRIDGE_CONTEXT),
        Row::prompt("before_agent_start", Say::User, BRIDGE_CONTEXT),
        Row::before("tool_call", BRIDGE_DENY, BRIDGE_ARGS, Say::Later),
        Row::context("tool_result", EventName::PostToolUse, BRIDGE_APPEND),
        Row::stop("agent_before_settle", BRIDGE_CONTINUE),
        Row::quiet("session_before_compact", EventName::PreCompact),
        Row::quiet("session_shutdown", EventName::SessionEnd),
    ],
    wiring: Wiring {
        format: Format::Bridge(concat!(
            include_str!("../../bridges/pi.ts"),
            include_str!("../../bridges/ask.js")
        )),
        user: ".pi/agent/extensions/plimsoll.ts",
        project: Some(".pi/extensions/plimsoll.ts"),
        folder: ".pi",
        program: "pi",
        steps: &[
            "Pi loads extensions of a project only after you approve them: start it there once with `pi --approve`",
        ],
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/pi/tool_call.bash.json"),
    notes: &["Nothing in Pi limits how often a stop is held; Plimsoll and its bridge do."],
    replaces: true,
    ..Dialect::BRIDGED
};
