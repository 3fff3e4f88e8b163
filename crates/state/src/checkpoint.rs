//! The agent's own report, `<project>/.claude/completion-checkpoint.json`. The agent writes it; we only strike out what no
//! longer holds.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value as Json;

use crate::{Lock, Project, beneath, files};

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
