//! A call of a tool that is not known, by its shape: which arguments are paths, addresses, statements, commands or code, wherever
//! they stand, and what becomes of them by the verb in the tool's name.
//!
//! In doubt a text is taken for more than one thing: whoever judges looks at each, and most are harmless. What nothing is done
//! with (the words of a message, the content of a file) is not judged.

mod files;
mod nature;
mod run;
mod things;
mod weighty;

use model::{Change, Command, FileEdit, Foreign, Intent, Noun, Part, Realm, Side};
use serde_json::{Map, Value};

use super::words::{intent, intent_of_word, plain};
use super::{compose, keys, looks, patch};
use files::Files;
use nature::Nature;

pub(super) use files::change;

type Object = Map<String, Value>;

/// So many things of a kind are kept. An honest call names fewer; one that names more is not followed, and says so.
const MOST: usize = 256;
/// JSON inside of strings inside of JSON.
const DEEPEST: usize = 3;
/// What is longer is content.
const LONGEST: usize = 64 * 1024;

pub(super) fn foreign(name: &str, input: &Object, known: Option<Intent>) -> Foreign {
    let nature = Nature::of(name);
    let by_name = known.unwrap_or_else(|| intent(&nature.tool));
    let mut shape = Shape {
        intent: by_name.max(said(input)),
        nature,
        out: Foreign::default(),
        base: None,
        has_command: false,
        about_files: names_file(input),
    };
    shape.out.intent = shape.intent;
    shape.out.shows = shape.nature.content;
    if shape.nature.git
        && let Some(command) = compose::git(&shape.nature.tool, input)
    {
        shape.out.commands.push(command);
    }
    shape.object(input, "", 0);
    if let Some(text) =
        compose::by_name(shape.nature.program, &shape.nature.tool, input).filter(|_| !shape.has_command)
    {
        shape.run(Command { text, guessed: true, ..Command::default() });
    }
    shape.permissions(input);
    shape.things(input);
    shape.weighty(input);
    shape.out
}

/// What the arguments themselves say is to be done: `{"action": "delete"}`, here or one level below.
fn said(input: &Object) -> Intent {
    let of = |object: &Object| {
        let words = object.iter().filter(|(key, _)| keys::is_action(&plain(key)));
        words
            .filter_map(|(_, value)| value.as_str())
            .filter(|word| !is_method(word))
            .filter_map(intent_of_word)
            .max()
    };
    let below = input.values().flat_map(|value| match value {
        Value::Object(object) => vec![object],
        Value::Array(list) => list.iter().filter_map(Value::as_object).take(MOST).collect(),
        _ => Vec::new(),
    });
    of(input).max(below.filter_map(of).max()).unwrap_or_default()
}

/// Whether an argument is a path by its name, here or below.
fn names_file(object: &Object) -> bool {
    object.iter().any(|(key, value)| {
        let named = || keys::path(&plain(key)).is_some_and(|named| named.sure);
        match value {
            Value::Object(object) => names_file(object) || named(),
            Value::Array(list) => list.iter().filter_map(Value::as_object).any(names_file) || named(),
            _ => named(),
        }
    })
}

/// Of a request, which names no file.
fn is_method(word: &str) -> bool {
    matches!(word, "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS")
}

struct Shape {
    nature: Nature,
    intent: Intent,
    out: Foreign,
    /// What paths are relative to.
    base: Option<String>,
    /// An argument is a command by its name, so that the others say how it runs.
    has_command: bool,
    /// Some argument is a path by its name, so that texts are rather content than commands.
    about_files: bool,
}

/// A text among the arguments, and where it stands.
struct Text<'a> {
    key: &'a str,
    said: &'a str,
    at: Option<&'a str>,
}

impl Shape {
    fn add(&mut self, key: &str, noun: Noun) {
        if self.out.parts.len() >= MOST {
            self.out.clipped = true;
            return;
        }
        self.out.parts.push(Part { key: key.to_owned(), noun });
    }

    fn run(&mut self, command: Command) {
        if command.text.trim().is_empty() || self.out.commands.iter().any(|known| known.text == command.text)
        {
            return;
        }
        if self.out.commands.len() >= MOST {
            self.out.clipped = true;
            return;
        }
        self.out.commands.push(command);
    }

    fn edit(&mut self, path: &str, change: Change) {
        if self.out.edits.len() >= MOST {
            self.out.clipped = true;
            return;
        }
        self.out.edits.push(FileEdit { path: path.into(), change });
    }

