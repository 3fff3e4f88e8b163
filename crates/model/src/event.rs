//! What the agent is about to do, or has done. Field names of the wire are not here: only `agents` knows them.

mod call;

use std::fmt;
use std::path::PathBuf;

use serde_json::Map;

pub use call::{Change, FileEdit, Oddity, Outcome, Replacement, ToolUse};

use crate::tool::{Command, Language, Tool};

macro_rules! event_names {
    ($($name:ident),* $(,)?) => {
        /// The life-cycle points at which an agent calls its hooks. The names are those of Claude Code, which other
        /// agents have copied.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EventName {
            $($name,)*
            /// An event that this version does not know. It is answered with silence and logged.
            Other(String),
        }

        impl EventName {
            pub const ALL: &[EventName] = &[$(EventName::$name,)*];

            pub fn as_str(&self) -> &str {
                match self {
                    $(EventName::$name => stringify!($name),)*
                    EventName::Other(name) => name,
                }
            }
        }

        impl From<&str> for EventName {
            fn from(name: &str) -> Self {
                match name {
                    $(stringify!($name) => EventName::$name,)*
                    other => EventName::Other(other.to_owned()),
                }
            }
        }
    };
}

// In the order of a session's life.
event_names![
    Setup,
    SessionStart,
    InstructionsLoaded,
    UserPromptSubmit,
    UserPromptExpansion,
    PreToolUse,
    PermissionRequest,
    PermissionDenied,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    Notification,
    MessageDisplay,
    SubagentStart,
    SubagentStop,
    TaskCreated,
    TaskCompleted,
    TeammateIdle,
    Stop,
    StopFailure,
    ConfigChange,
    CwdChanged,
    FileChanged,
    DirectoryAdded,
    WorktreeCreate,
    WorktreeRemove,
    PreCompact,
    PostCompact,
    PreModelSwitch,
    PostModelSwitch,
    Elicitation,
    ElicitationResult,
    SessionEnd,
];

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which agent is talking to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentId(pub &'static str);

/// The agent's own name for a session. It becomes part of file names, so what is not a plain word is replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionId(String);

impl SessionId {
    pub fn new(text: &str) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let text: String = text.chars().take(128).map(plain).collect();
        // A name of dots only would leave the directory it is joined to.
        Self(if text.bytes().all(|b| b == b'.') { "_".repeat(text.len()) } else { text })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_known(&self) -> bool {
        !self.0.is_empty()
    }
}

/// How the agent treats tool calls that nobody has allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PermissionMode {
    #[default]
    Default,
    AcceptEdits,
    Plan,
    Auto,
    DontAsk,
    BypassPermissions,
    Other(String),
}

/// Set when the event comes from inside a subagent, or is about one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subagent {
    pub id: String,
    pub kind: String,
}

/// One call of a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub agent: AgentId,
    pub name: EventName,
    pub session: SessionId,
    /// The agent's working directory, which follows its `cd`. `None` where the agent did not say.
    pub cwd: Option<PathBuf>,
    pub transcript: Option<PathBuf>,
    /// The agent's own name for the prompt that is being answered: by it our records join with the agent's.
    pub prompt: Option<String>,
    pub mode: PermissionMode,
    pub subagent: Option<Subagent>,
    pub body: Body,
}

impl Event {
    pub fn tool_use(&self) -> Option<&ToolUse> {
        match &self.body {
            Body::Tool(tool) => Some(tool),
            _ => None,
        }
    }

    pub fn edit(&self) -> Option<&FileEdit> {
        match self.tool_use()?.tool {
            Tool::Edit(ref edit) => Some(edit),
            _ => None,
        }
    }

    /// Every change of a file that the call says it makes; a command does not say.
    pub fn edits(&self) -> &[FileEdit] {
        match self.tool_use().map(|use_| &use_.tool) {
            Some(Tool::Edit(edit)) => std::slice::from_ref(edit),
            Some(Tool::Patch(edits)) => edits,
            Some(Tool::Foreign(foreign)) => &foreign.edits,
            _ => &[],
        }
    }

    /// The commands that the call runs, by whatever tool.
    pub fn commands(&self) -> &[Command] {
        match self.tool_use().map(|use_| &use_.tool) {
            Some(Tool::Shell(command)) => std::slice::from_ref(command),
            Some(Tool::Foreign(foreign)) => &foreign.commands,
            _ => &[],
        }
    }

    /// The one command of this event that a shell reads and that can be replaced.
    pub fn command(&self) -> Option<&str> {
        match self.commands() {
            [command] if command.language == Language::Posix && command.at.is_some() => Some(&command.text),
            _ => None,
        }
    }

