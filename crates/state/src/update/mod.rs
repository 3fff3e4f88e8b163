//! A newer version of the harness: whether there is one, and taking it in where that is safe.
//!
//! There is one road, whoever asks: the start of a session once a day (detached, so that nobody waits), `plimsoll update`, and the two
//! scripts that it takes the place of. What came of it is written down twice, because two systems read it: `history` is the file
//! with the checks and updates of this machine, `status` the line that the next session of a project tells its agent.

mod history;
mod status;

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::environment;

use crate::{Lock, LockError, Machine, files, git};

pub use history::restart_notice;
pub(crate) use history::{at_start, restarted};
pub use status::write as write_status;

const LOOK: Duration = Duration::from_secs(15);
const FETCH: Duration = Duration::from_mins(1);

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Only say whether there is something.
    Look,
    /// Take it in, unless it is another major version.
    Safe,
    /// Take it in. The user has asked for it.
    Any,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    UpToDate,
    /// The checkout has commits that its remote does not have, and the remote none that it does not.
    LocalAhead,
    /// There is something newer, and nobody asked for more than that.
    Newer,
    /// It is another major version.
    Breaking,
    /// Something in the checkout is in the way; nothing was changed.
    Conflict(Conflict),
    /// Whether the client must be started anew before its new hooks count.
    Updated {
        settings_changed: bool,
    },
    /// The remote could not be asked.
    CheckFailed(String),
    /// It answered, but gave nothing.
    FetchFailed(String),
}

/// Why a checkout was left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    Changes,
    Commits,
}

impl Conflict {
    /// For a line.
    fn short(&self) -> &'static str {
        match self {
            Self::Changes => "there are uncommitted changes in it",
            Self::Commits => "it has commits of its own",
        }
    }

    /// For a user, with what to do.
    pub fn text(&self, root: &Path) -> String {
        let root = root.display();
        match self {
            Self::Changes => {
                format!("{root} has changes of its own; commit or stash them, then run `plimsoll update`")
            }
            Self::Commits => format!("{root} has commits of its own; merge or rebase them by hand"),
        }
    }
}

/// A checkout and its remote, as far as they were looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// Commits.
    pub from: String,
    pub to: String,
    /// Versions, by the file `VERSION` or the last tag; `unknown` where there is neither.
    pub version: String,
    pub new_version: String,
    /// Commits that the checkout is behind.
    pub behind: u64,
    /// The first line of the newest of them.
    pub newest: String,
}

#[derive(Clone, Debug)]
pub struct Found {
    pub sides: Sides,
    pub outcome: Outcome,
}

/// Switched off by variable, or by a file in `~/.claude` or in the checkout.
pub fn is_off(machine: &Machine, checkout: Option<&Path>) -> bool {
    let flag = |dir: &Path| files::exists(&dir.join(".disable-auto-update"));
    machine.var(&environment::CLAUDE_TOOLKIT_AUTO_UPDATE).as_deref() == Some("false")
        || claude_dir(machine).is_some_and(|dir| flag(&dir))
        || checkout.is_some_and(flag)
}

fn claude_dir(machine: &Machine) -> Option<PathBuf> {
    Some(machine.home()?.join(".claude"))
}

/// The checkout that the hooks come from: the one that `update.checkout` names; else by `~/.claude/hooks`, or any file in it,
/// being a link into a repository.
pub fn checkout(machine: &Machine, named: Option<&Path>) -> Option<PathBuf> {
    if let Some(named) = named {
        return git::Repository::find(named).map(|found| found.root);
    }
    let dir = claude_dir(machine)?;
    let hooks = dir.join("hooks");
    let inside = |path: &Path| {
        let real = files::resolve(path);
        let linked = real != files::resolve(&dir).join(path.strip_prefix(&dir).ok()?);
        linked.then(|| git::Repository::find(real.parent()?)).flatten().map(|found| found.root)
    };
    inside(&hooks).or_else(|| files::list(&hooks).iter().find_map(|file| inside(file)))
}

