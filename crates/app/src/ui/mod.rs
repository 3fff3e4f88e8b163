//! How commands speak to a person.

mod printer;
mod prompt;

pub(crate) use printer::{Printer, Tone};
pub(crate) use prompt::Prompt;
