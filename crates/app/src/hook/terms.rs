//! By what an event is judged. A hook's terms are the built-in ones; the old addresses of `compat` have theirs.

use state::Approvals;
use state::config::{Loaded, Trust};
use state::written::Belief;

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// As the agent of the payload expects it.
    #[default]
    Native,
    /// `{"decision": "block" | "approve"}`.
    Legacy,
}

#[derive(Clone, Debug)]
pub struct Terms {
    /// Only these checks.
    pub only: Option<Vec<String>>,
    pub dialect: Dialect,
    /// Seconds that there are in all.
    pub deadline: u64,
    pub trust: Trust,
    /// Whose word counts in a project's state files.
    pub belief: Belief,
    pub approvals: Approvals,
    /// What the settings come to besides their files.
    pub adjust: fn(&mut Loaded),
    /// The linter works as the script that it takes the place of.
    pub as_script: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            only: None,
            dialect: Dialect::Native,
            deadline: 60,
            trust: Trust::Recorded,
            belief: Belief::Ours,
            approvals: Approvals::Session,
            adjust: |_| {},
            as_script: false,
        }
    }
}

impl Terms {
    /// Only these checks.
    pub fn only(ids: &[&str]) -> Self {
        Self { only: Some(ids.iter().map(|&id| id.to_owned()).collect()), ..Self::default() }
    }

    /// What checks and the programs that they start may take, in microseconds. The rest is for saying so: a tenth, and two seconds
    /// where there are four, because a busy machine needs that long to end a program and to answer.
    pub(super) fn time_for_checks(&self) -> u64 {
        let all = self.deadline.saturating_mul(1_000_000);
        let for_saying_so = (all / 10).max((all / 2).min(2_000_000));
        // Of a second nothing can be spared twice.
        if self.deadline < 2 { all / 10 * 9 } else { all - for_saying_so }
    }
}
