//! The variables by which a project can reach into a program that lies elsewhere.

use std::ffi::OsString;

use crate::reach::Fence;

/// Lists of folders in which programs and modules are looked for.
pub(super) static LISTS: &[&str] = &[
    "PATH",
    "PYTHONPATH",
    "NODE_PATH",
    "RUBYLIB",
    "PERL5LIB",
    "GOPATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
];

/// Variables that name code to load, or where an interpreter finds everything.
pub(super) static LOADERS: &[&str] = &[
    "NODE_OPTIONS",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "PYTHONUSERBASE",
    "RUBYOPT",
    "PERL5OPT",
    "BASH_ENV",
    "ENV",
    "BUN_OPTIONS",
    "BIOME_BINARY",
    "RUSTUP_TOOLCHAIN",
];

/// What is to become of a variable.
pub(super) enum Value {
    Same,
    Without(OsString),
    Nothing,
}

/// A list without its entries that lead into the project.
pub(super) fn list(name: &str, fence: &Fence) -> Value {
    let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else { return Value::Same };
    let all: Vec<_> = std::env::split_paths(&value).collect();
    let outside: Vec<_> = all.iter().filter(|entry| !fence.holds(entry)).collect();
    if outside.len() == all.len() {
        return Value::Same;
    }
    // PATH stays set: without one, a system has a default of its own.
    if outside.is_empty() && name != "PATH" {
        return Value::Nothing;
    }
    std::env::join_paths(outside).map_or(Value::Nothing, Value::Without)
}
