//! Where files may be written without a question: inside the project, or in a scratchpad.

use shell::Call;

use crate::Context;
use crate::arrivals::{Arrivals, Carrier, Rest};

/// Whether something may be written there without a question. `only_scratch`: a redirection may write nothing of the project.
pub(super) fn may_write(path: &str, call: &Call, cx: &Context<'_>, only_scratch: bool) -> bool {
    if matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        || path.starts_with("/dev/fd/")
    {
        // A process substitution runs something; that is judged by itself.
        return !path.starts_with("/dev/fd/6");
    }
    let absolute = shell::path::absolute(path, &call.cwd);
    let plain = absolute.strip_prefix("/private").unwrap_or(&absolute);
    if plain.starts_with("/tmp/claude-") {
        return true;
    }
    !only_scratch && shell::text::is_known(path) && is_inside(&absolute, cx)
}

/// Whether all that comes in a file is known, and lands where it may be written. Other commits are not looked through for that.
pub(super) fn may_arrive(arrivals: &Arrivals, call: &Call, cx: &Context<'_>) -> bool {
    arrivals.carrier == Carrier::Commit
        || arrivals.rest == Rest::Nothing
            && arrivals.files.iter().all(|file| may_write(&file.path, call, cx, false))
}

/// The project's folder. Where the agent works in no project, the home counts as one for what is kept there; but it is not the agent's
/// to write to.
pub(super) fn project(cx: &Context<'_>) -> Option<String> {
    let project = cx.facts.project();
    let holds_the_home = cx.facts.home().is_some_and(|home| home.starts_with(project));
    (!holds_the_home).then(|| project.to_string_lossy().into_owned())
}

/// In the project, and not in what steers the agent, git or the shell.
fn is_inside(path: &str, cx: &Context<'_>) -> bool {
    project(cx).is_some_and(|project| shell::path::is_below(path, &project))
        && !path.contains("/.git/")
        && !path.ends_with("/.git")
        && !path.contains("/.claude/")
        && !path.ends_with("/.envrc")
}
