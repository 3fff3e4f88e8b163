//! How the project's commands ended before the session changed anything: what failed then is not the agent's fault.
//!
//! Nothing runs for this at the start of a session, where nobody would expect it. When a command has failed that would hold the agent, it is
//! looked up how it ended on the commit that the session began with. Where that is not known, it runs once more on a checkout of that
//! commit in a folder of its own, if there is time for it; in doubt it holds.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{GateCommand, GateRun, SessionId};
use serde_json::{Value as Json, json};

use super::run;
use crate::{Lock, Machine, Project, atomic, files, git, private, session, sha256};

/// Commands by commit; the oldest go.
const MOST: usize = 50;
/// What git gets to make and remove a checkout.
const LIMIT: Duration = Duration::from_mins(1);
const ABANDONED: u64 = 86_400;
/// Folders that are not in a commit and without which most commands say only that they are missing. They are lent to the checkout. What a
/// build leaves behind is not among them: it would be made anew for another place.
const LENT: &[&str] = &["node_modules", ".venv", "venv", "vendor"];

/// What of a run is compared: without what differs from run to run, of a command that ran below this folder.
pub type Compared = fn(&GateRun, &Path) -> String;

fn key(command: GateCommand<'_>, commit: &str) -> String {
    sha256(format!("{}\0{}\0{commit}", command.text, command.dir.display()).as_bytes()).to_string()
}

fn file(project: &Project) -> PathBuf {
    project.records.join("quality-before.json")
}

/// How a command ended on a commit: what it printed when it failed, or `null`.
fn known(project: &Project, key: &str) -> Option<Json> {
    files::read_object(&file(project)).get(key).map(|entry| entry["failed"].clone())
}

fn keep(machine: &Machine, project: &Project, key: &str, failed: Option<&str>) -> io::Result<Json> {
    let file = file(project);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(2))?;
    let mut all = files::read_object(&file);
    let failed = Json::from(failed);
    all.insert(key.to_owned(), json!({"at": machine.now(), "failed": failed}));
    while all.len() > MOST {
        let oldest = all.iter().min_by_key(|(_, entry)| entry["at"].as_u64()).map(|(key, _)| key.clone());
        let Some(oldest) = oldest else { break };
        all.shift_remove(&oldest);
    }
    atomic::write(&file, format!("{}\n", Json::Object(all)).as_bytes())?;
    Ok(failed)
}

/// Remembers what a command printed that failed, where the code is that of a commit and nothing else.
fn note(machine: &Machine, project: &Project, command: GateCommand<'_>, failed: &str) {
    let Some(repository) = git::Repository::find(&project.root) else { return };
    let is_ours = |path: &str| path.split('/').any(|part| part == ".claude");
    let clean =
        git::status(machine, &repository.root).is_ok_and(|status| status.keys().all(|path| is_ours(path)));
    let Some(commit) = git::head_commit(&repository).filter(|_| clean) else { return };
    let _ = keep(machine, project, &key(command, &commit), Some(failed));
}

/// Whether a command that has just failed with this output failed in the same way before the session. `left` is the time that there is.
pub fn failed_alike(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    command: GateCommand<'_>,
    (now, compared): (&str, Compared),
    left: Duration,
) -> bool {
    note(machine, project, command, now);
    let Some(commit) = session::baseline(project, session).and_then(|baseline| baseline.head) else {
        return false;
    };
    let key = key(command, &commit);
    let before = known(project, &key).or_else(|| {
        let ended = look(machine, project, command, compared, &commit, left)?;
        keep(machine, project, &key, ended.as_deref()).ok()
    });
    before.is_some_and(|before| before.as_str() == Some(now))
}

/// Runs a command on a checkout of a commit: what it printed where it failed. `None` where that cannot be found out.
#[expect(clippy::option_option, reason = "not known is not the same as passed")]
fn look(
    machine: &Machine,
    project: &Project,
    command: GateCommand<'_>,
    compared: Compared,
    commit: &str,
    left: Duration,
) -> Option<Option<String>> {
    let repository = git::Repository::find(&project.root)?;
    let below = |path: &Path| path.strip_prefix(&repository.root).ok().map(Path::to_owned);
    let (dir, root) = (below(command.dir)?, below(&project.root)?);
    let checkout = Checkout::make(machine, &repository, commit).ok()?;
    let (dir, root) = (checkout.path.join(dir), checkout.path.join(root));
    for (from, to) in [(&project.root, &root), (&repository.root, &checkout.path)] {
        for name in LENT.iter().filter(|name| files::is_dir(&from.join(name))) {
            let _ = files::link(&from.join(name), &to.join(name));
        }
    }
    let done = run(GateCommand { dir: &dir, ..command }, &root, left);
    match done.stopped {
        Some(_) => None,
        None => Some((!done.passed).then(|| compared(&done, &root))),
    }
}

/// A commit in a folder of its own, as long as it is held.
struct Checkout {
    repository: PathBuf,
    path: PathBuf,
}

impl Checkout {
    fn make(machine: &Machine, repository: &git::Repository, commit: &str) -> io::Result<Self> {
        let base = machine.state_dir().join("before");
        // Of a run that was ended before its own end.
        let old =
            |path: &Path| files::modified(path).is_none_or(|at| machine.now().saturating_sub(at) > ABANDONED);
        for path in files::list(&base).iter().filter(|path| old(path)) {
            files::remove_dir(path)?;
        }
        private::create_dir_all(&base)?;
        let path = base.join(format!("{}-{}", std::process::id(), machine.nanos()));
        let made = Self { repository: repository.root.clone(), path };
        let place = made.path.to_string_lossy().into_owned();
        let done = git::run(&made.repository, &["worktree", "add", "-q", "--detach", &place, commit], LIMIT)?;
        if done.code == Some(0) { Ok(made) } else { Err(io::Error::other("git worktree add failed")) }
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        // What is lent are links, and only those go.
        let place = self.path.to_string_lossy().into_owned();
        let _ = git::run(&self.repository, &["worktree", "remove", "--force", &place], LIMIT);
        let _ = files::remove_dir(&self.path);
    }
}
