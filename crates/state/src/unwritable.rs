//! Whether a session has been told that something could not be written. What that was, `machine::unwritable` knows.

use std::path::Path;

use model::SessionId;

pub use machine::unwritable::Unwritable;

use crate::{Machine, Project, private, session, sha256};

/// What could not be written in this process, unless the session has been told of it.
pub fn news(machine: &Machine, project: &Project, session: &SessionId) -> Option<Unwritable> {
    let first = machine::unwritable::first()?;
    is_first_time(machine, project, session).then_some(first)
}

/// Leaves a mark where that can be done: with our records, else in the temporary directory. Where neither can be written, it is
/// said every time.
fn is_first_time(machine: &Machine, project: &Project, session: &SessionId) -> bool {
    let ours = session::said_file(machine, project, session, "unwritable");
    let name = sha256(ours.to_string_lossy().as_bytes());
    let elsewhere = std::env::temp_dir().join(format!("plimsoll-said-{}", name.short()));
    if ours.exists() || private::is_by_us(&elsewhere) {
        return false;
    }
    // Not through `atomic`: an empty file is whole from the beginning, and a link that somebody has put there is not followed.
    let leave = |file: &Path| private::options(file).write(true).create_new(true).open(file);
    let made = ours.parent().is_some_and(|dir| private::create_dir_all(dir).is_ok()) && leave(&ours).is_ok();
    if !made {
        let _ = leave(&elsewhere);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_news_once_in_a_session() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], dir.path());
        let project = Project::at(&machine, dir.path().to_owned());
        assert!(is_first_time(&machine, &project, &SessionId::new("s1")));
        assert!(!is_first_time(&machine, &project, &SessionId::new("s1")));
        assert!(is_first_time(&machine, &project, &SessionId::new("s2")));
    }
}
