//! `~/.claude/worktree-state.json`: which work trees there are, by the agent's name. Where two repositories have an agent of the same
//! name, the second is called `name@` and a mark of its repository, so that those who know only the names still read the first.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use super::{Worktree, mark};
use crate::git::Repository;
use crate::{Lock, Machine, atomic, files};

fn file(machine: &Machine) -> io::Result<PathBuf> {
    let home = machine.home().ok_or_else(|| io::Error::other("there is no home directory"))?;
    Ok(home.join(".claude/worktree-state.json"))
}

/// The whole file, with what others have put there. What is broken is an error: an empty list would have work trees made in the place
/// of others, and taken for left behind.
fn read(machine: &Machine) -> io::Result<Map<String, Json>> {
    let file = file(machine)?;
    let Some(text) = files::read(&file)?.filter(|text| !text.trim().is_empty()) else {
        return Ok(Map::new());
    };
    let broken = |why: &str| {
        let (file, hint) = (file.display(), "`plimsoll worktree create` puts it aside and begins a new one");
        io::Error::new(io::ErrorKind::InvalidData, format!("{file} cannot be read: {why}; {hint}"))
    };
    match serde_json::from_str::<Json>(&text) {
        Ok(Json::Object(all)) => match all.get("worktrees") {
            None | Some(Json::Object(_)) => Ok(all),
            Some(_) => Err(broken("`worktrees` is not an object")),
        },
        Ok(_) => Err(broken("it is not an object")),
        Err(error) => Err(broken(&error.to_string())),
    }
}

/// All that are known, by the name that they have in the file.
pub fn all(machine: &Machine) -> io::Result<BTreeMap<String, Worktree>> {
    let all = read(machine)?;
    let entries = all.get("worktrees").and_then(Json::as_object).into_iter().flatten();
    let one = |(key, entry): (&String, &Json)| {
        let text = |key: &str| entry[key].as_str().map(str::to_owned);
        let path = PathBuf::from(text("path")?);
        let mut main_repo = PathBuf::from(text("main_repo")?);
        // Others have written it relative to wherever they were.
        if main_repo.is_relative()
            && let Some(found) = Repository::find(&path).filter(|found| found.root == path)
        {
            main_repo = found.main_root();
        }
        let found = Worktree {
            agent: text("agent_id").unwrap_or_else(|| key.clone()),
            branch: text("branch")?,
            base_commit: text("base_commit").unwrap_or_default(),
            created_at: text("created_at").unwrap_or_default(),
            main_repo: files::resolve(&main_repo),
            path,
        };
        Some((key.clone(), found))
    };
    Ok(entries.filter_map(one).collect())
}

pub(super) fn add(machine: &Machine, one: &Worktree) -> io::Result<()> {
    change(machine, |entries| {
        let mut entry = json!({
            "path": one.path, "branch": one.branch, "main_repo": one.main_repo,
            "base_commit": one.base_commit, "created_at": one.created_at,
        });
        let mut key = one.agent.clone();
        if entries.contains_key(&key) {
            key = format!("{key}@{}", mark(&one.main_repo));
            entry["agent_id"] = one.agent.as_str().into();
        }
        entries.insert(key, entry);
    })
}

pub(super) fn remove(machine: &Machine, key: &str) -> io::Result<()> {
    change(machine, |entries| {
        entries.shift_remove(key);
    })
}

fn change(machine: &Machine, edit: impl FnOnce(&mut Map<String, Json>)) -> io::Result<()> {
    let file = file(machine)?;
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut all = read(machine)?;
    if let Json::Object(entries) = all.entry("worktrees").or_insert_with(|| json!({})) {
        edit(entries);
    }
    atomic::write(&file, format!("{:#}\n", Json::Object(all)).as_bytes())
}

/// A list that cannot be read is kept beside its place, so that a new one can begin. Says what was wrong and where it is now.
pub fn put_aside(machine: &Machine) -> io::Result<Option<String>> {
    let file = file(machine)?;
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let Err(why) = read(machine) else { return Ok(None) };
    if why.kind() != io::ErrorKind::InvalidData {
        return Err(why);
    }
    let aside = file.with_file_name(format!("worktree-state.broken-{}.json", machine.now()));
    std::fs::rename(&file, &aside)?;
    Ok(Some(format!("{why}; it is {} now", aside.display())))
}
