//! Everything that touches disk, environment, clock and processes. Other crates ask here, and `clippy.toml` sees to it.
//!
//! `Machine` is the environment; `Project` finds what belongs together; `DiskFacts` answers the checks' questions, with
//! `protected` for what a session changed; `config` layers the settings; `log`, `journal`, `originals`, `session`, `trust` are
//! what we keep.

#![expect(clippy::disallowed_methods, reason = "this is the crate that the bans send everyone to")]

pub mod allowances;
mod alone;
pub mod ancestry;
mod arriving;
pub mod atomic;
pub mod autonomy;
pub mod beneath;
pub mod browser;
pub mod checkpoint;
pub mod churn;
pub mod client;
pub mod config;
mod effects;
pub mod evidence;
pub mod exclude;
mod facts;
pub mod files;
pub mod git;
mod guarded;
mod hash;
mod identity;
mod journal;
pub mod last_word;
mod lock;
pub mod log;
mod machine;
pub mod mail;
pub mod memory;
pub mod native;
#[cfg(feature = "network")]
mod net;
mod notify;
pub mod once;
pub mod open_changes;
pub mod originals;
mod own;
mod owner;
pub mod past;
pub mod person;
mod plugins;
pub mod private;
pub mod process;
mod project;
mod protected;
pub mod quality;
pub mod reach;
pub mod recordings;
pub mod records;
mod registered;
mod review;
pub mod rules;
mod runs;
pub mod scripted;
pub mod session;
pub mod session_changes;
mod source_words;
mod strikes;
pub mod task;
pub mod telemetry;
pub mod trust;
pub mod turn;
pub mod unwritable;
pub mod update;
pub mod upkeep;
pub mod usage;
mod work;

pub mod worktree;
pub mod written;

pub use effects::apply;
pub use facts::{Approvals, DiskFacts, Lints, Transcript};
pub use hash::sha256;
pub use journal::append_line;
pub use lock::{Lock, LockError};
pub use machine::{Machine, program_files};
pub use project::Project;
pub use protected::was_there;
pub use work::tell_todo;
