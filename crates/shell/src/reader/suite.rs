//! Code that a program runs besides what it was written for: files with tests, plugins, reporters. A file that is named is read as a
//! script is; what is known by a plain name, and a folder, is the project's own.

use super::Reader;
use crate::programs::decoded::Decoded;
use crate::programs::{Program, Role};
use crate::reading::Arg;
use crate::state::State;

/// The files with code, as far as words of these roles name some.
pub(super) fn named(role: Role, text: &str) -> Option<String> {
    // Nearly all words have other roles.
    if !matches!(role, Role::Suite | Role::Module | Role::Config) {
        return None;
    }
    let file = text.strip_prefix("file://").unwrap_or(text);
    let file = match role {
        // `tests/test_x.py::TestX::test_y`
        Role::Suite if file.contains(':') => file.split("::").next().unwrap_or(file),
        Role::Suite => file,
        _ if language(file).is_some() || role == Role::Module && file.contains(['/', '\\']) => file,
        _ => return None,
    };
    (!file.is_empty() && file != "-" && !crate::code::is_address(file)).then(|| file.to_owned())
}

/// So many folders of tests are looked into.
const MOST_FOLDERS: usize = 12;

/// Files with code that a program loads by itself, where they may lie: in the folder that it works in, and on the way to its tests.
fn beside(program: &Program, words: &Decoded, argv: &[Arg]) -> Vec<String> {
    let called = crate::path::name(&argv[0].text);
    let mut folders: Vec<&str> = Vec::new();
    if program.loads.iter().any(|name| name.starts_with(IN_TESTS)) {
        let mut named = words.given(argv).filter(|(role, _)| *role == Role::Suite).peekable();
        if named.peek().is_none() {
            folders.extend(["tests", "test"]);
        }
        for (_, text) in named {
            let path = text.split("::").next().unwrap_or(text).trim_end_matches('/');
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            let ways = ends.map(|end| &path[..end]).filter(|way| !matches!(*way, "" | "." | ".."));
            folders.extend(ways.filter(|way| !way.ends_with(".py")));
        }
        folders.truncate(MOST_FOLDERS);
        folders.dedup();
    }
    let mut found = Vec::new();
    for name in program.loads {
        let bare = name.strip_prefix(IN_TESTS);
        let file = bare.unwrap_or(name).replace('*', called);
        if bare.is_some() {
            found.extend(folders.iter().map(|folder| format!("{folder}/{file}")));
        }
        found.push(file);
    }
    found
}

/// How the name of a file begins that lies in folders of tests, too.
const IN_TESTS: &str = ".../";

/// Those that the words of a call name.
pub(super) fn of(words: &Decoded, argv: &[Arg]) -> Vec<String> {
    words.given(argv).filter_map(|(role, text)| named(role, text)).collect()
}

impl Reader<'_> {
    /// What a program loads by itself and is there.
    pub(super) fn loads(&self, by: &Program, words: &Decoded, argv: &[Arg], state: &State) -> Vec<String> {
        let mut files = beside(by, words, argv);
        files.retain(|file| {
            let absolute = state.absolute(file);
            state.files.contains_key(&absolute) || self.world.exists(&absolute)
        });
        files
    }

    /// A file that a program loads by itself: what it starts counts. What can only be told by the looks of its code does not, because most
    /// of that stands in functions that are written for tests.
    pub(super) fn beside(&mut self, file: &str, state: &mut State) {
        let (inline, bomb) = (self.reading.inline.len(), self.reading.fork_bomb);
        self.suite(file, state);
        self.reading.inline.truncate(inline);
        if self.reading.fork_bomb != bomb {
            self.reading.fork_bomb = bomb;
            self.not_read();
        }
    }

    pub(super) fn suite(&mut self, file: &str, state: &mut State) {
        let Some((path, language)) = self.found(file, state) else { return };
        let absolute = self.file_path(&path, state);
        match self.script_at(&absolute, state) {
            Some(text) if super::is_only_holes(&text) => self.unseen("tests", &text),
            Some(text) => {
                let name = self.script_name(&path, state);
                self.in_script(name, |reader| reader.inline(language, &text, state));
            }
            None if self.world.exists(&absolute) => self.not_read(),
            None => {}
        }
    }

    /// The file by its name, by its name without an ending, or by that of its module.
    fn found(&self, file: &str, state: &State) -> Option<(String, &'static str)> {
        if let Some(language) = language(file) {
            return Some((file.to_owned(), language));
        }
        let there = |path: &String| {
            let absolute = state.absolute(path);
            state.files.contains_key(&absolute)
                || self.world.exists(&absolute) && !self.world.is_directory(&absolute)
        };
        if file.contains('/') {
            let endings =
                [("", "javascript"), (".js", "javascript"), (".cjs", "javascript"), (".py", "python")];
            let paths = endings.into_iter().map(|(ending, language)| (format!("{file}{ending}"), language));
            return paths.into_iter().find(|(path, _)| there(path));
        }
        // `tests.test_x.TestX.test_y`
        let mut module = file;
        for _ in 0..4 {
            let path = format!("{}.py", module.replace('.', "/"));
            if there(&path) {
                return Some((path, "python"));
            }
            module = module.rsplit_once('.')?.0;
        }
        None
    }
}

/// The language that a file is written in, by its ending.
fn language(file: &str) -> Option<&'static str> {
    if crate::code::is_javascript(file) {
        return Some("javascript");
    }
    let (_, ending) = file.rsplit_once('.')?;
    Some(match ending {
        "py" => "python",
        "rb" => "ruby",
        "php" => "php",
        "pl" | "t" => "perl",
        "lua" => "lua",
        _ => return None,
    })
}
