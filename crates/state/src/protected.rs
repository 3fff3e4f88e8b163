//! Protected files that a session changed, and how each comes back.
//!
//! What counts is how a file was when the session began, by its content: git can be told to look away, to take another commit for the
//! last one, or to be somewhere else. Git is asked besides, because the index and the commits of the session count as much as the file,
//! and because its commands bring a file back in both; a command is named only where it would bring back what was there.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use model::{ChangeKind, Changed, ContentHash, Protected, Restore, SessionId, Watch};

use crate::git::{self, Dirty};
use crate::session::{self, Baseline, Before};
use crate::{Machine, Project, files, guarded, sha256};

/// All changes, by path, and what could not be looked at. Without a beginning that was seen, the last commit is compared with; `by_diff`:
/// as `git diff` does.
pub(crate) fn changes(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    watch: &Watch,
    by_diff: bool,
) -> io::Result<Protected> {
    let root = &project.root;
    let baseline = session::baseline(project, session).unwrap_or_default();
    let mut unseen = Vec::new();
    let contents = baseline.whole.map(|whole| {
        let seen = guarded::walk(machine, root, &watch.globs);
        if !(whole && seen.whole) {
            unseen.push(
                "the project is too large to look at all of it; new files deep in it are not noticed".into(),
            );
        }
        seen.files
    });
    let repository = match git::Repository::find(root) {
        // A folder that only holds a repository for work trees beside each other has no files that git knows.
        Some(found) if found.has_no_work_tree() => None,
        Some(found)
            if baseline.git_dir.as_ref().is_none_or(|then| *then == files::resolve(&found.git_dir)) =>
        {
            Some(found)
        }
        _ => None,
    };
    let git = match &repository {
        None => None,
        Some(repository) => match Git::ask(machine, root, repository, &baseline, watch) {
            Ok(git) => Some(git),
            Err(error) if contents.is_none() => return Err(error),
            Err(error) => {
                unseen.push(format!("could not look at the protected files in git: {error}"));
                None
            }
        },
    };
    let now = Now {
        root,
        watch,
        by_diff,
        baseline,
        contents: contents.unwrap_or_default(),
        git,
        trees: RefCell::default(),
    };
    let mut paths: BTreeSet<&String> = now.baseline.files.keys().chain(now.contents.keys()).collect();
    if let Some(git) = &now.git {
        paths.extend(git.dirty.keys().chain(&git.commits.touched));
    }
    let changes = paths.into_iter().filter_map(|path| now.change(path)).collect();
    Ok(Protected { changes, unseen })
}

/// What git says at the stop, in the repository that the session began in.
struct Git {
    /// Against the last commit.
    dirty: BTreeMap<String, Dirty>,
    commits: Commits,
    /// The last commit is another one than at the beginning.
    moved: bool,
    repository: git::Repository,
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

impl Git {
    fn ask(
        machine: &Machine,
        root: &Path,
        repository: &git::Repository,
        baseline: &Baseline,
        watch: &Watch,
    ) -> io::Result<Self> {
        let dirty = git::matching(machine, root, &watch.globs)?;
        let head = git::head_commit(repository);
        let begun = baseline.taken_at > 0;
        let moved = begun && baseline.head != head;
        let commits = match &head {
            Some(head) if moved => Commits::since(root, baseline, head, watch)?,
            _ => Commits::default(),
        };
        Ok(Self { dirty, commits, moved, repository: repository.clone() })
    }
}

impl Commits {
    fn since(root: &Path, baseline: &Baseline, head: &str, watch: &Watch) -> io::Result<Self> {
        let base = baseline.head.as_deref();
        let touched = match baseline.whole {
            Some(_) => git::committed_since(root, &baseline.known, &watch.globs)?,
            // A base that is gone (a rewritten history) has no commits on top of it.
            None => git::committed(root, base, baseline.taken_at, &watch.globs).unwrap_or_default(),
        };
        let empty = git::empty_tree(Some(head));
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

/// The project at the stop.
struct Now<'a> {
    root: &'a Path,
    watch: &'a Watch,
    /// Without a beginning, a file that git does not know is nobody's change: `git diff` does not name it.
    by_diff: bool,
    baseline: Baseline,
    /// Content hashes of what lies there.
    contents: BTreeMap<String, ContentHash>,
    git: Option<Git>,
    /// What is known of work trees in the project, by their folders.
    trees: RefCell<BTreeMap<PathBuf, Option<Rc<Tree>>>>,
}

/// The last commit of a work tree.
struct Tree {
    /// The ids of its texts.
    texts: BTreeMap<String, String>,
    /// Files that commits since the beginning have touched.
    touched: BTreeSet<String>,
}

/// Where the text before the session is.
enum Text<'a> {
    Nowhere,
    Copy(&'a Path),
    Commit(&'a str),
}

type Found<'a> = (ChangeKind, Text<'a>, Restore);

impl Now<'_> {
    fn change(&self, path: &str) -> Option<Changed> {
        let (kind, before, restore) = self.found(path)?;
        let name = path.rsplit('/').next().unwrap_or_default();
        let texts = self.watch.parts.contains(&name).then(|| {
            let before = match before {
                Text::Nowhere => None,
                Text::Copy(copy) => files::read(copy).ok().flatten(),
                Text::Commit(commit) => git::show(self.root, commit, path),
            };
            let after = files::read(&self.root.join(path)).ok().flatten();
            (before.unwrap_or_default(), after.unwrap_or_default())
        });
        Some(Changed { path: path.to_owned(), kind, restore, texts })
    }

