//! The user's list of work: their own command, a script in their home, or GitHub.

use std::io;
use std::path::Path;
use std::time::Duration;

use model::{Config, SessionId};

use crate::process::{Program, SHELL};
use crate::reach::Fence;
use crate::{Machine, Project, append_line, files};

/// A list of work that takes longer has nothing to say.
pub(crate) const IN_A_HOOK: Duration = Duration::from_secs(2);
/// Where nobody waits.
const LIMIT: Duration = Duration::from_secs(30);

/// Says something to the list of work. Not in a hook: the task `todo` does it.
pub fn tell(machine: &Machine, project: &Project, session: &SessionId, words: &[String]) -> io::Result<()> {
    tell_within(machine, project, session, words, LIMIT)
}

pub(crate) fn tell_within(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    words: &[String],
    limit: Duration,
) -> io::Result<()> {
    let config =
        crate::config::load(machine, project, |_| Some(model::Role::Guard), crate::config::Trust::Recorded)
            .config;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let tell = |words: &[&str]| ask(machine, &config, &project.root, words, limit);
    if config.todo_command.as_deref() != Some("gh") {
        return tell(&words).map(drop);
    }
    // GitHub knows no sessions, so what this one has claimed is written down.
    let claims = project.session_dir(session).join("claims");
    match words.as_slice() {
        ["claim", number, ..] => {
            tell(&words)?;
            append_line(&claims, number)
        }
        ["unclaim", ..] => {
            for number in files::read(&claims)?.unwrap_or_default().lines() {
                tell(&["unclaim", number])?;
            }
            files::remove(&claims)
        }
        _ => tell(&words).map(drop),
    }
}

/// `None` where there is no list.
pub(crate) fn ask(
    machine: &Machine,
    config: &Config,
    root: &Path,
    args: &[&str],
    limit: Duration,
) -> io::Result<Option<String>> {
    let script =
        || machine.home().map(|home| home.join(".claude/scripts/todo.sh")).filter(|file| file.is_file());
    let program = match &config.todo_command {
        Some(command) if command == "gh" => {
            let Some(words) = gh(args) else { return Ok(None) };
            let fence = Fence::around(machine, root);
            let Some(gh) = fence.program_outside(machine, "gh") else { return Ok(None) };
            Program::new(gh).args(words).apart_from(&fence)
        }
        Some(command) => Program::new(SHELL).args(["-c", &format!("{command} \"$@\""), "todo"]).args(args),
        None => match script() {
            Some(file) => Program::new(file).args(args),
            None => return Ok(None),
        },
    };
    let done = program.cwd(root).within(limit).run()?;
    if done.code == Some(0) {
        return Ok(Some(String::from_utf8_lossy(&done.stdout).into_owned()));
    }
    Err(io::Error::other(format!("the list of work failed on {}", args.join(" "))))
}

/// The same words for GitHub's own program.
fn gh(args: &[&str]) -> Option<Vec<String>> {
    let words: &[&str] = match args {
        ["hud"] => &["issue", "list", "--limit", "5"],
        ["count", ..] => &["issue", "list", "--json", "number", "--jq", "length"],
        ["claim", number, ..] => &["issue", "edit", number, "--add-assignee", "@me"],
        ["unclaim", number] => &["issue", "edit", number, "--remove-assignee", "@me"],
        _ => return None,
    };
    Some(words.iter().map(|&word| word.to_owned()).collect())
}
