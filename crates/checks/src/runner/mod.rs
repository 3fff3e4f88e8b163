//! Test runners: which one a project has, and what its output says. Nothing is run here.

mod closing;
mod detect;
mod own;
pub(crate) mod seen;
mod summary;

pub use detect::{Looks, Plan, detect, has_tests, places, plans};
pub(crate) use own::{follow_own, is_own_test};
pub use summary::{Outcome, read};

/// A program that runs tests, by how its output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    Pytest,
    Unittest,
    Vitest,
    Jest,
    Bun,
    /// `npm test` and its like: what runs behind it is not known.
    Script,
    Cargo,
    Nextest,
    Go,
    /// The user's own command.
    Own,
}

impl Runner {
    pub fn as_str(self) -> &'static str {
        match self {
            Runner::Pytest => "pytest",
            Runner::Unittest => "unittest",
            Runner::Vitest => "vitest",
            Runner::Jest => "jest",
            Runner::Bun => "bun test",
            Runner::Script => "npm test",
            Runner::Cargo => "cargo test",
            Runner::Nextest => "cargo nextest",
            Runner::Go => "go test",
            Runner::Own => "tests.command",
        }
    }
}
