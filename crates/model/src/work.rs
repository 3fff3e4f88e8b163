//! What a check may ask about the work in a project: its files, its history, its evidence. A part of `Facts`.

use std::path::{Path, PathBuf};

use crate::Unknown;
use crate::practice::Churn;

/// Whether the code is still what the last recorded test run has tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tested {
    /// No run of ours is recorded.
    #[default]
    Unrecorded,
    Same,
    /// Source files differ from those that were tested.
    Changed,
    /// The status file is not what the recorded run has written.
    Forged,
}

pub trait Work {
    /// The entries of a folder, sorted; none where there is no such folder.
    fn list(&self, dir: &Path) -> Vec<PathBuf>;

    /// When a file was last written, in seconds since 1970; `None` where there is none.
    fn modified(&self, path: &Path) -> Option<u64>;

    /// All source files of the project.
    fn source_files(&self) -> Vec<PathBuf>;

    /// Files in the work tree around `dir` that differ from the last commit, without our own. Starts `git`.
    fn uncommitted(&self, dir: &Path) -> Result<Vec<String>, Unknown>;

    /// How a file differs from the last commit, as git shows it. Starts `git`.
    fn diff(&self, path: &Path) -> Result<String, Unknown>;

    /// What has changed since the plan was last updated; `None` before the first commit. From a cache where neither the last commit
    /// nor the plan has changed; else it is counted by `git`.
    fn churn(&self, plan: &Path) -> Result<Option<Churn>, Unknown>;

    /// The text of a state file in `<root>/.claude` as far as it counts: what we have written there ourselves. `None` where there is none.
    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown>;

    /// Whether the code below `root` is what its recorded test run has tested.
    fn tested(&self, root: &Path) -> Tested;

    /// Whether tests are running below `root`, after a short wait for their end.
    fn tests_are_running(&self, root: &Path) -> bool;

    /// Asks the person's list of work (`todo.command`); `None` where there is none or it does not answer.
    fn todo(&self, args: &[&str]) -> Option<String>;
}
