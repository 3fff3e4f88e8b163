//! What the user lets an agent do for a while: one list for all projects, because the user says it wherever they are.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Allowance, SessionId, Signature, time};
use serde_json::{Value as Json, json};

use crate::{Lock, Machine, Project, atomic, files, sha256};

/// How long one holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// For these seconds.
    For(u64),
    /// For the first call that needs it, within a day.
    Once,
    Session(SessionId),
    /// In this project, until it is taken back.
    Project,
}

const DAY: u64 = 24 * 3600;

/// One as it is listed.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: String,
    pub text: String,
    /// Where the command starts.
    pub cwd: PathBuf,
    /// How long it holds, in words.
    pub holds: String,
}

fn file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("allowances.json")
}

fn all(machine: &Machine) -> Vec<Json> {
    files::read_json(&file(machine))
        .and_then(|json| json["allowances"].as_array().cloned())
        .unwrap_or_default()
}

/// Changes the list under a lock; what is over goes.
fn change(machine: &Machine, by: impl FnOnce(&mut Vec<Json>)) -> io::Result<()> {
    let file = file(machine);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut list = all(machine);
    by(&mut list);
    list.retain(|one| holds(one, machine.now()));
    atomic::write(&file, format!("{:#}\n", json!({"allowances": list})).as_bytes())
}

/// Whether its time is not over. One that begins in the future was given by a clock that has been set back.
fn holds(one: &Json, now: u64) -> bool {
    let ahead = one["from"].as_u64().is_none_or(|from| time::is_ahead(from, now));
    !ahead && one["until"].as_u64().is_none_or(|until| now < until)
}

/// Records one, and gives its id. The same once more takes the place of the one before.
pub fn add(
    machine: &Machine,
    project: &Project,
    text: &str,
    cwd: &Path,
    signature: &Signature,
    span: &Span,
) -> io::Result<String> {
    let now = machine.now();
    let id = sha256(format!("{text}\n{}\n{span:?}\n{now}", cwd.display()).as_bytes()).first(6).to_owned();
    let mut one = json!({
        "id": id,
        "text": text,
        "cwd": cwd,
        "from": now,
        "calls": signature.calls,
        "besides": signature.besides,
    });
    match span {
        Span::For(seconds) => one["until"] = (now + seconds).into(),
        Span::Once => {
            one["once"] = true.into();
            one["until"] = (now + DAY).into();
        }
        Span::Session(session) => one["session"] = session.as_str().into(),
        Span::Project => one["project"] = project.root.to_string_lossy().into(),
    }
    change(machine, |list| {
        list.retain(|known| known["calls"] != one["calls"] || known["cwd"] != one["cwd"]);
        list.push(one);
    })?;
    Ok(id)
}

/// Takes one back by its id or its text, or all of them. Gives how many.
pub fn revoke(machine: &Machine, which: Option<&str>) -> io::Result<usize> {
    let mut gone = 0;
    change(machine, |list| {
        let before = list.len();
        list.retain(|one| which.is_some_and(|which| one["id"] != which && one["text"] != which));
        gone = before - list.len();
    })?;
    Ok(gone)
}

/// How long the hooks of one call may take to ask.
const SAME_CALL: u64 = 120;

/// One was used: it goes, if that was all it was for. For the call that has used it, it still counts for a while.
pub(crate) fn spend(machine: &Machine, id: &str, call: Option<&str>) -> io::Result<()> {
    if !all(machine).iter().any(|one| one["id"] == id && one["once"] == true && one["spent"].is_null()) {
        return Ok(());
    }
    change(machine, |list| match call {
        None => list.retain(|one| one["id"] != id),
        Some(call) => {
            for one in list.iter_mut().filter(|one| one["id"] == id) {
                one["spent"] = call.into();
                one["until"] = (machine.now() + SAME_CALL).into();
            }
        }
    })
}

/// Those that count for this session in this project.
pub(crate) fn in_force(machine: &Machine, project: &Project, session: &SessionId) -> Vec<Allowance> {
    let root = project.root.to_string_lossy();
    let now = machine.now();
    let fits = |one: &&Json| {
        holds(one, now)
            && one["session"].as_str().is_none_or(|known| known == session.as_str() && session.is_known())
            && one["project"].as_str().is_none_or(|known| known == root)
    };
    all(machine).iter().filter(fits).map(read).collect()
}

fn read(one: &Json) -> Allowance {
    let texts = |key: &str| {
        let list = one[key].as_array().into_iter().flatten();
        list.filter_map(Json::as_str).map(str::to_owned).collect()
    };
    Allowance {
        id: one["id"].as_str().unwrap_or_default().to_owned(),
        text: one["text"].as_str().unwrap_or_default().to_owned(),
        signature: Signature { calls: texts("calls"), besides: texts("besides") },
        once: one["once"] == true,
        spent: one["spent"].as_str().map(str::to_owned),
    }
}

/// All that hold, for `status` and `allow --list`.
pub fn list(machine: &Machine) -> Vec<Entry> {
    let now = machine.now();
    let entry = |one: &Json| {
        let left = one["until"].as_u64().map(|until| until.saturating_sub(now));
        let holds = match (one["once"] == true, one["session"].as_str(), one["project"].as_str(), left) {
            (true, ..) => "once".to_owned(),
            (_, Some(session), ..) => format!("in session {session}"),
            (_, _, Some(project), _) => format!("in {project}, until it is taken back"),
            (_, _, _, left) => format!("for {} s more", left.unwrap_or(0)),
        };
        Entry {
            id: one["id"].as_str().unwrap_or_default().to_owned(),
            text: one["text"].as_str().unwrap_or_default().to_owned(),
            cwd: one["cwd"].as_str().unwrap_or_default().into(),
            holds,
        }
    };
    all(machine).iter().filter(|one| holds(one, now) && one["spent"].is_null()).map(entry).collect()
}
