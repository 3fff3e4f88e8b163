//! Git facts. `Repository` reads root, branch and HEAD from the repository's own files, which costs a few microseconds where
//! starting `git` costs milliseconds, and `versions` compares commits in the same way; `glance` finds out whether anything may differ
//! from the last commit, and `changes` asks `git` itself about that.

mod changes;
mod command;
mod endless;
#[cfg(unix)]
mod glance;
mod glob;
mod harmless;
#[cfg(unix)]
mod index;
mod objects;
mod pinned;
mod repository;
#[cfg(unix)]
mod settled;
mod versions;

pub use changes::{
    Dirty, committed, committed_since, diff, differing, dirty, documented_diff, empty_tree, head_commit,
    is_text, listed, matching, recently_committed, short_head, show, show_bytes, staged, status, text,
    texts_of_head, tracked,
};
pub use changes::{Glance, glance, prefix, source_written_since, stored_ids};
pub use command::run;
pub use glob::matches as glob_matches;
pub use pinned::pinned;
pub use repository::{Head, Repository};
pub use versions::{version_changes, version_files};
