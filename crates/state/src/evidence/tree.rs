//! One hash for the source of a tree, whether it lies in a folder or in a commit: names, and contents as git names them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use model::source;
use sha2::{Digest as _, Sha256};

use super::stored;
use crate::{Machine, files, git};

/// Source files by their names below a root, with the names of their contents.
pub(crate) type Sources = BTreeMap<Vec<u8>, String>;

/// What counts: source, wherever it lies, but not what an agent keeps for itself.
fn counts(name: &[u8]) -> bool {
    let path = as_path(name.to_vec());
    source::is_source(&path) && !path.iter().any(|part| part == ".claude")
}

/// The hash of all source below `root`, committed or not. In a repository what git ignores does not count, because tests may write
/// there.
pub fn tree_hash(machine: &Machine, root: &Path) -> io::Result<String> {
    Ok(hash(&sources(machine, root)?))
}

pub(crate) fn hash(sources: &Sources) -> String {
    let mut all = Sha256::new();
    for (name, id) in sources {
        all.update(name);
        all.update([0]);
        all.update(id.as_bytes());
        all.update([0]);
    }
    all.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sources(machine: &Machine, root: &Path) -> io::Result<Sources> {
    let names: Vec<Vec<u8>> = if git::Repository::find(root).is_some() {
        git::listed(root)?
    } else {
        let paths = files::find_below(root, source::is_source);
        paths
            .iter()
            .filter_map(|path| path.strip_prefix(root).ok())
            .map(|path| path.as_os_str().as_encoded_bytes().to_vec())
            .collect()
    };
    Ok(stored::ids(machine, root, names, counts))
}

/// The source in a commit, below `prefix` (empty, or with a slash at its end). `None` where that cannot be told.
pub(crate) fn of_commit(repository: &git::Repository, version: &str, prefix: &str) -> Option<Sources> {
    let files = git::version_files(repository, version).ok()??;
    let below = files.into_iter().filter_map(|(name, id)| {
        let name = name.strip_prefix(prefix.as_bytes())?.to_vec();
        counts(&name).then_some((name, id))
    });
    Some(below.collect())
}

/// The source after both sides of a merge are brought together; `None` where both have changed the same file in their own way.
pub(crate) fn merged(base: &Sources, ours: &Sources, theirs: &Sources) -> Option<Sources> {
    let mut all = Sources::new();
    let names: std::collections::BTreeSet<&Vec<u8>> =
        base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
    for name in names {
        let (before, here, there) = (base.get(name), ours.get(name), theirs.get(name));
        let after = match () {
            () if here == there || there == before => here,
            () if here == before => there,
            () => return None,
        };
        if let Some(id) = after {
            all.insert(name.clone(), id.clone());
        }
    }
    Some(all)
}

#[cfg(unix)]
pub(super) fn as_path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
pub(super) fn as_path(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::testing::{commit, git, repo};

    #[test]
    fn a_folder_and_its_commit_have_one_hash() {
        let (_guard, root) = repo();
        let state = root.join(".git/state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &root);
        commit(&root, "a.py", "1");
        std::fs::create_dir_all(root.join("pkg")).unwrap();
        commit(&root, "pkg/b.rs", "fn b() {}\n");
        commit(&root, "README.md", "x");
        let repository = git::Repository::find(&root).unwrap();
        let in_commit = |version: &str| hash(&of_commit(&repository, version, "").unwrap());
        assert_eq!(tree_hash(&machine, &root).unwrap(), in_commit("HEAD"));
        assert_ne!(in_commit("HEAD"), in_commit("HEAD~2"));
        git(&root, &["gc", "-q"]);
        assert_eq!(tree_hash(&machine, &root).unwrap(), in_commit("HEAD"));
        let below = hash(&of_commit(&repository, "HEAD", "pkg/").unwrap());
        assert_eq!(tree_hash(&machine, &root.join("pkg")).unwrap(), below);
    }

    #[test]
    fn sides_are_brought_together_file_by_file() {
        let of = |files: &[(&str, &str)]| -> Sources {
            files.iter().map(|(name, id)| (name.as_bytes().to_vec(), (*id).to_owned())).collect()
        };
        let base = of(&[("a.py", "1"), ("b.py", "1"), ("c.py", "1")]);
        let ours = of(&[("a.py", "2"), ("b.py", "1"), ("c.py", "1"), ("d.py", "1")]);
        let theirs = of(&[("a.py", "1"), ("b.py", "3")]);
        assert_eq!(merged(&base, &ours, &theirs), Some(of(&[("a.py", "2"), ("b.py", "3"), ("d.py", "1")])));
        assert_eq!(merged(&base, &ours, &of(&[("a.py", "3")])), None);
    }
}
