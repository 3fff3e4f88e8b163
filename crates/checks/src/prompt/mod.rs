//! What a user's prompt sets going.

mod context;
mod proof;
mod read_docs;
mod secret;
mod skill_reminder;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] =
    &[&context::CHECK, &proof::CHECK, &read_docs::CHECK, &secret::CHECK, &skill_reminder::CHECK];
