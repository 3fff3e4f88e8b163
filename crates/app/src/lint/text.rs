//! Violations by their words: the text that they are about, their codes, and which of them wait.

use std::path::Path;

use model::{Config, Violation};

use state::files;

pub(super) fn line_of<'t>(text: &'t str, found: &Violation) -> &'t str {
    let index = usize::try_from(found.line).unwrap_or(0).saturating_sub(1);
    text.lines().nth(index).unwrap_or_default()
}

/// What violations are looked for in; where there are none, nobody reads it.
pub(super) fn text_of(file: &Path, violations: &[Violation]) -> String {
    if violations.is_empty() {
        return String::new();
    }
    files::read(file).ok().flatten().unwrap_or_default()
}

pub(super) fn codes(violations: &[Violation]) -> String {
    let mut codes: Vec<&str> = violations.iter().map(|found| found.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.join(",")
}

/// Whether the rule waits for the next edit. Vulture has one rule for everything and says in its words what it means.
pub(super) fn is_deferred(found: &Violation, config: &Config) -> bool {
    let code = match found.linter {
        "vulture" if found.message.starts_with("unused import") => "F401",
        _ => &found.code,
    };
    config.defer.iter().any(|one| one == code)
}
