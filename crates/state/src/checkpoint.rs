//! The agent's own report, `<project>/.claude/completion-checkpoint.json`. The agent writes it; we only strike out what no
//! longer holds.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use model::SessionId;
use serde_json::{Value as Json, json};

use crate::{Lock, Machine, Project, atomic, beneath, evidence, files, sha256};

pub fn file(project: &Project) -> PathBuf {
    project.claude_dir().join("completion-checkpoint.json")
}

/// Sets fields of the self-report to `false`, with the version that they were true at.
pub(crate) fn mark_stale(project: &Project, fields: &[&str], azure: bool) -> io::Result<()> {
    let _lock = Lock::take(&project.records.join("checkpoint.lock"), Duration::from_secs(2))?;
    let file = file(project);
    let Some(text) = files::read(&file)? else { return Ok(()) };
    let Ok(mut checkpoint) = serde_json::from_str::<Json>(&text) else { return Ok(()) };
    let Some(report) = checkpoint.get_mut("self_report").and_then(Json::as_object_mut) else { return Ok(()) };
    for field in fields {
        report.insert((*field).to_owned(), Json::Bool(false));
        let version = format!("{field}_at_version");
        if report.contains_key(&version) {
            report.insert(version, "".into());
        }
    }
    if azure {
        report.insert("az_cli_changes_made".into(), Json::Bool(true));
    }
    beneath::write(&project.root, &file, format!("{checkpoint:#}\n").as_bytes())
}

fn accepted_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("report.json")
}

/// Remembers the report that lies there, with the code that it was accepted for. `false` where it was accepted before.
pub(crate) fn accept(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<bool> {
    let hash = sha256(files::read(&file(project))?.unwrap_or_default().as_bytes());
    let known = files::read_json(&accepted_file(project, session)).unwrap_or_default();
    if hash == known["report"] {
        return Ok(false);
    }
    let tree = evidence::tree_hash(machine, &project.root)?;
    let json = json!({"report": hash.as_str(), "tree": tree});
    atomic::write(&accepted_file(project, session), json.to_string().as_bytes())?;
    Ok(true)
}

/// Whether this report was accepted in the session for code that has changed since.
pub(crate) fn is_of_other_code(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    report: &str,
) -> bool {
    let known = files::read_json(&accepted_file(project, session)).unwrap_or_default();
    sha256(report.as_bytes()) == known["report"]
        && evidence::tree_hash(machine, &project.root).is_ok_and(|tree| known["tree"].as_str() != Some(&tree))
}
