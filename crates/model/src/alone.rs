//! What the checks of an agent that works alone may ask besides. A part of `Facts`.

use std::path::{Path, PathBuf};

use crate::{Seen, SessionChanges, Unknown};

pub trait Alone {
    /// What this session has changed. Starts `git`.
    fn session_changes(&self) -> Result<SessionChanges, Unknown>;

    /// The commit in short, `-dirty` where the session's work is not in it; `unknown` outside a repository. Starts `git`.
    fn code_version(&self) -> String;

    /// Runs of tests and linters that were seen in this session, in order.
    fn seen_runs(&self) -> Vec<Seen>;

    /// The root that paths of `session_changes` are relative to.
    fn changes_root(&self) -> PathBuf;

    /// The names in a directory, sorted.
    fn names_in(&self, dir: &Path) -> Vec<String>;
}
