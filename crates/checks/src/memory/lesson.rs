//! From a report, or from the middle of the work, to what is remembered.

use model::{Lesson, SessionChanges};
use serde_json::Value as Json;

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
pub(crate) fn of_report(report: &Json, files: &[String]) -> Lesson {
    let reflection = &report["reflection"];
    let text = |key: &str| reflection[key].as_str().unwrap_or_default().trim();
    let texts = |key: &str| reflection[key].as_array().into_iter().flatten().filter_map(Json::as_str);
    let done: String = text("what_was_done").chars().take(200).collect();
    let problem =
        [reflection, &report["self_report"]].into_iter().find_map(|part| part["problem_type"].as_str());
    let problem = problem.filter(|kind| PROBLEMS.contains(kind));
    let terms = texts("search_terms").map(|term| term.trim().to_lowercase());
    let terms = terms.filter(|term| term.chars().count() >= 2).take(7);
    let assertions = reflection["core_assertions"].as_array().into_iter().flatten().map(|entry| {
        let word = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        (word("topic"), word("assertion"))
    });
    Lesson {
        kind: "session_end",
        source: "auto-capture",
        content: format!("LESSON: {}\nDONE: {done}", text("key_insight")),
        entities: entities(terms.collect(), files, problem),
        category: report["self_report"]["category"].as_str().map_or_else(String::new, model::redact_all),
        problem: problem.map(str::to_owned),
        files: files.to_vec(),
        assertions: assertions.collect(),
        helped: texts("memory_that_helped").map(str::to_owned).collect(),
    }
}

/// What was changed so far, where no report says it yet. `None` without a change.
pub(super) fn of_unfinished(changes: &SessionChanges) -> Option<Lesson> {
    let mut files: Vec<String> = changes.files.iter().map(|file| file.path.clone()).collect();
    if files.is_empty() {
        return None;
    }
    let named: Vec<&str> = files.iter().take(20).map(String::as_str).collect();
    let named = named.join(", ");
    let entities = entities(Vec::new(), &files, None);
    files.truncate(5);
    Some(Lesson {
        kind: "precompact_capture",
        source: "crash-recovery",
        content: format!(
            "DONE: before a compaction, in the middle of the work, these files were changed: {named}"
        ),
        entities,
        category: "session".into(),
        files,
        ..Lesson::default()
    })
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
