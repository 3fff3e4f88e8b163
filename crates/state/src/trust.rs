//! What the person has allowed a project's own files to do, by a hash of exactly that.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::{Lock, Machine, Project, atomic, files, sha256};

fn file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("trust.json")
}

/// The keys in a fixed order, so that moving them in the file changes nothing.
fn fingerprint(bound: &Map<String, Json>) -> String {
    let mut entries: Vec<_> = bound.iter().collect();
    entries.sort_by_key(|(key, _)| key.as_str());
    sha256(json!(entries).to_string().as_bytes())
}

fn read(machine: &Machine) -> Map<String, Json> {
    files::read_object(&file(machine))
}

pub fn is_trusted(machine: &Machine, project: &Project, bound: &Map<String, Json>) -> bool {
    let root = project.root.to_string_lossy();
    read(machine).get(root.as_ref()).is_some_and(|entry| entry["hash"] == fingerprint(bound).as_str())
}

/// The same for the project's commands, which are a list of their own: they are looked at only when one of them is to run. Each is
/// trusted by itself, because a project has several files that name some.
pub fn is_trusted_commands(machine: &Machine, project: &Project, bound: &Map<String, Json>) -> bool {
    let known = recorded_commands(machine, project).unwrap_or_default();
    bound.iter().all(|(name, command)| known.get(name) == Some(command))
}

pub fn recorded_commands(machine: &Machine, project: &Project) -> Option<Map<String, Json>> {
    read(machine).get(&commands_key(project))?.get("values")?.as_object().cloned()
}

/// Besides those that were trusted before, in whichever file.
pub fn add_commands(machine: &Machine, project: &Project, bound: &Map<String, Json>) -> io::Result<()> {
    change(machine, |trusted| {
        let key = commands_key(project);
        let known = trusted.get(&key).and_then(|entry| entry["values"].as_object().cloned());
        let mut values = known.unwrap_or_default();
        values.extend(bound.clone());
        trusted.insert(key, entry(machine, &values));
    })
}

fn commands_key(project: &Project) -> String {
    format!("commands of {}", project.root.display())
}

/// What was trusted last, for showing what is new.
pub fn recorded(machine: &Machine, project: &Project) -> Option<Map<String, Json>> {
    let root = project.root.to_string_lossy();
    read(machine).get(root.as_ref())?.get("values")?.as_object().cloned()
}

pub fn add(machine: &Machine, project: &Project, bound: &Map<String, Json>) -> io::Result<()> {
    insert(machine, project.root.to_string_lossy().into_owned(), bound)
}

fn insert(machine: &Machine, key: String, bound: &Map<String, Json>) -> io::Result<()> {
    change(machine, |trusted| {
        trusted.insert(key, entry(machine, bound));
    })
}

fn entry(machine: &Machine, values: &Map<String, Json>) -> Json {
    json!({
        "hash": fingerprint(values),
        "trusted_at": model::time::rfc3339(machine.now()),
        "values": values,
    })
}

pub fn revoke(machine: &Machine, project: &Project) -> io::Result<()> {
    change(machine, |trusted| {
        trusted.shift_remove(project.root.to_string_lossy().as_ref());
        trusted.shift_remove(&commands_key(project));
    })
}

fn change(machine: &Machine, edit: impl FnOnce(&mut Map<String, Json>)) -> io::Result<()> {
    let file = file(machine);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut trusted = read(machine);
    edit(&mut trusted);
    atomic::write(&file, format!("{:#}\n", Json::Object(trusted)).as_bytes())
}
