//! This session and others: what was said, held and changed in it. A part of `Facts`.

use std::path::PathBuf;

use crate::{Autonomy, Held, Mail, Owner, SessionChanges, Unknown};

pub trait Session {
    /// `Effect::Said` was recorded for this in the session.
    fn was_said(&self, what: &str) -> bool;

    /// The text that `Effect::SaidText` has recorded last for this in the session.
    fn said_text(&self, what: &str) -> Option<String>;

    /// Texts that wait for a hook of this session that can carry them, oldest first.
    fn mail(&self) -> Vec<Mail>;

    /// How often this stop has been held under that name, by `Effect::Held`. `None` where that cannot be remembered.
    fn held(&self, by: &str) -> Option<Held>;

    /// How often this gate has warned the session before, about the run of this time. What was said to a call of the same message, or
    /// to one that ran beside this one, does not count: it could not be heeded.
    fn strikes(&self, gate: &str, about: u64) -> u64;

    /// What this session has changed. Starts `git`.
    fn session_changes(&self) -> Result<SessionChanges, Unknown>;

    /// The commit in short, `-dirty` where the session's work is not in it; `unknown` outside a repository. Starts `git`.
    fn code_version(&self) -> String;

    /// Whether this event was sent by the process that began its session, and that process was started by nobody's agent.
    fn is_the_client(&self) -> bool;

    /// Autonomous work that is going on.
    fn autonomy(&self) -> Option<Autonomy>;

    /// States of autonomous work that count no longer, and that a session which begins removes.
    fn stale_autonomy(&self) -> Vec<PathBuf>;

    /// Another session that is at work in this project.
    fn other_session(&self) -> Option<Owner>;
}
