//! What a check wants written down. Checks only say so; `state` applies all effects of a run once, after the answer is
//! known.

mod bookkeeping;

use std::path::PathBuf;

pub use bookkeeping::Bookkeeping;

use crate::state_files::Record;
use crate::{Conclusion, Held, Mail, Question, RuleId, Task, TestsSeen, Watch};

/// Why the user is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// The agent cannot go on without an answer.
    Asks,
    /// It has nothing to do.
    Waits,
}

/// One thing to write. Every variant names the file format it ends in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A line in `<project>/.claude/.session-changes-<session>`: this session changed that file.
    FileChanged(PathBuf),
    /// The same by a command before it runs, where the agent tells nobody that it has run: linters look at the file at the stop.
    Patched(PathBuf),
    /// A line in `<project>/.claude/.audit-log`.
    Audit { event: &'static str, detail: String },
    /// Commands that a held stop has named for taking changes back: they pass our own protection.
    NamedRestores(Vec<String>),
    /// Protected files that were changed and about which the user has not decided, and whether the change is committed already: the next
    /// session asks again.
    LeftOpen(Vec<(String, bool)>),
    /// Make a directory that a rewritten command needs.
    MakeDir(PathBuf),
    /// Remember that this was said in the session, so that it is not said again.
    Said(String),
    /// The same with the text, so that it is said again when it is another one.
    SaidText(&'static str, String),
    /// The same for what may be lost without harm: nobody waits for the disk.
    Noted(&'static str, String),
    /// A line in `/tmp/.pm_enforcement_<pid>.log`: `time | action | tools | | command`.
    PackageManagerLog { action: &'static str, tools: String, command: String },
    /// Remember what the protected files look like now, so that a stop can tell what this session changed.
    Baseline(Watch),
    /// A line in `<project>/.claude/.llm-review-cache`: the same command is not asked about twice in a session.
    Reviewed(Question, Conclusion),
    /// Remove that file.
    ForgetReviews,
    /// A change of a file in `<project>/.claude`, by its name there, or of one at an absolute path.
    Record(String, Record),
    /// This file in a `.claude` folder was written by somebody who might: it counts as it is now.
    Adopt(PathBuf),
    /// An agent is about to run tests below this folder: what the code is now. With the call's name.
    TestsBegin(PathBuf, String),
    /// They have ended.
    TestsEnd(Box<TestsSeen>),
    /// One more strike of this gate against the session, about the run of this time, after so many that the call could heed.
    Strike { gate: &'static str, rule: RuleId, about: u64, before: u64 },
    /// The session has made good.
    ClearStrikes(&'static str),
    /// Strikes, running tests and remembered answers of this session end with it.
    EndSession,
    /// The last test run says nothing any more.
    ForgetTests,
    /// A notification on the user's desktop.
    Notify { title: String, text: String, urgency: Urgency },
    /// A call of the user's list of work, with these words.
    Todo(Vec<String>),
    /// What an agent that works alone leaves behind.
    Bookkeeping(Bookkeeping),
    /// Start work that outlives the hook.
    Start(Task),
    /// Keep a text for the next hook that can carry it.
    Mail(Mail),
    /// These texts have been delivered.
    Delivered(Vec<Mail>),
    /// The user is asked about a command of their own: should they agree, exactly this call may run it, once.
    Permit(crate::Personal),
    /// An allowance was used, by its id.
    Allowed(String),
    /// Remember how often this stop has been held, under the name of the check (and of the subagent that stops).
    Held { by: String, held: Held },
}
