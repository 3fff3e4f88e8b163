//! What an engine is given and what it answers.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// One file to look at. The text may be newer than what is on disk.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Absolute; config files are looked for from its folder upwards.
    pub path: &'a Path,
    pub text: &'a str,
}

impl<'a> Input<'a> {
    pub fn new(path: &'a Path, text: &'a str) -> Self {
        Input { path, text }
    }

    pub(crate) fn folder(&self) -> &'a Path {
        self.path.parent().unwrap_or(self.path)
    }
}

/// One finding, with the rule id that the original tool would give.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    pub code: Cow<'static, str>,
    pub message: String,
    /// The tool that the engine stands for, as a report names it.
    pub linter: &'static str,
}

/// An engine could not do its work: a config file that it cannot read, or a fault of its own. Never the same as clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble(pub String);

impl Trouble {
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        // One line: it goes into a report of one line per finding.
        Trouble(
            what.to_string()
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join("; "),
        )
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Trouble {}

pub type Outcome<T> = Result<T, Trouble>;
