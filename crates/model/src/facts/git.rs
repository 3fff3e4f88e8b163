//! A repository and its versions. A part of `Facts`.

use std::path::{Path, PathBuf};

use crate::state_files::Churn;
use crate::{Incoming, Unknown};

/// What a check may know of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    pub root: PathBuf,
    /// The first work tree; the same as `root` outside linked ones.
    pub main_root: PathBuf,
    /// Work trees that are registered besides the first.
    pub worktrees: Vec<PathBuf>,
    /// `None` when detached.
    pub branch: Option<String>,
    /// There is no commit yet.
    pub unborn: bool,
    /// A merge is waiting for its commit.
    pub merging: bool,
}

pub trait Git {
    /// The repository around `dir`.
    fn repository(&self, dir: &Path) -> Option<Repository>;

    /// Files that the next commit in `dir` would contain, by name.
    fn staged(&self, dir: &Path) -> Result<Vec<String>, Unknown>;

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

    /// What differs from one version to another in the repository around `dir`, names relative to its root, as far as its own files
    /// say it. `Ok(None)` where one of the versions is not there. The texts of files that `wanted` names come along.
    fn version_changes(
        &self,
        dir: &Path,
        from: &str,
        to: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<Incoming>>, Unknown>;

    /// Whether a branch of the repository at `root` leads back to this version. `false` where that cannot be told.
    fn has_in_history(&self, root: &Path, branch: &str, version: &str) -> bool;

    /// The root that paths of `session_changes` are relative to.
    fn changes_root(&self) -> PathBuf;
}
