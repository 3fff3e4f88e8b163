//! Wire to model and back, pure: bytes of an agent become an `Event`, a `Verdict` becomes a `Reply`.
//!
//! The only crate that knows an agent's field names. An agent is one module and one line in `AGENTS`.

mod claude_code;
pub mod dialect;
mod input;
mod legacy;
mod peers;
pub mod recording;
mod reply;
mod tools;

use model::{Event, EventName, LastWord, Verdict};
use serde_json::{Map, Value};

pub use claude_code::{ANSWERS, Answers, ClaudeCode, Form, TOOLS, matcher};
pub use dialect::Dialect;
pub use input::{BadInput, Input, LARGEST, read, read_from};
pub use legacy::{last_word as last_word_legacy, render as render_legacy};
pub use peers::DIALECTS;
pub use reply::{CONTEXT_LIMIT, Reply, Said};
pub use tools::{Kind, Table};

/// What the payload and the environment leave open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults<'a> {
    /// The event, where the caller knows it better than a minimal payload says (`compat`).
    pub event: Option<&'a str>,
    /// From the environment, for payloads without one.
    pub session: Option<&'a str>,
}

/// A coding agent's protocol.
pub trait Agent: Sync {
    fn id(&self) -> model::AgentId;

    /// Whether a payload is this agent's. The first in `AGENTS` that says yes gets it.
    fn speaks(&self, payload: &Map<String, Value>) -> bool;

    fn parse(&self, payload: Map<String, Value>, defaults: Defaults<'_>) -> Event;

    /// Lowers the verdict to what this event can express, and writes it.
    fn render(&self, event: &Event, verdict: &Verdict) -> Said;

    /// Whether a held stop comes back as a prompt with our own text.
    fn echoes(&self) -> bool {
        false
    }

    /// Whether an answer to this event can carry words for the user.
    fn tells_the_user(&self, event: &Event) -> bool;

    /// What lies ready in case that we are ended before there is an answer: before a tool call a question, elsewhere nothing.
    /// While the input is being read, it is not known which event it is.
    fn last_word(&self, event: Option<&EventName>) -> LastWord;

    /// The answer when the input could not be read, so that it is not known which event it was.
    fn refuse(&self, reason: &str) -> Reply;
}

/// Who speaks, by the shape of what they send. Most who come here without being named are Claude Code, so that is found out by one
/// look at the names of the fields. What nobody claims is read as its protocol, which the others copied.
pub fn detect(payload: &Map<String, Value>) -> &'static dyn Agent {
    if has_no_mark(payload) {
        return &ClaudeCode;
    }
    match DIALECTS.iter().find(|dialect| dialect.speaks(payload)) {
        Some(dialect) => *dialect,
        None => &ClaudeCode,
    }
}

/// Whether nothing in a payload could be another agent's. A test holds every recorded payload of the others against it.
fn has_no_mark(payload: &Map<String, Value>) -> bool {
    payload.iter().all(|(key, value)| match key.as_str() {
        "client_type" | "conversation_id" | "extra" | "hookEventName" | "hookName" | "sessionId"
        | "timestamp" | "turn_id" => false,
        // Names of others begin with `Before` and `After`; Claude Code has none of that letter.
        "hook_event_name" => {
            !matches!(value.as_str().and_then(|name| name.bytes().next()), Some(b'A' | b'B' | b'a' | b'b'))
        }
        // Their records lie in hidden folders of their own.
        "transcript_path" => {
            value.as_str().is_none_or(|path| !path.contains("/.") || path.contains("/.claude/"))
        }
        _ => true,
    })
}

/// The agent of this name (`--agent NAME`), in the way in which it speaks here. `None` for a name that nobody has.
pub fn named(name: &str, payload: &Map<String, Value>) -> Option<&'static dyn Agent> {
    if name == ClaudeCode.id().0 || name == "claude" {
        return Some(&ClaudeCode);
    }
    let mut ways = DIALECTS.iter().filter(|dialect| dialect.id == name);
    let first = ways.clone().next()?;
    Some(*ways.find(|dialect| dialect.speaks(payload)).unwrap_or(first))
}

/// The agent's message that a call is a part of, by the end of its client's transcript: calls of one message are decided on together.
pub fn message_of(end: &str, call: &str) -> Option<String> {
    claude_code::message_of(end, call)
}

/// Whether an agent applies a patch in a shell command itself and calls no hook after it.
pub fn takes_patches_out(agent: model::AgentId) -> bool {
    DIALECTS.iter().any(|dialect| dialect.takes_patches && dialect.id == agent.0)
}

/// What a patch does, file by file, in any form in which agents write one.
pub fn edits_of_patch(text: &str) -> Vec<model::FileEdit> {
    tools::patch::edits(text)
}

/// Whether an edit has made its file: there was none before.
pub fn made_file(event: &Event) -> bool {
    match event.tool_use().map(|used| &used.outcome) {
        Some(model::Outcome::Done(result)) => {
            result.get("type").and_then(Value::as_str) == Some("create")
                || result.get("originalFile").is_some_and(Value::is_null)
        }
        _ => false,
    }
}

/// Whether a payload says what it is about, as every client's does.
pub fn names_its_event(payload: &Map<String, Value>) -> bool {
    payload.get("hook_event_name").is_some_and(Value::is_string)
}

/// The file as it was before an edit, where the agent has said so with the edit's result.
pub fn text_before(event: &Event) -> Option<&str> {
    match &event.tool_use()?.outcome {
        model::Outcome::Done(result) => result.get("originalFile")?.as_str(),
        _ => None,
    }
}
