//! Wire to model and back, pure: bytes of an agent become an `Event`, a `Verdict` becomes a `Reply`.
//!
//! The only crate that knows an agent's field names. An agent is one module and one line in `AGENTS`.

mod claude_code;
mod input;
mod legacy;
mod reply;
mod tools;

use model::{Event, EventName, LastWord, Verdict};
use serde_json::{Map, Value};

pub use claude_code::{ANSWERS, Answers, ClaudeCode, Form, TOOLS, matcher};
pub use input::{BadInput, Input, LARGEST, read};
pub use legacy::{last_word as last_word_legacy, render as render_legacy};
pub use reply::{CONTEXT_LIMIT, Reply};
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
    fn render(&self, event: &Event, verdict: &Verdict) -> Reply;

    /// Whether an answer to this event can carry words for the person.
    fn tells_the_person(&self, event: &Event) -> bool;

    /// What lies ready in case that we are ended before there is an answer: before a tool call a question, elsewhere nothing.
    /// While the input is being read, it is not known which event it is.
    fn last_word(&self, event: Option<&EventName>) -> LastWord;

    /// The answer when the input could not be read, so that it is not known which event it was.
    fn refuse(&self, reason: &str) -> Reply;
}

/// In the order in which they are asked.
pub static AGENTS: &[&dyn Agent] = &[&ClaudeCode];

/// Claude Code's protocol is the one that others copied, so it also takes what nobody claims.
pub fn detect(payload: &Map<String, Value>) -> &'static dyn Agent {
    AGENTS.iter().copied().find(|agent| agent.speaks(payload)).unwrap_or(&ClaudeCode)
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

/// The file as it was before an edit, where the agent has said so with the edit's result.
pub fn text_before(event: &Event) -> Option<&str> {
    match &event.tool_use()?.outcome {
        model::Outcome::Done(result) => result.get("originalFile")?.as_str(),
        _ => None,
    }
}
