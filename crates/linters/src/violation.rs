//! What a linter says about a file, whichever linter it was.

use std::path::Path;

pub use model::Violation;

use crate::Language;

/// What an engine or a tool made of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Clean,
    Found(Vec<Violation>),
    /// It could not look, or its answer could not be understood, with the reason. Said, never taken for clean.
    Unreadable(String),
}

impl Outcome {
    pub fn of(violations: Vec<Violation>) -> Self {
        if violations.is_empty() { Outcome::Clean } else { Outcome::Found(violations) }
    }
}

/// Linters and formatters inside this program. They see text and configuration and touch nothing; whoever calls them reads
/// and writes the file.
pub trait Engines: Sync {
    /// The linters whose place an engine takes for this file, by the names of their definitions (`shellcheck`, `ruff`).
    /// Those do not run beside it.
    fn replaces(&self, language: Language, path: &Path) -> &'static [&'static str];

    /// What is wrong with the file; `None` when no engine lints this language.
    fn lint(&self, language: Language, path: &Path, text: &str) -> Option<Outcome>;

    /// The file as it should look; `None` when no engine formats this language or the text cannot be read.
    fn format(&self, language: Language, path: &Path, text: &str) -> Option<String>;
}

/// A build without engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEngines;

impl Engines for NoEngines {
    fn replaces(&self, _: Language, _: &Path) -> &'static [&'static str] {
        &[]
    }

    fn lint(&self, _: Language, _: &Path, _: &str) -> Option<Outcome> {
        None
    }

    fn format(&self, _: Language, _: &Path, _: &str) -> Option<String> {
        None
    }
}
