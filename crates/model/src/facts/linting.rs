//! What the linters say. A part of `Facts`.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Event, Linted, Unknown};

pub trait Linting {
    /// Formats and lints the file that was just edited, and has a model fix what is left.
    fn lint(&self, event: &Event) -> Result<Linted, Unknown>;

    /// What is open in files of the session: found late, or waiting for a later edit.
    fn lint_open(&self, event: &Event) -> Result<Linted, Unknown>;

    /// What the linters say of these files as they are, in at most this time; nothing is changed by it. What could not be looked at
    /// is in `said`. Starts programs.
    fn lint_files(&self, files: &[PathBuf], limit: Duration) -> Linted;
}
