//! Memory that need not be given back: a hook's process ends right after its answer, and taking a reading apart piece by piece costs
//! as much as some checks do.

use std::sync::atomic::{AtomicBool, Ordering};

static BRIEF: AtomicBool = AtomicBool::new(false);

/// From here on this process only answers, and ends.
pub fn begin() {
    BRIEF.store(true, Ordering::Relaxed);
}

/// Drops a value, or leaves it to the end of the process where that is near.
pub fn spare<T>(value: T) {
    if BRIEF.load(Ordering::Relaxed) {
        std::mem::forget(value);
    }
}
