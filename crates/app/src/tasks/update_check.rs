//! The task `update-check`: looks whether the checkout that `update.checkout` names is behind, and brings it up to date where that is safe.
//!
//! Safe is: the same major version, nothing uncommitted, and a history that only goes forward. Everything else is only told.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::environment;
use model::practice::Record;
use state::config::{self, Trust};
use state::{Lock, Machine, Project, files, git, records};

use super::Work;

/// Not more often than this.
const DAY: u64 = 24 * 3600;
/// A fetch that takes longer is given up.
const FETCH: Duration = Duration::from_mins(1);
const STATUS: &str = ".update-status";
const LOCK: &str = ".update-check.lock";

pub(super) fn run(work: &Work<'_>, _: &[String]) -> Result<(), String> {
    let loaded = config::load(work.machine, &work.project, checks::is_guard, Trust::Recorded);
    let Some(checkout) = loaded.config.update_checkout else { return Ok(()) };
    let checkout =
        model::path::absolute(Path::new(&checkout), &work.project.root, work.machine.home().as_deref());
    check(work.machine, &work.project, &checkout, true).map(|_| ())
}

/// What came of it: the line of the status file, or `None` where there was nothing to look for.
pub(crate) fn check(
    machine: &Machine,
    project: &Project,
    checkout: &Path,
    once_a_day: bool,
) -> Result<Option<String>, String> {
    let off = machine.var(&environment::CLAUDE_TOOLKIT_AUTO_UPDATE).as_deref() == Some("false");
    let flags = [Some(checkout.to_owned()), machine.home().map(|home| home.join(".claude"))];
    if off || flags.into_iter().flatten().any(|dir| files::exists(&dir.join(".disable-auto-update"))) {
        return Ok(None);
    }
    let stamp = machine.state_dir().join("update-check");
    if once_a_day && files::modified(&stamp).is_some_and(|at| machine.now().saturating_sub(at) < DAY) {
        return Ok(None);
    }
    if git::Repository::find(checkout).is_none() {
        return Err(format!("update.checkout: {} is no git repository", checkout.display()));
    }
    let Ok(_lock) = Lock::take(&machine.state_dir().join("update-check.lock"), Duration::ZERO) else {
        return Ok(None);
    };
    let record = |name: &str, change: &Record| {
        records::change(machine, project, name, change).map_err(|error| format!("update check: {error}"))
    };
    record(LOCK, &Record::Write(std::process::id().to_string()))?;
    let found = compare(machine, checkout);
    record(LOCK, &Record::Remove)?;
    let Some(line) = found? else { return Ok(None) };
    state::atomic::write(&stamp, b"").map_err(|error| format!("update check: {error}"))?;
    record(STATUS, &Record::Write(line.clone()))?;
    Ok(Some(line))
}

/// `None` when the remote cannot be reached: that is no news.
fn compare(machine: &Machine, checkout: &Path) -> Result<Option<String>, String> {
    let words = ["-c", "core.hooksPath=/dev/null", "fetch", "--quiet", "--no-tags", "origin", "main"];
    match git::run(checkout, &words, FETCH) {
        Ok(done) if done.code == Some(0) => {}
        _ => return Ok(None),
    }
    let text = |args: &[&str]| git::text(checkout, args).map(|text| text.trim().to_owned());
    let failed = |error: std::io::Error| format!("update check: {error}");
    let behind = text(&["rev-list", "--count", "HEAD..FETCH_HEAD"]).map_err(failed)?;
    let local = version(&files::read(&checkout.join("VERSION")).ok().flatten().unwrap_or_default());
    let remote = version(&text(&["show", "FETCH_HEAD:VERSION"]).unwrap_or_default());
    let line = |status: &str, summary: &str| {
        let summary = summary.replace(['|', '\n'], " ");
        Some(format!("{status}|{local}|{remote}|{behind}|{}|{summary}", machine.now()))
    };
    if behind == "0" {
        return Ok(line("up-to-date", ""));
    }
    let newest = text(&["log", "-1", "--format=%s", "FETCH_HEAD"]).unwrap_or_default();
    if major(&local) != major(&remote) {
        return Ok(line("breaking", &format!("read its notes, then update {} by hand", checkout.display())));
    }
    if !text(&["status", "--porcelain", "--untracked-files=no"]).map_err(failed)?.is_empty() {
        return Ok(line("conflict", "there are uncommitted changes in it"));
    }
    let on = git::Repository::find(checkout).and_then(|repository| repository.head().branch);
    if !matches!(on.as_deref(), Some("main" | "master")) {
        return Ok(line("conflict", "another branch is checked out in it"));
    }
    // Forward or not at all: nothing is left half done.
    let words = ["-c", "core.hooksPath=/dev/null", "merge", "--quiet", "--ff-only", "FETCH_HEAD"];
    match git::run(checkout, &words, FETCH) {
        Ok(done) if done.code == Some(0) => Ok(line("updated", &newest)),
        _ => Ok(line("conflict", "it has commits of its own")),
    }
}

fn version(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or("unknown");
    word.replace('|', "").chars().take(40).collect()
}

fn major(version: &str) -> &str {
    version.trim_start_matches('v').split('.').next().unwrap_or_default()
}

/// Where `compat update-check` looks when nothing is configured: the folder that the original lived in.
pub(crate) fn default_checkout(machine: &Machine) -> Option<PathBuf> {
    machine.home().map(|home| home.join(".claude"))
}
