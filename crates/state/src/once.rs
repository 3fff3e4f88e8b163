//! The same call twice: a hook of ours that is registered in two files is started twice by the client, in parallel.
//!
//! Only where that is known is there anything to do: the start of the session leaves a mark, and later calls look for it.

use std::io;
use std::path::PathBuf;

use model::{Event, EventName, SessionId};

use crate::{Project, atomic, private};

fn mark(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("registered-twice")
}

pub(crate) fn expect_repeats(project: &Project, session: &SessionId) -> io::Result<()> {
    atomic::write(&mark(project, session), b"")
}

/// Whether another process of ours has taken this call on. The first one to ask takes it.
pub fn is_repeat(project: &Project, event: &Event) -> bool {
    // Before a call both answer alike, and a guard that keeps silent because another one may have spoken is none.
    if matches!(event.name, EventName::PreToolUse | EventName::PermissionRequest) {
        return false;
    }
    let Some(id) = event.tool_use().and_then(|use_| use_.id.as_deref()) else { return false };
    if !event.session.is_known() || !mark(project, &event.session).exists() {
        return false;
    }
    let name = SessionId::new(&format!("{}-{id}", event.name));
    let dir = project.session_dir(&event.session).join("once");
    let take = || private::options(&dir).write(true).create_new(true).open(dir.join(name.as_str()));
    let taken = take().or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => private::create_dir_all(&dir).and_then(|()| take()),
        _ => Err(error),
    });
    // Where nothing can be written, answering twice is better than not at all.
    matches!(taken, Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
}
