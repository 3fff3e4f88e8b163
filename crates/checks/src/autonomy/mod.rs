//! An agent that works alone: what it need not ask for, what is remembered of its tools, and what keeps it going.

mod auto_approve;
mod runs;
mod skill_continuation;
mod state;
mod usage_log;
mod version_tracker;

use model::Levels;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[
    &state::CHECK,
    &usage_log::CHECK,
    &runs::CHECK,
    &version_tracker::CHECK,
    &skill_continuation::CHECK,
    &auto_approve::CHECK,
];

pub(crate) use auto_approve::approves;
pub(crate) use runs::proof_of;

/// Off unless the user has chosen the profile.
pub(crate) const AUTONOMOUS: Levels = Levels::AUTONOMOUS;
