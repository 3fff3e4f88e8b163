//! Who works in a project: `<project>/.claude/session-owner.json`, with a process that can be asked whether it lives.

use std::io;
use std::path::{Path, PathBuf};

use model::{Owner, SessionId, environment, time};
use serde_json::{Value as Json, json};

use crate::written::{self, Belief};
use crate::{Machine, Project};

fn file(project: &Project) -> PathBuf {
    project.claude_dir().join("session-owner.json")
}

/// The client's process: it says so, or it is the one that started us.
fn client(machine: &Machine) -> u32 {
    machine
        .var(&environment::CLAUDE_PID)
        .and_then(|pid| pid.parse().ok())
        .unwrap_or_else(|| machine.parent_pid())
}

/// When a process began, in the kernel's own count, which tells it from a later one of the same number.
fn began(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    // The name is in brackets and may hold anything.
    text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// Another session that is still there.
pub(crate) fn other(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    belief: Belief,
) -> Option<Owner> {
    let json: Json = serde_json::from_str(&written::read(machine, &file(project), belief).ok()??).ok()?;
    let owner = json["session_id"].as_str()?;
    let pid = u32::try_from(json["pid"].as_u64()?).ok()?;
    let alive = began(pid).is_some_and(|now| json["pid_began"].as_u64().is_none_or(|then| then == now));
    // A client that has begun a new session has left the old one.
    (owner != session.as_str() && alive && pid != client(machine)).then(|| Owner {
        session: SessionId::new(owner),
        pid,
        since: json["started_at"].as_str().unwrap_or_default().to_owned(),
    })
}

pub(crate) fn claim(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<()> {
    let pid = client(machine);
    let json = json!({
        "session_id": session.as_str(),
        "pid": pid,
        "pid_began": began(pid),
        "started_at": time::rfc3339(machine.now()),
    });
    written::write(machine, &file(project), &format!("{json:#}\n"))
}
