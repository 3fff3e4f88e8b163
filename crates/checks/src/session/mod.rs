//! The beginning of a session.

mod baseline;
mod compaction;
mod config_problems;
mod context;
mod end;
mod mail;
mod notify;
mod owner;
mod read_docs;
mod settings_overlap;
mod snapshot;
mod update;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[
    &baseline::CHECK,
    &snapshot::CHECK,
    &owner::CHECK,
    &settings_overlap::CHECK,
    &update::CHECK,
    &read_docs::CHECK,
    &config_problems::CHECK,
    &mail::CHECK,
    &context::CHECK,
    &compaction::CHECK,
    &end::CHECK,
    &notify::CHECK,
];

pub(crate) use context::surroundings;
