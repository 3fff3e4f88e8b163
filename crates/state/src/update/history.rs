//! `~/.claude/toolkit-update-state.json`: when this machine last looked, what came of it, what waits for the client to be started anew.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Update, time};
use serde_json::{Value as Json, json};

use super::{Found, Outcome, checkout, claude_dir, is_off};
use crate::{Lock, Machine, atomic, files, sha256};

const INTERVAL: u64 = 24 * 3600;
const HISTORY: usize = 5;
const RESTART: &str = "settings.json changed in this update";

fn file(machine: &Machine) -> Option<PathBuf> {
    Some(claude_dir(machine)?.join("toolkit-update-state.json"))
}

fn read(machine: &Machine) -> Json {
    file(machine).and_then(|file| files::read_json(&file)).filter(Json::is_object).unwrap_or_else(|| {
        json!({
            "last_check_timestamp": null, "last_check_result": null, "local_commit_at_check": null,
            "remote_commit_at_check": null, "settings_hash_at_session_start": null, "pending_restart_reason": null,
            "update_history": [],
        })
    })
}

fn change(machine: &Machine, edit: impl FnOnce(&mut Json)) -> io::Result<()> {
    let file = file(machine).ok_or_else(|| io::Error::other("there is no home directory"))?;
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(2))?;
    let mut state = read(machine);
    edit(&mut state);
    atomic::write(&file, format!("{state:#}\n").as_bytes())
}

pub(super) fn settings_hash(machine: &Machine) -> Option<String> {
    let bytes = files::read_bytes(&claude_dir(machine)?.join("settings.json")).ok()?;
    Some(format!("sha256:{}", sha256(&bytes).short()))
}

/// What a session that begins should know and do.
pub(crate) fn at_start(machine: &Machine, named: Option<&Path>) -> Update {
    let Some(root) = checkout(machine, named).or_else(|| named.map(Path::to_owned)) else {
        return Update::default();
    };
    if is_off(machine, Some(&root)) {
        return Update::default();
    }
    let state = read(machine);
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

/// `settings` is the hash of the settings before anything was taken in.
pub(super) fn write(machine: &Machine, found: &Found, settings: Option<&str>) -> io::Result<()> {
    let result = match &found.outcome {
        Outcome::UpToDate => "up_to_date",
        Outcome::LocalAhead => "local_ahead",
        Outcome::Newer => "update_available",
        Outcome::Breaking | Outcome::Conflict(_) => "update_failed",
        Outcome::Updated { .. } => "updated",
        Outcome::CheckFailed(_) => "check_failed",
        Outcome::FetchFailed(_) => "fetch_failed",
    };
    let sides = &found.sides;
    let asked = !matches!(found.outcome, Outcome::CheckFailed(_));
    let now = time::rfc3339(machine.now());
    change(machine, |state| {
        state["last_check_timestamp"] = now.clone().into();
        state["last_check_result"] = result.into();
        // While a new start is waited for, those that the session has are older than what lies there.
        if state["pending_restart_reason"].is_null() {
            state["settings_hash_at_session_start"] = json!(settings);
        }
        state["remote_commit_at_check"] = json!(asked.then_some(&sides.to));
        state["local_commit_at_check"] = json!(asked.then_some(&sides.from));
        let Outcome::Updated { settings_changed } = found.outcome else { return };
        state["local_commit_at_check"] = json!(sides.to);
        if settings_changed {
            state["pending_restart_reason"] = RESTART.into();
        }
        let entry = json!({
            "timestamp": now, "from_commit": sides.from, "to_commit": sides.to, "settings_changed": settings_changed,
        });
        let mut history = state["update_history"].as_array().cloned().unwrap_or_default();
        history.insert(0, entry);
        history.truncate(HISTORY);
        state["update_history"] = history.into();
    })
}

/// What a user reads when the client must be started anew.
pub fn restart_notice() -> String {
    format!(
        "⚠️ TOOLKIT UPDATED - RESTART REQUIRED ⚠️\nCRITICAL: {RESTART}.\nHooks are captured at session startup and require restart to \
         reload.\nACTION REQUIRED: Exit this session and start a new one."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_due_again_after_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_string_lossy().into_owned();
        let machine = Machine::with(&[("HOME", &home)], dir.path());
        let due = |hours_ago: u64| {
            let at = time::rfc3339(machine.now() - hours_ago * 3600);
            change(&machine, |state| state["last_check_timestamp"] = at.into()).unwrap();
            at_start(&machine, Some(dir.path())).due
        };
        assert!(at_start(&machine, Some(dir.path())).due, "never looked");
        assert_eq!([due(1), due(23), due(25)], [false, false, true]);
    }
}
