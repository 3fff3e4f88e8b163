//! Protected files that a session changed, and how each comes back.
//!
//! What counts is how a file was when the session began. Where the person had uncommitted work in it, that is our copy; where
//! the session has committed it since, the commit that the session began with; else the last commit. A named command brings
//! back both the file and the index, so that the next stop finds nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use model::{ChangeKind, Changed, Restore, SessionId, Watch};

use crate::git::{self, Dirty};
use crate::session::{self, ABSENT, Baseline, UNREADABLE};
use crate::{Machine, Project, files};

/// All changes, by path. Outside a repository there is nothing to compare with.
pub(crate) fn changes(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    watch: &Watch,
) -> io::Result<Vec<Changed>> {
    let root = &project.root;
    let Some(repository) = git::Repository::find(root) else { return Ok(Vec::new()) };
    let dirty = git::matching(machine, root, &watch.globs)?;
    let baseline = session::baseline(project, session);
    let head = git::head_commit(&repository);
    let commits = match &baseline {
        Some(baseline) if baseline.head != head => Commits::since(root, baseline, head.as_deref(), watch)?,
        _ => Commits::default(),
    };
    let at_start = baseline.map(|baseline| baseline.files).unwrap_or_default();
    let now = Now { root, dirty, at_start, commits };
    let paths: BTreeSet<&String> =
        now.dirty.keys().chain(&now.commits.touched).chain(now.at_start.keys()).collect();
    Ok(paths.into_iter().filter_map(|path| now.change(path, watch)).collect())
}

/// The repository at the stop.
struct Now<'a> {
    root: &'a Path,
    /// Against the last commit.
    dirty: BTreeMap<String, Dirty>,
    /// The person's uncommitted work when the session began: hash and copy.
    at_start: BTreeMap<String, (String, Option<PathBuf>)>,
    commits: Commits,
}

/// What the session has committed.
#[derive(Default)]
struct Commits {
    /// The commit that it began with.
    base: String,
    /// Files that its commits touched.
    touched: BTreeSet<String>,
    /// Files that `base` has other than they are now. One that was touched and put back is not among them.
    differing: BTreeSet<String>,
}

impl Commits {
    fn since(root: &Path, baseline: &Baseline, head: Option<&str>, watch: &Watch) -> io::Result<Self> {
        let base = baseline.head.as_deref();
        // A base that is gone (a rewritten history) has no commits on top of it.
        let touched = git::committed(root, base, baseline.taken_at, &watch.globs).unwrap_or_default();
        let empty = git::empty_tree(head);
        let Some(base) = base.or(empty.as_deref()).filter(|_| !touched.is_empty()) else {
            return Ok(Self::default());
        };
        Ok(Self { base: base.to_owned(), touched, differing: git::differing(root, base, &watch.globs)? })
    }

    /// Enough of the base's id to name it.
    fn short_base(&self) -> &str {
        self.base.get(..12).unwrap_or(&self.base)
    }
}

/// Where the text before the session is.
enum Before<'a> {
    Nowhere,
    Copy(&'a Path),
    Commit(&'a str),
}

impl Now<'_> {
    fn change(&self, path: &str, watch: &Watch) -> Option<Changed> {
        let at_start = self.at_start.get(path).filter(|(hash, _)| hash != UNREADABLE);
        let (kind, before, restore) = match at_start {
            Some((hash, copy)) => self.since_copy(path, hash, copy.as_deref())?,
            None => self.since_commit(path)?,
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        let texts = watch.parts.contains(&name).then(|| {
            let before = match before {
                Before::Nowhere => None,
                Before::Copy(copy) => files::read(copy).ok().flatten(),
                Before::Commit(commit) => git::show(self.root, commit, path),
            };
            let after = files::read(&self.root.join(path)).ok().flatten();
            (before.unwrap_or_default(), after.unwrap_or_default())
        });
        Some(Changed { path: path.to_owned(), kind, restore, texts })
    }

    /// A file that differed from the last commit when the session began: the person's work, which no command of git has.
    fn since_copy<'a>(
        &self,
        path: &str,
        hash: &str,
        copy: Option<&'a Path>,
    ) -> Option<(ChangeKind, Before<'a>, Restore)> {
        let now = session::content_hash(&self.root.join(path));
        if now == hash {
            return None;
        }
        let dirty = self.dirty.contains_key(path);
        let committed = !dirty && self.commits.touched.contains(path);
        let kind = match copy {
            _ if committed => ChangeKind::Committed,
            Some(_) if now == ABSENT => ChangeKind::Deleted,
            Some(_) => ChangeKind::Modified,
            // The person had removed it. That it is back as the last commit has it is no harm; anything else is new.
            None if dirty => ChangeKind::New,
            None => return None,
        };
        Some(match copy {
            Some(copy) => (kind, Before::Copy(copy), Restore::Copy(copy.to_owned())),
            None => (kind, Before::Nowhere, Restore::Command(shell::join(["rm", "--", path]))),
        })
    }

    /// A file that was as committed when the session began.
    fn since_commit(&self, path: &str) -> Option<(ChangeKind, Before<'_>, Restore)> {
        let dirty = self.dirty.get(path);
        let kind = dirty.map_or(ChangeKind::Committed, |dirty| dirty.kind);
        let untracked = dirty.is_some_and(|dirty| dirty.untracked);
        let (base, there, words): (&str, bool, &[&str]) = if self.commits.touched.contains(path) {
            if !self.commits.differing.contains(path) && !untracked {
                return None;
            }
            let base = self.commits.base.as_str();
            (
                base,
                git::show(self.root, base, path).is_some(),
                &["git", "checkout", self.commits.short_base(), "--"],
            )
        } else {
            let dirty = dirty?;
            // Where only the file differs, the index has it; where that differs too, only the commit does.
            let words: &[&str] =
                if dirty.staged { &["git", "checkout", "HEAD", "--"] } else { &["git", "checkout", "--"] };
            ("HEAD", dirty.in_head, words)
        };
        let spec = pathspec(path);
        let (before, command) = match there {
            true => (Before::Commit(base), shell::join(words.iter().copied().chain([spec.as_str()]))),
            false if untracked => (Before::Nowhere, shell::join(["rm", "--", path])),
            false => (Before::Nowhere, shell::join(["git", "rm", "-qf", "--", &spec])),
        };
        Some((kind, before, Restore::Command(command)))
    }
}

/// A path for git's command line. Where it would be read as a pattern, `[id]/package.json` say, it has to say that it is none.
fn pathspec(path: &str) -> String {
    let plain = !path.starts_with(':') && !path.contains(['*', '?', '[', '\\']);
    if plain { path.to_owned() } else { format!(":(literal){path}") }
}

/// Whether there is anything to say about a file that is not there: a commit or the index has it, or the session began with it.
pub fn was_there(project: &Project, session: &SessionId, path: &str) -> bool {
    let baseline = session::baseline(project, session).unwrap_or_default();
    let base = baseline.head.as_deref().unwrap_or("HEAD");
    baseline.files.contains_key(path)
        || ["HEAD", "", base].into_iter().any(|commit| git::show(&project.root, commit, path).is_some())
}
