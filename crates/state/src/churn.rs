//! How much source has changed since the plan was last updated: counted by `git` once per commit and version of the plan, then
//! read from a file of ours.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use model::source;
use model::state_files::Churn;

use crate::{Machine, Project, atomic, files, git, sha256};

/// From the cache, or counted. `None` outside a repository and before its first commit.
pub fn churn(machine: &Machine, plan: &Path) -> io::Result<Option<Churn>> {
    let Some((key, repository, head)) = key(plan)? else { return Ok(None) };
    let cache = cache_file(machine, plan);
    if let Some(known) = files::read(&cache)?.and_then(|text| parse(&text, &key)) {
        return Ok(Some(known));
    }
    let counted = count(&repository.root, &head, plan)?;
    atomic::write(
        &cache,
        format!("{key} {} {} {}\n", counted.changed, counted.total, counted.commits).as_bytes(),
    )?;
    Ok(Some(counted))
}

/// Only from the cache.
pub fn known(machine: &Machine, plan: &Path) -> Option<Churn> {
    let (key, ..) = key(plan).ok()??;
    parse(&files::read(&cache_file(machine, plan)).ok()??, &key)
}

/// The last commit and the plan's content.
fn key(plan: &Path) -> io::Result<Option<(String, git::Repository, String)>> {
    let Some(repository) = plan.parent().and_then(git::Repository::find) else { return Ok(None) };
    let Some(head) = git::head_commit(&repository) else { return Ok(None) };
    let key = format!("{head} {}", sha256(&files::read_bytes(plan)?));
    Ok(Some((key, repository, head)))
}

fn cache_file(machine: &Machine, plan: &Path) -> PathBuf {
    let dir = plan.parent().unwrap_or(plan);
    Project::at(machine, files::resolve(dir)).records.join("churn")
}

fn parse(text: &str, key: &str) -> Option<Churn> {
    let mut numbers = text.strip_prefix(key)?.split_whitespace().map(|number| number.parse().ok());
    Some(Churn { changed: numbers.next()??, total: numbers.next()??, commits: numbers.next()?? })
}

/// Everything, from git itself.
fn count(root: &Path, head: &str, plan: &Path) -> io::Result<Churn> {
    let is_source = |name: &&String| source::is_source(Path::new(name));
    let total = git::tracked(root)?.iter().filter(is_source).count();
    let (changed, commits) = match base(root, plan)? {
        Base::Commit(base) if base == head => (BTreeSet::new(), 0),
        Base::Commit(base) => since(root, &format!("{base}..HEAD"))?,
        Base::Beginning => since(root, "HEAD")?,
    };
    let changed: BTreeSet<String> =
        changed.into_iter().filter(|name| source::is_source(Path::new(name))).collect();
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(Churn { changed: number(changed.len()), total: number(total), commits })
}

enum Base {
    Commit(String),
    /// Every commit is newer than the plan.
    Beginning,
}

/// The commit that the plan was last updated with; one that is not committed as it is now was updated when its file was written.
fn base(root: &Path, plan: &Path) -> io::Result<Base> {
    let name = plan.strip_prefix(root).unwrap_or(plan).to_string_lossy().into_owned();
    let dirty = git::dirty(root, std::slice::from_ref(&name))?;
    let asked = match dirty.get(&name) {
        None => git::text(root, &["log", "-1", "--format=%H", "HEAD", "--", &format!(":(literal){name}")])?,
        Some(_) => {
            let written = files::modified(plan).unwrap_or(0);
            git::text(root, &["rev-list", "-1", &format!("--before=@{written} +0000"), "HEAD"])?
        }
    };
    let commit = asked.trim();
    Ok(if commit.is_empty() { Base::Beginning } else { Base::Commit(commit.to_owned()) })
}

fn since(root: &Path, range: &str) -> io::Result<(BTreeSet<String>, u64)> {
    let names = git::text(root, &["log", "--format=", "--name-only", "-z", "--no-renames", range])?;
    let commits = git::text(root, &["rev-list", "--count", range])?;
    let names = names.split('\0').map(|name| name.trim_matches('\n')).filter(|name| !name.is_empty());
    Ok((names.map(str::to_owned).collect(), commits.trim().parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::testing::{commit, git, repo};

    fn machine(root: &Path) -> Machine {
        let state = root.join(".git/state").to_string_lossy().into_owned();
        Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], root)
    }

    /// The cached answer and a fresh count, which must agree.
    fn both(machine: &Machine, root: &Path) -> Churn {
        let plan = root.join("MASTER_PLAN.md");
        let answered = churn(machine, &plan).unwrap().unwrap();
        assert!(known(machine, &plan).is_some());
        let (_, repository, head) = key(&plan).unwrap().unwrap();
        assert_eq!(answered, count(&repository.root, &head, &plan).unwrap());
        assert_eq!(churn(machine, &plan).unwrap(), Some(answered), "from the cache");
        answered
    }

    #[test]
    fn the_cache_equals_a_full_count_whatever_happens() {
        let (_guard, root) = repo();
        let machine = machine(&root);
        std::fs::write(root.join("MASTER_PLAN.md"), "1").unwrap();
        assert_eq!(churn(&machine, &root.join("MASTER_PLAN.md")).unwrap(), None, "no commit yet");
        for number in 0..10 {
            commit(&root, &format!("{number}.py"), "1");
        }
        commit(&root, "README.md", "1");
        commit(&root, "MASTER_PLAN.md", "1");
        assert_eq!(both(&machine, &root), Churn { changed: 0, total: 10, commits: 0 });
        for number in 0..3 {
            commit(&root, &format!("{number}.py"), "2");
            assert_eq!(known(&machine, &root.join("MASTER_PLAN.md")), None);
            assert_eq!(both(&machine, &root), Churn { changed: number + 1, total: 10, commits: number + 1 });
        }
        commit(&root, "README.md", "2");
        commit(&root, "0.py", "3");
        assert_eq!(both(&machine, &root), Churn { changed: 3, total: 10, commits: 5 });
        // A plan that is edited and not committed counts from when it was written.
        std::fs::write(root.join("MASTER_PLAN.md"), "2").unwrap();
        assert_eq!(both(&machine, &root).changed, 0);
        commit(&root, "MASTER_PLAN.md", "2");
        assert_eq!(both(&machine, &root), Churn { changed: 0, total: 10, commits: 0 });
        // Names that are not text.
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe.py");
            std::fs::write(root.join(odd), "1").unwrap();
            git(&root, &["add", "-A", "--", "*.py"]);
            git(&root, &["commit", "-qm", "odd"]);
            assert_eq!(both(&machine, &root), Churn { changed: 1, total: 11, commits: 1 });
        }
        git(&root, &["checkout", "-q", "--detach"]);
        commit(&root, "1.py", "9");
        assert_eq!(both(&machine, &root).total, 11);
        git(&root, &["checkout", "-q", "main"]);
        assert_eq!(both(&machine, &root).commits, 1);
    }

    #[test]
    fn a_linked_work_tree_has_its_own_count() {
        let (_guard, root) = repo();
        let machine = machine(&root);
        commit(&root, "a.py", "1");
        commit(&root, "MASTER_PLAN.md", "1");
        git(&root, &["worktree", "add", "-q", "-b", "feature", "wt"]);
        commit(&root.join("wt"), "a.py", "2");
        assert_eq!(both(&machine, &root.join("wt")), Churn { changed: 1, total: 1, commits: 1 });
        assert_eq!(both(&machine, &root).changed, 0);
    }
}
