//! The names that git would give to the contents of files. Mostly those of the bytes that lie there. But line ends, filters and encodings
//! are changed on the way into a commit where the repository says so, and then git itself is asked.

use std::collections::BTreeMap;
use std::path::Path;

use sha1::{Digest as _, Sha1};

use super::tree::as_path;
use crate::{Machine, files, git, identity, sha256};

/// In front of a name whose content has line ends that git may change.
const CRLF: &str = "crlf:";

/// The names of the contents of those of these files below `root` that count. Files that are not there are left out.
pub(super) fn ids(
    machine: &Machine,
    root: &Path,
    names: Vec<Vec<u8>>,
    counts: impl Fn(&[u8]) -> bool,
) -> BTreeMap<Vec<u8>, String> {
    let repository = git::Repository::find(root);
    let rules = repository.as_ref().and_then(|repository| Rules::read(machine, repository, root, &names));
    let mut cache = identity::Cache::open(machine, root, "source");
    let mut all = BTreeMap::new();
    let mut unsure = Vec::new();
    for name in names.into_iter().filter(|name| counts(name)) {
        let path = root.join(as_path(name.clone()));
        // A file in the index that is gone from disk is not part of what is tested.
        let Some(id) = cache.get(&path, raw_id) else { continue };
        let plain = id.strip_prefix(CRLF);
        if repository.is_some() && (plain.is_some() || rules.is_some()) && !name.contains(&b'\n') {
            unsure.push(name.clone());
        }
        all.insert(name, plain.unwrap_or(&id).to_owned());
    }
    cache.save();
    unsure.retain(|name| !root.join(as_path(name.clone())).is_symlink());
    match rules {
        Some(rules) => rules.ask(machine, root, &unsure, &mut all),
        None => ask(root, &unsure, &mut all),
    }
    all
}

/// Takes over what git says to these. Where it cannot tell, they count as they lie there.
fn ask(root: &Path, names: &[Vec<u8>], all: &mut BTreeMap<Vec<u8>, String>) {
    if names.is_empty() {
        return;
    }
    let words: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    if let Ok(ids) = git::stored_ids(root, &words) {
        all.extend(names.iter().cloned().zip(ids));
    }
}

/// What a repository says about filters and encodings.
struct Rules {
    /// Changes with what they say.
    mark: String,
}

impl Rules {
    /// Words without which attributes name neither a filter nor an encoding.
    const WORDS: &[&str] = &["filter", "ident", "working-tree-encoding", "[attr]", "attributesfile"];

