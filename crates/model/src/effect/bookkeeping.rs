//! What is written down about a session and the work in it. A part of `Effect`.

use crate::{Asked, Lesson, Seen};

/// One thing to write. Every variant names the file that it ends in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bookkeeping {
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
    Remember { lesson: Lesson },
    /// These were shown to the agent: what they were called, and their ids.
    Recalled { by: Asked, memories: Vec<(String, String)> },
    /// The same of what was done so far, before the client forgets it: there is no report yet.
    BeforeCompaction { lesson: Lesson },
    /// Fields of `<project>/.claude/completion-checkpoint.json` that no longer hold.
    CheckpointStale { fields: Vec<&'static str>, azure: bool },
}

impl Bookkeeping {
    /// In a sentence that says that it could not be recorded.
    pub fn name(&self) -> &'static str {
        match self {
            Bookkeeping::ToolUsed { .. } => "the tool call",
            Bookkeeping::BeginWork => "how the session begins",
            Bookkeeping::CollectWorktrees { .. } => "which work trees were left behind",
            Bookkeeping::ClaimSession => "who works here",
            Bookkeeping::ExpectRepeats => "that calls come twice",
            Bookkeeping::Restarted => "that the client was started anew",
            Bookkeeping::Saw(_) => "the run of tests or linters",
            Bookkeeping::SweepAutonomy { .. } => "that old autonomous work is over",
            Bookkeeping::NextTask { .. } => "the next task",
            Bookkeeping::Remember { .. } => "the memory",
            Bookkeeping::Recalled { .. } => "which memories were shown",
            Bookkeeping::BeforeCompaction { .. } => "what was done before the compaction",
            Bookkeeping::CheckpointStale { .. } => "what no longer holds in the checkpoint",
        }
    }
}
