//! What differs from a commit, by `git` itself: its rules for ignoring, line ends and filters are not ours to guess.
//!
//! Off the hot path: one process at the start of a session and a few at a stop.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use model::{ChangeKind, time};

use super::Repository;
use super::command::{Given, LIMIT, run, run_with};
use super::glob::matches as glob_matches;
use crate::Machine;

/// How a file differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirty {
    pub kind: ChangeKind,
    /// The last commit has it.
    pub in_head: bool,
    /// The index differs from the last commit too.
    pub staged: bool,
    /// It lies there and is not in the index.
    pub untracked: bool,
}

/// The files below `dir` that match `globs` and differ from the last commit, new ones included, ignored ones not. Paths are
/// relative to `dir`, with `/`.
pub fn dirty(dir: &Path, globs: &[String]) -> io::Result<BTreeMap<String, Dirty>> {
    let specs: Vec<String> = globs.iter().map(|glob| format!(":(glob){glob}")).collect();
    differing_now(dir, &specs)
}

/// What git says about the files that `specs` name; about all, where there are none.
fn differing_now(dir: &Path, specs: &[String]) -> io::Result<BTreeMap<String, Dirty>> {
    let words = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"];
    let output = git_about(dir, &words, specs)?;
    let prefix = prefix(dir);
    let mut found: BTreeMap<String, Dirty> = BTreeMap::new();
    for (path, dirty) in output.split('\0').filter_map(|entry| parse(entry, &prefix)) {
        // Taken out of the index and left in its place, a file has two lines: deleted, and untracked.
        match found.get_mut(&path) {
            Some(deleted) => {
                *deleted = Dirty { kind: ChangeKind::Staged, untracked: true, ..deleted.clone() }
            }
            None => {
                found.insert(path, dirty);
            }
        }
    }
    Ok(found)
}

/// Everything in the work tree at `root` that differs from the last commit, asked once for a process: a hook lives for one event,
/// in which several ask.
pub fn status(machine: &Machine, root: &Path) -> io::Result<Arc<BTreeMap<String, Dirty>>> {
    let mut known = machine.status.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(root) {
        return Ok(Arc::clone(known));
    }
    let found = Arc::new(match glance(machine, root) {
        Some(glance) => {
            let mut found = glance.known.clone();
            if !glance.open.is_empty() {
                let specs: Vec<String> =
                    glance.open.iter().map(|path| format!(":(top,literal){path}")).collect();
                found.extend(differing_now(root, &specs)?);
            }
            found
        }
        None => dirty(root, &[])?,
    });
    known.insert(root.to_owned(), Arc::clone(&found));
    Ok(found)
}

/// What is known of a work tree without git.
#[derive(Debug, PartialEq, Eq)]
pub struct Glance {
    /// The tree of the last commit.
    pub tree: String,
    /// Paths, relative to the root, that may differ from it: files, and folders that git does not know. All else is as committed.
    pub differs: Vec<String>,
    /// How those of them differ of which that can be told.
    pub(crate) known: BTreeMap<String, Dirty>,
    /// The others, about which git is asked.
    pub(crate) open: Vec<String>,
    /// When the source that git looks after was last written, in seconds, as far as it has not changed since.
    pub(crate) written: u64,
}

/// Made once for a process. `None` where it takes git to know.
pub fn glance(machine: &Machine, root: &Path) -> Option<Arc<Glance>> {
    let mut known = machine.glances.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(root.to_owned()).or_insert_with(|| look_at(machine, root).map(Arc::new)).clone()
}

/// Whether a source file of the work tree may have been written at this time or later; `None` where it takes more than a glance to know.
#[cfg(unix)]
pub fn source_written_since(machine: &Machine, root: &Path, at: u64) -> Option<bool> {
    let glance = glance(machine, root)?;
    Some(super::glance::source_written_since(root, &glance, at))
}

#[cfg(not(unix))]
pub fn source_written_since(_: &Machine, _: &Path, _: u64) -> Option<bool> {
    None
}

#[cfg(unix)]
fn look_at(machine: &Machine, root: &Path) -> Option<Glance> {
    super::glance::look_at(machine, root)
}

