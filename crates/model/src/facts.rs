//! The questions that a check may ask about the world. `state` answers them from disk; tests answer from a table.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{LevelMap, Profile};
use crate::environment::Variable;
use crate::{Allowance, Autonomy, Conclusion, Event, Held, Linted, Mail, Question, Review, Reviewer};

/// A question that could not be answered, with the reason. A guard that meets one asks the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

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

/// Something in the configuration that is not as it should be, in one line: where, what, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub text: String,
    /// Set where a part of the configuration waits for `plimsoll trust`.
    pub untrusted: bool,
}

pub trait Facts: crate::Alone + crate::Arriving + crate::Own + crate::Work {
    /// `CLAUDE_PROJECT_DIR`, else the project around the event's directory, else home.
    fn project(&self) -> &Path;

    fn home(&self) -> Option<&Path>;

    /// Where our own records lie.
    fn state_dir(&self) -> &Path;

    /// A path as the agent wrote it, as the kernel would follow it: symlinks of what exists resolved, `..` after them.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// A path as the agent wrote it, made absolute and free of `.`, `..` and `~`; symlinks stay.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// Whether names that differ only in letter case are one file in this directory.
    fn folds_case(&self, dir: &Path) -> bool;

    /// A file's text; `Ok(None)` when there is no such file.
    fn read(&self, path: &Path) -> Result<Option<String>, Unknown>;

    /// The repository around `dir`.
    fn repository(&self, dir: &Path) -> Option<Repository>;

    /// Files that the next commit in `dir` would contain, by name.
    fn staged(&self, dir: &Path) -> Result<Vec<String>, Unknown>;

    /// Seconds since 1970.
    fn now(&self) -> u64;

    fn env(&self, variable: &Variable) -> Option<String>;

    /// Whether a program of this name is on PATH.
    fn has_program(&self, name: &str) -> bool;

    /// `Effect::Said` was recorded for this in the session.
    fn was_said(&self, what: &str) -> bool;

    /// The text that `Effect::SaidText` has recorded last for this in the session.
    fn said_text(&self, what: &str) -> Option<String>;

    /// Microseconds on a clock that only goes forward.
    fn micros(&self) -> u64;

    /// The user has let this file be edited for a while.
    fn may_edit(&self, path: &Path) -> bool;

    /// Commands that the user lets the agent run for a while. Asked only where one would be refused or asked about.
    fn allowances(&self) -> Vec<Allowance>;

    /// Rules that users have written; `None` where there are none.
    fn rules(&self) -> Option<&crate::rule::Book>;

    /// Protected files that this session changed and that the user has not settled.
    fn protected_changes(&self, watch: &Watch) -> Result<Protected, Unknown>;

    /// Whether a held stop has named exactly this command for taking a change back.
    fn is_named_restore(&self, command: &str) -> bool;

    /// The command by which the user keeps these changes.
    fn approve_command(&self, files: &[&str]) -> String;

    fn config_problems(&self) -> &[Problem];

    /// The profile by the user's own settings, without what the project's files say.
    fn personal_profile(&self) -> Profile;

    /// The same for single checks.
    fn personal_checks(&self) -> &LevelMap;

    /// Autonomous work that is going on.
    fn autonomy(&self) -> Option<Autonomy>;

    /// Who can be asked for a second opinion, in the order to ask them.
    fn reviewers(&self) -> Vec<Reviewer>;

    /// Asks one of them, over the network, and waits no longer than `limit`. `earlier` is what another has said.
    fn review(
        &self,
        reviewer: Reviewer,
        question: &Question,
        earlier: Option<&Review>,
        limit: Duration,
    ) -> Result<Review, Unknown>;

    /// Formats and lints the file that was just edited, and has a model fix what is left.
    fn lint(&self, event: &Event) -> Result<Linted, Unknown>;

    /// What is open in files of the session: found late, or waiting for a later edit.
    fn lint_open(&self, event: &Event) -> Result<Linted, Unknown>;

    /// What came of the same question earlier in this session.
    fn remembered_review(&self, question: &Question) -> Option<Conclusion>;

    /// Texts that wait for a hook of this session that can carry them, oldest first.
    fn mail(&self) -> Vec<Mail>;

    /// How often this stop has been held under that name, by `Effect::Held`. `None` where that cannot be remembered.
    fn held(&self, by: &str) -> Option<Held>;
}
