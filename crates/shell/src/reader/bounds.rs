//! How much is read at most. What is past a bound is noted, and then the answer is a question.

use super::Reader;
use crate::reading::Doubt;

/// Longer commands are not read to their end.
const LONGEST: usize = 1024 * 1024;

/// Work that is done for any command, in the meter's measure, and what is added for each byte of it.
pub(super) const MOST_WORK: usize = 50_000_000;

const WORK_PER_BYTE: usize = 100;

/// All texts of a command together, and what is added for each byte of it.
pub(super) const MOST_TEXT: usize = 1024 * 1024;

const TEXT_PER_BYTE: usize = 16;

/// More programs than this are not followed.
pub(super) const MOST_STEPS: usize = 20_000;

/// Deeper than this nothing is followed: functions, `eval`, shells in shells.
const DEEPEST: usize = 24;

impl Reader<'_> {
    /// Whether a command is short enough to be read, and how much work that may be.
    pub(crate) fn begin(&mut self, command: &str) -> bool {
        if command.len() > LONGEST {
            self.bound("a command of more than a megabyte");
            return false;
        }
        self.most_work = MOST_WORK + command.len() * WORK_PER_BYTE;
        self.most_text = MOST_TEXT + command.len() * TEXT_PER_BYTE;
        true
    }

    /// Whether more may be done; where not, that is noted.
    pub(crate) fn goes_on(&mut self) -> bool {
        let goes = self.meter.get() <= self.most_work;
        if !goes {
            self.bound("too much to keep in mind");
        }
        goes
    }

    /// Whether one more program may be followed.
    pub(crate) fn steps_on(&mut self) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.bound("too many commands");
        }
        self.steps <= MOST_STEPS
    }

    pub(crate) fn bound(&mut self, what: &'static str) {
        let doubt = Doubt::Bound(what);
        if !self.reading.doubts.contains(&doubt) {
            self.reading.doubts.push(doubt);
        }
    }

    /// One level down; `None` past the bound, which is noted.
    pub(crate) fn deeper<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST {
            self.bound("commands nested too deeply");
            return None;
        }
        self.depth += 1;
        let result = walk(self);
        self.depth -= 1;
        Some(result)
    }
}
