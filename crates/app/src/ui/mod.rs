//! How commands speak to a user.

mod printer;
mod prompt;

pub(crate) use printer::{Printer, Tone};
pub(crate) use prompt::Prompt;
