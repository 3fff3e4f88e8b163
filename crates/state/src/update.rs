//! The harness's checkout (`~/.claude/hooks` is often a link into one): whether there is something newer, and taking it in.
//!
//! `~/.claude/toolkit-update-state.json` says what was found. Nothing here is on the way of a hook: the check runs detached, once a day.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Update, environment, time};
use serde_json::{Value as Json, json};

use crate::{Lock, Machine, atomic, files, git, sha256};

const INTERVAL: u64 = 24 * 3600;
const LOOK: Duration = Duration::from_secs(15);
const FETCH: Duration = Duration::from_mins(1);
const HISTORY: usize = 5;

fn claude_dir(machine: &Machine) -> Option<PathBuf> {
    Some(machine.home()?.join(".claude"))
}

fn state_file(machine: &Machine) -> Option<PathBuf> {
    Some(claude_dir(machine)?.join("toolkit-update-state.json"))
}

pub fn state(machine: &Machine) -> Json {
    let text = state_file(machine).and_then(|file| files::read(&file).ok()?).unwrap_or_default();
    serde_json::from_str::<Json>(&text).ok().filter(Json::is_object).unwrap_or_else(|| {
        json!({
            "last_check_timestamp": null, "last_check_result": null, "local_commit_at_check": null,
            "remote_commit_at_check": null, "settings_hash_at_session_start": null, "pending_restart_reason": null,
            "update_history": [],
        })
    })
}

fn change(machine: &Machine, edit: impl FnOnce(&mut Json)) -> io::Result<()> {
    let file = state_file(machine).ok_or_else(|| io::Error::other("there is no home directory"))?;
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(2))?;
    let mut state = state(machine);
    edit(&mut state);
    atomic::write(&file, format!("{state:#}\n").as_bytes())
}

/// Switched off by variable or by file.
pub fn is_off(machine: &Machine) -> bool {
    machine.var(&environment::CLAUDE_TOOLKIT_AUTO_UPDATE).as_deref() == Some("false")
        || claude_dir(machine).is_some_and(|dir| dir.join(".disable-auto-update").exists())
}

/// The checkout that the hooks come from: by the folder, or by any file in it, being a link into a repository.
pub fn checkout(machine: &Machine) -> Option<PathBuf> {
    let dir = claude_dir(machine)?;
    let hooks = dir.join("hooks");
    let inside = |path: &Path| {
        let real = files::resolve(path);
        let linked = real != files::resolve(&dir).join(path.strip_prefix(&dir).ok()?);
        linked.then(|| git::Repository::find(real.parent()?)).flatten().map(|found| found.root)
    };
    inside(&hooks).or_else(|| files::list(&hooks).iter().find_map(|file| inside(file)))
}

fn settings_hash(machine: &Machine) -> Option<String> {
    let bytes = std::fs::read(claude_dir(machine)?.join("settings.json")).ok()?;
    Some(sha256(&bytes)[..7 + 16].to_owned())
}

/// What a session that begins should know and do.
pub(crate) fn at_start(machine: &Machine) -> Update {
    if is_off(machine) || checkout(machine).is_none() {
        return Update::default();
    }
    let state = state(machine);
    let last = state["last_check_timestamp"].as_str().and_then(time::parse_rfc3339).unwrap_or(0);
    Update {
        due: machine.now().saturating_sub(last) >= INTERVAL,
        restart: state["pending_restart_reason"].as_str().map(str::to_owned),
    }
}

/// A client that has started anew has read its settings anew: nothing waits for that any more.
pub(crate) fn restarted(machine: &Machine) -> io::Result<()> {
    let hash = settings_hash(machine);
    change(machine, |state| {
        state["pending_restart_reason"] = Json::Null;
        state["settings_hash_at_session_start"] = json!(hash);
    })
}

/// What came of a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    UpToDate,
    /// There is something newer: from, to.
    Newer(String, String),
    /// The checkout has commits of its own.
    LocalAhead,
    Failed(String),
}

fn text(dir: &Path, args: &[&str], limit: Duration) -> Result<String, String> {
    let done = git::run(dir, args, limit).map_err(|error| error.to_string())?;
    if done.code == Some(0) {
        return Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned());
    }
    let words = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    Err(words.lines().next().unwrap_or("git failed").to_owned())
}