/// Goes the road as far as is wanted, and writes the history. `None` while another process is on it.
pub fn run(machine: &Machine, root: &Path, way: Way) -> Option<Found> {
    let lock = machine.state_dir().join("update.lock");
    let _lock = match Lock::take(&lock, Duration::ZERO) {
        Err(LockError::Busy(_)) => return None,
        // Where no lock can be had because nothing can be written, going on without is better than never.
        other => other.ok(),
    };
    let settings = history::settings_hash(machine);
    let mut sides = Sides { version: version(root, "HEAD"), ..Sides::default() };
    let mut outcome = match compare(root, &mut sides, way) {
        Ok(outcome) | Err(outcome) => outcome,
    };
    if let Outcome::Updated { settings_changed } = &mut outcome {
        *settings_changed = history::settings_hash(machine) != settings;
    }
    let found = Found { sides, outcome };
    // The update itself has happened or not; what is not written down is looked for again.
    let _ = history::write(machine, &found, settings.as_deref());
    Some(found)
}

/// Every step, in order. What ends it early is an `Err`, be it good or bad.
fn compare(root: &Path, sides: &mut Sides, way: Way) -> Result<Outcome, Outcome> {
    let ask = |args: &[&str]| text(root, args, LOOK).map_err(Outcome::CheckFailed);
    sides.from = ask(&["rev-parse", "HEAD"])?;
    let branch = ask(&["symbolic-ref", "--short", "HEAD"])?;
    // Without a fetch: most of the time there is nothing new, and this says so in one round trip.
    let answer = ask(&["ls-remote", "origin", &format!("refs/heads/{branch}")])?;
    let Some(remote) = answer.split_whitespace().next() else {
        return Err(Outcome::CheckFailed(format!("origin has no branch {branch}")));
    };
    remote.clone_into(&mut sides.to);
    if sides.from == sides.to {
        sides.new_version.clone_from(&sides.version);
        return Ok(Outcome::UpToDate);
    }
    if ask(&["merge-base", "--is-ancestor", &sides.to, &sides.from]).is_ok() {
        sides.new_version = version(root, &sides.to);
        return Ok(Outcome::LocalAhead);
    }
    if way == Way::Look {
        return Ok(Outcome::Newer);
    }
    let quiet = ["-c", "core.hooksPath=/dev/null"];
    let fetch = [&quiet[..], &["fetch", "--quiet", "--no-tags", "origin", &branch]].concat();
    text(root, &fetch, FETCH).map_err(Outcome::FetchFailed)?;
    let number = ask(&["rev-list", "--count", "HEAD..FETCH_HEAD"])?;
    sides.behind = number.parse().unwrap_or(0);
    sides.new_version = version(root, "FETCH_HEAD");
    sides.newest = ask(&["log", "-1", "--format=%s", "FETCH_HEAD"]).unwrap_or_default();
    if way != Way::Any && major(&sides.version) != major(&sides.new_version) {
        return Ok(Outcome::Breaking);
    }
    if !ask(&["status", "--porcelain", "--untracked-files=no"])?.is_empty() {
        return Ok(Outcome::Conflict(Conflict::Changes));
    }
    // Forward or not at all: nothing is left half done.
    let merge = [&quiet[..], &["merge", "--quiet", "--ff-only", "FETCH_HEAD"]].concat();
    if text(root, &merge, FETCH).is_err() {
        return Ok(Outcome::Conflict(Conflict::Commits));
    }
    sides.to = ask(&["rev-parse", "HEAD"])?;
    Ok(Outcome::Updated { settings_changed: false })
}

/// The error is the first line of what git said: it is written into the history, and nobody acts upon what it is.
fn text(dir: &Path, args: &[&str], limit: Duration) -> Result<String, String> {
    let done = git::run(dir, args, limit).map_err(|error| error.to_string())?;
    if done.code == Some(0) {
        return Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned());
    }
    let words = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    Err(words.lines().next().unwrap_or("git failed").to_owned())
}

/// The version that a commit names, in `VERSION` or by its last tag.
fn version(root: &Path, commit: &str) -> String {
    let named = text(root, &["show", &format!("{commit}:VERSION")], LOOK)
        .or_else(|_| text(root, &["describe", "--tags", "--abbrev=0", commit], LOOK));
    let word = named.ok().and_then(|text| text.split_whitespace().next().map(str::to_owned));
    word.unwrap_or_else(|| "unknown".into()).replace('|', "").chars().take(40).collect()
}

fn major(version: &str) -> &str {
    version.trim_start_matches('v').split('.').next().unwrap_or_default()
}
