//! What fuzzing checks: for each target one function that takes any bytes and panics when a promise is broken.
//!
//! `fuzz_targets/` runs it under libFuzzer, `src/bin/replay.rs` without any unstable feature. A new target is a file here, an
//! entry in `TARGETS`, a dictionary, a file and a `[[bin]]` for libFuzzer, and a folder in `corpus/`.

#![expect(clippy::disallowed_methods, reason = "the bans are for what is shipped")]

mod archive_names;
mod hook_bytes;
mod linter_output;
mod mutate;
mod panics;
mod rule_files;
mod shell_parse;
mod work;

pub use archive_names::archive_names;
pub use hook_bytes::hook_bytes;
pub use linter_output::linter_output;
pub use mutate::Mutator;
pub use rule_files::rule_files;
pub use shell_parse::shell_parse;

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As in `corpus/` and `fuzz_targets/`.
    pub name: &'static str,
    pub check: fn(&[u8]),
    /// Words that inputs are made of.
    pub dictionary: &'static str,
}

pub static TARGETS: &[Target] = &[
    Target { name: "archive_names", check: archive_names, dictionary: include_str!("../archive_names.dict") },
    Target { name: "hook_bytes", check: hook_bytes, dictionary: include_str!("../hook_bytes.dict") },
    Target { name: "linter_output", check: linter_output, dictionary: include_str!("../linter_output.dict") },
    Target { name: "rule_files", check: rule_files, dictionary: include_str!("../rule_files.dict") },
    Target { name: "shell_parse", check: shell_parse, dictionary: include_str!("../shell_parse.dict") },
];
