//! Runs of tests and linters, and what they say about the code as it is. A part of `Facts`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::state_files::{TestResult, TestStatus};
use crate::{Seen, Unknown};

/// What is known about the code as it is now, by the test runs that were seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tested {
    /// No run is recorded at all.
    #[default]
    Unrecorded,
    /// All tests have passed on exactly this code.
    Same,
    /// Only this part of them was run on it, and passed.
    Part(String),
    /// The last run on exactly this code has failed.
    Failed,
    /// Runs are recorded, none of them was of this code.
    Changed,
    /// There is a status file that we did not write, and nothing else.
    Forged,
    /// The project has nothing that could be run.
    NoTests,
}

/// Code that a command is about to put on a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tree {
    /// What lies in the work tree.
    #[default]
    Present,
    /// What a merge of this version into the branch that is checked out gives.
    Merged(String),
    /// This version as it is.
    Version(String),
}

/// The last run that was seen in a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRun {
    pub status: TestStatus,
    /// What was run, where that was not all of the tests.
    pub part: Option<String>,
}

/// A run of tests that an agent has started by itself, when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestsSeen {
    /// The work tree.
    pub root: PathBuf,
    /// The call's name, by which its beginning is found.
    pub call: String,
    pub command: String,
    pub result: TestResult,
    pub failures: u64,
    /// Not all of the tests were run.
    pub part: bool,
    /// Of a project whose tests lie in several folders: those whose tests were all run, and all that there are.
    pub covers: Vec<String>,
    pub of: Vec<String>,
    /// A runner has said itself how they ended, or they have passed.
    pub sure: bool,
    /// The status file follows it.
    pub mirrored: bool,
}

pub trait Evidence {
    /// Runs of tests and linters that were seen in this session, in order.
    fn seen_runs(&self) -> Vec<Seen>;

    /// What is known about this code of the work tree below `root`.
    fn tested(&self, root: &Path, tree: &Tree) -> Tested;

    /// Whether the user has seen exactly this code work.
    fn proved(&self, root: &Path, tree: &Tree) -> bool;

    /// The last run of tests that was seen below `root`.
    fn last_run(&self, root: &Path) -> Option<LastRun>;

    /// Whether tests are running below `root`, after waiting at most so long for their end.
    fn tests_are_running(&self, root: &Path, patience: Duration) -> bool;

    /// The text of a state file in `<root>/.claude` as far as it counts: what we have written there ourselves. `None` where there is none.
    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown>;

    /// Whether the state files count as they lie there, as they did for the scripts of old.
    fn believes_files(&self) -> bool {
        false
    }

    /// Whether this report was accepted in the session, for code that has changed since.
    fn is_report_of_other_code(&self, report: &str) -> bool;
}
