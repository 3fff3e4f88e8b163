//! What linters have found, as text: the same wherever it is told.

use std::fmt::Write as _;
use std::path::Path;

use model::{Since, Violation};

/// More lines than this are not read, and the model would pay for them at every turn.
pub const MOST: usize = 20;

/// What to do about them.
pub const FIX: &str =
    "Fix each at its place with a small edit; do not disable rules or change their configuration.";

/// `3 problems`.
pub fn count(violations: &[Violation]) -> String {
    match violations.len() {
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    }
}

/// A line each, by their places in the project, and how many more there are than `most`.
pub fn list(violations: &[Violation], project: &Path, most: usize) -> String {
    list_since(violations, &[], project, most)
}

/// The same, each with what of an edit has made it, where that is another line than its own. It comes first, because there it is fixed
/// or understood.
pub(crate) fn list_since(
    violations: &[Violation],
    since: &[Option<Since>],
    project: &Path,
    most: usize,
) -> String {
    let mut text = String::new();
    for (at, violation) in violations.iter().enumerate().take(most) {
        if let Some(Some(Since { line, removed })) = since.get(at) {
            let what = if *removed { "what you removed" } else { "your change" };
            let _ = write!(text, "since {what} at line {line}: ");
        }
        let _ = writeln!(text, "{}", violation.line_in(project));
    }
    if let Some(more) = violations.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more");
    }
    text
}
