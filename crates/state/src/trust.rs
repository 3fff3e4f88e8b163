//! What the user has allowed a project to do: values of its config and commands by their exact text, files by their exact
//! content, and its own tools, which are code and so are trusted as a whole.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::git::Repository;
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

/// Whether the tools of the project that `folder` lies in may run: its linters, its tests, everything that is code of its own. Yes
/// where the user said so for this folder or one around it in the same repository, or for the main work tree of a linked one. A
/// repository within a trusted folder is another project, unless it is a submodule or a work tree of the one around it.
pub fn tools_may_run(machine: &Machine, folder: &Path) -> bool {
    let trusted = read(machine);
    if trusted.is_empty() {
        return false;
    }
    let folder = files::resolve(folder);
    let known = |dir: &Path| trusted.contains_key(&tools_key(dir));
    let Some(repository) = Repository::find(&folder) else {
        // All kinds of things lie below a home: that it is trusted says nothing about them.
        let home = machine.home().map(|home| files::resolve(&home)).unwrap_or_default();
        return folder.ancestors().any(|dir| known(dir) && (dir == folder || !home.starts_with(dir)));
    };
    let within = |repository: &Repository, dir: &Path| {
        dir.ancestors().take_while(|dir| dir.starts_with(&repository.root)).any(known)
    };
    if within(&repository, &folder) {
        return true;
    }
    // What a folder says of itself is not enough: the other side must know it too.
    let around = repository.root.parent().and_then(Repository::find);
    let mut others =
        around.into_iter().chain(repository.is_linked_worktree().then(|| repository.main()).flatten());
    others.any(|other| other.owns(&repository) && within(&other, &other.root))
}

/// Lets them run from now on.
pub fn allow_tools(machine: &Machine, project: &Project) -> io::Result<()> {
    let at = model::time::rfc3339(machine.now());
    change(machine, |trusted| {
        trusted.insert(tools_key(&files::resolve(&project.root)), json!({ "trusted_at": at }));
    })
}

fn tools_key(root: &Path) -> String {
    format!("tools of {}", root.display())
}

/// Whether a file of the project has exactly the content that the user trusted.
pub fn is_trusted_file(machine: &Machine, project: &Path, file: &Path, content: &[u8]) -> bool {
    let trusted = read(machine);
    let known =
        trusted.get(&files_key(project)).and_then(|entry| entry["values"].get(&*file.to_string_lossy()));
    known.is_some_and(|hash| *hash == sha256(content).as_str())
}

/// Trusts a file as it is now, beside those that were trusted before.
pub fn add_file(machine: &Machine, project: &Path, file: &Path, content: &[u8]) -> io::Result<()> {
    change(machine, |trusted| {
        let key = files_key(project);
        let known = trusted.get(&key).and_then(|entry| entry["values"].as_object().cloned());
        let mut values = known.unwrap_or_default();
        values.insert(file.to_string_lossy().into_owned(), sha256(content).into());
        trusted.insert(key, entry(machine, &values));
    })
}

fn files_key(project: &Path) -> String {
    format!("files of {}", project.display())
}

/// Takes back everything that was trusted of this project.
pub fn revoke(machine: &Machine, project: &Project) -> io::Result<()> {
    change(machine, |trusted| {
        trusted.shift_remove(project.root.to_string_lossy().as_ref());
        trusted.shift_remove(&commands_key(project));
        trusted.shift_remove(&tools_key(&files::resolve(&project.root)));
        trusted.shift_remove(&files_key(&project.root));
    })
}

fn change(machine: &Machine, edit: impl FnOnce(&mut Map<String, Json>)) -> io::Result<()> {
    let file = file(machine);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut trusted = read(machine);
    edit(&mut trusted);
    atomic::write(&file, format!("{:#}\n", Json::Object(trusted)).as_bytes())
}
