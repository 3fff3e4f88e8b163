//! Which language a file is in, and which tools look after that language.
//!
//! `init` asks both; routing an edit to its linters uses the same answer.

mod language;
mod tool;
mod violation;

pub use language::Language;
pub use tool::{TOOLS, Tool};
pub use violation::{Engines, NoEngines, Outcome, Violation};
