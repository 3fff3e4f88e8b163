//! An agent that works alone: what it need not ask for, what is remembered of its tools, and what keeps it going.

use model::{Level, Levels};

crate::group! {
    state,
    usage_log,
    runs,
    version_tracker,
    skill_continuation,
    auto_approve,
}

pub(crate) use auto_approve::approves;
pub(crate) use runs::proof_of;

/// Off unless the user has chosen the profile.
pub(crate) const AUTONOMOUS: Levels =
    Levels { standard: Level::Off, strict: Level::Off, autonomous: Level::On };
