//! One file per agent: its tools, its events, and the form of each answer, with the version in which they were seen to work.

mod cline;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod grok;
mod hermes;
mod kimi;
mod opencode;
mod pi;
mod qwen;

use crate::dialect::Dialect;

/// All of them, in the order of the reference page. Two ways of one agent stand beside each other.
pub static DIALECTS: &[&Dialect] = &[
    &codex::CODEX,
    &gemini::GEMINI,
    &qwen::QWEN,
    &copilot::COPILOT,
    &copilot::COPILOT_PASCAL,
    &kimi::KIMI,
    &droid::DROID,
    &cline::CLINE,
    &cline::CLINE_FILE,
    &opencode::OPENCODE,
    &opencode::KILO,
    &pi::PI,
    &hermes::HERMES,
    &grok::GROK,
    &cursor::CURSOR,
];
