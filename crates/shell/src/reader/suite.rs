//! Code that a program runs besides what it was written for: files with tests, plugins, reporters. A file that is named is read as a
//! script is; what is known by a plain name, and a folder, is the project's own.

use super::Reader;
use crate::programs::Role;
use crate::programs::decoded::Decoded;
use crate::reading::Arg;
use crate::state::State;

/// The files with code, as far as words of these roles name some.
pub(super) fn named(role: Role, text: &str) -> Option<String> {
    // Nearly all words have other roles.
    if !matches!(role, Role::Suite | Role::Module) {
        return None;
    }
    let file = text.strip_prefix("file://").unwrap_or(text);
    let file = match role {
        // `tests/test_x.py::TestX::test_y`
        Role::Suite if file.contains(':') => file.split("::").next().unwrap_or(file),
        Role::Suite => file,
        _ if file.contains(['/', '\\']) || language(file).is_some() => file,
        _ => return None,
    };
    (!file.is_empty() && file != "-" && !crate::code::is_address(file)).then(|| file.to_owned())
}

/// Those that the words of a call name.
pub(super) fn of(words: &Decoded, argv: &[Arg]) -> Vec<String> {
    words.given(argv).filter_map(|(role, text)| named(role, text)).collect()
}

impl Reader<'_> {
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
