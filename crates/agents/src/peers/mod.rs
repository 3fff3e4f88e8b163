//! One file per agent: its tools, its events, and the form of each answer, with the version in which they were seen to work.

use crate::dialect::Dialect;

/// Declares the files, and lists what is in them.
macro_rules! agents {
    ($($file:ident: $($name:ident),+;)+) => {
        $(mod $file;)+

        /// All of them, in the order of the reference page. Two ways of one agent stand beside each other.
        pub static DIALECTS: &[&Dialect] = &[$($(&$file::$name),+),+];
    };
}

agents! {
    codex: CODEX;
    gemini: GEMINI;
    qwen: QWEN;
    copilot: COPILOT, COPILOT_PASCAL;
    kimi: KIMI;
    droid: DROID;
    cline: CLINE, CLINE_FILE;
    opencode: OPENCODE, KILO;
    pi: PI;
    hermes: HERMES;
    grok: GROK;
    cursor: CURSOR;
}
