//! Rules that users write: those of the guide, how they are found, and what no rule of a project, and nothing below a policy, can do.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "other tools are started, and tests that need them say why they did not run; what goes wrong fails a test"
)]

mod guide;
mod imported;
mod index;
#[path = "../../../app/tests/cli/needs.rs"]
mod needs;
mod policy;
mod weaker;
