//! What a check wants written down. Checks only say so; `state` applies all effects of a run once, after the answer is
//! known.

use std::path::PathBuf;

use crate::{Conclusion, Question, Seen, Watch};

/// One thing to write. Every variant names the file format it ends in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A line in `<project>/.claude/.session-changes-<session>`: this session changed that file.
    FileChanged(PathBuf),
    /// A line in `<project>/.claude/.audit-log`.
    Audit { event: &'static str, detail: String },
    /// Commands that a held stop has named for taking changes back: they pass our own protection.
    NamedRestores(Vec<String>),
    /// Make a directory that a rewritten command needs.
    MakeDir(PathBuf),
    /// A line on stderr, for whoever looks for a fault in the hooks. Agents do not show it.
    Stderr(String),
    /// Remember that this was said in the session, so that it is not said again.
    Said(String),
    /// A line in `/tmp/.pm_enforcement_<pid>.log`: `time | action | tools | | command`.
    PackageManagerLog { action: &'static str, tools: String, command: String },
    /// Remember what the protected files look like now, so that a stop can tell what this session changed.
    Baseline(Watch),
    /// A line in `<project>/.claude/.llm-review-cache`: the same command is not asked about twice in a session.
    Reviewed(Question, Conclusion),
    /// Remove that file.
    ForgetReviews,
    /// A line in `<project>/.claude/tool-usage-log.jsonl`: `{"t", "tool", "sig"}`.
    ToolUsed { tool: String, about: String },
    /// How the session finds the repository: `<project>/.claude/session-snapshot.json` and our own record.
    BeginWork,
    /// A run of tests or linters in the session's own record.
    Saw(Seen),
    /// Removes states of autonomous work that count no longer, after this many hours.
    SweepAutonomy { ttl_hours: u64 },
    /// A task of autonomous work is done and the next one begins: `iteration` and `last_activity_at` of its state.
    NextTask { ttl_hours: u64 },
    /// Fields of `<project>/.claude/completion-checkpoint.json` that no longer hold.
    CheckpointStale { fields: Vec<&'static str>, azure: bool },
}
