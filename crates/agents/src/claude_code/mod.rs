//! Claude Code, as observed in version 2.1.325. `parse.rs` reads its payloads, `answers.rs` is the table of what each event
//! can express, `render.rs` writes the answer,
//! `transcript.rs` reads what the client writes down.

mod answers;
pub(crate) mod parse;
mod render;
mod tools;
mod transcript;

use model::{AgentId, Event, EventName, LastWord, Tools, Verdict};
use serde_json::{Map, Value};

use crate::{Agent, Defaults, Reply, Said};

pub(crate) use render::updated_input;
pub(crate) use transcript::message_of;

pub use answers::{ANSWERS, Answers, Form};
pub use tools::TOOLS;

#[derive(Debug)]
pub struct ClaudeCode;

impl Agent for ClaudeCode {
    fn id(&self) -> AgentId {
        AgentId("claude-code")
    }

    fn speaks(&self, payload: &Map<String, Value>) -> bool {
        payload.contains_key("hook_event_name") && payload.contains_key("session_id")
    }

    fn parse(&self, payload: Map<String, Value>, defaults: Defaults<'_>) -> Event {
        parse::event(self.id(), payload, defaults, TOOLS, None)
    }

    fn render(&self, event: &Event, verdict: &Verdict) -> Said {
        render::reply(event, verdict).into()
    }

    fn tells_the_user(&self, event: &Event) -> bool {
        Answers::of(&event.name).notice != Form::Silence
    }

    fn last_word(&self, event: Option<&EventName>) -> LastWord {
        match event {
            None | Some(EventName::PreToolUse) => render::LAST_WORD,
            // The user is being asked already.
            Some(_) => LastWord::SILENCE,
        }
    }

    /// In the form of `PreToolUse`: there it asks; on every other event the client reports a hook error and goes on.
    fn refuse(&self, reason: &str) -> Reply {
        render::ask(reason)
    }
}

/// The matcher that registers a hook for these tools; `None` for all of them.
pub fn matcher(tools: &[Tools]) -> Option<String> {
    let names = tools.iter().map(|tools| match tools {
        // What is not known has no name.
        Tools::Any | Tools::Foreign => None,
        // MultiEdit is gone from newer clients, and harmless to name.
        Tools::Edits => Some("Edit|Write|MultiEdit|NotebookEdit"),
        Tools::Shell => Some("Bash"),
        Tools::Reads => Some("Read|NotebookRead|LSP|Grep|Glob|LS|WebFetch|WebSearch"),
        Tools::Mcp => Some("mcp__.*"),
    });
    names.collect::<Option<Vec<_>>>().map(|names| names.join("|"))
}

#[cfg(test)]
mod tests;
