//! Codex CLI. Command hooks in `hooks.json`, Claude Code's events; every hook is pinned by a hash that the user confirms.

use model::EventName;

use crate::dialect::forms::{ALLOWED_INPUT, BLOCK, CONTEXT, PERMISSION};
use crate::dialect::payload::keeps_in;
use crate::dialect::{Dialect, Row, Wiring};
use crate::tools::{Kind, Table};

static TOOLS: Table = &[
    ("Bash", Kind::Shell),
    ("exec_command", Kind::Shell),
    ("shell", Kind::Shell),
    ("apply_patch", Kind::Patch),
    ("view_image", Kind::Read),
    ("web_search", Kind::Ask),
    ("update_plan", Kind::Own("it changes the agent's own list of things to do")),
];

pub(super) static CODEX: Dialect = Dialect {
    id: "codex",
    name: "Codex",
    proven: Some("0.166.0"),
    speaks: |payload| {
        payload.contains_key("turn_id") && payload.contains_key("model") || keeps_in(payload, "/.codex/")
    },
    takes_patches: true,
    tools: TOOLS,
    rows: &[
        Row::context("SessionStart", EventName::SessionStart, CONTEXT),
        Row::prompt("UserPromptSubmit", BLOCK, CONTEXT),
        Row::before("PreToolUse", PERMISSION, ALLOWED_INPUT, CONTEXT),
        Row::context("PostToolUse", EventName::PostToolUse, CONTEXT),
        Row::stop("Stop", BLOCK),
        Row::quiet("SessionEnd", EventName::SessionEnd),
    ],
    wiring: Wiring {
        user: ".codex/hooks.json",
        project: Some(".codex/hooks.json"),
        folder: ".codex",
        program: "codex",
        steps: &[
            "Codex runs a hook only after you have trusted it, and silently skips it otherwise: start `codex`, type /hooks, and trust each entry of Plimsoll. Again after every change of them",
        ],
        ..Wiring::USUAL
    },
    sample: include_str!("../../cases/codex/PreToolUse.Bash.json"),
    notes: &[
        "Hooks that are not trusted are skipped in silence by `codex exec`. Each change of an entry needs trust again.",
        "Input to a shell that is already running (`write_stdin`) calls no hook.",
    ],
    ..Dialect::COMMAND
};
