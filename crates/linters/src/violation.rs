//! What a linter says about a file, whichever linter it was.

use std::path::Path;

pub use model::Violation;

use serde_json::{Value as Json, json};

use crate::Language;
use crate::definition::LINTERS;

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

/// What an engine may do to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite<'a> {
    /// Only how it looks.
    Layout,
    /// Fixes besides, but for these rules.
    Fixes { keep: &'a [String] },
}

/// Linters and formatters inside this program. They see text and configuration and write nothing; whoever calls them reads and
/// writes the file.
pub trait Engines: Sync {
    /// The linters that an engine can stand for with this file, by the names of their definitions (`shellcheck`, `ruff`), or a
    /// name of its own where there is no such tool (`json`).
    fn stands_for(&self, language: Language, path: &Path) -> &'static [&'static str];

    /// Whether an engine costs more than an edit in the pace `fast` waits for.
    fn is_slow(&self, linter: &str) -> bool {
        let _ = linter;
        false
    }

    /// What those of `linters` would say, under their names. `None` when no engine does.
    fn lint(&self, language: Language, path: &Path, text: &str, linters: &[&'static str]) -> Option<Outcome>;

    /// The same as though there were no settings, for when they cannot be read.
    fn lint_bare(
        &self,
        language: Language,
        path: &Path,
        text: &str,
        linters: &[&'static str],
    ) -> Option<Outcome> {
        let _ = (language, path, text, linters);
        None
    }

    /// Plain faults that the project's own settings of this linter leave out without naming them, for where the linter itself says the rest.
    fn left_out(&self, path: &Path, text: &str, linter: &str) -> Option<Outcome> {
        let _ = (path, text, linter);
        None
    }

    /// Whether two texts of a file are the same program or document; `None` where nobody can tell.
    fn same_tree(&self, path: &Path, old: &str, new: &str) -> Option<bool> {
        let _ = (path, old, new);
        None
    }

    /// The file as it should look; `None` when no engine formats this language or the text cannot be read.
    fn format(&self, language: Language, path: &Path, text: &str, how: Rewrite<'_>) -> Option<String>;
}

/// A build without engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEngines;

impl Engines for NoEngines {
    fn stands_for(&self, _: Language, _: &Path) -> &'static [&'static str] {
        &[]
    }

    fn lint(&self, _: Language, _: &Path, _: &str, _: &[&'static str]) -> Option<Outcome> {
        None
    }

    fn format(&self, _: Language, _: &Path, _: &str, _: Rewrite<'_>) -> Option<String> {
        None
    }
}

/// Whether it says that the file cannot be parsed.
pub fn is_syntax(violation: &Violation) -> bool {
    match crate::definition::find_or_plugin(violation.linter) {
        Some(linter) => linter.is_syntax(&violation.code),
        // Engines that have no tool beside them parse, and little else.
        None => violation.code.ends_with("_SYNTAX"),
    }
}

/// As the fixer and our own records have it; the file is known from elsewhere.
pub fn to_json(violation: &Violation) -> Json {
    let Violation { line, column, code, message, linter, .. } = violation;
    json!({"line": line, "column": column, "code": code, "message": message, "linter": linter})
}

/// `None` for a linter that this version does not know.
pub fn from_json(json: &Json, file: &Path) -> Option<Violation> {
    let number = |key: &str| json[key].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    let name = json["linter"].as_str()?;
    let jobs = LINTERS.iter().filter_map(|linter| linter.lint.as_ref());
    let plugins = jobs.flat_map(|job| job.names.iter().map(|(_, name)| *name));
    let linter = LINTERS.iter().map(|linter| linter.name).chain(plugins).find(|known| *known == name)?;
    Some(Violation {
        file: file.to_owned(),
        line: number("line"),
        column: number("column"),
        code: json["code"].as_str()?.to_owned(),
        message: json["message"].as_str()?.to_owned(),
        linter,
        built_in: false,
    })
}
