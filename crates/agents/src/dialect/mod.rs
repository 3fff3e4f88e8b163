//! An agent's protocol as data: how its payloads are brought to the field names that `claude_code::parse` reads, what its tools are,
//! and one row per event with the form of each answer. A new agent is one file with such a `Dialect`, and one line in `AGENTS`.

mod answer;
pub mod forms;
pub(crate) mod payload;
pub mod wiring;

use model::{AgentId, Body, Event, EventName, LastWord, Verdict};
use serde_json::{Map, Value};

use crate::claude_code::parse;
use crate::tools::Table;
use crate::{Agent, Defaults, Reply, Said};

pub use forms::{Rewrite, Say};
pub use wiring::{Beside, Format, Off, Switch, Wiring};

type Object = Map<String, Value>;

/// One event of an agent: its own name for it, ours, and how each answer leaves. Never two forms at once.
#[derive(Debug)]
pub struct Row {
    pub native: &'static str,
    pub event: EventName,
    /// Before a call: it does not happen. After one, and at a start: what is wrong, for the model. At an end: it goes on.
    pub deny: Say,
    /// `Say::Deny` where the agent cannot ask its user.
    pub ask: Say,
    pub rewrite: Rewrite,
    pub context: Say,
}

impl Row {
    /// An event that says nothing.
    pub const fn quiet(native: &'static str, event: EventName) -> Self {
        Self {
            native,
            event,
            deny: Say::Nothing,
            ask: Say::Nothing,
            rewrite: Rewrite::Deny,
            context: Say::Later,
        }
    }

    /// Before a tool call, where the agent cannot ask.
    pub const fn before(native: &'static str, deny: Say, rewrite: Rewrite, context: Say) -> Self {
        Self { native, event: EventName::PreToolUse, deny, ask: Say::Deny, rewrite, context }
    }

    /// Where the agent can ask, in this form.
    #[must_use]
    pub const fn asking(mut self, ask: Say) -> Self {
        self.ask = ask;
        self
    }

    /// An event where a denial and context leave in the same form.
    pub const fn context(native: &'static str, event: EventName, form: Say) -> Self {
        Self { native, event, deny: form, ask: form, rewrite: Rewrite::Deny, context: form }
    }

    /// The end of a turn, held in this form.
    pub const fn stop(native: &'static str, hold: Say) -> Self {
        Self {
            native,
            event: EventName::Stop,
            deny: hold,
            ask: hold,
            rewrite: Rewrite::Deny,
            context: Say::Later,
        }
    }

    /// A prompt that can be refused, and that context can go with.
    pub const fn prompt(native: &'static str, block: Say, context: Say) -> Self {
        Self {
            native,
            event: EventName::UserPromptSubmit,
            deny: block,
            ask: block,
            rewrite: Rewrite::Deny,
            context,
        }
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Denied,
    Runs,
    NotMeasured,
}

impl Fate {
    pub fn as_str(self) -> &'static str {
        match self {
            Fate::Denied => "denied",
            Fate::Runs => "runs",
            Fate::NotMeasured => "not measured",
        }
    }
}

/// What becomes of a call when the hook before it fails, as measured in the client with our registration
/// (`scripts/live-agents --failures`).
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    pub killed: Fate,
    /// Longer than the client waits. We ourselves give an answer before that, unless we are stopped from outside.
    pub slow: Fate,
    pub missing: Fate,
    pub garbage: Fate,
}

impl Failure {
    const fn of(killed: Fate, slow: Fate, missing: Fate, garbage: Fate) -> Self {
        Self { killed, slow, missing, garbage }
    }

    /// The shell line that is registered refuses by itself where it gets no answer; what the client does is left for the rest.
    pub const BY_THE_LINE: Self = Self::of(Fate::Denied, Fate::Runs, Fate::Denied, Fate::Runs);
    pub const BY_THE_BRIDGE: Self = Self::of(Fate::Denied, Fate::Denied, Fate::Denied, Fate::Denied);
    pub const ALL_RUN: Self = Self::of(Fate::Runs, Fate::Runs, Fate::Runs, Fate::Runs);
    pub const NOT_MEASURED: Self =
        Self::of(Fate::NotMeasured, Fate::NotMeasured, Fate::NotMeasured, Fate::NotMeasured);

    /// In the order of the reference, with what has gone wrong.
    pub fn all(self) -> [(&'static str, Fate); 4] {
        [
            ("is killed", self.killed),
            ("does not answer in time", self.slow),
            ("is missing", self.missing),
            ("prints something that is not an answer", self.garbage),
        ]
    }
}

#[derive(Debug)]
pub struct Dialect {
    /// As on the command line: `--agent codex`. Two ways of registering with one agent share it.
    pub id: &'static str,
    pub name: &'static str,
    /// The version in which every row was seen to work; `None` for one that was read from its code alone.
    pub proven: Option<&'static str>,
    /// Whether a payload is this agent's, by its shape.
    pub speaks: fn(&Object) -> bool,
    /// Brings a payload to the names that we read. The event keeps its native name.
    pub plain: fn(&mut Object),
    pub tools: Table,
    pub rows: &'static [Row],
    /// Whether a question reaches a user in this mode. Where it would be answered by nobody and the call would run, it is a denial.
    pub asks: fn(&Event) -> bool,
    /// A held stop comes back as a prompt with our own text.
    pub echoes: bool,
    /// What a tool has returned can be replaced before the model reads it; our bridge reads it as `output`.
    pub replaces: bool,
    /// A patch that stands in a shell command is taken out of it and applied by the agent itself, which tells no hook when that is done.
    pub takes_patches: bool,
    /// Fields of a payload that are passed over: they stand in it under another name as well, or nobody reads them. Only of an agent
    /// that sends so many that its hooks would take longer.
    pub unread: &'static [&'static str],
    /// Without this field in it, the payload is read whole.
    pub read_instead: &'static str,
    /// What lies ready before a tool call.
    pub last_word: LastWord,
    /// What no opinion looks like before a tool call, where saying nothing would block it.
    pub nothing: &'static str,
    pub failure: Failure,
    pub wiring: Wiring,
    /// A recorded call of its shell, for trials: `in_sample` puts another command into it.
    pub sample: &'static str,
    /// What a user should know, for the reference.
    pub notes: &'static [&'static str],
}

