//! How far it is, for a user at a terminal: one line on stderr that is written over.

use std::io::{IsTerminal, Write, stderr};

/// Calls between two updates.
const STEP: u64 = 500;

pub(super) struct Progress {
    /// Bytes of all recordings; 0 where nobody knows.
    pub(super) all: u64,
    calls: u64,
    shown: bool,
}

impl Progress {
    pub(super) fn new(all: u64) -> Self {
        Self { all, calls: 0, shown: stderr().is_terminal() }
    }

    pub(super) fn step(&mut self, done: u64) {
        self.calls += 1;
        if self.shown && self.calls.is_multiple_of(STEP) {
            let percent = (done.saturating_mul(100) / self.all.max(1)).min(100);
            let far = if self.all == 0 { String::new() } else { format!(", {percent} % read") };
            self.write(&format!("{} calls{far}", self.calls));
        }
    }

    pub(super) fn end(&self) {
        if self.shown {
            self.write("");
        }
    }

    /// A line that cannot be shown is not a loss.
    fn write(&self, text: &str) {
        let _ = write!(stderr(), "\r\x1b[K{text}");
    }
}
