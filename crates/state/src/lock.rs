//! Advisory locks with a time limit. The kernel drops them with the process, so a killed hook leaves none behind.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Lock {
    _file: File,
}

#[derive(Debug)]
pub enum LockError {
    /// Somebody else held it for the whole time.
    Busy(PathBuf),
    Io(io::Error),
}

impl std::fmt::Display for LockError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LockError::Busy(path) => write!(f, "{} is locked by another process", path.display()),
            LockError::Io(error) => write!(f, "cannot lock: {error}"),
        }
    }
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
    /// Waits for the lock at `path` no longer than `limit`. The file stays: removing it would let two in at once.
    pub fn take(path: &Path, limit: Duration) -> Result<Self, LockError> {
        let file = crate::unwritable::watch(path, open(path)).map_err(LockError::Io)?;
        let end = Instant::now() + limit;
        let mut pause = Duration::from_micros(200);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                    return Err(LockError::Busy(path.to_owned()));
                }
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
            }
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    File::options().create(true).truncate(false).write(true).open(path)
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
}
