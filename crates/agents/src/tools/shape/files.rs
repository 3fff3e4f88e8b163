//! Paths among the arguments, and what becomes of the files.

use model::{Change, Intent, Noun, Replacement, Side};
use serde_json::Value;

use super::super::words::plain;
use super::super::{keys, looks};
use super::{Object, Shape, Text};

/// What an object says about one file.
pub(super) struct Files<'a> {
    /// The folder that its names are in.
    pub(super) around: Option<&'a str>,
    pub(super) has_path: bool,
    pub(super) has_file: bool,
    /// How many paths are named beyond doubt.
    pub(super) named: usize,
    /// Which files of the folder.
    pub(super) pattern: Option<&'a str>,
    pub(super) change: Option<Change>,
}

impl<'a> Files<'a> {
    pub(super) fn of(object: &'a Object) -> Self {
        let mut files = Self {
            around: None,
            has_path: false,
            has_file: false,
            named: 0,
            pattern: None,
            change: change(object),
        };
        let mut folder = None;
        for (key, value) in object {
            let key = plain(key);
            let text = value.as_str();
            if keys::is_pattern(&key) {
                files.pattern = files.pattern.or(text).filter(|text| !text.is_empty());
            }
            let Some(named) = keys::path(&key) else { continue };
            files.named += usize::from(named.sure && named.side != Side::Around);
            match named {
                keys::Named { side: Side::Around, .. } => files.around = files.around.or(text),
                keys::Named { folder: true, .. } => folder = folder.or(text),
                keys::Named { sure: true, .. } => files.has_file = true,
                _ => {}
            }
            files.has_path |= named.sure && named.side != Side::Around;
        }
        if files.has_file {
            files.around = files.around.or(folder);
        }
        files
    }
}

impl Files<'_> {
    /// A config or a template beside another file is only read.
    fn seen(&self, key: &str, named: keys::Named) -> keys::Named {
        let read = |word: &str| {
            matches!(
                word,
                "config" | "configuration" | "template" | "schema" | "reference" | "ignore" | "baseline"
            )
        };
        if self.named > 1 && key.split('_').any(read) {
            keys::Named { side: Side::From, ..named }
        } else {
            named
        }
    }
}

fn is_folder(word: &str) -> bool {
    matches!(word, "dir" | "directory" | "folder" | "tree" | "path" | "rmdir")
}

/// What an edit tool is told to put where, in any of the usual forms.
pub(in crate::tools) fn change(object: &Object) -> Option<Change> {
    let field = |names: &[&str]| {
        object
            .iter()
            .find(|(key, _)| names.contains(&plain(key).as_str()))
            .and_then(|(_, value)| value.as_str())
    };
    let notebook = object.values().any(|value| value.as_str().is_some_and(|text| text.ends_with(".ipynb")));
    if let Some(source) = field(&["source", "new_source", "cell_source", "code"]).filter(|_| notebook) {
        return Some(Change::Cell { source: source.to_owned() });
    }
    if let (Some(old), Some(new)) = (field(keys::OLD), field(keys::NEW)) {
        let all =
            object.iter().any(|(key, value)| plain(key) == "replace_all" && *value == Value::Bool(true));
        return Some(Change::Replace(vec![Replacement { old: old.to_owned(), new: new.to_owned(), all }]));
    }
    let edits =
        object.iter().find(|(key, _)| matches!(plain(key).as_str(), "edits" | "changes" | "replacements"));
    if let Some(list) = edits.and_then(|(_, value)| value.as_array()) {
        let parts = list.iter().filter_map(Value::as_object).filter_map(|part| match change(part)? {
            Change::Replace(parts) => Some(parts),
            _ => None,
        });
        let parts: Vec<Replacement> = parts.flatten().collect();
        return Some(if parts.is_empty() { Change::Unknown } else { Change::Replace(parts) });
    }
    let content = object.iter().find(|(key, _)| {
        let key = plain(key);
        keys::is_content(&key) && !matches!(key.as_str(), "source" | "lines")
    });
    match content.map(|(_, value)| value) {
        Some(Value::String(content)) => Some(Change::Write { content: content.clone() }),
        Some(Value::Null) | None => None,
        Some(_) => Some(Change::Unknown),
    }
}

