//! Why nothing was read from what a tool printed. Callers only pass it on to whoever is told that a linter failed; the tool's own words are
//! beside the reason, because they mostly name the real one.

use thiserror::Error;

use super::Printed;
use crate::definition::Linter;

/// What is wrong with an output.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum Cause {
    #[error("it ended with exit code {0}")]
    Failed(i32),
    #[error("a signal ended it")]
    Killed,
    #[error("it printed more than can be read")]
    Cut,
    /// A tool that has looked says so, with an empty list.
    #[error("it printed nothing, not even an empty list")]
    Silent,
    #[error("its output has no {0}")]
    Without(&'static str),
    #[error("an entry of its JSON has no message")]
    Wordless,
    #[error("a line of its output is not JSON ({0})")]
    NotJson(String),
    #[error("it ended with exit code {0} but named no violation")]
    Unexplained(i32),
    #[error("it could not format, exit code {0}")]
    Unformatted(i32),
}

/// An output that cannot be read, with the first line in which the tool says something.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{cause}{}", .words.as_ref().map(|words| format!(": {words}")).unwrap_or_default())]
pub struct Unreadable {
    pub(crate) cause: Cause,
    pub(crate) words: Option<String>,
}

impl Unreadable {
    pub(crate) fn new(cause: Cause, linter: &Linter, printed: &Printed<'_>) -> Self {
        Self { cause, words: words(linter, printed) }
    }
}

/// The first line that is not a greeting.
pub(crate) fn words(linter: &Linter, printed: &Printed<'_>) -> Option<String> {
    let says_something =
        |line: &&str| !line.is_empty() && !linter.preamble.iter().any(|start| line.starts_with(start));
    let mut lines = printed.stderr.lines().chain(printed.stdout.lines()).map(str::trim);
    Some(lines.find(says_something)?.chars().take(200).collect())
}