impl Dialect {
    /// What agents that start a command line for each event have in common.
    pub const COMMAND: Self = Self {
        id: "",
        name: "",
        proven: None,
        speaks: |_| false,
        plain: |_| {},
        tools: &[],
        rows: &[],
        asks: |_| false,
        echoes: false,
        replaces: false,
        takes_patches: false,
        unread: &[],
        read_instead: "",
        last_word: forms::LAST_PERMISSION,
        nothing: "",
        failure: Failure::BY_THE_LINE,
        wiring: Wiring::USUAL,
        sample: "",
        notes: &[],
    };

    /// The same for agents that load a bridge of ours, which names the agent and gives the answers that it reads.
    pub const BRIDGED: Self = Self {
        plain: |payload| payload::rename(payload, "call_id", "tool_use_id"),
        last_word: forms::LAST_BRIDGE,
        failure: Failure::BY_THE_BRIDGE,
        ..Self::COMMAND
    };

    /// What this agent would send before it runs a command in a folder.
    pub fn in_sample(&self, command: &str, cwd: &str) -> String {
        let text = |text: &str| Value::from(text).to_string();
        // Both stand there as texts of their own.
        self.sample
            .replace("\"echo hi > made.txt\"", &text(command))
            .replace("\"/home/me/project\"", &text(cwd))
    }

    /// The native name of the event before a tool call.
    pub fn before(&self) -> &'static str {
        self.row(&EventName::PreToolUse).map_or("", |row| row.native)
    }

    pub(crate) fn row(&self, event: &EventName) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.event == *event)
    }
}

impl Agent for Dialect {
    fn id(&self) -> AgentId {
        AgentId(self.id)
    }

    fn speaks(&self, payload: &Object) -> bool {
        (self.speaks)(payload)
    }

    fn parse(&self, mut payload: Object, defaults: Defaults<'_>) -> Event {
        (self.plain)(&mut payload);
        let native = defaults.event.or_else(|| payload.get("hook_event_name").and_then(Value::as_str));
        let row = native.and_then(|native| self.rows.iter().find(|row| row.native == native));
        // Events without a row are nobody's, even where their name is one of ours.
        let name = match (row, native) {
            (Some(row), _) => row.event.clone(),
            // Another agent's name for it, where the line names this one: what it would do is judged all the same.
            (None, Some("PreToolUse")) => EventName::PreToolUse,
            (None, native) => EventName::Other(native.unwrap_or_default().to_owned()),
        };
        let mut event =
            parse::event(self.id(), payload, Defaults { event: None, ..defaults }, self.tools, Some(name));
        if let Body::Tool(use_) = &mut event.body {
            use_.replaceable &= self.replaces;
        }
        event
    }

    fn render(&self, event: &Event, verdict: &Verdict) -> Said {
        answer::said(self, event, verdict)
    }

    /// No form for it was seen to work everywhere; it goes to stderr, which most show somewhere.
    fn tells_the_user(&self, _: &Event) -> bool {
        true
    }

    fn echoes(&self) -> bool {
        self.echoes
    }

    fn last_word(&self, event: Option<&EventName>) -> LastWord {
        match event {
            None | Some(EventName::PreToolUse) => self.last_word,
            Some(_) => LastWord::SILENCE,
        }
    }

    fn refuse(&self, reason: &str) -> Reply {
        let Some(row) = self.row(&EventName::PreToolUse) else { return Reply::default() };
        // An answer that is made from the call itself needs one; what lies ready does not.
        if let Say::Call(..) = row.deny {
            let ready = self.last_word;
            return Reply {
                stdout: ready.stdout.into(),
                stderr: ready.stderr.into(),
                exit: ready.exit,
                otherwise: None,
            };
        }
        answer::reply(row.deny, row, None, reason)
    }
}

/// Whether a reply before a tool call keeps it from happening, or asks about it, in any of the forms.
pub fn refuses(reply: &Reply) -> bool {
    if reply.exit == 2 {
        return !reply.stderr.is_empty();
    }
    let Ok(json) = serde_json::from_str::<Value>(&reply.stdout) else { return false };
    let says = |pointer: &str, words: &[&str]| {
        json.pointer(pointer).and_then(Value::as_str).is_some_and(|word| words.contains(&word))
    };
    let fails = |command: &str| command.ends_with("exit 1");
    says("/hookSpecificOutput/permissionDecision", &["deny", "ask"])
        || says("/permissionDecision", &["deny", "ask"])
        || says("/permission", &["deny", "ask"])
        || says("/decision", &["deny", "block"])
        || json.get("deny").is_some()
        || json.pointer("/overrideInput/commands/0").and_then(Value::as_str).is_some_and(fails)
        || says("/overrideInput/path", &["/dev/null/denied"])
}

#[cfg(test)]
mod tests;
