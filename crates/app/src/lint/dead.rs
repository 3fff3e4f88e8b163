//! Tools that a runner was to find, and that it could not start: without a network or without what is to be installed it takes seconds to say
//! so, at every edit. It is said once in a session, and they are not asked again.

use linters::{Failed, Origin, Plan, Task};
use model::SessionId;
use state::{Project, append_line, files};

fn place(project: &Project, session: &SessionId) -> std::path::PathBuf {
    project.session_dir(session).join("dead-tools")
}

pub(super) fn leave_out(project: &Project, session: &SessionId, plan: &mut Plan) {
    if !session.is_known() {
        return;
    }
    let known = files::read(&place(project, session)).ok().flatten().unwrap_or_default();
    if !known.is_empty() {
        plan.without(|task: &Task| {
            task.place.origin == Origin::Runner && known.lines().any(|name| name == task.linter.name)
        });
    }
}

pub(super) fn note(project: &Project, session: &SessionId, plan: &Plan, failed: &[Failed]) {
    if !session.is_known() {
        return;
    }
    let by_runner = |name: &str| {
        let mut tasks = plan.format.iter().chain(&plan.lint);
        tasks.any(|task| task.linter.name == name && task.place.origin == Origin::Runner)
    };
    for failed in failed.iter().filter(|failed| by_runner(failed.linter)) {
        // Not noted, it is asked again; that is all.
        let _ = append_line(&place(project, session), failed.linter);
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
