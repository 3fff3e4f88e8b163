//! How long fixing takes, phase by phase: lines for the file of `HOOK_TIMING_LOG_FILE`, and at the old address for stderr too,
//! where people look for them.

use std::path::Path;
use std::time::{Duration, Instant};

use linters::Language;
use model::{Linted, environment};
use state::Machine;

#[derive(Clone, Copy, Debug)]
pub(super) struct Timing<'a> {
    pub(super) machine: &'a Machine,
    pub(super) file: &'a Path,
    pub(super) language: Language,
    pub(super) tool: &'a str,
    pub(super) aloud: bool,
}

impl Timing<'_> {
    pub(super) fn note(&self, phase: &str, more: &str, linted: &mut Linted) {
        let log = self.machine.var(&environment::HOOK_TIMING_LOG_FILE);
        if log.is_none() && !self.aloud {
            return;
        }
        let line = format!(
            "[hook:timing] t={} phase={phase} tool={} file={} ftype={} {more}",
            self.machine.now(),
            if self.tool.is_empty() { "unknown" } else { self.tool },
            self.file.display(),
            self.language.key()
        );
        let line = line.trim_end();
        if let Some(log) = log {
            // Whoever looks for a fault wants it; where it cannot be written, that is all.
            let _ = state::append_line(Path::new(&log), line);
        }
        if self.aloud {
            linted.said.push(line.to_owned());
        }
    }

    /// Phases 1 and 2 after fixing. They are noted when both have ended, because they overlap.
    pub(super) fn again(&self, formatting: Duration, linting: Duration, left: &str, linted: &mut Linted) {
        self.note("rerun_phase1_start", "", linted);
        self.note("rerun_phase1_end", &took(formatting), linted);
        self.note("rerun_phase2_start", "", linted);
        self.note("rerun_phase2_end", &format!("{} {left}", took(linting)), linted);
    }
}

pub(super) fn took(time: Duration) -> String {
    format!("duration_s={:.3}", time.as_secs_f64())
}

#[expect(clippy::disallowed_methods, reason = "durations are on this clock, which only goes forward")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
