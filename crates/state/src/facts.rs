//! The checks' questions, answered from disk: a file for each subject.

mod client;
mod commands;
mod evidence;
mod files;
mod git;
mod guarded;
mod known;
mod linting;
mod memory;
mod paths;
mod reviews;
mod session;
mod settings;
mod surroundings;

use std::path::PathBuf;
use std::time::Duration;

use model::rule::Book;
use model::{Event, Linted, Quality, SessionId, Unknown};

use crate::config::Loaded;
use crate::written::Belief;
use crate::{Machine, Project};
use known::Known;

/// Where the user's approvals of a stop are, and how they are given.
#[derive(Clone, Debug)]
pub enum Approvals {
    /// Ours, by session.
    Session,
    /// The file of the old linter hooks, by process id.
    Pid(u32),
}

impl Approvals {
    pub fn pid_file(pid: u32) -> PathBuf {
        PathBuf::from(format!("/tmp/stop_hook_approved_{pid}.json"))
    }
}

/// Who lints. It knows the tools, which this crate does not.
pub trait Lints: std::fmt::Debug {
    fn after_edit(&self, event: &Event) -> Result<Linted, Unknown>;
    fn at_stop(&self, event: &Event) -> Result<Linted, Unknown>;
    /// What the linters say of these files as they are, in at most this time; nothing is formatted or fixed. What could not be
    /// looked at is in `said`.
    fn of_files(&self, files: &[PathBuf], limit: Duration) -> Linted;
}

/// Who runs the project's own commands. It knows which, which this crate does not.
pub trait Gatekeeper: std::fmt::Debug {
    fn answer(&self, event: &Event, limit: Duration) -> Quality;
}

/// Who knows what an agent's client writes down.
pub trait Transcript: std::fmt::Debug {
    /// Whether the call that is judged and this one are parts of one message.
    fn is_beside(&self, call: &str) -> bool;
}

#[derive(Debug)]
pub struct DiskFacts<'a> {
    pub machine: &'a Machine,
    pub project: &'a Project,
    pub loaded: &'a Loaded,
    pub session: &'a SessionId,
    /// The directory that relative paths are relative to.
    pub cwd: PathBuf,
    pub approvals: Approvals,
    /// Whose word counts in a project's state files.
    pub belief: Belief,
    linter: Option<&'a dyn Lints>,
    gates: Option<&'a dyn Gatekeeper>,
    transcript: Option<&'a dyn Transcript>,
    rules: Option<&'a Book>,
    known: Known,
}

impl<'a> DiskFacts<'a> {
    pub fn new(
        machine: &'a Machine,
        project: &'a Project,
        loaded: &'a Loaded,
        session: &'a SessionId,
        cwd: PathBuf,
        approvals: Approvals,
    ) -> Self {
        Self {
            machine,
            project,
            loaded,
            session,
            cwd,
            approvals,
            belief: Belief::Ours,
            linter: None,
            gates: None,
            transcript: None,
            rules: None,
            known: Known::default(),
        }
    }

    #[must_use]
    pub fn with_linter(self, linter: &'a dyn Lints) -> Self {
        Self { linter: Some(linter), ..self }
    }

    #[must_use]
    pub fn with_gates(self, gates: &'a dyn Gatekeeper) -> Self {
        Self { gates: Some(gates), ..self }
    }

    #[must_use]
    pub fn with_transcript(self, transcript: &'a dyn Transcript) -> Self {
        Self { transcript: Some(transcript), ..self }
    }

    #[must_use]
    pub fn with_rules(self, rules: Option<&'a Book>) -> Self {
        Self { rules, ..self }
    }
}
