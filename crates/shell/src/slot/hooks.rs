//! Files that a project's tools run by themselves: who fetches one and then builds or tests runs code that nobody has seen.

use model::deed::Verb;

use crate::reader::Reader;
use crate::reading::Call;
use crate::state::State;
use crate::text::{DECODED, NET};

const HOOKS: &[&str] = &[
    ".envrc",
    ".pre-commit-config.yaml",
    "build.gradle",
    "build.gradle.kts",
    "build.rs",
    "build.zig",
    "cargo.toml",
    "cmakelists.txt",
    "composer.json",
    "conftest.py",
    "gemfile",
    "gnumakefile",
    "gruntfile.js",
    "gulpfile.js",
    "justfile",
    "makefile",
    "meson.build",
    "mix.exs",
    "noxfile.py",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "pytest.ini",
    "rakefile",
    "setup.cfg",
    "setup.py",
    "sitecustomize.py",
    "taskfile.yml",
    "tox.ini",
];

impl Reader<'_> {
    /// A tool of the project that is started after such a file was fetched.
    pub(crate) fn hooked(&mut self, call: &Call, state: &State) {
        if !call.does(Verb::Builds) && !call.does(Verb::Installs) || state.files.is_empty() {
            return;
        }
        let foreign = |text: &str| text.contains([NET, DECODED]);
        let fetched = state.files.iter().find(|(path, text)| is_hook(path) && foreign(text));
        if let Some(text) = fetched.map(|(_, text)| std::rc::Rc::clone(text)) {
            self.unseen(call.program(), &text);
        }
    }

    /// Files and folders that a variable has loaded before anything else.
    pub(super) fn loaded(&mut self, value: &str, state: &State) {
        for piece in value.split([':', ' ', '=', ',']).filter(|piece| !piece.is_empty()) {
            let path = state.absolute(piece);
            let inside = |file: &str| file == path || crate::path::is_below(file, &path);
            let foreign = |text: &str| text.contains([NET, DECODED]);
            if state.files.iter().any(|(file, text)| inside(file) && foreign(text)) {
                self.unseen("variable", &NET.to_string());
            }
        }
    }
}

/// By its name; the settings of most tools of JavaScript are code.
fn is_hook(path: &str) -> bool {
    let name = crate::path::name(path).to_ascii_lowercase();
    let config = [".config.js", ".config.mjs", ".config.cjs", ".config.ts", "rc.js", "rc.cjs", "rc.mjs"];
    HOOKS.contains(&name.as_str()) || config.iter().any(|ending| name.ends_with(ending))
}
