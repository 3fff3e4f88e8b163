//! Factory Droid. Claude Code's events, its own tools; a JSON denial can lose to another hook's `allow`, so denials are exit code 2.

use model::EventName;

use crate::dialect::forms::{BLOCK, CONTEXT, LAST_EXIT, UPDATED_INPUT};
use crate::dialect::payload::{keeps_in, opened};
use crate::dialect::{Dialect, Format, Row, Say, Switch, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("Execute", Kind::Shell),
    ("Edit", Kind::Edit),
    ("MultiEdit", Kind::Edit),
    ("Create", Kind::Edit),
    ("ApplyPatch", Kind::Patch),
    ("Read", Kind::Read),
    ("Grep", Kind::Grep),
    ("Glob", Kind::Glob),
    ("LS", Kind::Glob),
    ("FetchUrl", Kind::Fetch),
    ("WebSearch", Kind::Ask),
    ("Task", Kind::Agent),
    ("TodoWrite", Kind::Own("it changes the agent's own list of things to do")),
];

pub(super) static DROID: Dialect = Dialect {
    id: "droid",
    name: "Factory Droid",
    proven: Some("0.225.2"),
    speaks: |payload| keeps_in(payload, "/.factory/"),
    plain: |payload| opened(payload, "tool_response"),
    tools: TOOLS,
    rows: &[
        Row::context("SessionStart", EventName::SessionStart, CONTEXT),
        Row::prompt("UserPromptSubmit", BLOCK, CONTEXT),
        Row::before("PreToolUse", Say::Exit2, UPDATED_INPUT, Say::Later),
        Row::context("PostToolUse", EventName::PostToolUse, CONTEXT),
        Row::stop("Stop", BLOCK),
        Row::quiet("PreCompact", EventName::PreCompact),
        Row::quiet("SessionEnd", EventName::SessionEnd),
    ],
    last_word: LAST_EXIT,
    wiring: Wiring {
        format: Format::Groups { key: None, unit: 1 },
        user: ".factory/hooks.json",
        project: Some(".factory/hooks.json"),
        folder: ".factory",
        program: "droid",
        steps: &["Droid's terminal shows new hooks for review: /hooks"],
        off: &[
            Switch::when(".factory/hooks.json", "/hooksDisabled", true),
            Switch::when(".factory/settings.json", "/hooks/hooksDisabled", true),
        ],
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/droid/PreToolUse.Execute.json"),
    notes: &["Prompts call no hook in `droid exec`."],
    ..Dialect::COMMAND
};
