//! What the linters say: answered from disk.

use std::path::PathBuf;
use std::time::Duration;

use model::{Event, Linted, Linting, Unknown};

use super::DiskFacts;
impl Linting for DiskFacts<'_> {
    fn lint(&self, event: &Event) -> Result<Linted, Unknown> {
        self.linter.map_or_else(|| Ok(Linted::default()), |linter| linter.after_edit(event))
    }

    fn lint_open(&self, event: &Event) -> Result<Linted, Unknown> {
        self.linter.map_or_else(|| Ok(Linted::default()), |linter| linter.at_stop(event))
    }

    fn lint_files(&self, files: &[PathBuf], limit: Duration) -> Linted {
        let mut known = self.known.linted.borrow_mut();
        if known.as_ref().is_none_or(|(of, _)| of != files) {
            let linted = self.linter.map_or_else(Linted::default, |linter| linter.of_files(files, limit));
            *known = Some((files.to_vec(), linted));
        }
        known.as_ref().map(|(_, linted)| linted.clone()).unwrap_or_default()
    }
}
