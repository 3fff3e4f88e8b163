//! The programs that we have started and not seen end: each has a process group of its own, and they end with us.

#[cfg(unix)]
mod known {
    use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

    use nix::libc;

    /// Programs that run side by side in one hook are a handful.
    const MOST: usize = 64;

    static GROUPS: [AtomicI32; MOST] = [const { AtomicI32::new(0) }; MOST];

    pub(in crate::process) fn started(group: u32) {
        let Ok(group) = i32::try_from(group) else { return };
        // One more than there is room for is not ended with us; its own time limit holds.
        let _ = GROUPS.iter().find(|slot| slot.compare_exchange(0, group, SeqCst, SeqCst).is_ok());
    }

    pub(in crate::process) fn ended(group: u32) {
        let Ok(group) = i32::try_from(group) else { return };
        let _ = GROUPS.iter().find(|slot| slot.compare_exchange(group, 0, SeqCst, SeqCst).is_ok());
    }

    /// Ends all of them. A signal handler may call it: it takes no lock and allocates nothing.
    #[expect(unsafe_code, reason = "what may be called in a signal handler")]
    pub fn end_all() {
        for slot in &GROUPS {
            let group = slot.load(SeqCst);
            if group > 0 {
                // SAFETY: a plain call; a group that is gone is an error that does not matter.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
        }
    }
}

#[cfg(unix)]
pub use known::end_all;
#[cfg(unix)]
pub(super) use known::{ended, started};

/// Without signals nobody ends us from outside in a way that could be noticed.
#[cfg(not(unix))]
pub(super) fn started(_: u32) {}

#[cfg(not(unix))]
pub(super) fn ended(_: u32) {}
