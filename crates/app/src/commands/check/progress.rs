//! How far it is, for a user at a terminal: one line on stderr that is written over.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) struct Progress {
    all: usize,
    done: AtomicUsize,
    shown: bool,
}

/// Files between two updates.
const STEP: usize = 25;

impl Progress {
    pub(super) fn new(all: usize) -> Self {
        Progress { all, done: AtomicUsize::new(0), shown: stderr().is_terminal() }
    }

    pub(super) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown && done.is_multiple_of(STEP) {
            let width = 30;
            let filled = width * done / self.all.max(1);
            self.write(&format!(
                "[{}{}] {done} of {}",
                "#".repeat(filled),
                "-".repeat(width - filled),
                self.all
            ));
        }
    }

    /// What runs now, after the engines.
    pub(super) fn say(&self, tool: &str) {
        if self.shown {
            self.write(tool);
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
