//! A call of a tool: what it would do, and how it went.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::tool::{Command, Tool};

#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    pub id: Option<String>,
    pub name: String,
    /// A tool of this agent that we know. What is not known is never approved.
    pub known: bool,
    pub tool: Tool,
    /// The input as it came, so that a rewrite can send back every field that it does not change.
    pub input: Map<String, Value>,
    pub outcome: Outcome,
    /// What it has returned can be replaced before the model reads it.
    pub replaceable: bool,
    /// Why this is not an input that an honest client sends. What it would do is then not known.
    pub odd: Option<Oddity>,
}

impl ToolUse {
    /// A command that has not run yet.
    pub fn shell(command: &str) -> Self {
        Self {
            id: None,
            name: "Bash".into(),
            known: true,
            tool: Tool::Shell(Command::new(command)),
            input: Map::new(),
            outcome: Outcome::Pending,
            replaceable: false,
            odd: None,
        }
    }

    /// What the call is about, in a few words.
    pub(super) fn subject(&self) -> String {
        let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
        match &self.tool {
            Tool::Shell(command) => command.text.clone(),
            Tool::Edit(edit) => path(&edit.path),
            Tool::Patch(edits) => edits.iter().map(|edit| path(&edit.path)).collect::<Vec<_>>().join(" "),
            Tool::Read { path: file } => path(file),
            Tool::Search(search) => search.pattern.clone(),
            Tool::Fetch { address } => address.clone(),
            Tool::Ask { question } => question.clone(),
            Tool::Agent { kind } => kind.clone(),
            Tool::Own => self.name.clone(),
            Tool::Foreign(foreign) => match foreign.subject() {
                Some(about) => format!("{} {about}", self.name),
                None => self.name.clone(),
            },
        }
    }
}

/// What is wrong with a tool's input, so that the tool may read it otherwise than we do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    NotAnObject,
    CommandNotText,
    CommandWithNul,
    PathNotText,
    PathWithNul,
    /// It lacks the command or the file.
    Incomplete,
}

impl Oddity {
    pub fn as_str(self) -> &'static str {
        match self {
            Oddity::NotAnObject => "its tool_input is not an object",
            Oddity::CommandNotText => "its command is not a text",
            Oddity::CommandWithNul => "its command has a NUL in it",
            Oddity::PathNotText => "its path is not a text",
            Oddity::PathWithNul => "its path has a NUL in it",
            Oddity::Incomplete => "it does not say what it is about",
        }
    }
}

/// A change of one file, by whichever tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// As the agent wrote it: relative, with `..`, with `~`. `Facts::resolve` makes it comparable.
    pub path: PathBuf,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The whole file.
    Write { content: String },
    /// Parts of it, in order.
    Replace(Vec<Replacement>),
    /// One cell of a notebook.
    Cell { source: String },
    /// The agent did not say what (an old or partial payload).
    Unknown,
    /// It goes away, or only its mode changes.
    Removed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub old: String,
    pub new: String,
    pub all: bool,
}

impl Change {
    /// The file's text after this change, where that can be told from its text before.
    pub fn apply(&self, before: &str) -> Option<String> {
        match self {
            Change::Write { content } => Some(content.clone()),
            Change::Replace(parts) => {
                let mut text = before.to_owned();
                for part in parts {
                    if part.old.is_empty() {
                        // The agent's form of "this file is new".
                        if !text.is_empty() {
                            return None;
                        }
                        text.clone_from(&part.new);
                    } else if !text.contains(&part.old) {
                        return None;
                    } else if part.all {
                        text = text.replace(&part.old, &part.new);
                    } else {
                        text = text.replacen(&part.old, &part.new, 1);
                    }
                }
                Some(text)
            }
            Change::Cell { .. } | Change::Unknown | Change::Removed => None,
        }
    }
}

/// How a tool call went.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It has not run yet.
    Pending,
    /// What it answered, in the tool's own shape.
    Done(Value),
    Failed {
        error: String,
    },
}

impl Outcome {
    /// Every text that came back with its place in the answer, as a JSON pointer.
    pub fn texts(&self) -> Vec<(String, &str)> {
        let mut found = Vec::new();
        match self {
            Outcome::Pending => {}
            Outcome::Done(answer) => leaves(answer, &mut String::new(), &mut found),
            Outcome::Failed { error } => found.push((String::new(), error.as_str())),
        }
        found
    }

    /// All text that came back, whatever the tool calls its parts.
    pub fn printed(&self) -> String {
        let mut text = String::new();
        match self {
            Outcome::Pending => {}
            Outcome::Done(answer) => texts(answer, 0, &mut text),
            Outcome::Failed { error } => text.push_str(error),
        }
        text
    }
}

fn leaves<'a>(value: &'a Value, at: &mut String, found: &mut Vec<(String, &'a str)>) {
    const DEEPEST: usize = 256;
    let end = at.len();
    let mut below = |key: &str, value: &'a Value| {
        at.push('/');
        at.push_str(key);
        if at.len() < DEEPEST {
            leaves(value, at, found);
        }
        at.truncate(end);
    };
    match value {
        Value::String(text) => found.push((at.clone(), text)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| below(&index.to_string(), value));
        }
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| below(&key.replace('~', "~0").replace('/', "~1"), value));
        }
        _ => {}
    }
}

fn texts(value: &Value, depth: usize, into: &mut String) {
    const DEEPEST: usize = 4;
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(list) if depth < DEEPEST => list.iter().for_each(|value| texts(value, depth + 1, into)),
        Value::Object(map) if depth < DEEPEST => map.values().for_each(|value| texts(value, depth + 1, into)),
        _ => {}
    }
}
