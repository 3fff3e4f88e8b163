//! The records: config layers, trust, sessions, evidence, the log, and the answers to the checks' questions.
//!
//! What touches disk, git, environment, clock, processes and network stands in `machine`, which knows nothing of what is kept; it is
//! passed on here, so that other crates ask in one place. `Project` finds what belongs together; `DiskFacts` answers the checks'
//! questions, with `protected` for what a session changed.

#![expect(clippy::disallowed_methods, reason = "this is the crate that the bans send everyone to")]

pub mod allowances;
pub mod autonomy;
pub mod checkpoint;
pub mod churn;
pub mod client;
pub mod config;
mod effects;
pub mod evidence;
pub mod exclude;
mod facts;
mod guarded;
mod identity;
pub mod last_word;
pub mod log;
pub mod mail;
pub mod memory;
pub mod once;
pub mod open_changes;
pub mod originals;
mod owner;
pub mod past;
pub mod person;
mod plugins;
mod project;
mod protected;
pub mod quality;
pub mod recordings;
pub mod records;
mod registered;
mod review;
pub mod rules;
mod runs;
pub mod session;
pub mod session_changes;
mod source_words;
mod strikes;
pub mod task;
pub mod telemetry;
pub mod todo;
pub mod trust;
pub mod turn;
pub mod unwritable;
pub mod update;
pub mod upkeep;
pub mod usage;

pub mod worktree;
pub mod written;

pub use effects::apply;
pub use facts::{Approvals, DiskFacts, Gatekeeper, Lints, Transcript};
pub use machine::{
    Lock, LockError, Machine, ancestry, append_line, atomic, beneath, browser, files, git, native, private,
    process, program_files, reach, sha256,
};
pub use project::Project;
pub use protected::was_there;

#[cfg(feature = "network")]
use machine::net;
use machine::notify;
