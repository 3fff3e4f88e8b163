//! A repository's root, branch and commit, without starting `git`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The work tree.
    pub root: PathBuf,
    /// This work tree's own git directory.
    pub git_dir: PathBuf,
    /// The directory that all work trees of the repository share.
    pub common_dir: PathBuf,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `None` when detached.
    pub branch: Option<String>,
    /// `None` before the first commit, or where the refs are in a format that is not read here.
    pub commit: Option<String>,
}

impl Repository {
    /// The repository that `dir` lies in.
    pub fn find(dir: &Path) -> Option<Self> {
        dir.ancestors().find_map(Self::at)
    }

    pub fn at(root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        let meta = dot_git.metadata().ok()?;
        let git_dir = if meta.is_dir() {
            // Git itself wants a HEAD before it believes in a repository.
            dot_git.join("HEAD").symlink_metadata().ok()?;
            dot_git
        } else {
            let text = read(&dot_git)?;
            let git_dir = root.join(text.strip_prefix("gitdir:")?.trim());
            // Whatever the file names, it has to be one.
            git_dir.join("HEAD").symlink_metadata().ok()?;
            git_dir
        };
        let common_dir = match read(&git_dir.join("commondir")) {
            Some(text) => git_dir.join(text.trim()),
            None => git_dir.clone(),
        };
        Some(Self { root: root.to_owned(), git_dir, common_dir })
    }

    pub fn is_linked_worktree(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// What checks may know of it.
    pub fn facts(&self) -> model::Repository {
        let head = self.head();
        model::Repository {
            root: self.root.clone(),
            main_root: self.main_root(),
            worktrees: self.worktrees(),
            unborn: head.commit.is_none(),
            branch: head.branch,
            merging: self.git_dir.join("MERGE_HEAD").exists(),
        }
    }

    /// The repository of the first work tree, which a linked one belongs to.
    pub fn main(&self) -> Option<Self> {
        Self::at(&self.main_root())
    }

    /// Whether another repository is a submodule or a linked work tree of this one. Its own git directory lies in ours then, and
    /// names its folder, so that nobody else can claim it.
    pub fn owns(&self, other: &Self) -> bool {
        let (ours, theirs) = (crate::files::resolve(&self.common_dir), crate::files::resolve(&other.git_dir));
        let at = |place: &Path| crate::files::resolve(place) == crate::files::resolve(&other.root);
        if theirs.starts_with(ours.join("worktrees")) {
            let named = crate::files::read(&theirs.join("gitdir")).ok().flatten().unwrap_or_default();
            return Path::new(named.trim()).parent().is_some_and(at);
        }
        if theirs.starts_with(ours.join("modules")) {
            let config = crate::files::read(&theirs.join("config")).ok().flatten().unwrap_or_default();
            let place = config
                .lines()
                .find_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='));
            return place.is_some_and(|place| at(&theirs.join(place.trim())));
        }
        false
    }

    /// Whether this folder only holds a repository, for work trees that lie elsewhere.
    pub fn has_no_work_tree(&self) -> bool {
        let config =
            || crate::files::read(&self.common_dir.join("config")).ok().flatten().unwrap_or_default();
        let is_bare = |line: &str| {
            line.trim().split_once('=').is_some_and(|(key, value)| {
                key.trim().eq_ignore_ascii_case("bare") && value.trim().eq_ignore_ascii_case("true")
            })
        };
        !self.is_linked_worktree() && config().lines().any(is_bare)
    }

    /// The first work tree: around the shared directory, unless that is bare.
    pub fn main_root(&self) -> PathBuf {
        if !self.is_linked_worktree() {
            return self.root.clone();
        }
        let common = crate::files::resolve(&self.common_dir);
        common.parent().map_or_else(|| self.root.clone(), Path::to_owned)
    }

    /// The others, as the repository has them registered.
    fn worktrees(&self) -> Vec<PathBuf> {
        let entries = crate::files::list(&self.common_dir.join("worktrees"));
        let places = entries.iter().filter_map(|entry| read(&entry.join("gitdir")));
        places.filter_map(|text| Path::new(text.trim()).parent().map(Path::to_owned)).collect()
    }

    /// Where `origin` is, as the repository's own config says; includes are not followed.
    pub fn remote(&self) -> Option<String> {
        let text = read(&self.common_dir.join("config"))?;
        let mut within = false;
        text.lines().map(str::trim).find_map(|line| {
            if line.starts_with('[') {
                within = line.eq_ignore_ascii_case("[remote \"origin\"]");
            }
            let (key, value) = line.split_once('=').filter(|_| within)?;
            key.trim().eq_ignore_ascii_case("url").then(|| value.trim().trim_matches('"').to_owned())
        })
    }

    /// Every commit that a branch, a tag or a remote's branch names, at most a few thousand.
    pub fn known_commits(&self) -> BTreeSet<String> {
        const MOST: usize = 2000;
        let mut known = BTreeSet::new();
        let mut open =
            ["heads", "remotes", "tags"].map(|name| self.common_dir.join("refs").join(name)).to_vec();
        while let Some(dir) = open.pop() {
            for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten().take(MOST) {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && open.len() < MOST => open.push(entry.path()),
                    Ok(kind) if kind.is_file() && known.len() < MOST => {
                        let text = crate::files::read(&entry.path()).ok().flatten();
                        known.extend(text.and_then(|text| object_id(&text)));
                    }
                    _ => {}
                }
            }
        }
        let packed =
            crate::files::read(&self.common_dir.join("packed-refs")).ok().flatten().unwrap_or_default();
        for line in packed.lines() {
            // A tag's line is followed by one that says what it is of.
            let id = line.strip_prefix('^').or_else(|| line.split_once(' ').map(|(id, _)| id));
            if known.len() >= MOST {
                break;
            }
            known.extend(id.and_then(object_id));
        }
        known.extend(self.head().commit);
        known
    }

