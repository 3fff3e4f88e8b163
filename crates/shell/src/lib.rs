//! Shell text to what it does: text → syntax (`parse`) → a bounded walk through it (`reader`) → the programs that it starts.
//!
//! Nothing is run and nothing outside the text is looked at, except through `World`. What is not known stays in the result as
//! a hole (`text`), never as a guess; what could not be read or followed is a `Doubt`, never silence.

pub mod address;
mod arithmetic;
mod brace;
mod builtin;
mod cached;
mod cmd;
mod code;
mod ends;
mod expand;
mod inline;
mod listed;
mod outline;
mod parse;
pub mod path;
mod powershell;
pub mod programs;
mod quote;
mod reader;
mod reading;
mod scripts;
mod secret;
mod several;
mod shared;
mod simulate;
mod slot;
pub mod sql;
mod state;
mod syntax;
pub mod text;
mod value;
mod wrapper;

pub use builtin::changes_folder;
pub use cached::Cached;
pub use ends::{Ends, ends};
pub use expand::is_secret_name;
pub use inline::literals::without_texts;
pub use outline::{Line, outline};
pub use quote::{join, quote};
pub use reading::{Arg, Argv, Call, Direction, Doubt, Output, Reading, Redirect, Unseen, World};
pub use secret::{Secrets, is_secret_path};
pub use slot::git_settings;

/// What a command for PowerShell comes down to.
pub fn read_powershell(command: &str, world: &dyn World) -> Reading {
    reader::Reader::new(world).read_powershell(command)
}

/// The same for `cmd`.
pub fn read_cmd(command: &str, world: &dyn World) -> Reading {
    reader::Reader::new(world).read_cmd(command)
}

/// What a command comes down to.
pub fn read(command: &str, world: &dyn World) -> Reading {
    reader::Reader::new(world).read(command)
}
