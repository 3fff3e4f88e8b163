//! What a check may ask about the work in a project: its files, its history, its evidence. A part of `Facts`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Unknown;
use crate::practice::{Churn, TestResult, TestStatus};

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

/// One subject that source files are read for. What was read is kept by its name, so that changes with what is kept.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    pub name: &'static str,
    /// One line about a file's text; `None` where it says nothing.
    pub of: fn(&str) -> Option<String>,
}

pub trait Work {
    /// The entries of a folder, sorted; none where there is no such folder.
    fn list(&self, dir: &Path) -> Vec<PathBuf>;

    /// When a file was last written, in seconds since 1970; `None` where there is none.
    fn modified(&self, path: &Path) -> Option<u64>;

    /// What all source files of the project say about one subject, without those that say nothing. A file that was looked at before is not
    /// read again.
    fn source_digests(&self, digest: &Digest) -> Vec<String>;

    /// Files in the work tree around `dir` that differ from the last commit, without our own. Starts `git`.
    fn uncommitted(&self, dir: &Path) -> Result<Vec<String>, Unknown>;

    /// How a file differs from the last commit, as git shows it. Starts `git`.
    fn diff(&self, path: &Path) -> Result<String, Unknown>;

    /// What has changed since the plan was last updated; `None` before the first commit. From a cache where neither the last commit
    /// nor the plan has changed; else it is counted by `git`.
    fn churn(&self, plan: &Path) -> Result<Option<Churn>, Unknown>;

    /// The same as far as it is known already: never asks git, unless files count as they are and nothing works in the background.
    fn known_churn(&self, plan: &Path) -> Option<Churn>;

    /// Whether any source file of the work tree at `root` may have been written at this time or later, by whomever: what a commit does not
    /// change has not been. `true` where that cannot be told.
    fn source_written_since(&self, root: &Path, at: u64) -> bool;

    /// The text of a state file in `<root>/.claude` as far as it counts: what we have written there ourselves. `None` where there is none.
    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown>;

    /// What is known about this code of the work tree below `root`.
    fn tested(&self, root: &Path, tree: &Tree) -> Tested;

    /// Whether the user has seen exactly this code work.
    fn proved(&self, root: &Path, tree: &Tree) -> bool;

    /// The last run of tests that was seen below `root`.
    fn last_run(&self, root: &Path) -> Option<LastRun>;

    /// Whether the state files count as they lie there, as they did for the scripts of old.
    fn believes_files(&self) -> bool {
        false
    }

    /// How often this gate has warned the session before, about the run of this time. What was said to a call of the same message, or
    /// to one that ran beside this one, does not count: it could not be heeded.
    fn strikes(&self, gate: &str, about: u64) -> u64;

    /// Whether tests are running below `root`, after waiting at most so long for their end.
    fn tests_are_running(&self, root: &Path, patience: Duration) -> bool;

    /// Claims an issue on the user's list of work for this session; whether that worked, within a short time.
    fn claim(&self, number: &str) -> bool;

    /// Asks the user's list of work (`todo.command`); `None` where there is none or it does not answer.
    fn todo(&self, args: &[&str]) -> Option<String>;
}
