//! One binary that answers every hook of a coding agent.
//!
//! Two roads lead in. `plimsoll hook` (and `compat`) is taken for every tool call: its arguments are matched by hand, and it is
//! all in `hook.rs`. Everything else is for people and goes through `cli.rs` to one file per command.

pub mod cli;
mod commands;
mod compat;
mod exit;
mod failure;
mod fault;
mod gates;
pub mod hook;
mod lint;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub mod memory;
mod peers;
mod person;
mod rules;
mod selftest;
mod tasks;
mod ui;

use std::ffi::OsString;

pub use compat::scripts;
pub use exit::{EXIT_CODES, ExitMeaning};

/// `plugin/hooks/hooks.json`.
pub fn plugin_hooks() -> String {
    format!("{:#}\n", commands::setup::registration::plugin_hooks())
}

/// The whole program, as a table of contents. Gives the exit code.
pub fn main() -> u8 {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the arguments")]
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let machine = state::Machine::real();
    match args.first().and_then(|word| word.to_str()) {
        Some("hook") => hook::main(&machine, &args[1..]),
        Some("task") => tasks::main(&machine, &args[1..]),
        Some("compat") => compat::main(&machine, &args[1..]),
        // How agents run what was registered for Claude Code: the program alone, with the payload on stdin.
        None => hook::bare(&machine),
        _ => cli::main(&machine),
    }
}