    /// `None` where there are none, which is so for most repositories.
    fn read(machine: &Machine, repository: &git::Repository, root: &Path, names: &[Vec<u8>]) -> Option<Self> {
        const FILE: &str = ".gitattributes";
        let text = |path: &Path| files::read(path).ok().flatten();
        let above = root.ancestors().skip(1).take_while(|dir| dir.starts_with(&repository.root));
        let below = names.iter().filter(|name| name.ends_with(FILE.as_bytes()));
        let home = machine.home();
        let own = home.iter().flat_map(|home| [home.join(".config/git/attributes"), home.join(".gitconfig")]);
        let places =
            below.map(|name| root.join(as_path(name.clone()))).chain(above.map(|dir| dir.join(FILE)));
        let places = places.chain([repository.common_dir.join("info/attributes")]).chain(own);
        let found: Vec<String> = places
            .filter_map(|place| text(&place))
            .filter(|text| {
                let text = text.to_ascii_lowercase();
                Self::WORDS.iter().any(|word| text.contains(word))
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let config = text(&repository.common_dir.join("config")).unwrap_or_default();
        let mark = sha256(format!("{config}\0{}", found.join("\0")).as_bytes());
        Some(Self { mark: mark.short().to_owned() })
    }

    /// Asks about those that have changed since they were asked about under the same rules.
    fn ask(&self, machine: &Machine, root: &Path, names: &[Vec<u8>], all: &mut BTreeMap<Vec<u8>, String>) {
        let mut cache = identity::Cache::open(machine, root, &format!("stored-{}", self.mark));
        let mut open = Vec::new();
        for name in names {
            match cache.known(&root.join(as_path(name.clone()))) {
                Some(id) => drop(all.insert(name.clone(), id)),
                None => open.push(name.clone()),
            }
        }
        ask(root, &open, all);
        for name in &open {
            if let Some(id) = all.get(name) {
                cache.keep(&root.join(as_path(name.clone())), id);
            }
        }
        cache.save();
    }
}

/// The name of a file's bytes as git keeps them: of a link, where it leads.
fn raw_id(path: &Path) -> Option<String> {
    let bytes = match std::fs::read_link(path) {
        Ok(target) => target.as_os_str().as_encoded_bytes().to_vec(),
        Err(_) => files::read_bytes(path).ok()?,
    };
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(&bytes);
    let id: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    Some(if crlf { format!("{CRLF}{id}") } else { id })
}

#[cfg(test)]
mod tests {
    use super::super::tree::{hash, of_commit, tree_hash};
    use super::*;
    use machine::testing::{git as run, repo};

    /// Writes, hashes, commits, and hashes again: in the work tree and in the commit.
    fn agree(name: &str, text: &[u8], config: &[(&str, &str)], attributes: &str) -> bool {
        let (_guard, root) = repo();
        let state = root.join(".git/state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &root);
        for (key, value) in config {
            run(&root, &["config", key, value]);
        }
        std::fs::write(root.join(".gitattributes"), attributes).unwrap();
        std::fs::write(root.join(name), text).unwrap();
        let before = tree_hash(&machine, &root).unwrap();
        run(&root, &["add", "-A"]);
        run(&root, &["commit", "-qm", "x"]);
        let after = tree_hash(&machine, &root).unwrap();
        let repository = git::Repository::find(&root).unwrap();
        let stored = hash(&of_commit(&repository, "HEAD", "").unwrap());
        assert_eq!(before == stored, after == stored, "committing changes nothing");
        before == stored
    }

    #[test]
    fn line_ends_are_those_of_the_commit() {
        let text = b"x = 1\r\ny = 2\r\n";
        assert!(agree("a.py", text, &[], ""));
        assert!(agree("a.py", text, &[("core.autocrlf", "true")], ""));
        assert!(agree("a.py", text, &[("core.autocrlf", "input")], ""));
        assert!(agree("a.py", text, &[], "*.py text eol=crlf\n"));
        assert!(agree("a.py", text, &[], "*.py -text\n"));
        assert!(agree("a.py", b"x = 1\n", &[("core.autocrlf", "true")], "* text=auto\n"));
    }

    #[test]
    fn the_filter_of_a_clone_does_not_run() {
        let (guard, _) = repo();
        let mark = guard.path().join("mark");
        let evil = format!("touch '{}'; cat", mark.display());
        let (_guard, root) = repo();
        let state = root.join(".git/state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &root);
        run(&root, &["config", "filter.evil.clean", &evil]);
        std::fs::write(root.join(".gitattributes"), "*.py filter=evil\n").unwrap();
        std::fs::write(root.join("a.py"), "x = 1\r\n").unwrap();
        tree_hash(&machine, &root).unwrap();
        assert!(!mark.exists(), "the filter of a clone ran");
        assert!(agree("a.py", b"x = '$Id: 1 $'\n", &[], "*.py ident\n"));
        assert!(agree("a.py", b"x = 1\n", &[], "*.py filter=lfs diff=lfs merge=lfs -text\n"));
    }

    #[test]
    fn what_is_kept_is_asked_for_again_when_the_rules_are_others() {
        let (_guard, root) = repo();
        let state = root.join(".git/state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &root);
        std::fs::write(root.join("a.py"), "x = '$Id: 1 $'\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(60));
        let plain = tree_hash(&machine, &root).unwrap();
        std::fs::write(root.join(".gitattributes"), "*.py ident\n").unwrap();
        let ident = tree_hash(&machine, &root).unwrap();
        assert_ne!(ident, plain);
        assert_eq!(tree_hash(&machine, &root).unwrap(), ident);
        std::fs::remove_file(root.join(".gitattributes")).unwrap();
        assert_eq!(tree_hash(&machine, &root).unwrap(), plain);
    }
}
