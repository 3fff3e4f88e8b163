//! What clients have written down of their sessions: records in, tool calls out, as their hooks were asked about them.
//!
//! Pure and in one pass. A call is held until its result has come, because what was decided and the file before an edit stand there;
//! what has no result by the end is given without. Kinds of records come and go with every version of a client, so one that is not
//! known is counted and left out.

mod claude_code;
mod codex;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use model::{Decision, Event, time};
use serde_json::{Map, Value, json};

use crate::Defaults;

/// A call in the words of a recording.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// As its hook was asked about it.
    pub event: Event,
    /// The call's own name.
    pub id: String,
    /// In seconds since 1970.
    pub at: Option<u64>,
    /// Where the client was started.
    pub started: Option<PathBuf>,
    pub branch: Option<String>,
    /// Files as they were before the call, as far as its result says it; without a text where there was none.
    pub before: Vec<(PathBuf, Option<String>)>,
    pub then: Then,
}

/// What was decided when it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Then {
    /// What our hook has answered, where the client kept that.
    pub hook: Option<Decision>,
    /// Whether the call was let through, and by whom.
    pub client: Option<(bool, By)>,
}

/// Who has decided about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Hook,
    /// Somebody was asked, and answered.
    User,
    /// Settings, modes, and what a client thinks harmless.
    Settings,
}

/// Calls that wait for a result. A message has a few; more than this is a recording without results.
const MOST_PENDING: usize = 256;

/// Names of kinds that are kept; the rest is counted under one.
const MOST_KINDS: usize = 40;

/// One recording, record by record.
#[derive(Debug, Default)]
pub struct Reader {
    pending: VecDeque<Pending>,
    ready: Vec<Recorded>,
    session: String,
    started: Option<PathBuf>,
    mode: Option<String>,
    /// Of the message whose calls are pending.
    message: String,
    turn: codex::Turn,
    /// Kinds of records that are not known, and how many of each there were.
    pub unknown: BTreeMap<String, u64>,
}

#[derive(Debug)]
struct Pending {
    id: String,
    agent: &'static str,
    payload: Map<String, Value>,
    at: Option<u64>,
    branch: Option<String>,
    before: Vec<(PathBuf, Option<String>)>,
    then: Then,
    done: bool,
}

impl Reader {
    /// Takes one record, and gives the calls that are complete with it.
    pub fn record(&mut self, record: &Map<String, Value>) -> Vec<Recorded> {
        let kind = text(record, "type").unwrap_or_default();
        let known = match record.get("payload").and_then(Value::as_object) {
            Some(payload) if record.contains_key("timestamp") => {
                codex::record(self, kind, payload, stamp(record))
            }
            _ => claude_code::record(self, kind, record),
        };
        if !known {
            let kind = if kind.is_empty() { "without a type" } else { kind };
            self.count(kind);
        }
        std::mem::take(&mut self.ready)
    }

    /// What is left when the recording ends.
    pub fn end(&mut self) -> Vec<Recorded> {
        self.flush(true);
        std::mem::take(&mut self.ready)
    }

    /// The session that the records so far belong to.
    pub fn session(&self) -> &str {
        &self.session
    }

    fn count(&mut self, kind: &str) {
        let kind: String = kind.chars().take(60).collect();
        let full = self.unknown.len() >= MOST_KINDS && !self.unknown.contains_key(&kind);
        *self.unknown.entry(if full { "others".to_owned() } else { kind }).or_default() += 1;
    }

    fn push(&mut self, pending: Pending) {
        self.pending.push_back(pending);
        if self.pending.len() > MOST_PENDING {
            self.give_first();
        }
    }

    fn pending(&mut self, id: &str) -> Option<&mut Pending> {
        self.pending.iter_mut().rev().find(|pending| pending.id == id)
    }

    /// Gives what is done, in order, or all of it.
    fn flush(&mut self, all: bool) {
        while self.pending.front().is_some_and(|first| all || first.done) {
            self.give_first();
        }
    }

    fn give_first(&mut self) {
        let Some(pending) = self.pending.pop_front() else { return };
        let Some(agent) = crate::named(pending.agent, &pending.payload) else { return };
        self.ready.push(Recorded {
            event: agent.parse(pending.payload, Defaults::default()),
            id: pending.id,
            at: pending.at,
            started: self.started.clone(),
            branch: pending.branch,
            before: pending.before,
            then: pending.then,
        });
    }

    /// What every hook before a tool call is told.
    fn payload(&self, id: &str, cwd: Option<&str>, tool: &str, input: Value) -> Map<String, Value> {
        let mut payload = Map::new();
        let mut put = |key: &str, value: Value| {
            payload.insert(key.to_owned(), value);
        };
        put("hook_event_name", "PreToolUse".into());
        put("session_id", self.session.as_str().into());
        put("permission_mode", self.mode.as_deref().unwrap_or("default").into());
        put("tool_name", tool.into());
        put("tool_input", input);
        put("tool_use_id", id.into());
        if let Some(cwd) = cwd {
            put("cwd", cwd.into());
        }
        payload
    }
}

/// A command of our own log as the call that it was: nothing but its words is left.
pub fn from_words(agent: &str, session: &str, cwd: &str, tool: &str, command: &str) -> Event {
    let reader = Reader { session: session.to_owned(), ..Reader::default() };
    let payload = reader.payload("", Some(cwd), tool, json!({ "command": command }));
    crate::named(agent, &payload).unwrap_or(&crate::ClaudeCode).parse(payload, Defaults::default())
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

fn stamp(record: &Map<String, Value>) -> Option<u64> {
    time::parse_rfc3339(text(record, "timestamp")?)
}

#[cfg(test)]
mod tests;
