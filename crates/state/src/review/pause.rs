//! A reviewer that cannot be reached is left alone for a while: waiting for it in vain costs seconds with every command.

use std::path::PathBuf;

use model::Reviewer;

#[cfg(feature = "second-opinion")]
use crate::atomic;
use crate::{Machine, files};

/// So many failures one after the other are no accident.
const MOST_FAILURES: u32 = 3;
/// Then it is not asked for this long, in seconds.
const PAUSE: u64 = 600;

/// `failures|epoch` of the last one.
fn file(machine: &Machine, reviewer: Reviewer) -> PathBuf {
    machine.state_dir().join(format!("review-failures-{}", reviewer.to_string().to_lowercase()))
}

fn record(machine: &Machine, reviewer: Reviewer) -> Option<(u32, u64)> {
    let text = files::read(&file(machine, reviewer)).ok()??;
    let (failures, epoch) = text.trim().split_once('|')?;
    Some((failures.parse().ok()?, epoch.parse().ok()?))
}

pub(super) fn is_paused(machine: &Machine, reviewer: Reviewer) -> bool {
    record(machine, reviewer)
        .is_some_and(|(failures, at)| failures >= MOST_FAILURES && machine.now() < at.saturating_add(PAUSE))
}

/// Notes how an attempt ended. What is said about the one that begins a pause, once.
#[cfg(feature = "second-opinion")]
pub(super) fn note(machine: &Machine, reviewer: Reviewer, failed: bool) -> Option<String> {
    let before = record(machine, reviewer);
    if !failed {
        if before.is_some() {
            let _ = files::remove(&file(machine, reviewer));
        }
        return None;
    }
    // After a pause one failure is enough for the next.
    let failures = before.map_or(1, |(failures, _)| (failures + 1).min(MOST_FAILURES));
    let line = format!("{failures}|{}\n", machine.now());
    // Where nothing can be kept, it is asked every time, as before.
    atomic::write(&file(machine, reviewer), line.as_bytes()).ok()?;
    (failures >= MOST_FAILURES)
        .then(|| format!("; it has failed {MOST_FAILURES} times and is not asked for {} minutes", PAUSE / 60))
}

#[cfg(all(test, feature = "second-opinion"))]
mod tests {
    use super::*;

    #[test]
    fn three_failures_make_a_pause_and_an_answer_ends_it() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", state.to_str().unwrap())], dir.path());
        let gemini = Reviewer::Gemini;
        assert_eq!((note(&machine, gemini, true), note(&machine, gemini, true)), (None, None));
        assert!(!is_paused(&machine, gemini));
        assert!(note(&machine, gemini, true).unwrap().contains("10 minutes"));
        assert!(is_paused(&machine, gemini) && !is_paused(&machine, Reviewer::OpenAi));
        assert_eq!(note(&machine, gemini, false), None);
        assert!(!is_paused(&machine, gemini));
        // Long ago.
        atomic::write(&file(&machine, gemini), b"3|1\n").unwrap();
        assert!(!is_paused(&machine, gemini));
        assert!(note(&machine, gemini, true).is_some(), "one more is enough");
    }
}