impl Shape {
    /// The paths of a text: by the name of its argument, else by its looks.
    pub(super) fn names(&mut self, it: &Text<'_>, said: bool, files: &Files<'_>) {
        let Text { key, said: text, .. } = *it;
        // What a command does with its words, whoever reads it says.
        if keys::is_command(key) || keys::is_args(key) && !self.out.commands.is_empty() {
            return;
        }
        // What is said about a path is not done to it; but who looks for nothing else may get it.
        let whole = text.starts_with(['/', '~']) && !text.contains(char::is_whitespace);
        let looks_for = self.intent <= Intent::Query && !self.nature.service;
        let moves = matches!(
            self.intent,
            Intent::Copy | Intent::Move | Intent::Link | Intent::Delete | Intent::Write
        );
        let by_name = || {
            let file = |word: &String| matches!(word.as_str(), "file" | "files" | "script" | "notebook");
            let is_file = key == "name" && !self.nature.service && self.nature.tool.iter().any(file);
            is_file.then_some(keys::Named { side: Side::Only, sure: true, folder: false })
        };
        match keys::path(key).or_else(by_name).map(|named| files.seen(key, named)) {
            Some(named) if named.side == Side::Around && !self.is_alone(files) => {}
            Some(named) if named.sure || looks::is_path(text) || moves && looks::is_name(text) => {
                // `paths: "a, b"`
                let several = key.ends_with('s') && text.contains([',', '\n', ';']);
                let pieces = if several { text.split([',', '\n', ';']).collect() } else { vec![text] };
                let folder = named.folder && files.has_file;
                let side = match named.side {
                    // It is what the call is about: `remove_directory {"dir_path": …}`.
                    Side::Around
                        if self.is_alone(files) && self.nature.tool.iter().any(|word| is_folder(word)) =>
                    {
                        Side::Only
                    }
                    _ if folder => Side::Around,
                    side => side,
                };
                for piece in pieces.into_iter().map(str::trim).filter(|piece| looks::may_be_path(piece)) {
                    // Of a folder only what fits is deleted.
                    let fits =
                        files.pattern.filter(|_| self.intent == Intent::Delete && !looks::is_name(piece));
                    let piece = fits.map_or_else(
                        || piece.to_owned(),
                        |fits| format!("{}/{fits}", piece.trim_end_matches('/')),
                    );
                    self.path(key, &piece, keys::Named { side, ..named }, files.change.as_ref());
                }
            }
            // A value that is written down is not done to.
            _ if moves && keys::is_content(key) => {}
            _ if (!said || whole && looks_for)
                && (looks::is_path(text) || moves && !files.has_path && looks::is_name(text)) =>
            {
                self.path(key, text, keys::Named { side: Side::Only, sure: false, folder: false }, None);
            }
            _ => {}
        }
    }

    /// A folder that everything is relative to is what the call is about, where it names nothing else.
    pub(super) fn is_alone(&self, files: &Files<'_>) -> bool {
        self.intent == Intent::Delete && !files.has_path
    }

    pub(super) fn joined(&self, path: &str) -> String {
        let whole = path.starts_with(['/', '~', '\\', '$', '%'])
            || path.as_bytes().get(1) == Some(&b':')
            || looks::is_file_address(path);
        match &self.base {
            Some(base) if !whole => format!("{}/{path}", base.trim_end_matches('/')),
            _ => path.to_owned(),
        }
    }

    /// A path, with what becomes of it.
    pub(super) fn path(&mut self, key: &str, text: &str, named: keys::Named, content: Option<&Change>) {
        let path = self.joined(text);
        let whole = path.starts_with(['/', '~', '\\', '$', '%']) || looks::is_file_address(&path);
        // Of a service's files only those are ours that it takes from here or puts here.
        let puts_here = named.side == Side::To
            || self
                .nature
                .tool
                .iter()
                .any(|word| matches!(word.as_str(), "local" | "download" | "export" | "save"));
        if self.nature.service && !(whole && named.sure && (puts_here || self.intent < Intent::Copy)) {
            return;
        }
        let side = match (self.intent, named.side) {
            // What a link leads to is read through it.
            (Intent::Link, Side::To) if key.contains("target") => Side::From,
            (Intent::Link, Side::Only) => Side::To,
            (Intent::Copy | Intent::Move, Side::Only) => Side::From,
            (_, side) => side,
        };
        let change = match (self.intent, side) {
            (_, Side::Around) => None,
            (Intent::Delete | Intent::Permit, _) | (Intent::Move, Side::From) => Some(Change::Removed),
            (Intent::Write, Side::Only | Side::To)
            | (Intent::Copy | Intent::Move | Intent::Link, Side::To) => {
                Some(content.cloned().unwrap_or(Change::Unknown))
            }
            (Intent::Unknown | Intent::Configure, Side::Only) => content.cloned(),
            (_, Side::To) if named.sure => Some(Change::Unknown),
            _ => None,
        };
        // What is there by its looks only may be a value of something.
        if let Some(change) = change.filter(|_| named.sure || looks::is_path(text) || looks::is_name(text)) {
            self.edit(&path, change);
        }
        if named.sure && side != Side::Around {
            self.script(&path, false);
        }
        self.add(key, Noun::Path { text: path, side, named: named.sure });
    }
}