/// What git compares of a file is not to be had there.
#[cfg(not(unix))]
fn look_at(_: &Machine, _: &Path) -> Option<Glance> {
    None
}

/// The part of it that lies below `dir` and matches `globs`, relative to `dir`.
pub fn matching(machine: &Machine, dir: &Path, globs: &[String]) -> io::Result<BTreeMap<String, Dirty>> {
    let Some(repository) = Repository::find(dir) else { return Ok(BTreeMap::new()) };
    let prefix = prefix(dir);
    let all = status(machine, &repository.root)?;
    let below = all.iter().filter_map(|(path, dirty)| Some((path.strip_prefix(&prefix)?, dirty)));
    let wanted = below.filter(|(path, _)| globs.iter().any(|glob| glob_matches(glob, path)));
    Ok(wanted.map(|(path, dirty)| (path.to_owned(), dirty.clone())).collect())
}

/// The files that the last commits touched.
pub fn recently_committed(dir: &Path, commits: u32) -> io::Result<BTreeSet<String>> {
    let count = format!("-{commits}");
    Ok(names_in(&git(dir, &["log", &count, "--format=", "--name-only", "-z", "--no-renames"], &[])?))
}

/// The files below `dir` that match `globs` and that commits made since `epoch` on top of `base` have changed; without a
/// base, commits since then. Commits that a remote has too came from elsewhere and do not count, and of a merge only what it
/// made up itself.
pub fn committed(
    dir: &Path,
    base: Option<&str>,
    epoch: u64,
    globs: &[String],
) -> io::Result<BTreeSet<String>> {
    let range = base.map_or_else(|| "HEAD".to_owned(), |base| format!("{base}..HEAD"));
    // Set back since then, the clock says nothing about which commits are newer: then all of them count.
    let epoch = if time::is_ahead(epoch, Machine::real().now()) { 0 } else { epoch };
    // With a zone: without one, git takes a small number for something else.
    let since = format!("--since=@{epoch} +0000");
    let names = ["log", "--format=", "--name-only", "-z", "--relative", "--no-renames", "-c"];
    let which = [since.as_str(), &range, "--not", "--remotes"];
    Ok(names_in(&git(dir, &[&names[..], &which].concat(), globs)?))
}

/// The files below `dir` that match `globs` and that commits have changed which none of the `known` ones leads to; of a merge what it made
/// up itself. Nothing that a repository can be told about its history counts: what stands in for a commit, dates, references.
pub fn committed_since(dir: &Path, known: &[String], globs: &[String]) -> io::Result<BTreeSet<String>> {
    let names = |merges: &str| {
        let mut words =
            vec!["--no-replace-objects", "-c", "core.commitGraph=false", "-c", "log.showRoot=true"];
        words.extend(["log", "--format=", "--name-only", "-z", "--relative", "--no-renames", merges]);
        words.extend(["--ignore-missing", "HEAD", "--not"]);
        words.extend(known.iter().map(String::as_str));
        git(dir, &words, globs)
    };
    // What a merge has otherwise than it would be made: one that takes an older side on purpose counts. Git before 2.35 cannot say it.
    let found = names("--remerge-diff").or_else(|_| names("-c"))?;
    Ok(names_in(&found))
}

