//! Which source files have one of some words in them.
//!
//! Reading every file of a large project at each stop takes too long, and so does a look at each. What git's index proves to be as it was
//! committed need not be looked at again: the answer for a tree is kept, and only what may differ from it is read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use model::source;

use crate::{Machine, Project, atomic, files, git, identity, sha256};

/// The source files of the project that have one of these words, sorted.
pub(crate) fn with(machine: &Machine, project: &Project, words: &[&str]) -> Vec<PathBuf> {
    // Another list of words is another question.
    let question: String = sha256(words.join("\n").as_bytes()).chars().skip(7).take(12).collect();
    let root = &project.root;
    let Some(glance) = git::glance(machine, root) else {
        return among(machine, root, words, &format!("with-{question}"), sources(root, ""));
    };
    let file = project.records.join(format!("tree-with-{question}"));
    let kept = files::read(&file).ok().flatten().and_then(|text| Kept::parse(&text));
    if let Some(kept) = kept.filter(|kept| kept.tree == glance.tree) {
        let open: BTreeSet<&str> = glance.differs.iter().chain(&kept.open).map(String::as_str).collect();
        let looked = open.iter().flat_map(|path| sources(root, path)).collect();
        let mut found = among(machine, root, words, &format!("differs-with-{question}"), looked);
        found.extend(kept.found.iter().filter(|path| !covers(&open, path)).map(|path| root.join(path)));
        found.sort();
        found.dedup();
        return found;
    }
    let found = among(machine, root, words, &format!("with-{question}"), sources(root, ""));
    let open: BTreeSet<&str> = glance.differs.iter().map(String::as_str).collect();
    let names = found.iter().filter_map(|path| path.strip_prefix(root).ok()?.to_str());
    let settled = names.filter(|name| !covers(&open, name) && !name.contains('\n')).map(str::to_owned);
    let kept = Kept { tree: glance.tree.clone(), found: settled.collect(), open: glance.differs.clone() };
    // What cannot be kept is only slower.
    let _ = atomic::write_cache(&file, kept.text().as_bytes());
    found
}

/// What was found when the last commit had this tree.
struct Kept {
    tree: String,
    /// Files as they are in the tree.
    found: Vec<String>,
    /// Paths that differed from it, so that nothing is known about them.
    open: Vec<String>,
}

impl Kept {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut kept = Self { tree: lines.next()?.to_owned(), found: Vec::new(), open: Vec::new() };
        for line in lines {
            match line.split_at_checked(1)? {
                ("+", path) => kept.found.push(path.to_owned()),
                ("?", path) => kept.open.push(path.to_owned()),
                _ => return None,
            }
        }
        Some(kept)
    }

    fn text(&self) -> String {
        let found = self.found.iter().map(|path| format!("+{path}\n"));
        let open = self.open.iter().filter(|path| !path.contains('\n')).map(|path| format!("?{path}\n"));
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

/// Those of the files that have one of the words; what was read before is kept under the name `subject`.
fn among(
    machine: &Machine,
    root: &Path,
    words: &[&str],
    subject: &str,
    mut paths: Vec<PathBuf>,
) -> Vec<PathBuf> {
    paths.sort();
    let mut cache = identity::Cache::open(machine, root, subject);
    paths.retain(|path| {
        let looked = cache.get(path, |path| {
            let text = files::read(path).ok().flatten()?;
            Some(if words.iter().any(|word| text.contains(word)) { "1" } else { "0" }.to_owned())
        });
        looked.is_some_and(|known| known == "1")
    });
    cache.save();
    paths
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
        let found = with(&machine, &project, &["@decision"]);
        found.iter().map(|path| path.strip_prefix(root).unwrap().to_string_lossy().into_owned()).collect()
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