    pub fn head(&self) -> Head {
        let Some(text) = read(&self.git_dir.join("HEAD")) else { return Head::default() };
        match text.trim().strip_prefix("ref:") {
            Some(name) => {
                let name = name.trim();
                let branch = name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
                Head { branch: Some(branch), commit: self.reference(name, 5) }
            }
            None => Head { branch: None, commit: object_id(&text) },
        }
    }

    /// A reference's commit: loose, packed, or through another reference.
    pub(super) fn reference(&self, name: &str, depth: u8) -> Option<String> {
        for dir in [&self.git_dir, &self.common_dir] {
            if let Some(text) = read(&dir.join(name)) {
                return match text.trim().strip_prefix("ref:") {
                    Some(next) if depth > 0 => self.reference(next.trim(), depth - 1),
                    Some(_) => None,
                    None => object_id(&text),
                };
            }
        }
        let packed = read(&self.common_dir.join("packed-refs"))?;
        packed.lines().find_map(|line| {
            let (id, reference) = line.split_once(' ')?;
            (reference == name).then(|| object_id(id))?
        })
    }
}

fn read(path: &Path) -> Option<String> {
    crate::files::read(path).ok().flatten()
}

fn object_id(text: &str) -> Option<String> {
    let text = text.trim();
    let hex = matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{commit, git, repo};

    #[test]
    fn branch_and_commit_agree_with_git() {
        let (_guard, root) = repo();
        let unborn = Repository::find(&root).unwrap().head();
        assert_eq!(unborn, Head { branch: Some("main".into()), commit: None });

        commit(&root, "a", "1");
        std::fs::create_dir(root.join("sub")).unwrap();
        let found = Repository::find(&root.join("sub")).unwrap();
        assert_eq!(found.root, root);
        let expected = git(&root, &["rev-parse", "HEAD"]);
        assert_eq!(found.head(), Head { branch: Some("main".into()), commit: Some(expected.clone()) });

        git(&root, &["pack-refs", "--all"]);
        assert_eq!(found.head().commit, Some(expected.clone()));

        git(&root, &["checkout", "-q", "--detach"]);
        assert_eq!(found.head(), Head { branch: None, commit: Some(expected.clone()) });

        git(&root, &["worktree", "add", "-q", "-b", "feature/x", "wt"]);
        let linked = Repository::find(&root.join("wt")).unwrap();
        assert!(linked.is_linked_worktree() && !found.is_linked_worktree());
        assert_eq!(linked.head(), Head { branch: Some("feature/x".into()), commit: Some(expected) });
    }

    #[test]
    fn no_repository_is_none() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        assert_eq!(Repository::at(dir.path()), None);
    }
}
