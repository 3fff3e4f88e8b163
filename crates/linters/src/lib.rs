//! Which language a file is in, which tools look after it, how they are run and what they say.
//!
//! A tool is data (`defs/`, `definition`). `find` looks for its executable, `plan` says what is to be run on a file, `run` runs
//! it side by side, `output` reads what was printed, `fix` has a model fix what is left. `violation` is what comes of it.

mod cache;
mod choice;
pub mod definition;
mod find;
pub mod fix;
mod folders;
pub mod install;
mod language;
mod locked;
pub mod output;
mod plan;
mod plausible;
mod posing;
mod run;
pub mod strict;
mod touched;
mod version;
mod violation;

pub use definition::{LINTERS, Linter};
pub use find::{Located, Origin, Place, Places, Reason, Waiting, plain, tools_dir};
pub use language::Language;
pub use plan::{Flags, Plan, Request, Task};
pub use run::{Done, Failed, Run};
pub use touched::{Altered, Before, Past, Touched};
pub use version::{known_version, version_of};
pub use violation::{Engines, NoEngines, Outcome, Rewrite, Violation, from_json, is_syntax, to_json};
