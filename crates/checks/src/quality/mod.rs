//! What the project's own commands say of the work.

mod commands;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[&commands::CHECK];
