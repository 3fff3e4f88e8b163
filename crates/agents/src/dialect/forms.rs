//! The forms of answers that agents take. Each was seen to work in the agents that use it.

use model::{Event, LastWord};
use serde_json::{Value, json};

/// How an answer leaves.
#[derive(Clone, Copy, Debug)]
pub enum Say {
    /// Not at all, because it would do harm or nothing. The log has it.
    Nothing,
    /// One JSON object, from the event's native name and the text.
    Json(&'static str, fn(&str, &str) -> Value),
    /// The same, from the event and the text.
    Call(&'static str, fn(&Event, &str) -> Value),
    /// Exit code 2, text on stderr, nothing on stdout.
    Exit2,
    /// Text on stdout.
    Plain,
    /// As a denial, which says how the user lets it through.
    Deny,
    /// With the next event of the session that can carry it.
    Later,
    /// To the user, on stderr: the model does not read it.
    User,
}

impl Say {
    pub fn as_str(self) -> &'static str {
        match self {
            Say::Nothing => "-",
            Say::Json(label, _) | Say::Call(label, _) => label,
            Say::Exit2 => "exit 2, stderr",
            Say::Plain => "plain stdout",
            Say::Deny => "a denial that names `plimsoll allow`",
            Say::Later => "waits for the next event that can",
            Say::User => "told to the user",
        }
    }
}

/// How a safe command takes the place of the one that was asked for.
#[derive(Clone, Copy, Debug)]
pub enum Rewrite {
    /// It does not: a denial names it.
    Deny,
    /// One JSON object, from the event's native name and the whole input with the new command.
    Json(&'static str, fn(&str, &Value) -> Value),
}

impl Rewrite {
    pub fn as_str(self) -> &'static str {
        match self {
            Rewrite::Deny => "a denial that names the safe command",
            Rewrite::Json(label, _) => label,
        }
    }
}

pub const PERMISSION: Say = Say::Json(
    "permissionDecision: deny",
    |event, text| json!({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": text}}),
);

pub const PERMISSION_ASK: Say = Say::Json(
    "permissionDecision: ask",
    |event, text| json!({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": "ask", "permissionDecisionReason": text}}),
);

/// Copilot's own, without the frame.
pub const FLAT: Say = Say::Json(
    "permissionDecision: deny",
    |_, text| json!({"permissionDecision": "deny", "permissionDecisionReason": text}),
);

pub const FLAT_ASK: Say = Say::Json(
    "permissionDecision: ask",
    |_, text| json!({"permissionDecision": "ask", "permissionDecisionReason": text}),
);

pub const BLOCK: Say = Say::Json("decision: block", |_, text| json!({"decision": "block", "reason": text}));

pub const DECISION: Say = Say::Json("decision: deny", |_, text| json!({"decision": "deny", "reason": text}));

pub const CONTEXT: Say = Say::Json(
    "additionalContext",
    |event, text| json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
);

pub const FLAT_CONTEXT: Say = Say::Json("additionalContext", |_, text| json!({"additionalContext": text}));

/// What our bridges read.
pub const BRIDGE_DENY: Say = Say::Json("deny", |_, text| json!({"deny": text}));
pub const BRIDGE_APPEND: Say = Say::Json("append", |_, text| json!({"append": text}));
pub const BRIDGE_CONTEXT: Say = Say::Json("context", |_, text| json!({"context": text}));
pub const BRIDGE_CONTINUE: Say = Say::Json("continue", |_, text| json!({"continue": text}));
pub const BRIDGE_ARGS: Rewrite = Rewrite::Json("args", |_, input| json!({"args": input}));

pub const UPDATED_INPUT: Rewrite = Rewrite::Json(
    "updatedInput",
    |event, input| json!({"hookSpecificOutput": {"hookEventName": event, "updatedInput": input}}),
);

/// For those who take new input only beside an `allow`, which approves nothing by itself.
pub const ALLOWED_INPUT: Rewrite = Rewrite::Json(
    "updatedInput with allow",
    |event, input| json!({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": "allow", "updatedInput": input}}),
);

/// Said before anything is known about a call.
macro_rules! last_word {
    ($before:literal, $after:literal) => {
        ::model::LastWord {
            stdout: concat!(
                $before,
                "Plimsoll could not judge this call: it was stopped, or ran out of time, before it had an answer. ",
                "Try again, or let the user run it; `plimsoll log` says more.",
                $after
            ),
            stderr: "",
            exit: 0,
        }
    };
}
pub(crate) use last_word;

pub(crate) const LAST_PERMISSION: LastWord = last_word!(
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":""#,
    r#""}}"#
);

pub(crate) const LAST_DECISION: LastWord = last_word!(r#"{"decision":"deny","reason":""#, r#""}"#);

pub(crate) const LAST_BRIDGE: LastWord = last_word!(r#"{"deny":""#, r#""}"#);

/// For agents that read stderr of exit code 2.
pub(crate) const LAST_EXIT: LastWord = LastWord {
    stdout: "",
    stderr: "Plimsoll could not judge this call: it was stopped, or ran out of time, before it had an answer. Try again, or let the user run it; `plimsoll log` says more.\n",
    exit: 2,
};
