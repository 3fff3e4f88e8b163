//! What the user has allowed a project to do: values of its config and commands by their exact text, files by their exact
//! content, and its own tools, which are code and so are trusted as a whole.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::ContentHash;
use serde_json::{Map, Value as Json, json};

use crate::git::Repository;
use crate::{Lock, Machine, Project, atomic, files, sha256};

pub(crate) fn file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("trust.json")
}

/// The keys in a fixed order, so that moving them in the file changes nothing.
fn fingerprint(bound: &Map<String, Json>) -> ContentHash {
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

/// Rules of the project that the user lets count although they allow, rewrite or speak to the model: their ids, and each as it was then.
pub fn recorded_rules(machine: &Machine, project: &Project) -> Map<String, Json> {
    let known = read(machine).get(&rules_key(project)).and_then(|entry| entry["values"].as_object().cloned());
    known.unwrap_or_default()
}

/// Exactly these from now on.
pub fn set_rules(machine: &Machine, project: &Project, rules: &Map<String, Json>) -> io::Result<()> {
    insert(machine, rules_key(project), rules)
}

fn rules_key(project: &Project) -> String {
    format!("rules of {}", project.root.display())
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
        "hash": fingerprint(values).as_str(),
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
        trusted.shift_remove(&rules_key(project));
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

#[cfg(test)]
mod tests {
    use super::*;
    use machine::testing::{commit, git, repo};

    /// A trusted repository, and whether the tools of folders in and beside it may run.
    #[test]
    fn trust_is_for_a_project_and_what_belongs_to_it() {
        let (_guard, root) = repo();
        let (_other, other) = repo();
        commit(&root, "a", "1");
        commit(&other, "b", "2");
        let state = tempfile::tempdir().unwrap();
        let state = state.path().to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state), ("HOME", "/no/home")], &root);
        let project = Project::at(&machine, root.clone());
        let may = |dir: &Path| tools_may_run(&machine, dir);
        assert!(!may(&root));
        allow_tools(&machine, &project).unwrap();

        let from = other.to_string_lossy().into_owned();
        git(&root, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, "part"]);
        git(&root, &["worktree", "add", "-q", "-b", "side", "trees/side"]);
        git(&root, &["init", "-q", "clone"]);
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        // Folders that claim to belong to it.
        for (name, text) in [
            ("forged", format!("gitdir: {}/.git/worktrees/side\n", root.display())),
            ("claimed", format!("gitdir: {}/.git/modules/part\n", root.display())),
            ("same", format!("gitdir: {}/.git\n", root.display())),
        ] {
            let dir = other.join(name);
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join(".git"), text).unwrap();
        }
        for (dir, expected) in [
            (root.clone(), true),
            (root.join("src/deep"), true),
            (root.join("not/there/yet"), true),
            (root.join("part"), true),
            (root.join("trees/side"), true),
            (root.join("clone"), false),
            (other.clone(), false),
            (other.join("forged"), false),
            (other.join("claimed"), false),
            (other.join("same"), false),
            (root.parent().unwrap().to_owned(), false),
        ] {
            assert_eq!(may(&dir), expected, "{}", dir.display());
        }
        revoke(&machine, &project).unwrap();
        assert!(!may(&root) && !may(&root.join("part")));
    }

    #[test]
    fn outside_a_repository_it_is_for_a_folder_and_a_home_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["state", "home/unpacked", "plain/src"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        let text = |name: &str| base.join(name).to_string_lossy().into_owned();
        let (state, home) = (text("state"), text("home"));
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state), ("HOME", &home)], &base);
        for name in ["plain", "home"] {
            allow_tools(&machine, &Project::at(&machine, base.join(name))).unwrap();
        }
        for (name, expected) in
            [("plain/src", true), ("home", true), ("home/unpacked", false), ("state", false)]
        {
            assert_eq!(tools_may_run(&machine, &base.join(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_file_is_trusted_by_its_content() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], dir.path());
        let (project, file) = (Path::new("/p"), Path::new("/p/settings.json"));
        assert!(!is_trusted_file(&machine, project, file, b"{}"));
        add_file(&machine, project, file, b"{}").unwrap();
        assert!(is_trusted_file(&machine, project, file, b"{}"));
        assert!(!is_trusted_file(&machine, project, file, b"{} "));
        assert!(!is_trusted_file(&machine, project, Path::new("/p/other.json"), b"{}"));
        assert!(!is_trusted_file(&machine, Path::new("/q"), file, b"{}"));
    }
}
