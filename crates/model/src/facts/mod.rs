//! The questions that a check may ask about the world, a trait for each subject. `state` answers them from disk; tests and the cases of
//! rules answer from a table.

mod client;
mod commands;
mod evidence;
mod files;
mod git;
mod guarded;
mod linting;
mod memory;
mod paths;
mod reviews;
mod session;
mod settings;
mod surroundings;

pub use client::Client;
pub use commands::Commands;
pub use evidence::{Evidence, LastRun, Tested, TestsSeen, Tree};
pub use files::{Digest, Entry, Files, Incoming, Piece, What};
pub use git::{Git, Repository};
pub use guarded::{ChangeKind, Changed, Guarded, Protected, Restore, Watch};
pub use linting::Linting;
pub use memory::Memories;
pub use paths::Paths;
pub use reviews::Reviews;
pub use session::Session;
pub use settings::{Problem, Settings};
pub use surroundings::Surroundings;

/// A question that could not be answered, with the reason. A guard that meets one asks the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

/// All of them. What needs to know only one subject takes that: `&dyn Facts` is also a `&dyn Git`.
pub trait Facts:
    Paths
    + Files
    + Git
    + Surroundings
    + Settings
    + Session
    + Guarded
    + Evidence
    + Memories
    + Linting
    + Reviews
    + Client
    + Commands
{
}

impl<
    T: Paths
        + Files
        + Git
        + Surroundings
        + Settings
        + Session
        + Guarded
        + Evidence
        + Memories
        + Linting
        + Reviews
        + Client
        + Commands,
> Facts for T
{
}