/// Asks the remote for its branch of the same name, and notes the answer.
pub fn look(machine: &Machine, root: &Path) -> io::Result<Looked> {
    let found = ask(root);
    let (result, local, remote) = match &found {
        Ok((local, remote)) if local == remote => ("up_to_date", Some(local), Some(remote)),
        Ok((local, remote)) if text(root, &["merge-base", "--is-ancestor", remote, local], LOOK).is_ok() => {
            ("local_ahead", Some(local), Some(remote))
        }
        Ok((local, remote)) => ("update_available", Some(local), Some(remote)),
        Err(_) => ("check_failed", None, None),
    };
    let now = time::rfc3339(machine.now());
    change(machine, |state| {
        state["last_check_timestamp"] = now.into();
        state["last_check_result"] = result.into();
        state["local_commit_at_check"] = json!(local);
        state["remote_commit_at_check"] = json!(remote);
    })?;
    Ok(match (result, found) {
        (_, Err(why)) => Looked::Failed(why),
        ("up_to_date", _) => Looked::UpToDate,
        ("local_ahead", _) => Looked::LocalAhead,
        (_, Ok((local, remote))) => Looked::Newer(local, remote),
    })
}

fn ask(root: &Path) -> Result<(String, String), String> {
    let local = text(root, &["rev-parse", "HEAD"], LOOK)?;
    let branch = text(root, &["symbolic-ref", "--short", "HEAD"], LOOK)?;
    let answer = text(root, &["ls-remote", "origin", &format!("refs/heads/{branch}")], LOOK)?;
    let remote = answer.split_whitespace().next().ok_or_else(|| format!("origin has no branch {branch}"))?;
    Ok((local, remote.to_owned()))
}

/// What was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub from: String,
    pub to: String,
    /// The client must be started anew before its new hooks count.
    pub settings_changed: bool,
}

/// Fast-forwards the checkout. `any_major` also over a change of the first number of its version.
pub fn take(machine: &Machine, root: &Path, any_major: bool) -> Result<Taken, String> {
    let note = |result: &str| {
        let _ = change(machine, |state| state["last_check_result"] = result.into());
    };
    if !git::dirty(root, &[]).map_err(|error| error.to_string())?.is_empty() {
        note("update_failed");
        return Err(format!(
            "{} has changes of its own; commit or stash them, then run `plimsoll update`",
            root.display()
        ));
    }
    let before = (text(root, &["rev-parse", "HEAD"], LOOK)?, settings_hash(machine), major(root, "HEAD"));
    if let Err(why) = text(root, &["fetch", "-q", "origin"], FETCH) {
        note("fetch_failed");
        return Err(why);
    }
    let upstream = text(root, &["rev-parse", "--abbrev-ref", "@{upstream}"], LOOK).or_else(|_| {
        text(root, &["symbolic-ref", "--short", "HEAD"], LOOK).map(|branch| format!("origin/{branch}"))
    })?;
    if !any_major && major(root, &upstream) != before.2 {
        note("update_failed");
        return Err("the new version is another major one; read its notes, then run `plimsoll update`".into());
    }
    if let Err(why) = text(root, &["merge", "--ff-only", "-q", &upstream], FETCH) {
        note("update_failed");
        return Err(why);
    }
    let to = text(root, &["rev-parse", "HEAD"], LOOK)?;
    let settings_changed = settings_hash(machine) != before.1;
    let entry = json!({
        "timestamp": time::rfc3339(machine.now()), "from_commit": before.0, "to_commit": to, "settings_changed": settings_changed,
    });
    change(machine, |state| {
        state["last_check_result"] = "updated".into();
        state["local_commit_at_check"] = to.clone().into();
        if settings_changed {
            state["pending_restart_reason"] = "settings.json changed in this update".into();
        }
        let mut history = state["update_history"].as_array().cloned().unwrap_or_default();
        history.insert(0, entry);
        history.truncate(HISTORY);
        state["update_history"] = history.into();
    })
    .map_err(|error| error.to_string())?;
    Ok(Taken { from: before.0, to, settings_changed })
}

/// The first number of the version that a commit names, in `VERSION` or by its last tag.
fn major(root: &Path, commit: &str) -> Option<u64> {
    let version = text(root, &["show", &format!("{commit}:VERSION")], LOOK)
        .or_else(|_| text(root, &["describe", "--tags", "--abbrev=0", commit], LOOK))
        .ok()?;
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

/// What a person reads when the client must be started anew.
pub fn restart_notice(reason: &str) -> String {
    format!(
        "⚠️ TOOLKIT UPDATED - RESTART REQUIRED ⚠️\nCRITICAL: {reason}.\nHooks are captured at session startup and require restart to \
         reload.\nACTION REQUIRED: Exit this session and start a new one."
    )
}
