//! Tools that could not be started. A runner without a network or without what is to be installed takes seconds to say so, at every edit. It is
//! said once in a session, and they are not asked again, until they are others: somebody may have installed them.

use linters::{Failed, Origin, Plan, Task};
use model::SessionId;
use state::{Project, append_line, files};

fn place(project: &Project, session: &SessionId) -> std::path::PathBuf {
    project.session_dir(session).join("dead-tools")
}

/// A tool by its name and by what is started: once that is another, it may be tried again.
fn entry(task: &Task) -> String {
    format!("{} {}", task.linter.name, files::stamp(&task.place.program).unwrap_or_default())
}

pub(super) fn leave_out(project: &Project, session: &SessionId, plan: &mut Plan) {
    if !session.is_known() {
        return;
    }
    let known = files::read(&place(project, session)).ok().flatten().unwrap_or_default();
    if !known.is_empty() {
        plan.without(|task: &Task| {
            let own = entry(task);
            known.lines().any(|line| line == own)
        });
    }
}

pub(super) fn note(project: &Project, session: &SessionId, plan: &Plan, failed: &[Failed]) {
    if !session.is_known() {
        return;
    }
    for failed in failed {
        let mut tasks = plan.format.iter().chain(&plan.lint).filter(|task| task.linter.name == failed.linter);
        let dead = tasks.find(|task| failed.unstartable || task.place.origin == Origin::Runner);
        if let Some(task) = dead {
            // Not noted, it is asked again; that is all.
            let _ = append_line(&place(project, session), &entry(task));
        }
    }
}

/// Whether a failure has not been told in this session. It takes no new edit to know of it.
pub(super) fn is_news(project: &Project, session: &SessionId, line: &str) -> bool {
    if !session.is_known() {
        return true;
    }
    let told = project.session_dir(session).join("told-failures");
    let line = line.replace('\n', " ");
    if files::read(&told).ok().flatten().is_some_and(|text| text.lines().any(|known| known == line)) {
        return false;
    }
    // Not noted, it is said again; that is all.
    let _ = append_line(&told, &line);
    true
}