    /// Which call this is, for every hook that is asked about it: the client's own name for it, with its commands. A client may
    /// give one name twice.
    pub fn call(&self) -> Option<String> {
        let id = self.tool_use()?.id.as_deref()?;
        let texts: Vec<&str> = self.commands().iter().map(|command| command.text.as_str()).collect();
        Some(format!("{id} {}", texts.join("\n")))
    }

    /// The same event with another shell command: what a rewrite is judged by in the next round.
    #[must_use]
    pub fn with_command(&self, text: &str) -> Self {
        let mut event = self.clone();
        if let Body::Tool(use_) = &mut event.body {
            match &mut use_.tool {
                Tool::Shell(command) => text.clone_into(&mut command.text),
                Tool::Foreign(foreign) => {
                    foreign.commands.iter_mut().for_each(|command| text.clone_into(&mut command.text));
                }
                _ => {}
            }
        }
        event
    }

    /// The same call about this one file.
    #[must_use]
    pub fn with_edit(&self, edit: FileEdit) -> Self {
        let use_ = self.tool_use();
        Self {
            agent: self.agent,
            name: self.name.clone(),
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            transcript: self.transcript.clone(),
            prompt: self.prompt.clone(),
            mode: self.mode.clone(),
            subagent: self.subagent.clone(),
            body: Body::Tool(ToolUse {
                id: use_.and_then(|use_| use_.id.clone()),
                name: use_.map(|use_| use_.name.clone()).unwrap_or_default(),
                known: use_.is_some_and(|use_| use_.known),
                tool: Tool::Edit(edit),
                // It may be long, and about many files.
                input: Map::default(),
                outcome: use_.map_or(Outcome::Pending, |use_| use_.outcome.clone()),
                replaceable: false,
                odd: None,
            }),
        }
    }

    /// What the event is about, in a few words, for the log and for `explain`.
    pub fn subject(&self) -> String {
        match &self.body {
            Body::Tool(use_) => use_.subject(),
            Body::Session(change) => change.cause.clone(),
            Body::Compaction(c) => c.trigger.clone(),
            Body::Notification(n) => n.kind.clone(),
            Body::Batch(calls) => format!("{} calls", calls.len()),
            Body::Prompt(_) | Body::Stop(_) | Body::Other => String::new(),
        }
    }
}

/// What came with the event. One shape may serve several events; `Event::name` tells them apart.
#[expect(clippy::large_enum_variant, reason = "a hook has one of them, and it is looked at everywhere")]
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// `PreToolUse`, `PermissionRequest`, `PermissionDenied`, `PostToolUse`, `PostToolUseFailure`.
    Tool(ToolUse),
    /// `PostToolBatch`.
    Batch(Vec<ToolUse>),
    /// `UserPromptSubmit`, `UserPromptExpansion`.
    Prompt(Prompt),
    /// `Setup`, `SessionStart`, `SessionEnd`.
    Session(SessionChange),
    /// `Stop`, `SubagentStop`.
    Stop(Stop),
    /// `PreCompact`, `PostCompact`.
    Compaction(Compaction),
    Notification(Notification),
    /// Events of which nothing but the name and the common fields is used.
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionChange {
    /// Why: `startup`, `resume`, `clear`, `compact` at the start; the reason at the end.
    pub cause: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stop {
    /// The agent goes on because of an earlier block by a stop hook.
    pub active: bool,
    pub last_message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// `manual` or `auto`.
    pub trigger: String,
    /// The user's instructions before, the summary after.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notification {
    pub kind: String,
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_round_trip() {
        assert_eq!(EventName::ALL.len(), 33);
        for name in EventName::ALL {
            assert_eq!(EventName::from(name.as_str()), *name);
        }
        assert_eq!(EventName::from("Later"), EventName::Other("Later".into()));
    }

    #[test]
    fn a_session_id_is_one_file_name() {
        assert_eq!(SessionId::new("../../x").as_str(), ".._.._x");
        assert_eq!(SessionId::new("..").as_str(), "__");
        assert_eq!(SessionId::new("0af-1.2").as_str(), "0af-1.2");
    }

    #[test]
    fn replacements_apply_in_order_or_not_at_all() {
        let part = |old: &str, new: &str, all| Replacement { old: old.into(), new: new.into(), all };
        let change = Change::Replace(vec![part("a", "b", true), part("b", "c", false)]);
        assert_eq!(change.apply("aab").as_deref(), Some("cbb"));
        assert_eq!(Change::Replace(vec![part("x", "y", false)]).apply("aab"), None);
        assert_eq!(Change::Replace(vec![part("", "new", false)]).apply("").as_deref(), Some("new"));
        assert_eq!(Change::Replace(vec![part("", "new", false)]).apply("old"), None);
    }
}
