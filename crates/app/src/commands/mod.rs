//! One file per command: `Args`, whose doc comments are its help, and `run`.

pub(crate) mod allow;
pub(crate) mod approve;
pub(crate) mod autonomy;
pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod completions;
pub(crate) mod config;
mod corpus;
pub(crate) mod decisions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod own_tools;
pub(crate) mod play;
pub(crate) mod proof;
pub(crate) mod quality;
pub(crate) mod replay;
pub(crate) mod selftest;
pub(crate) mod setup;
pub(crate) mod status;
pub(crate) mod test;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod update;
mod work;
pub(crate) mod worktree;
