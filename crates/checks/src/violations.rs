//! What linters have found, as text: the same wherever it is told.

use std::fmt::Write as _;
use std::path::Path;

use model::Violation;

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
    let mut text = String::new();
    for violation in violations.iter().take(most) {
        let _ = writeln!(text, "{}", violation.line_in(project));
    }
    if let Some(more) = violations.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more");
    }
    text
}
