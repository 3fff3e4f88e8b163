//! What a project's own commands say of the work.

use std::path::Path;

/// What is to follow from one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    Passed,
    /// It failed, and the agent should know.
    Warn,
    /// It failed, and the agent does not go on until it passes.
    Block,
    /// The agent should stop and tell the user.
    Stop,
}

/// One command that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateOutcome {
    pub name: String,
    pub command: String,
    pub verdict: GateVerdict,
    /// How the command itself ended: a gate may also block on a success.
    pub passed: bool,
    /// It failed in the same way before the session changed anything.
    pub before: bool,
    /// The end of what it printed, or why it could not be run to its end.
    pub output: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// What is wrong with the configuration, each in a line. The rest of it counts.
    pub problems: Vec<String>,
    pub outcomes: Vec<GateOutcome>,
}

/// A command of the project, and the folder that it runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateCommand<'a> {
    pub text: &'a str,
    pub dir: &'a Path,
}

/// How a run of one ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRun {
    pub passed: bool,
    /// What it printed, from wherever that was kept.
    pub printed: String,
    /// Why it did not come to its end.
    pub stopped: Option<String>,
}
