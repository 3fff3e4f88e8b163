//! Phase 3: a model fixes what formatters could not. `tier` says which model, `prompt` what it is told, `client` how it is
//! started. Whether it succeeded is found out by linting again, never by what it says.

mod client;
mod copies;
mod preset;
mod prompt;
mod tier;
mod turn;

pub use client::{Fixed, Fixer, OwnSettings};
pub use prompt::{is_docstring, prompt};
pub use tier::{Choice, Tier};