/// The files that a commit now would contain.
pub fn staged(dir: &Path) -> io::Result<Vec<String>> {
    let output = git(dir, &["diff", "--cached", "--name-only", "-z"], &[])?;
    Ok(output.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// The files below `dir` that match `globs` and are in `commit` other than in the index or on disk. Untracked files do not
/// count.
pub fn differing(dir: &Path, commit: &str, globs: &[String]) -> io::Result<BTreeSet<String>> {
    let names = ["diff", "--name-only", "-z", "--relative", "--no-renames"];
    let mut found = names_in(&git(dir, &[&names[..], &[commit]].concat(), globs)?);
    found.extend(names_in(&git(dir, &[&names[..], &["--cached", commit]].concat(), globs)?));
    Ok(found)
}

/// The tree without files, by the length of the repository's object ids: where everything is new since no commit at all.
pub fn empty_tree(head: Option<&str>) -> Option<String> {
    const TREES: [&str; 2] = [
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    ];
    TREES.into_iter().find(|tree| head.is_some_and(|head| head.len() == tree.len())).map(str::to_owned)
}

/// Everything that differs from `commit`, in the index or on disk, line by line and without context.
pub fn diff(dir: &Path, commit: &str) -> io::Result<String> {
    let form = ["diff", "-U0", "--no-color", "--no-renames"];
    git(dir, &[&form[..], &["--src-prefix=a/", "--dst-prefix=b/", commit]].concat(), &[])
}

/// What `git diff HEAD -- ":(exclude).claude/"` prints, byte by byte: the command that the documentation names.
pub fn documented_diff(dir: &Path) -> io::Result<Vec<u8>> {
    Ok(run(dir, &["diff", "HEAD", "--", ":(exclude).claude/"], LIMIT)?.stdout)
}

/// The last commit as people write it; `None` before the first.
pub fn short_head(dir: &Path) -> Option<String> {
    let text = git(dir, &["rev-parse", "--short", "--verify", "--quiet", "HEAD"], &[]).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A file's text in a commit, or with an empty name in the index; `None` where it is not.
pub fn show(dir: &Path, commit: &str, path: &str) -> Option<String> {
    git(dir, &["show", &format!("{commit}:./{path}")], &[]).ok()
}

/// The same, byte by byte.
pub fn show_bytes(dir: &Path, commit: &str, path: &str) -> Option<Vec<u8>> {
    let words = [
        "--no-optional-locks",
        "--no-replace-objects",
        "show",
        "--no-textconv",
        &format!("{commit}:./{path}"),
    ];
    let done = run(dir, &words, LIMIT).ok()?;
    (done.code == Some(0)).then_some(done.stdout)
}

/// Every file of the last commit below `dir`, with the id of its text.
pub fn texts_of_head(dir: &Path) -> io::Result<BTreeMap<String, String>> {
    let output = git(dir, &["--no-replace-objects", "ls-tree", "-r", "-z", "HEAD"], &[])?;
    let entry = |line: &str| {
        let (meta, path) = line.split_once('\t')?;
        Some((path.to_owned(), meta.rsplit(' ').next()?.to_owned()))
    };
    Ok(output.split('\0').filter_map(entry).collect())
}

/// Whether `bytes` is the text that git has under this id.
pub fn is_text(id: &str, bytes: &[u8]) -> bool {
    use std::fmt::Write as _;

    use sha2::Digest as _;
    let head = format!("blob {}\0", bytes.len());
    let digest = match id.len() {
        40 => sha1::Sha1::new().chain_update(&head).chain_update(bytes).finalize().to_vec(),
        _ => sha2::Sha256::new().chain_update(&head).chain_update(bytes).finalize().to_vec(),
    };
    let mut text = String::new();
    for byte in digest {
        let _ = write!(text, "{byte:02x}");
    }
    text == id
}

/// The last commit; `None` before the first. Git is asked only where the repository's own files do not tell.
pub fn head_commit(repository: &Repository) -> Option<String> {
    let asked = || git(&repository.root, &["rev-parse", "--verify", "--quiet", "HEAD"], &[]).ok();
    repository.head().commit.or_else(|| asked().map(|text| text.trim().to_owned()))
}

/// Every file in the index, relative to `dir`.
pub fn tracked(dir: &Path) -> io::Result<Vec<String>> {
    let output = git(dir, &["ls-files", "-z"], &[])?;
    Ok(output.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Every file below `dir` that git would look after: in the index, or new and not ignored. As bytes, because they are opened.
pub fn listed(dir: &Path) -> io::Result<Vec<Vec<u8>>> {
    let done = run(dir, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"], LIMIT)?;
    if done.code != Some(0) {
        return Err(io::Error::other("git ls-files failed"));
    }
    Ok(done.stdout.split(|b| *b == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect())
}

/// The names of the contents that git would store for these files, relative to `dir` and without line ends in their names: after
/// line ends, filters and encodings are changed as the repository says. Filters of the repository's own never run; the user's do.
pub fn stored_ids(dir: &Path, names: &[&[u8]]) -> io::Result<Vec<String>> {
    let given = Given { input: &names.join(&b'\n') };
    let done = run_with(dir, &["hash-object", "--stdin-paths"], LIMIT, &given)?;
    let ids: Vec<String> = String::from_utf8_lossy(&done.stdout).lines().map(str::to_owned).collect();
    if done.code == Some(0) && ids.len() == names.len() {
        Ok(ids)
    } else {
        Err(io::Error::other("git hash-object failed"))
    }
}

/// What git says to a question that changes nothing.
pub fn text(dir: &Path, args: &[&str]) -> io::Result<String> {
    git(dir, args, &[])
}

fn names_in(output: &str) -> BTreeSet<String> {
    output.split(['\0', '\n']).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// `dir` below the repository's root, as git writes it: empty, or with a slash at the end.
pub fn prefix(dir: &Path) -> String {
    let below = Repository::find(dir).and_then(|repository| model::path::below(dir, &repository.root));
    below.filter(|path| !path.is_empty()).map_or_else(String::new, |path| format!("{path}/"))
}

/// A line of `git status`: a letter for the index, one for the work tree, the path.
fn parse(entry: &str, prefix: &str) -> Option<(String, Dirty)> {
    let (codes, path) = (entry.get(..2)?, entry.get(3..)?);
    let path = path.strip_prefix(prefix)?.to_owned();
    let (index, tree) = (codes.as_bytes()[0], codes.as_bytes()[1]);
    let in_head = match (index, tree) {
        // Of the marks of a conflict these say that "we" do not have it.
        (b'D', b'D' | b'U') | (b'U', b'A') => false,
        (b'A', b'A' | b'U') => true,
        // Added, also by a mere announcement (`git add -N`), or not known at all.
        (b'A' | b'?', _) | (b' ', b'A') => false,
        _ => true,
    };
    let kind = match (index, tree) {
        _ if !in_head => ChangeKind::New,
        (_, b'D') | (b'D', _) => ChangeKind::Deleted,
        (_, b'M' | b'T') => ChangeKind::Modified,
        _ => ChangeKind::Staged,
    };
    Some((path, Dirty { kind, in_head, staged: index != b' ', untracked: index == b'?' }))
}

/// One call about the files that match `globs`.
fn git(dir: &Path, args: &[&str], globs: &[String]) -> io::Result<String> {
    let specs: Vec<String> = globs.iter().map(|glob| format!(":(glob){glob}")).collect();
    git_about(dir, args, &specs)
}

fn git_about(dir: &Path, args: &[&str], specs: &[String]) -> io::Result<String> {
    let mut all = args.to_vec();
    if !specs.is_empty() {
        all.push("--");
        all.extend(specs.iter().map(String::as_str));
    }
    let done = run(dir, &all, LIMIT)?;
    if done.code == Some(0) {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&done.stderr);
    let first = words.lines().next().unwrap_or("no words");
    Err(io::Error::other(format!("git {} failed: {first}", args.first().unwrap_or(&""))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{commit, git, repo};

    fn globs() -> Vec<String> {
        vec!["**/.ruff.toml".into(), "**/.yamllint*".into()]
    }

    #[test]
    fn every_kind_of_change_is_seen_at_any_depth() {
        let (_guard, root) = repo();
        std::fs::create_dir_all(root.join("a b/ü")).unwrap();
        for name in [".ruff.toml", "a b/.ruff.toml", "a b/ü/.ruff.toml", "a b/.yamllint", "other"] {
            commit(&root, name, "1");
        }
        assert_eq!(dirty(&root, &globs()).unwrap(), BTreeMap::new());
        std::fs::write(root.join(".ruff.toml"), "2").unwrap();
        std::fs::write(root.join("a b/.ruff.toml"), "2").unwrap();
        git(&root, &["add", "a b/.ruff.toml"]);
        std::fs::remove_file(root.join("a b/ü/.ruff.toml")).unwrap();
        git(&root, &["rm", "-q", "a b/.yamllint"]);
        std::fs::write(root.join(".yamllint.yml"), "new").unwrap();
        std::fs::write(root.join("other"), "2").unwrap();
        let kinds: Vec<_> =
            dirty(&root, &globs()).unwrap().into_iter().map(|(path, d)| (path, d.kind)).collect();
        let expected = [
            (".ruff.toml", ChangeKind::Modified),
            (".yamllint.yml", ChangeKind::New),
            ("a b/.ruff.toml", ChangeKind::Staged),
            ("a b/.yamllint", ChangeKind::Deleted),
            ("a b/ü/.ruff.toml", ChangeKind::Deleted),
        ];
        assert_eq!(kinds, expected.map(|(path, kind)| (path.to_owned(), kind)));
        // From a project below the repository's root, only its own files, relative to it.
        let below: Vec<_> = dirty(&root.join("a b"), &globs()).unwrap().into_keys().collect();
        assert_eq!(below, [".ruff.toml", ".yamllint", "ü/.ruff.toml"]);
    }

    #[test]
    fn ignored_files_do_not_count() {
        let (_guard, root) = repo();
        commit(&root, ".gitignore", "node_modules/\n");
        std::fs::create_dir(root.join("node_modules")).unwrap();
        std::fs::write(root.join("node_modules/.ruff.toml"), "x").unwrap();
        assert_eq!(dirty(&root, &globs()).unwrap(), BTreeMap::new());
    }

    fn names(found: io::Result<BTreeSet<String>>) -> Vec<String> {
        found.unwrap().into_iter().collect()
    }

    #[test]
    fn commits_of_the_session_count_and_those_of_remotes_do_not() {
        let (_guard, root) = repo();
        commit(&root, ".ruff.toml", "1");
        let base = git(&root, &["rev-parse", "HEAD"]);
        commit(&root, ".ruff.toml", "2");
        assert_eq!(names(committed(&root, Some(&base), 0, &globs())), [".ruff.toml"]);
        assert_eq!(names(committed(&root, None, 0, &globs())), [".ruff.toml"]);
        assert_eq!(show(&root, &base, ".ruff.toml").as_deref(), Some("1"));
        assert_eq!(show(&root, &base, "missing"), None);
        git(&root, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
        assert!(names(committed(&root, Some(&base), 0, &globs())).is_empty());
    }

    #[test]
    fn of_a_rename_the_old_name_counts_and_of_a_merge_what_it_made_up() {
        let (_guard, root) = repo();
        commit(&root, ".ruff.toml", "1\n2\n3\n");
        let base = git(&root, &["rev-parse", "HEAD"]);
        git(&root, &["mv", ".ruff.toml", "old-rules"]);
        git(&root, &["commit", "-qm", "renamed"]);
        assert_eq!(names(committed(&root, Some(&base), 0, &globs())), [".ruff.toml"]);

        git(&root, &["checkout", "-qb", "side", &base]);
        commit(&root, ".yamllint", "theirs");
        git(&root, &["update-ref", "refs/remotes/origin/side", "HEAD"]);
        git(&root, &["checkout", "-q", "main"]);
        git(&root, &["reset", "-q", "--hard", &base]);
        commit(&root, "other", "ours");
        git(&root, &["merge", "-q", "--no-ff", "-m", "merged", "side"]);
        assert!(
            names(committed(&root, Some(&base), 0, &globs())).is_empty(),
            "a colleague's file is not ours"
        );
        std::fs::write(root.join(".yamllint"), "made up").unwrap();
        git(&root, &["commit", "-q", "-a", "--amend", "--no-edit"]);
        assert_eq!(names(committed(&root, Some(&base), 0, &globs())), [".yamllint"]);
    }

    #[test]
    fn the_index_counts_as_much_as_the_file() {
        let (_guard, root) = repo();
        commit(&root, ".ruff.toml", "1");
        let base = git(&root, &["rev-parse", "HEAD"]);
        commit(&root, ".ruff.toml", "2");
        assert_eq!(names(differing(&root, &base, &globs())), [".ruff.toml"]);
        std::fs::write(root.join(".ruff.toml"), "1").unwrap();
        assert_eq!(
            names(differing(&root, &base, &globs())),
            [".ruff.toml"],
            "the next commit would have the other text"
        );
        git(&root, &["add", ".ruff.toml"]);
        assert!(names(differing(&root, &base, &globs())).is_empty());
    }
}