    fn found(&self, path: &str) -> Option<Found<'_>> {
        match self.baseline.files.get(path) {
            // Nothing is known about it but what git says.
            Some(before) if before.hash.is_unreadable() => self.since_commit(path),
            Some(before) if before.dirty => self.since_copy(path, before),
            Some(before) => self.since_beginning(path, before),
            None if self.baseline.whole.is_none() => {
                let unknown = self.by_diff && self.dirty(path).is_some_and(|dirty| dirty.untracked);
                if unknown { None } else { self.since_commit(path) }
            }
            None => self.since_nothing(path),
        }
    }

    fn hash(&self, path: &str) -> ContentHash {
        let known = self.contents.get(path).cloned();
        known.unwrap_or_else(|| session::content_hash(&self.root.join(path)))
    }

    fn dirty(&self, path: &str) -> Option<&Dirty> {
        self.git.as_ref()?.dirty.get(path)
    }

    fn is_committed(&self, path: &str) -> bool {
        self.git.as_ref().is_some_and(|git| git.commits.touched.contains(path))
    }

    /// A file that was as committed when the session began, and whose content is known.
    fn since_beginning<'a>(&'a self, path: &str, before: &'a Before) -> Option<Found<'a>> {
        let now = self.hash(path);
        let by_git = self.since_commit(path);
        if now == before.hash {
            // The file is as it was. What the next commit would have may still be another text; that nobody knows the file any more, in
            // a repository that was made anew, is not a change of it.
            return by_git.filter(|(kind, ..)| *kind != ChangeKind::New);
        }
        if let Some((kind, text, restore)) = by_git
            && let Text::Commit(commit) = text
            && git::show_bytes(self.root, commit, path).is_some_and(|bytes| sha256(&bytes) == before.hash)
        {
            return Some((kind, text, restore));
        }
        let known = self.is_of_a_known_commit(path, &now);
        if known && !self.leaves_us_out(path, before) {
            return None;
        }
        // Git does not see it, or would bring back something else.
        let kind = match () {
            () if now.is_absent() => ChangeKind::Deleted,
            () if self.is_committed(path) && self.dirty(path).is_none() => ChangeKind::Committed,
            () => ChangeKind::Modified,
        };
        let text = before.copy.as_deref().map_or(Text::Nowhere, Text::Copy);
        let restore = match &before.copy {
            Some(copy) => self.copy_back(copy, path),
            None => {
                // The last commit has the text that is there now.
                let head = self.baseline.head.as_deref().filter(|_| known).unwrap_or("HEAD");
                Restore::Command(shell::join(["git", "checkout", head, "--", &pathspec(path)]))
            }
        };
        Some((kind, text, restore))
    }