    fn object(&mut self, object: &Object, at: &str, depth: usize) {
        let outer = self.base.clone();
        self.commands(object, at);
        self.requests(object);
        let files = Files::of(object);
        if let Some(base) = files.around {
            self.base = Some(self.joined(base));
        }
        for (key, value) in object {
            let name = plain(key);
            // A name that is itself a path: `{"files": {".ruff.toml": "…"}}`.
            if self.nature.data
                && matches!(name.as_str(), "drop" | "drop_database" | "drop_collection" | "flushall")
                && !value.is_null()
            {
                self.add(&name, Noun::Thing { text: "a part of a database".into(), realm: Realm::Data });
            }
            let is_file = looks::is_path(key) || self.intent == Intent::Write && looks::is_name(key);
            if key.contains(['.', '/', '~']) && is_file {
                let content = value.as_str().map(|text| Change::Write { content: text.to_owned() });
                self.path(
                    &name,
                    key,
                    keys::Named { side: Side::Only, sure: true, folder: false },
                    content.as_ref(),
                );
            }
            let here = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            self.value(&name, value, &here, depth, &files);
        }
        self.base = outer;
    }

    fn value(&mut self, key: &str, value: &Value, at: &str, depth: usize, files: &Files<'_>) {
        match value {
            Value::String(text) => self.text(&Text { key, said: text, at: Some(at) }, depth, files),
            Value::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    match value {
                        Value::String(text) => self.text(&Text { key, said: text, at: None }, depth, files),
                        other => self.value(key, other, &format!("{at}/{index}"), depth, files),
                    }
                }
            }
            Value::Object(object) => self.object(object, at, depth),
            _ => {}
        }
    }

    /// One text: every noun that it may be.
    fn text(&mut self, it: &Text<'_>, depth: usize, files: &Files<'_>) {
        let Text { key, said: text, .. } = *it;
        if text.is_empty() {
            return;
        }
        let content = files.has_path && keys::is_content(key);
        let said = keys::is_words(key) && !self.nature.shell;
        if text.len() <= LONGEST && depth < DEEPEST && !content && text.starts_with(['{', '[']) {
            match serde_json::from_str(text) {
                Ok(Value::Object(object)) => return self.object(&object, "", depth + 1),
                Ok(Value::Array(list)) => return self.value(key, &Value::Array(list), "", depth + 1, files),
                _ => {}
            }
        }
        let patches =
            matches!(key, "patch" | "diff" | "input" | "edit" | "changes" | "patch_text" | "unified_diff");
        if (patches || !said && !content) && self.intent != Intent::Send && patch::is_patch(text) {
            for edit in patch::edits(text) {
                let path = self.joined(&edit.path.to_string_lossy());
                self.edit(&path, edit.change);
            }
            return;
        }
        if content || text.len() > LONGEST {
            return self.words(key, text);
        }
        if let Some(code) = looks::page_code(text).filter(|_| keys::is_address(key)) {
            self.add(key, Noun::Code { language: "javascript", text: code.to_owned() });
        }
        if looks::is_address(text) && !looks::is_file_address(text)
            || keys::is_address(key) && !looks::is_path(text)
        {
            self.add(key, Noun::Address(text.to_owned()));
            self.script(text, true);
        }
        self.launched(key, text);
        self.names(it, said, files);
        // The verb of what is done is not what it is done with.
        let verb = keys::is_action(key) && !text.contains(char::is_whitespace);
        if !verb || self.nature.data && keys::is_command(key) {
            self.statement(key, text, said);
            self.command_by_looks(it, said);
        }
        self.words(key, text);
    }

    fn statement(&mut self, key: &str, text: &str, said: bool) {
        // What is run is judged by what it does.
        let runs = keys::is_command(key) || keys::is_args(key) || keys::is_code(key);
        if runs && !self.nature.data {
            return;
        }
        let asks = matches!(self.intent, Intent::Query | Intent::Run | Intent::Unknown | Intent::Configure);
        let named = keys::is_statement(key);
        let query = matches!(key, "query" | "queries" | "command" | "commands" | "cql" | "script");
        let stored = self.nature.data && (query || self.intent <= Intent::Run);
        // Words to look for are not a statement, whatever they say.
        let stored =
            stored && (!said || query || self.intent == Intent::Query || looks::is_bare_statement(text));
        if named
            || looks::is_statement(text) && (stored || query && asks)
            || asks && (!said || self.intent == Intent::Query) && looks::is_bare_statement(text)
        {
            self.add(key, Noun::Statement(text.to_owned()));
        }
    }

    /// Words that leave the machine, so that no key goes with them.
    fn words(&mut self, key: &str, text: &str) {
        let leaves = self.intent == Intent::Send || self.nature.service || self.intent == Intent::Fetch;
        if leaves && text.len() >= 16 {
            self.add(key, Noun::Words(text.to_owned()));
        }
    }
}
