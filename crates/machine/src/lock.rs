//! Advisory locks with a time limit. The kernel drops them with the process, so a killed hook leaves none behind.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use thiserror::Error;

use crate::private;

/// How long a hook waits for a holder that gives no sign of life. On a busy machine one that is at work takes half of it.
const STUCK: Duration = Duration::from_secs(1);
/// What it waits in all, however lively the others are.
const LIVELY: Duration = Duration::from_secs(4);

/// What is left of that in microseconds, for all the locks that a hook takes; everything else than a hook has no such limit.
static LEFT: AtomicU64 = AtomicU64::new(u64::MAX);

#[derive(Debug)]
pub struct Lock {
    _file: File,
}

#[derive(Debug, Error)]
pub enum LockError {
    /// Somebody else held it for the whole time.
    #[error("{} is locked by another process", .0.display())]
    Busy(PathBuf),
    #[error("cannot lock: {0}")]
    Io(io::Error),
}

impl From<LockError> for io::Error {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Io(error) => error,
            busy @ LockError::Busy(_) => io::Error::new(io::ErrorKind::WouldBlock, busy.to_string()),
        }
    }
}

impl Lock {
    /// From now on this process answers a hook: somebody waits for it. It waits for others who are at work, but for one who holds
    /// a lock and does nothing only a moment, and then goes on without: files are replaced whole and lines are added in one
    /// piece, so the worst is that one of two changes is lost. Whoever holds a lock for ever keeps nothing from being recorded.
    pub fn in_a_hook() {
        LEFT.fetch_min(micros(LIVELY), Ordering::Relaxed);
    }

    /// Waits for the lock at `path` no longer than `limit`. The file stays: removing it would let two in at once.
    pub fn take(path: &Path, limit: Duration) -> Result<Self, LockError> {
        let left = LEFT.load(Ordering::Relaxed);
        // Who does not want to wait wants to know that somebody else is at it.
        if left == u64::MAX || limit.is_zero() {
            return Self::take_turn(path, limit);
        }
        let file = crate::unwritable::watch(path, open(path)).map_err(LockError::Io)?;
        let begin = Instant::now();
        let is_taken = wait(&file, limit.min(Duration::from_micros(left)), STUCK)?;
        // Who is stuck is so for the next lock too.
        let left = if is_taken { left.saturating_sub(micros(begin.elapsed())) } else { 0 };
        LEFT.store(left, Ordering::Relaxed);
        Ok(Self { _file: file })
    }

    /// The same for work that may last: no hook's answer waits for it.
    pub fn take_turn(path: &Path, limit: Duration) -> Result<Self, LockError> {
        let file = crate::unwritable::watch(path, open(path)).map_err(LockError::Io)?;
        if wait(&file, limit, limit)? {
            Ok(Self { _file: file })
        } else {
            Err(LockError::Busy(path.to_owned()))
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Whether the lock was had in `limit`, and before nobody else had taken it for as long as `stuck`.
fn wait(file: &File, limit: Duration, stuck: Duration) -> Result<bool, LockError> {
    let begin = Instant::now();
    let (mut mark, mut marked) = (None, begin);
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => {
                // For those who wait: it goes on.
                let _ = file.set_modified(SystemTime::now());
                return Ok(true);
            }
            Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        let now = file.metadata().and_then(|meta| meta.modified()).ok();
        if now != mark {
            (mark, marked) = (now, Instant::now());
        }
        if begin.elapsed() >= limit || marked.elapsed() >= stuck {
            return Ok(false);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(dir) = path.parent() {
        private::create_dir_all(dir)?;
    }
    private::options(path).create(true).truncate(false).write(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_free_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.lock");
        let first = Lock::take(&path, Duration::ZERO).unwrap();
        assert!(matches!(Lock::take(&path, Duration::from_millis(1)), Err(LockError::Busy(_))));
        drop(first);
        Lock::take(&path, Duration::ZERO).unwrap();
    }

    /// In a process of its own, as nextest runs it: the limit holds for the whole process.
    #[test]
    fn a_hook_goes_on_after_a_moment() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.lock");
        let _held = Lock::take(&path, Duration::ZERO).unwrap();
        Lock::in_a_hook();
        let begin = Instant::now();
        for _ in 0..5 {
            Lock::take(&path, Duration::from_secs(5)).unwrap();
        }
        assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
        assert!(
            matches!(Lock::take(&path, Duration::ZERO), Err(LockError::Busy(_))),
            "who asks whether it is free"
        );
        assert!(matches!(Lock::take_turn(&path, Duration::from_millis(1)), Err(LockError::Busy(_))));
    }
}
