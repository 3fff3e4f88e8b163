//! What the checks of an agent that works alone may ask besides, and what they want written down. Parts of `Facts` and `Effect`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{
    Asked, Event, Linted, Memory, Owner, Quality, Registered, Seen, SessionChanges, ShownMemory, Unknown,
    Update,
};

pub trait Alone {
    /// What this session has changed. Starts `git`.
    fn session_changes(&self) -> Result<SessionChanges, Unknown>;

    /// The commit in short, `-dirty` where the session's work is not in it; `unknown` outside a repository. Starts `git`.
    fn code_version(&self) -> String;

    /// Whether this report was accepted in the session, for code that has changed since.
    fn is_report_of_other_code(&self, report: &str) -> bool;

    /// Runs of tests and linters that were seen in this session, in order.
    fn seen_runs(&self) -> Vec<Seen>;

    /// The root that paths of `session_changes` are relative to.
    fn changes_root(&self) -> PathBuf;

    /// What earlier sessions have learned that is to the point, best first. At a session's start that is what its files are
    /// about, else `about`.
    fn recall(&self, asked: Asked, about: &[String]) -> Vec<Memory>;

    /// What every session is to know: topic and assertion.
    fn assertions(&self) -> Vec<(String, String)>;

    /// What this session has been shown so far, in order.
    fn shown_memories(&self) -> Vec<ShownMemory>;

    /// Runs the project's commands that this event asks for, in at most this time.
    fn quality(&self, event: &Event, limit: Duration) -> Quality;

    /// States of autonomous work that count no longer, and that a session which begins removes.
    fn stale_autonomy(&self) -> Vec<PathBuf>;

    /// Another session that is at work in this project.
    fn other_session(&self) -> Option<Owner>;

    /// Command hooks in all settings that the client reads.
    fn registered_hooks(&self) -> Vec<Registered>;

    /// Settings files that the client cannot read, each with the reason.
    fn unreadable_settings(&self) -> Vec<String>;

    /// What there is to know of newer versions of the harness.
    fn update(&self) -> Update;

    /// What the linters say of these files as they are, in at most this time; nothing is changed by it. What could not be looked at
    /// is in `said`. Starts programs.
    fn lint_files(&self, files: &[PathBuf], limit: Duration) -> Linted;

    /// The names in a directory, sorted.
    fn names_in(&self, dir: &Path) -> Vec<String>;
}

/// One thing to write. Every variant names the file that it ends in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AloneEffect {
    /// A line in `<project>/.claude/tool-usage-log.jsonl`: `{"t", "tool", "sig"}`.
    ToolUsed { tool: String, about: String },
    /// How the session finds the repository: `<project>/.claude/session-snapshot.json` and our own record.
    BeginWork,
    /// `<project>/.claude/session-owner.json`.
    ClaimSession,
    /// Our own hooks are registered twice, so that each call comes twice.
    ExpectRepeats,
    /// The client has been started anew: `~/.claude/toolkit-update-state.json`.
    Restarted,
    /// Takes away work trees of agents that were left behind, after this many hours.
    CollectWorktrees { ttl_hours: u64 },
    /// A run of tests or linters in the session's own record.
    Saw(Seen),
    /// Removes states of autonomous work that count no longer, after this many hours.
    SweepAutonomy { ttl_hours: u64 },
    /// A task of autonomous work is done and the next one begins: `iteration` and `last_activity_at` of its state.
    NextTask { ttl_hours: u64 },
    /// An event in the project's memory, from a report that holds and the files that it was about.
    Remember { checkpoint: String, files: Vec<String> },
    /// These were shown to the agent: what they were called, and their ids.
    Recalled { by: Asked, memories: Vec<(String, String)> },
    /// What was done so far, before the client forgets it.
    BeforeCompaction,
    /// Fields of `<project>/.claude/completion-checkpoint.json` that no longer hold.
    CheckpointStale { fields: Vec<&'static str>, azure: bool },
}

impl AloneEffect {
    /// In a sentence that says that it could not be recorded.
    pub fn name(&self) -> &'static str {
        match self {
            AloneEffect::ToolUsed { .. } => "the tool call",
            AloneEffect::BeginWork => "how the session begins",
            AloneEffect::CollectWorktrees { .. } => "which work trees were left behind",
            AloneEffect::ClaimSession => "who works here",
            AloneEffect::ExpectRepeats => "that calls come twice",
            AloneEffect::Restarted => "that the client was started anew",
            AloneEffect::Saw(_) => "the run of tests or linters",
            AloneEffect::SweepAutonomy { .. } => "that old autonomous work is over",
            AloneEffect::NextTask { .. } => "the next task",
            AloneEffect::Remember { .. } => "the memory",
            AloneEffect::Recalled { .. } => "which memories were shown",
            AloneEffect::BeforeCompaction => "what was done before the compaction",
            AloneEffect::CheckpointStale { .. } => "what no longer holds in the checkpoint",
        }
    }
}
