//! The fields of a record, for the reference page and for a test that holds every line against them.

/// The form of a record. A reader takes older lines, which lack fields, and newer ones, which have more.
pub const VERSION: u64 = 2;

/// One field of a line.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    /// As JSON has it.
    pub kind: &'static str,
    /// Lines have it since this version of the form; 1 had no `v`.
    pub since: u64,
    /// Only where there is something to say.
    pub optional: bool,
    pub doc: &'static str,
}

const fn field(name: &'static str, kind: &'static str, since: u64, doc: &'static str) -> Field {
    Field { name, kind, since, optional: false, doc }
}

const fn maybe(name: &'static str, kind: &'static str, since: u64, doc: &'static str) -> Field {
    Field { name, kind, since, optional: true, doc }
}

/// In the order in which they are written.
pub static FIELDS: &[Field] = &[
    field("v", "number", 2, "The form of the line. A line without it is of version 1."),
    field("time", "text", 1, "When it was decided, UTC, to the second."),
    field(
        "id",
        "text",
        2,
        "The record's own name: the moment in nanoseconds, in 16 hexadecimal digits, and the process. Ids sort by time.",
    ),
    maybe(
        "agent",
        "text",
        2,
        "Who called: `claude-code`, `codex`, …; `plimsoll` for work in the background.",
    ),
    maybe("session", "text", 1, "The agent's name for the session."),
    maybe("prompt", "text", 2, "The agent's name for the prompt that is being answered, where it says so."),
    field(
        "event",
        "text",
        1,
        "The point in the agent's life: `PreToolUse`; empty where the input could not be read.",
    ),
    maybe("tool", "text", 1, "The tool, as the agent calls it."),
    maybe(
        "call",
        "text",
        2,
        "The agent's name for this call of the tool. The events of one call have the same.",
    ),
    field("verdict", "text", 1, "`deny`, `ask`, `allow` or `none`."),
    field("rules", "texts", 1, "The checks that had something to say."),
    maybe("reason", "text", 2, "What was said for a refusal or a question, masked, at most 240 bytes."),
    maybe(
        "deeds",
        "texts",
        2,
        "What the call would do beyond looking and building, in short: `deletes build/**`; masked, at most eight.",
    ),
    maybe("besides", "texts", 1, "What was said besides: `rewrite`, `context`, `notice`, `signal`, `halt`."),
    field(
        "micros",
        "number",
        1,
        "How long the agent has waited for the answer, in microseconds; for work in the background (`task …`), how long that took.",
    ),
    maybe(
        "parts",
        "numbers",
        2,
        "Where that time went: `input` until the call was read, `checks` with settings and checks, `records` for writing.",
    ),
    maybe("slow", "numbers", 2, "Checks that took a millisecond or more."),
    maybe("subject", "text", 1, "The command, the file or the address, masked, at most 240 bytes."),
    maybe("project", "text", 1, "The project's folder."),
    maybe(
        "allowed",
        "texts",
        2,
        "Allowances of the user (`plimsoll allow`) without which it would have been stopped.",
    ),
    maybe(
        "lint",
        "object",
        2,
        "After an edit, and at a stop for what waited until then: `files` that were looked at, how many findings are `open`, the first 50 as `found` (`linter`, `rule`, `file`, `line`), whether the file was `rewritten`.",
    ),
    maybe(
        "fixer",
        "object",
        2,
        "A model was started to fix it: `model`, `micros`, `tokens_in`, `tokens_out`, `microdollars` (millionths of a US dollar), as its client says.",
    ),
    maybe(
        "tests",
        "object",
        2,
        "Tests have ended, the agent's own or (`task tests`) those in the background: `result`, `failures`, and whether it was a `part` of them.",
    ),
    maybe("trace", "texts", 1, "What was run for it, and how long that took; masked."),
    maybe("observed", "true", 1, "Decided and not said: `profile: observe`."),
    maybe("policy", "text", 2, "The commit of the team's policy (`policy.checkout`) that was in force."),
    maybe("failures", "texts", 1, "What went wrong in Plimsoll itself."),
];