    /// A file that was not there when the session began.
    fn since_nothing(&self, path: &str) -> Option<Found<'_>> {
        if let Some(found) = self.since_commit(path) {
            return Some(found);
        }
        let now = self.hash(path);
        // In a part that was not looked at, nobody knows what is new.
        if now.is_absent() || self.baseline.whole != Some(true) || self.is_of_a_known_commit(path, &now) {
            return None;
        }
        Some((ChangeKind::New, Text::Nowhere, Restore::Command(shell::join(["rm", "--", path]))))
    }

    /// Whether a file is as a commit has it that was there before the session: somebody has switched to another branch, taken over what
    /// a remote had, or made another work tree. References that came later prove nothing: whoever has the repository makes them.
    fn is_of_a_known_commit(&self, path: &str, now: &ContentHash) -> bool {
        let Some(git) = &self.git else { return false };
        if git.repository.common_dir.join("info/grafts").exists() {
            return false;
        }
        let of_tree = |root: &Path, name: &str| {
            self.tree(root).is_some_and(|tree| {
                !tree.touched.contains(name)
                    && match (tree.texts.get(name), files::read_bytes(&root.join(name))) {
                        (Some(id), Ok(bytes)) => git::is_text(id, &bytes),
                        (None, Err(_)) => now.is_absent(),
                        _ => false,
                    }
            })
        };
        if git.moved && self.dirty(path).is_none() && of_tree(self.root, path) {
            return true;
        }
        self.other_work_tree(git, path).is_some_and(|(tree, name)| of_tree(&tree, &name))
    }

    /// Whether these settings started us when the session began and do no longer: then an older commit is as good as an edit.
    fn leaves_us_out(&self, path: &str, before: &Before) -> bool {
        let names_us = |text: Option<String>| text.is_some_and(|text| text.contains("plimsoll"));
        let began = || {
            let copy = before.copy.as_deref().and_then(|copy| files::read(copy).ok().flatten());
            copy.or_else(|| git::show(self.root, self.baseline.head.as_deref()?, path))
        };
        path == ".claude/settings.json"
            && !names_us(files::read(&self.root.join(path)).ok().flatten())
            && names_us(began())
    }

    /// Asked once for each: a branch may have hundreds of protected files.
    fn tree(&self, root: &Path) -> Option<Rc<Tree>> {
        let mut known = self.trees.borrow_mut();
        let asked = known.entry(root.to_owned()).or_insert_with(|| {
            let touched = git::committed_since(root, &self.baseline.known, &self.watch.globs).ok()?;
            Some(Rc::new(Tree { texts: git::texts_of_head(root).ok()?, touched }))
        });
        asked.clone()
    }

    /// Another work tree of the same repository that lies in the project, and the file's name in it.
    fn other_work_tree(&self, git: &Git, path: &str) -> Option<(PathBuf, String)> {
        let file = self.root.join(path);
        let dirs = file.ancestors().skip(1).take_while(|dir| *dir != self.root);
        let tree = dirs.into_iter().find(|dir| dir.join(".git").is_file())?.to_owned();
        let found = git::Repository::find(&tree)?;
        let same = files::resolve(&found.common_dir) == files::resolve(&git.repository.common_dir);
        let name = model::path::below(&file, &tree)?;
        (same && found.root == tree).then_some((tree, name))
    }

    /// The command that puts our copy in a file's place.
    fn copy_back(&self, copy: &Path, path: &str) -> Restore {
        let place = self.root.join(path);
        let cp = shell::join(["cp", "--", &copy.to_string_lossy(), path]);
        let folder = path.rsplit_once('/').map(|(folder, _)| folder);
        Restore::Command(match place.symlink_metadata() {
            // Through a link another file would be written, and what cannot be opened not at all.
            Ok(meta) if !meta.is_file() || std::fs::File::options().append(true).open(&place).is_err() => {
                format!("{} && {cp}", shell::join(["rm", "-rf", "--", path]))
            }
            Err(_) if folder.is_some() && !place.parent().is_some_and(Path::is_dir) => {
                format!("{} && {cp}", shell::join(["mkdir", "-p", "--", folder.unwrap_or_default()]))
            }
            _ => cp,
        })
    }

    /// A file that differed from the last commit when the session began: the user's work, which no command of git has.
    fn since_copy<'a>(&self, path: &str, before: &'a Before) -> Option<Found<'a>> {
        let now = self.hash(path);
        if now == before.hash {
            return None;
        }
        let dirty = self.dirty(path).is_some();
        let committed = !dirty && self.is_committed(path);
        let copy = before.copy.as_deref();
        let kind = match copy {
            _ if committed => ChangeKind::Committed,
            Some(_) if now.is_absent() => ChangeKind::Deleted,
            Some(_) => ChangeKind::Modified,
            // The user had removed it. That it is back as the last commit has it is not a harm; anything else is new.
            None if dirty || !self.is_as_committed(path, &now) => ChangeKind::New,
            None => return None,
        };
        Some(match copy {
            Some(copy) => (kind, Text::Copy(copy), Restore::Copy(copy.to_owned())),
            None => (kind, Text::Nowhere, Restore::Command(shell::join(["rm", "--", path]))),
        })
    }

    fn is_as_committed(&self, path: &str, now: &ContentHash) -> bool {
        self.baseline.whole.is_none()
            || git::show_bytes(self.root, "HEAD", path).is_some_and(|bytes| sha256(&bytes) == *now)
    }

    /// By git alone: a file that was as committed when the session began.
    fn since_commit(&self, path: &str) -> Option<Found<'_>> {
        let git = self.git.as_ref()?;
        let (dirty, commits) = (git.dirty.get(path), &git.commits);
        let kind = dirty.map_or(ChangeKind::Committed, |dirty| dirty.kind);
        let untracked = dirty.is_some_and(|dirty| dirty.untracked);
        let (base, there, words): (&str, bool, &[&str]) = if commits.touched.contains(path) {
            if !commits.differing.contains(path) && !untracked {
                return None;
            }
            let base = commits.base.as_str();
            (
                base,
                git::show(self.root, base, path).is_some(),
                &["git", "checkout", commits.short_base(), "--"],
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
            true => (Text::Commit(base), shell::join(words.iter().copied().chain([spec.as_str()]))),
            false if untracked => (Text::Nowhere, shell::join(["rm", "--", path])),
            false => (Text::Nowhere, shell::join(["git", "rm", "-qf", "--", &spec])),
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
