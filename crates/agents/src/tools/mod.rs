//! Tool calls of any agent in our words. An agent has a table of its own tools; whatever is not in it is judged by its shape.

mod compose;
mod keys;
mod looks;
pub(crate) mod patch;
mod shape;
mod words;

use std::path::PathBuf;

use model::{
    Change, Command, FileEdit, Foreign, Intent, Language, Noun, Part, Realm, Replacement, Search, Tool,
};
use serde_json::{Map, Value};

use words::plain;

type Object = Map<String, Value>;

/// What a tool of an agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command, and the tool waits for its end.
    Shell,
    /// A command that goes on while the agent works.
    Watch,
    PowerShell,
    Read,
    /// Text in files: their names, and the lines where those are asked for.
    Grep,
    /// The same of a tool that shows the lines unless it is told not to.
    Lines,
    /// Names of files.
    Glob,
    Edit,
    Patch,
    Fetch,
    Ask,
    Agent,
    /// Leaves a work tree, and may throw away what is in it.
    Leave,
    /// Plans a prompt for later, and may do so for ever.
    Plan,
    /// Does nothing outside the agent, with the reason.
    Own(&'static str),
    /// By its shape; its name says less than this.
    Shape(Intent),
}

/// The tools of an agent.
pub type Table = &'static [(&'static str, Kind)];

pub(crate) fn kind(table: Table, name: &str) -> Option<Kind> {
    table.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// The first text under one of these names, in any spelling.
fn text<'a>(input: &'a Object, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| {
        let exact = input.get(*name);
        exact.or_else(|| input.iter().find(|(key, _)| plain(key) == *name).map(|(_, value)| value))?.as_str()
    })
}

const PATH: &[&str] =
    &["file_path", "notebook_path", "path", "absolute_path", "target_file", "filename", "file"];

/// Whether the input names a file, in any of the usual spellings.
pub(crate) fn has_path(input: &Object) -> bool {
    text(input, PATH).is_some()
}

/// Whether it names a command, or a list of them.
pub(crate) fn has_command(input: &Object) -> bool {
    text(input, COMMAND).is_some() || commands(input).is_some()
}

const COMMAND: &[&str] = &["command", "cmd", "command_line", "script"];

