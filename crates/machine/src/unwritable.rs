//! What could not be written because the disk is full or read-only: for the one line that the user gets about it.
//!
//! It is kept here, beside the functions that write, because some of those who call them can go on without and say nothing; the
//! user has to hear of it all the same. A process answers one hook, so there is one place.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use model::environment;

use crate::Machine;

static FIRST: Mutex<Option<Unwritable>> = Mutex::new(None);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    pub path: PathBuf,
    kind: io::ErrorKind,
}

/// Passes a result on, and remembers the first failure that is the machine's and not the call's.
pub(crate) fn watch<T>(path: &Path, done: io::Result<T>) -> io::Result<T> {
    if let Err(error) = &done
        && is_of_the_machine(error.kind())
    {
        let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| Unwritable { path: path.to_owned(), kind: error.kind() });
    }
    done
}

fn is_of_the_machine(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(kind, StorageFull | QuotaExceeded | ReadOnlyFilesystem | PermissionDenied)
}

/// What could not be written in this process.
pub fn first() -> Option<Unwritable> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Unwritable {
    /// One line: what, and what to do.
    pub fn text(&self, machine: &Machine) -> String {
        use io::ErrorKind::{PermissionDenied, QuotaExceeded, StorageFull};
        let (why, then) = match self.kind {
            StorageFull => ("the disk is full", "Free some space there"),
            QuotaExceeded => ("the quota is used up", "Free some space there"),
            PermissionDenied => ("it is not allowed", "Make that folder writable"),
            _ => ("it is read-only there", "Make that folder writable"),
        };
        let or = if self.path.starts_with(machine.state_dir()) {
            format!(", or name another place in {}", environment::PLIMSOLL_STATE_DIR.name)
        } else {
            String::new()
        };
        // A file that is being formatted is none of our records.
        let ours =
            self.path.starts_with(machine.state_dir()) || self.path.iter().any(|part| part == ".claude");
        let so = if ours { "The guards go on, but what this session does is not recorded. " } else { "" };
        format!("[hook:warning] Plimsoll cannot write {}: {why}. {so}{then}{or}.", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_faults_of_the_machine_count() {
        assert!(
            is_of_the_machine(io::ErrorKind::StorageFull)
                && is_of_the_machine(io::ErrorKind::ReadOnlyFilesystem)
        );
        assert!(
            !is_of_the_machine(io::ErrorKind::NotFound) && !is_of_the_machine(io::ErrorKind::IsADirectory)
        );
    }

    #[test]
    fn it_says_what_and_what_to_do() {
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", "/state")], Path::new("/"));
        let text = |path: &str, kind| Unwritable { path: path.into(), kind }.text(&machine);
        let full = text("/home/me/.claude/memory/x", io::ErrorKind::StorageFull);
        assert!(full.contains("cannot write /home/me/.claude/memory/x: the disk is full."), "{full}");
        assert!(full.ends_with("Free some space there."), "{full}");
        assert!(full.contains("not recorded"), "{full}");
        let other = text("/home/me/app.py", io::ErrorKind::PermissionDenied);
        assert_eq!(
            other,
            "[hook:warning] Plimsoll cannot write /home/me/app.py: it is not allowed. Make that folder writable."
        );
        let read_only = text("/state/log.jsonl", io::ErrorKind::ReadOnlyFilesystem);
        assert!(
            read_only.ends_with("Make that folder writable, or name another place in PLIMSOLL_STATE_DIR."),
            "{read_only}"
        );
    }
}
