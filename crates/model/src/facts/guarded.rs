//! Protected files that the session has changed, and the ways back. A part of `Facts`.

use std::path::PathBuf;

use crate::Unknown;

/// How a protected file differs from what it was when the session began (or, without a beginning, from the last commit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Modified,
    Staged,
    Deleted,
    New,
    /// The session has committed the change already.
    Committed,
}

impl ChangeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Modified => "modified",
            ChangeKind::Staged => "staged",
            ChangeKind::Deleted => "deleted",
            ChangeKind::New => "new",
            ChangeKind::Committed => "committed",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Relative to the project root, with `/`.
    pub path: String,
    pub kind: ChangeKind,
    /// The shell command that brings the file back, or what to say where none does.
    pub restore: Restore,
    /// The text before and after, for files of which only parts are watched.
    pub texts: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restore {
    Command(String),
    /// The file held the user's own uncommitted work when the session began; a copy of it lies here.
    Copy(PathBuf),
}

/// What a stop finds about the protected files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    pub changes: Vec<Changed>,
    /// What could not be looked at, in words.
    pub unseen: Vec<String>,
}

/// Which files `protected_changes` looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Glob patterns in git's form, relative to the project root.
    pub globs: Vec<String>,
    /// Names of files of which only parts count: their texts are asked for.
    pub parts: Vec<&'static str>,
}

pub trait Guarded {
    /// Protected files that this session changed and that the user has not settled.
    fn protected_changes(&self, watch: &Watch) -> Result<Protected, Unknown>;

    /// Whether a held stop has named exactly this command for taking a change back.
    fn is_named_restore(&self, command: &str) -> bool;

    /// The command by which the user keeps these changes.
    fn approve_command(&self, files: &[&str]) -> String;
}
