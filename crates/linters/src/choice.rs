//! Which tools a project has chosen: by a configuration of their own, or by their names in pre-commit, CI, scripts and lock files.
//!
//! What was not chosen has no say about taste. So a manifest that every project of a language has, or an `.editorconfig`, chooses nothing.

use std::path::PathBuf;
use std::sync::OnceLock;

use state::files;

use crate::definition::Linter;
use crate::folders::Roots;

/// Where a project names the tools that it runs, besides their own configuration.
const PLACES: &[&str] = &[
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.yml",
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "Pipfile",
    "Makefile",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    ".gitlab-ci.yml",
    "uv.lock",
    "poetry.lock",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements/dev.txt",
    "requirements/lint.txt",
];
const WORKFLOWS: &str = ".github/workflows";
/// A lock file beyond this says nothing that its manifest does not.
const LONGEST: u64 = 2 * 1024 * 1024;
/// These belong to the language, not to one tool of it.
const OF_EVERYBODY: &[&str] =
    &["Cargo.toml", "go.mod", "tsconfig.json", ".venv/pyvenv.cfg", ".editorconfig", "tox.ini", "setup.cfg"];

/// How linters are told on their command lines, and actions in workflows, where their settings are and which findings are grave enough.
const SETTINGS: &[&str] = &["config", "severity", " -S ", "failure-threshold"];
/// Lines around a linter's name that may belong to it.
const ABOVE: usize = 1;
const BELOW: usize = 6;

/// What one project has chosen, for the files of one folder.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// From the file's folder up to the project.
    folders: Vec<PathBuf>,
    texts: OnceLock<Vec<String>>,
}

impl Choices {
    pub(crate) fn new(roots: &Roots<'_>) -> Self {
        Self { folders: roots.folders(), texts: OnceLock::new() }
    }

    /// Whether findings of this linter are what the project wants to hear.
    pub(crate) fn lints(&self, linter: &Linter) -> bool {
        let plugins = linter.lint.as_ref().map_or(&[][..], |job| job.names);
        if plugins.is_empty() {
            return self.has(linter);
        }
        plugins.iter().any(|(_, plugin)| self.names(&[plugin]))
    }

    /// The same for a name that findings are told under: a plugin is chosen for itself.
    pub(crate) fn hears(&self, linter: &Linter, name: &str) -> bool {
        if linter.name == name { self.lints(linter) } else { self.names(&[name]) }
    }

    /// Whether a project whose settings are words of a command line has said something about this rule there, or about how grave a finding must be:
    /// what it said is not known here, so that nothing is told in its name.
    pub(crate) fn has_a_word_on(&self, linter: &Linter, code: &str) -> bool {
        if self.configured(linter) {
            return false;
        }
        let texts = self.texts.get_or_init(|| self.read());
        texts.iter().any(|text| {
            let lines: Vec<&str> = text.lines().collect();
            let names_it = |line: &&str| linter.words.iter().any(|word| has_word(line, word));
            let named = lines.iter().enumerate().filter(|(_, line)| names_it(line));
            named.into_iter().any(|(at, _)| {
                let near = &lines[at.saturating_sub(ABOVE)..lines.len().min(at + BELOW)];
                near.iter()
                    .any(|line| has_word(line, code) || SETTINGS.iter().any(|word| line.contains(word)))
            })
        })
    }

    /// Whether files are to look as it writes them.
    pub(crate) fn formats(&self, linter: &Linter) -> bool {
        if linter.format_words.is_empty() { self.has(linter) } else { self.names(linter.format_words) }
    }

    /// Whether it may rewrite files: to format them, or to fix what it finds.
    pub(crate) fn rewrites(&self, linter: &Linter) -> bool {
        self.formats(linter) || (linter.format.iter().any(|job| job.fixes) && self.lints(linter))
    }

    fn has(&self, linter: &Linter) -> bool {
        // A switch of our own config is a choice, too.
        let switched = linter.when.iter().any(|flag| matches!(*flag, "tsgo" | "knip" | "tsgolint"));
        switched || self.configured(linter) || self.names(linter.words)
    }

    pub(crate) fn configured(&self, linter: &Linter) -> bool {
        let name = linter.name;
        let table = match name {
            "flake8" => format!("[{name}"),
            _ => format!("[tool.{name}"),
        };
        linter.configs.iter().any(|file| match *file {
            "pyproject.toml" => self.mentions(file, &table),
            "setup.cfg" | "tox.ini" => self.mentions(file, &format!("[{name}")),
            "package.json" => {
                self.mentions(file, &format!("\"{name}\""))
                    || self.mentions(file, &format!("\"{name}Config\""))
            }
            _ if OF_EVERYBODY.contains(file) => false,
            _ => self.folders.iter().any(|dir| files::is_file(&dir.join(file))),
        })
    }

    fn mentions(&self, name: &str, text: &str) -> bool {
        self.folders.iter().any(|dir| {
            files::read(&dir.join(name)).ok().flatten().is_some_and(|content| content.contains(text))
        })
    }

    fn names(&self, words: &[&str]) -> bool {
        let texts = self.texts.get_or_init(|| self.read());
        texts.iter().any(|text| words.iter().any(|word| has_word(text, word)))
    }

    fn read(&self) -> Vec<String> {
        let named = self.folders.iter().flat_map(|dir| PLACES.iter().map(|name| dir.join(name)));
        let workflows =
            self.folders.last().map(|root| files::list(&root.join(WORKFLOWS))).unwrap_or_default();
        let own = self.folders.iter().flat_map(|dir| ["ruff.toml", ".ruff.toml"].map(|name| dir.join(name)));
        named
            .chain(workflows)
            .chain(own)
            .filter(|file| files::size(file).is_ok_and(|size| size <= LONGEST))
            .filter_map(|file| files::read(&file).ok().flatten())
            .collect()
    }
}

/// Whether a text has a word, and not as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let inside = |c: Option<char>| c.is_some_and(part);
    let (starts, ends) = (word.starts_with(part), word.ends_with(part));
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !(starts && inside(before) || ends && inside(after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_whole() {
        assert!(has_word("dev = [\"ruff>=0.4\"]", "ruff"));
        assert!(has_word("  - id: ruff-format", "ruff-format"));
        assert!(!has_word("  - id: ruff-format", "ruff"), "a hook that formats is not a linter");
        assert!(!has_word("blackbox", "black"));
        assert!(has_word("run: black .", "black"));
        assert!(has_word("[tool.ruff.format]\n", "[tool.ruff.format]"));
    }
}
