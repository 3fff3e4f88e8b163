//! Git facts. `Repository` reads root, branch and HEAD from the repository's own files, which costs a few microseconds where
//! starting `git` costs milliseconds; `changes` asks `git` itself, for the events that may take the time.

mod changes;
mod command;
mod repository;

#[cfg(test)]
pub(crate) use changes::tests;
pub use changes::{Dirty, committed, differing, dirty, head_commit, listed, show, staged, text, tracked};
pub use command::run;
pub use repository::{Head, Repository};
