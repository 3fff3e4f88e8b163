//! From a report, or from the middle of the work, to an event.

use std::io;

use model::SessionId;
use serde_json::{Value as Json, json};

use super::{Store, session};
use crate::written::Belief;
use crate::{Machine, Project, session_changes};

const PROBLEMS: &[&str] = &[
    "race-condition",
    "config-mismatch",
    "api-change",
    "import-resolution",
    "state-management",
    "crash-safety",
    "data-integrity",
    "performance",
    "tooling",
    "dependency-management",
];

/// What a report says was learned, and which memories helped.
pub(crate) fn remember(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    checkpoint: &str,
    files: &[String],
) -> io::Result<()> {
    let Some(store) = Store::of(machine, project) else { return Ok(()) };
    let report: Json = serde_json::from_str(checkpoint)?;
    let reflection = &report["reflection"];
    let text = |key: &str| reflection[key].as_str().unwrap_or_default().trim();
    let done: String = text("what_was_done").chars().take(200).collect();
    let problem =
        [reflection, &report["self_report"]].into_iter().find_map(|part| part["problem_type"].as_str());
    let problem = problem.filter(|kind| PROBLEMS.contains(kind));
    let terms = reflection["search_terms"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let terms = terms.map(|term| term.trim().to_lowercase()).filter(|term| term.chars().count() >= 2).take(7);
    let mut event = json!({
        "content": format!("LESSON: {}\nDONE: {done}", text("key_insight")),
        "entities": entities(terms.collect(), files, problem),
        "category": report["self_report"]["category"].as_str().map_or_else(String::new, model::redact_all),
        "meta": {"session_id": session.as_str(), "files": files},
    });
    if let Some(problem) = problem {
        event["problem_type"] = problem.into();
    }
    let stored = store.add(machine, "session_end", "auto-capture", event)?;
    for entry in reflection["core_assertions"].as_array().into_iter().flatten() {
        let word = |key: &str| entry[key].as_str().unwrap_or_default();
        store.assert(machine.now(), word("topic"), word("assertion"))?;
    }
    // The same report at a second stop has been counted.
    if stored.is_some() {
        let helped =
            reflection["memory_that_helped"].as_array().into_iter().flatten().filter_map(Json::as_str);
        let helped: Vec<String> = helped.map(str::to_owned).collect();
        store.note("cited", &session::ids(project, session, &helped))?;
    }
    Ok(())
}

/// Words first, then the files that it was about: by name, and with the folder that they are in.
fn entities(terms: Vec<String>, files: &[String], problem: Option<&str>) -> Vec<String> {
    let mut all = terms;
    for path in files.iter().take(5) {
        let mut parts = path.rsplitn(3, '/');
        let (name, folder) = (parts.next().unwrap_or(path), parts.next());
        all.push(name.to_owned());
        all.extend(folder.map(|folder| format!("{folder}/{name}")));
    }
    all.extend(problem.map(str::to_owned));
    let mut kept: Vec<String> = Vec::new();
    for entity in all {
        if !kept.contains(&entity) {
            kept.push(entity);
        }
    }
    kept
}

/// Before the client forgets the details: what was changed so far, where no report says it yet.
pub(crate) fn before_compaction(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<()> {
    if crate::checkpoint::file(project).exists() {
        return Ok(());
    }
    let changes = session_changes::since(machine, project, session, Belief::Ours)?;
    if changes.files.is_empty() {
        return Ok(());
    }
    let Some(store) = Store::of(machine, project) else { return Ok(()) };
    let files: Vec<String> = changes.files.iter().map(|file| file.path.clone()).collect();
    let named: Vec<&str> = files.iter().take(20).map(String::as_str).collect();
    let event = json!({
        "content": format!("DONE: before a compaction, in the middle of the work, these files were changed: {}", named.join(", ")),
        "entities": entities(Vec::new(), &files, None),
        "category": "session",
        "meta": {"session_id": session.as_str(), "files": files.iter().take(5).collect::<Vec<_>>()},
    });
    store.add(machine, "precompact_capture", "crash-recovery", event).map(drop)
}
