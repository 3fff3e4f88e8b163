//! `OpenCode` and Kilo: plugins in JavaScript. One bridge hands their events to us.

use model::EventName;

use crate::dialect::forms::{BRIDGE_APPEND, BRIDGE_ARGS, BRIDGE_CONTEXT, BRIDGE_CONTINUE, BRIDGE_DENY};
use crate::dialect::{Dialect, Format, Row, Say, Wiring};
use crate::tools::{Kind, Table};

const LIST: &str = "it changes the agent's own list of things to do";

static TOOLS: Table = &[
    ("bash", Kind::Shell),
    ("edit", Kind::Edit),
    ("write", Kind::Edit),
    ("multiedit", Kind::Edit),
    ("patch", Kind::Patch),
    ("apply_patch", Kind::Patch),
    ("read", Kind::Read),
    ("grep", Kind::Lines),
    ("glob", Kind::Glob),
    ("list", Kind::Glob),
    ("webfetch", Kind::Fetch),
    ("websearch", Kind::Ask),
    ("task", Kind::Agent),
    ("todowrite", Kind::Own(LIST)),
    ("todoread", Kind::Own(LIST)),
    ("skill", Kind::Own("it brings instructions, and what the agent does by them comes here")),
    ("question", Kind::Own("it speaks to the user")),
];

/// What both have in common.
const EITHER: Dialect = Dialect {
    tools: TOOLS,
    rows: &[
        Row::context("session.created", EventName::SessionStart, BRIDGE_CONTEXT),
        Row::prompt("chat.message", Say::User, BRIDGE_CONTEXT),
        Row::before("tool.execute.before", BRIDGE_DENY, BRIDGE_ARGS, Say::Later),
        Row::context("tool.execute.after", EventName::PostToolUse, BRIDGE_APPEND),
        Row::stop("session.idle", BRIDGE_CONTINUE),
    ],
    echoes: true,
    replaces: true,
    wiring: Wiring {
        format: Format::Bridge(concat!(
            include_str!("../../bridges/opencode.js"),
            include_str!("../../bridges/ask.js")
        )),
        ..Wiring::USUAL
    },
    notes: &["`run` ends when the agent is idle, so a stop is held only in the terminal and in `serve`."],
    ..Dialect::BRIDGED
};

pub(super) static OPENCODE: Dialect = Dialect {
    id: "opencode",
    name: "OpenCode",
    proven: Some("1.18.33"),
    wiring: Wiring {
        user: ".config/opencode/plugins/plimsoll.js",
        project: Some(".opencode/plugins/plimsoll.js"),
        folder: ".config/opencode",
        program: "opencode",
        ..EITHER.wiring
    },
    sample: include_str!("../../cases/opencode/tool.execute.before.bash.json"),
    ..EITHER
};

pub(super) static KILO: Dialect = Dialect {
    id: "kilo",
    name: "Kilo",
    proven: Some("7.7.9"),
    wiring: Wiring {
        user: ".config/kilo/plugins/plimsoll.js",
        project: Some(".kilo/plugins/plimsoll.js"),
        folder: ".config/kilo",
        program: "kilo",
        ..EITHER.wiring
    },
    sample: include_str!("../../cases/kilo/tool.execute.before.bash.json"),
    ..EITHER
};
