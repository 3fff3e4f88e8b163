//! What the project's own commands say of the work.

mod commands;
mod gates;
mod instructions;
mod output;
mod plan;

pub use gates::{Gates, Listed, Machinery};
pub use instructions::INSTRUCTIONS;
pub use output::{alike, compared};
pub use plan::{Parsed, Plugin};

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[&commands::CHECK];
