//! Runs of tests and linters that were seen in a session: evidence that nobody reports about themselves.

use std::io;
use std::path::PathBuf;

use model::{Proof, Seen, SessionId, redact};
use serde_json::{Value as Json, json};

use crate::{Project, append_line, files};

fn file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("runs.jsonl")
}

pub(crate) fn add(project: &Project, session: &SessionId, seen: &Seen) -> io::Result<()> {
    let line = json!({
        "at": seen.at,
        "proof": seen.proof.as_str(),
        "passed": seen.passed,
        "command": redact(&seen.command),
    });
    append_line(&file(project, session), &line.to_string())
}

pub(crate) fn all(project: &Project, session: &SessionId) -> Vec<Seen> {
    let text = files::read(&file(project, session)).ok().flatten().unwrap_or_default();
    let read = |line: &str| {
        let json: Json = serde_json::from_str(line).ok()?;
        Some(Seen {
            proof: Proof::parse(json["proof"].as_str()?)?,
            command: json["command"].as_str()?.to_owned(),
            passed: json["passed"].as_bool()?,
            at: json["at"].as_u64()?,
        })
    };
    text.lines().filter_map(read).collect()
}