/// Where a command starts, as most agents besides Claude Code let the model say. Cursor says so, too, where it is nothing new.
fn starts_in(input: &Object) -> Option<PathBuf> {
    let named =
        input.iter().find(|(key, _)| keys::is_cwd(key) || matches!(key.as_str(), "directory" | "dir_path"));
    named?.1.as_str().filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Several commands that are run one after the other, as Cline has them.
fn commands(input: &Object) -> Option<Vec<&str>> {
    let list = input.get("commands")?.as_array()?;
    list.iter().map(Value::as_str).collect::<Option<Vec<_>>>().filter(|list| !list.is_empty())
}

/// A call in our words. A tool that is known, but not given what it needs, is judged by what it was given instead.
pub(crate) fn tool(kind: Option<Kind>, name: &str, input: &Object) -> Tool {
    let foreign = |intent: Option<Intent>| Tool::Foreign(Box::new(shape::foreign(name, input, intent)));
    let path = || text(input, PATH).map(PathBuf::from);
    let command = |language: Language, awaited: bool| {
        let at = input.get("command").and_then(Value::as_str);
        let (text, at) = match (at, commands(input).as_deref()) {
            (Some(text), _) => (text.to_owned(), Some("/command".to_owned())),
            (None, Some([one])) => ((*one).to_owned(), Some("/commands/0".to_owned())),
            // They are judged as one, and one takes their place.
            (None, Some(list)) => (list.join("\n"), Some("/commands".to_owned())),
            (None, None) => (text(input, COMMAND)?.to_owned(), None),
        };
        Some(Tool::Shell(Command {
            text,
            language,
            at,
            awaited,
            cwd: starts_in(input),
            ..Command::default()
        }))
    };
    let known = match kind {
        Some(Kind::Shell) => {
            command(Language::Posix, input.get("run_in_background") != Some(&Value::Bool(true)))
        }
        Some(Kind::Watch) if input.get("ws").is_none_or(Value::is_null) => command(Language::Posix, false),
        Some(Kind::PowerShell) => command(Language::PowerShell, false),
        Some(Kind::Read) => path().map(|path| Tool::Read { path }),
        Some(Kind::Grep) => Some(Tool::Search(grep(input, "files_with_matches"))),
        Some(Kind::Lines) => Some(Tool::Search(grep(input, "content"))),
        Some(Kind::Glob) => Some(Tool::Search(glob(input))),
        Some(Kind::Edit) => path().map(|path| {
            let change = change(input).unwrap_or(Change::Unknown);
            Tool::Edit(FileEdit { path, change })
        }),
        Some(Kind::Patch) => patched(input).map(Tool::Patch),
        Some(Kind::Fetch) => text(input, &["url"]).map(|url| Tool::Fetch { address: url.to_owned() }),
        Some(Kind::Ask) => Some(Tool::Ask {
            question: text(input, &["query", "question", "q"]).unwrap_or_default().to_owned(),
        }),
        Some(Kind::Agent) => {
            Some(Tool::Agent { kind: text(input, &["subagent_type"]).unwrap_or_default().to_owned() })
        }
        Some(Kind::Leave) => Some(left(input)),
        Some(Kind::Plan) if input.get("durable") != Some(&Value::Bool(true)) => Some(Tool::Own),
        Some(Kind::Plan) => Some(Tool::Foreign(Box::default())),
        Some(Kind::Own(_)) => Some(Tool::Own),
        Some(Kind::Shape(intent)) => Some(foreign(Some(intent))),
        Some(Kind::Watch) | None => None,
    };
    known.unwrap_or_else(|| foreign(None))
}

fn grep(input: &Object, usual: &str) -> Search {
    let mode = text(input, &["output_mode", "outputmode"]).unwrap_or(usual);
    Search { shows: mode == "content", ..searched(input) }
}

fn searched(input: &Object) -> Search {
    Search {
        pattern: text(input, &["pattern", "regex", "query"]).unwrap_or_default().to_owned(),
        place: text(input, &["path", "directory", "dir_path"]).map(PathBuf::from),
        names: text(input, &["glob", "include", "file_pattern"]).map(str::to_owned),
        shows: false,
    }
}

fn glob(input: &Object) -> Search {
    Search { names: text(input, &["pattern"]).map(str::to_owned), ..searched(input) }
}

/// What an edit says it changes, in the forms of the agents that we know, else in any that is usual.
pub(crate) fn change(input: &Object) -> Option<Change> {
    let field = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(content) = field("content") {
        return Some(Change::Write { content });
    }
    let part = |object: &Object| {
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        let all = object.get("replace_all").and_then(Value::as_bool).unwrap_or(false);
        Some(Replacement { old: text("old_string")?, new: text("new_string")?, all })
    };
    if let Some(Value::Array(edits)) = input.get("edits")
        && edits.iter().filter_map(Value::as_object).any(|edit| edit.contains_key("new_string"))
    {
        return Some(Change::Replace(edits.iter().filter_map(Value::as_object).filter_map(part).collect()));
    }
    if let Some(part) = part(input) {
        return Some(Change::Replace(vec![part]));
    }
    match field("new_source") {
        Some(source) => Some(Change::Cell { source }),
        None => shape::change(input),
    }
}

/// The files of a patch, wherever in the input it stands.
fn patched(input: &Object) -> Option<Vec<FileEdit>> {
    // Codex gives it as a call in words: `["apply_patch", "*** Begin Patch…"]`.
    let words =
        input.values().flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let patches = words.filter_map(Value::as_str).filter(|text| patch::is_patch(text));
    let edits: Vec<FileEdit> = patches.flat_map(patch::edits).collect();
    (!edits.is_empty()).then_some(edits)
}

/// Leaving a work tree loses nothing, unless it is told to.
fn left(input: &Object) -> Tool {
    let discards = input.get("discard_changes") == Some(&Value::Bool(true))
        && input.get("action").is_none_or(|a| a != "keep");
    if !discards {
        return Tool::Own;
    }
    let text = "the work tree with everything in it that is not committed".to_owned();
    Tool::Foreign(Box::new(Foreign {
        intent: Intent::Delete,
        parts: vec![Part { key: String::new(), noun: Noun::Thing { text, realm: Realm::Work } }],
        ..Foreign::default()
    }))
}

#[cfg(test)]
mod tests;
