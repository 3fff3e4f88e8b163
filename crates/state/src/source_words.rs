//! What the source files of a project say about one subject.
//!
//! Reading every file of a large project at each stop takes too long, and so does a look at each. What git's index proves to be as it was
//! committed need not be looked at again: the answer for a tree is kept, and only what may differ from it is read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use model::{Digest, source};

use crate::{Machine, Project, atomic, files, git, identity};

/// What the source files of the project say, sorted by their paths.
pub(crate) fn digests(machine: &Machine, project: &Project, digest: &Digest) -> Vec<(PathBuf, String)> {
    let name = digest.name;
    let root = &project.root;
    let Some(glance) = git::glance(machine, root) else {
        return among(machine, root, digest, &format!("all-{name}"), sources(root, ""));
    };
    let file = project.records.join(format!("tree-{name}"));
    let kept = files::read(&file).ok().flatten().and_then(|text| Kept::parse(&text));
    if let Some(kept) = kept.filter(|kept| kept.tree == glance.tree) {
        let open: BTreeSet<&str> = glance.differs.iter().chain(&kept.open).map(String::as_str).collect();
        let looked = open.iter().flat_map(|path| sources(root, path)).collect();
        let mut found = among(machine, root, digest, &format!("differs-{name}"), looked);
        let settled = kept.found.iter().filter(|(path, _)| !covers(&open, path));
        found.extend(settled.map(|(path, said)| (root.join(path), said.clone())));
        found.sort();
        found.dedup();
        return found;
    }
    let found = among(machine, root, digest, &format!("all-{name}"), sources(root, ""));
    let open: BTreeSet<&str> = glance.differs.iter().map(String::as_str).collect();
    let mut kept = Kept { tree: glance.tree.clone(), found: Vec::new(), open: glance.differs.clone() };
    for (path, said) in &found {
        let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
        if name.contains(['\n', '\t']) {
            kept.open.push(name.to_owned());
        } else if !covers(&open, name) {
            kept.found.push((name.to_owned(), said.clone()));
        }
    }
    // A name that no line can hold: nothing is kept, and all is read again by identity. What cannot be written is only slower.
    if !kept.open.iter().any(|path| path.contains('\n')) {
        let _ = atomic::write_cache(&file, kept.text().as_bytes());
    }
    found
}

/// What was found when the last commit had this tree.
struct Kept {
    tree: String,
    /// Files as they are in the tree, and what they say.
    found: Vec<(String, String)>,
    /// Paths that differed from it, so that nothing is known about them.
    open: Vec<String>,
}

impl Kept {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut kept = Self { tree: lines.next()?.to_owned(), found: Vec::new(), open: Vec::new() };
        for line in lines {
            match line.split_at_checked(1)? {
                ("+", line) => {
                    let (path, said) = line.split_once('\t')?;
                    kept.found.push((path.to_owned(), said.to_owned()));
                }
                ("?", path) => kept.open.push(path.to_owned()),
                _ => return None,
            }
        }
        Some(kept)
    }

    fn text(&self) -> String {
        let found = self.found.iter().map(|(path, said)| format!("+{path}\t{said}\n"));
        let open = self.open.iter().map(|path| format!("?{path}\n"));
        format!("{}\n{}", self.tree, found.chain(open).collect::<String>())
    }
}

/// Whether one of the paths is this file or a folder above it.
fn covers(paths: &BTreeSet<&str>, file: &str) -> bool {
    let above = file.match_indices('/').map(|(at, _)| &file[..at]);
    above.chain([file]).any(|path| paths.contains(path))
}

/// The source files at or below a path of the project.
fn sources(root: &Path, below: &str) -> Vec<PathBuf> {
    let path = root.join(below);
    let Ok(meta) = path.symlink_metadata() else { return Vec::new() };
    // Of a file the folders above it count, of a folder its own name too.
    let inside = if meta.is_dir() { Path::new(below).join("-") } else { PathBuf::from(below) };
    if files::is_passed_over(&inside) {
        Vec::new()
    } else if meta.is_dir() {
        files::find_below(&path, source::is_source)
    } else {
        Vec::from_iter(Some(path).filter(|path| meta.is_file() && source::is_source(path)))
    }
}

/// What these files say, as far as they say anything; what was read before is kept under the name `subject`.
fn among(
    machine: &Machine,
    root: &Path,
    digest: &Digest,
    subject: &str,
    mut paths: Vec<PathBuf>,
) -> Vec<(PathBuf, String)> {
    paths.sort();
    let mut cache = identity::Cache::open(machine, root, subject);
    let mut found = Vec::new();
    for path in paths {
        let said = cache.get(&path, |path| {
            let said = (digest.of)(&files::read(path).ok().flatten()?);
            Some(said.unwrap_or_default())
        });
        if let Some(said) = said.filter(|said| !said.is_empty()) {
            found.push((path, said));
        }
    }
    cache.save();
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use machine::testing::{git, repo};

    fn asked(root: &Path) -> Vec<String> {
        let state = root.join(".git/state").to_string_lossy().into_owned();
        // A machine lives for one event.
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], root);
        let project = Project::at(&machine, root.to_owned());
        project.note().unwrap();
        let of = |text: &str| text.split_once("@decision ").map(|(_, id)| id.trim().to_owned());
        let found = digests(&machine, &project, &Digest { name: "test", of });
        let shown = |(path, said): &(PathBuf, String)| {
            assert!(fs::read_to_string(path).unwrap().contains(said), "as it is now");
            path.strip_prefix(root).unwrap().to_string_lossy().into_owned()
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn what_changes_is_read_again_whatever_is_kept() {
        let (_guard, root) = repo();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let then = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
            fs::File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
        };
        write("a.py", "# @decision A");
        write("lib/b.py", "plain");
        write("lib/c.py", "# @decision C");
        write("lib/notes.txt", "@decision");
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-q", "-m", "first"]);
        assert_eq!(asked(&root), ["a.py", "lib/c.py"]);
        assert_eq!(asked(&root), ["a.py", "lib/c.py"], "from what is kept");

        write("lib/b.py", "# @decision B");
        write("a.py", "nothing");
        write("new/d.py", "# @decision D");
        write("node_modules/e.js", "// @decision E");
        assert_eq!(asked(&root), ["lib/b.py", "lib/c.py", "new/d.py"]);
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-q", "-m", "second"]);
        assert_eq!(asked(&root), ["lib/b.py", "lib/c.py", "new/d.py"], "another tree");
        fs::remove_dir_all(root.join("lib")).unwrap();
        assert_eq!(asked(&root), ["new/d.py"]);
        // What differed when the answer was kept is open from then on.
        write("new/d.py", "gone");
        git(&root, &["commit", "-q", "-a", "-m", "third"]);
        write("f.py", "# @decision F");
        assert_eq!(asked(&root), ["f.py"]);
        write("f.py", "no more");
        assert_eq!(asked(&root), [""; 0]);
    }
}
