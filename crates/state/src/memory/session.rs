//! Which memories a session has been shown, and when: so that none is shown twice, and `m1` in a report means one of them.

use std::io;
use std::path::PathBuf;

use model::{Asked, SessionId, ShownMemory};
use serde_json::{Value as Json, json};

use super::Store;
use crate::{Machine, Project, append_line, files};

fn file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("memories.jsonl")
}

/// All that were shown, in order.
pub(crate) fn shown(project: &Project, session: &SessionId) -> Vec<ShownMemory> {
    let text = files::read(&file(project, session)).ok().flatten().unwrap_or_default();
    let read = |line: &str| {
        let json: Json = serde_json::from_str(line).ok()?;
        Some(ShownMemory {
            id: json["id"].as_str()?.to_owned(),
            reference: json["ref"].as_str().unwrap_or_default().to_owned(),
            by: Asked::parse(json["trigger"].as_str()?)?,
            at: json["ts"].as_u64()?,
        })
    };
    text.lines().filter_map(read).collect()
}

pub(crate) fn add(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    by: Asked,
    memories: &[(String, String)],
) -> io::Result<()> {
    for (reference, id) in memories {
        let line = json!({"id": id, "ref": reference, "trigger": by.as_str(), "ts": machine.now()});
        append_line(&file(project, session), &line.to_string())?;
    }
    let ids: Vec<String> = memories.iter().map(|(_, id)| id.clone()).collect();
    Store::of(machine, project).map_or(Ok(()), |store| store.note("injected", &ids))
}

/// The ids that a report means, by `m1` or by the id itself.
pub(super) fn ids(project: &Project, session: &SessionId, named: &[String]) -> Vec<String> {
    let shown = shown(project, session);
    let find = |name: &String| shown.iter().rev().find(|known| known.reference == *name || known.id == *name);
    let mut ids: Vec<String> = named.iter().filter_map(find).map(|known| known.id.clone()).collect();
    ids.sort();
    ids.dedup();
    ids
}
