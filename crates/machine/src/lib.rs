//! The machine: disk, git, processes, clock and network, and nothing of what we keep there. `state`, which keeps the records, stands on
//! it; other crates find all of this in `state` too, and `clippy.toml` sees to it that they ask there.
//!
//! `Machine` is the environment of this process, `files` and `atomic` read and write, `git` answers from a repository's own files
//! where that is enough, `process` starts programs, which end with us.

#![expect(clippy::disallowed_methods, reason = "this is the crate that the bans send everyone to")]

pub mod ancestry;
pub mod atomic;
pub mod beneath;
pub mod browser;
pub mod files;
pub mod folders;
pub mod git;
mod hash;
mod journal;
mod lock;
mod machine;
pub mod native;
#[cfg(feature = "network")]
pub mod net;
pub mod notify;
pub mod private;
pub mod process;
pub mod reach;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod unwritable;

pub use hash::sha256;
pub use journal::append_line;
pub use lock::{Lock, LockError};
pub use machine::{Machine, program_files};
