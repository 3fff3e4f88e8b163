//! Hooks in the client's settings, and who else works in a project.

use std::path::PathBuf;

use crate::SessionId;

/// One command hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The settings file, as people know it.
    pub scope: String,
    pub event: String,
    /// What is run: the script of an interpreter, else the program.
    pub program: PathBuf,
    /// Why it cannot run: the file is not there, or not executable.
    pub broken: Option<&'static str>,
}

/// Whether a program is called like us, also as releases name it: `plimsoll-x86_64-linux`.
pub fn is_own_name(name: &str) -> bool {
    let rest = name.strip_suffix(".exe").unwrap_or(name).strip_prefix("plimsoll");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// Another session that is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub session: SessionId,
    pub pid: u32,
    pub since: String,
}
