//! Panics that the program catches itself. The hook turns its own faults into a question to the user, which is right for the
//! person and would hide the fault from fuzzing.

use std::sync::{Mutex, Once};

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Notes every panic from now on, caught or not. The hook that was there before still runs; libFuzzer's aborts.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if let Ok(mut last) = LAST.lock() {
                *last = Some(info.to_string());
            }
            before(info);
        }));
    });
}

/// The panic since the last call, if there was one.
pub(crate) fn take() -> Option<String> {
    LAST.lock().ok().and_then(|mut last| last.take())
}
