//! Tools that wait for the user's trust: what is said about them, and when.

use std::path::Path;

use linters::Waiting;
use model::SessionId;
use state::{Project, append_line, files};

/// What the user is told at the first edit of a session that something waited at; nothing later.
pub(super) fn news(project: &Project, session: &SessionId, waiting: &[Waiting]) -> Option<String> {
    if waiting.is_empty() {
        return None;
    }
    let told = project.session_dir(session).join("told-of-tools");
    if session.is_known() && files::exists(&told) {
        return None;
    }
    // Not noted, it is said again; that is all.
    let _ = append_line(&told, "");
    Some(sentence(&project.root, waiting))
}

/// Names what was not run, and the way out.
pub(crate) fn sentence(project: &Path, waiting: &[Waiting]) -> String {
    let names = names(project, waiting);
    let (linters, were) = if names.len() == 1 { ("linter", "was") } else { ("linters", "were") };
    format!(
        "[hook:warning] {} {linters} of this project {were} not run: {}. Run `plimsoll trust` to let this project's own tools run.",
        names.len(),
        names.join(", ")
    )
}

/// What would be run, each once.
pub(crate) fn names(project: &Path, waiting: &[Waiting]) -> Vec<String> {
    let mut names: Vec<String> = waiting.iter().map(|one| one.shown(project)).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}
