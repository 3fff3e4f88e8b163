//! What differs from the last commit, by `git` itself: its rules for ignoring, line ends and filters are not ours to guess.
//!
//! Off the hot path: one process at the start of a session and one or two at a stop.

use std::io;
use std::path::Path;
use std::time::Duration;

use model::ChangeKind;

use super::Repository;
use crate::process;

/// A file that differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirty {
    /// Relative to the directory that was asked about, with `/`.
    pub path: String,
    pub kind: ChangeKind,
    /// The last commit does not have it, but the index does.
    pub added: bool,
}

const LIMIT: Duration = Duration::from_secs(20);

/// The files below `dir` that match `globs` and differ from the last commit, new ones included, ignored ones not.
pub fn dirty(dir: &Path, globs: &[String]) -> io::Result<Vec<Dirty>> {
    let mut args = vec!["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--"];
    let specs = pathspecs(globs);
    args.extend(specs.iter().map(String::as_str));
    let output = git(dir, &args)?;
    let prefix = prefix(dir);
    Ok(output.split('\0').filter_map(|entry| parse(entry, &prefix)).collect())
}

/// The files below `dir` that match `globs` and that commits made since `epoch` on top of `base` have changed. Commits that a
/// remote has too came from elsewhere and do not count.
pub fn committed(dir: &Path, base: &str, epoch: u64, globs: &[String]) -> io::Result<Vec<String>> {
    let (range, since) = (format!("{base}..HEAD"), format!("--since=@{epoch}"));
    let mut args =
        vec!["log", "--format=", "--name-only", "-z", "--relative", &since, &range, "--not", "--remotes", "--"];
    let specs = pathspecs(globs);
    args.extend(specs.iter().map(String::as_str));
    let output = git(dir, &args)?;
    let mut files: Vec<String> =
        output.split(['\0', '\n']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The files that a commit now would contain.
pub fn staged(dir: &Path) -> io::Result<Vec<String>> {
    let output = git(dir, &["diff", "--cached", "--name-only", "-z"])?;
    Ok(output.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// A file's text in a commit; `None` when the commit does not have it.
pub fn show(dir: &Path, commit: &str, path: &str) -> Option<String> {
    git(dir, &["show", &format!("{commit}:./{path}")]).ok()
}

fn pathspecs(globs: &[String]) -> Vec<String> {
    globs.iter().map(|glob| format!(":(glob){glob}")).collect()
}

/// `dir` below the repository's root, as git writes it: empty, or with a slash at the end.
fn prefix(dir: &Path) -> String {
    let below = Repository::find(dir).and_then(|repository| model::path::below(dir, &repository.root));
    below.filter(|path| !path.is_empty()).map_or_else(String::new, |path| format!("{path}/"))
}

fn parse(entry: &str, prefix: &str) -> Option<Dirty> {
    let (codes, path) = (entry.get(..2)?, entry.get(3..)?);
    let path = path.strip_prefix(prefix)?.to_owned();
    let (index, tree) = (codes.as_bytes()[0], codes.as_bytes()[1]);
    let kind = match (index, tree) {
        (b'?', _) => ChangeKind::New,
        (_, b'D') | (b'D', _) => ChangeKind::Deleted,
        (b'A', _) => ChangeKind::New,
        (_, b'M' | b'T') => ChangeKind::Modified,
        _ => ChangeKind::Staged,
    };
    Some(Dirty { path, kind, added: index == b'A' })
}

/// One call, without locks, colours or programs that the repository's config names.
fn git(dir: &Path, args: &[&str]) -> io::Result<String> {
    let mut all = vec!["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];
    all.extend(args);
    let done = process::run("git", &all, dir, LIMIT)?;
    if done.code == Some(0) {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&done.stderr);
    let first = words.lines().next().unwrap_or("no words");
    Err(io::Error::other(format!("git {} failed: {first}", args.first().unwrap_or(&""))))
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::*;

    pub(in crate::git) fn git(dir: &Path, args: &[&str]) -> String {
        let mut all = vec!["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
        all.extend(args);
        let done = process::run("git", &all, dir, LIMIT).unwrap();
        assert_eq!(done.code, Some(0), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    pub(in crate::git) fn repo() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        git(&root, &["init", "-q", "-b", "main"]);
        (dir, root)
    }

    pub(in crate::git) fn commit(root: &Path, name: &str, text: &str) {
        std::fs::write(root.join(name), text).unwrap();
        git(root, &["add", "--", name]);
        git(root, &["commit", "-qm", name]);
    }

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
        assert_eq!(dirty(&root, &globs()).unwrap(), []);
        std::fs::write(root.join(".ruff.toml"), "2").unwrap();
        std::fs::write(root.join("a b/.ruff.toml"), "2").unwrap();
        git(&root, &["add", "a b/.ruff.toml"]);
        std::fs::remove_file(root.join("a b/ü/.ruff.toml")).unwrap();
        git(&root, &["rm", "-q", "a b/.yamllint"]);
        std::fs::write(root.join(".yamllint.yml"), "new").unwrap();
        std::fs::write(root.join("other"), "2").unwrap();
        let kinds: Vec<_> = dirty(&root, &globs()).unwrap().into_iter().map(|d| (d.path, d.kind)).collect();
        let expected = [
            (".ruff.toml", ChangeKind::Modified),
            ("a b/.ruff.toml", ChangeKind::Staged),
            ("a b/.yamllint", ChangeKind::Deleted),
            ("a b/ü/.ruff.toml", ChangeKind::Deleted),
            (".yamllint.yml", ChangeKind::New),
        ];
        assert_eq!(kinds, expected.map(|(path, kind)| (path.to_owned(), kind)));
        // From a project below the repository's root, only its own files, relative to it.
        let below: Vec<_> = dirty(&root.join("a b"), &globs()).unwrap().into_iter().map(|d| d.path).collect();
        assert_eq!(below, [".ruff.toml", ".yamllint", "ü/.ruff.toml"]);
    }

    #[test]
    fn ignored_files_do_not_count() {
        let (_guard, root) = repo();
        commit(&root, ".gitignore", "node_modules/\n");
        std::fs::create_dir(root.join("node_modules")).unwrap();
        std::fs::write(root.join("node_modules/.ruff.toml"), "x").unwrap();
        assert_eq!(dirty(&root, &globs()).unwrap(), []);
    }

    #[test]
    fn commits_of_the_session_count_and_those_of_remotes_do_not() {
        let (_guard, root) = repo();
        commit(&root, ".ruff.toml", "1");
        let base = git(&root, &["rev-parse", "HEAD"]);
        commit(&root, ".ruff.toml", "2");
        assert_eq!(committed(&root, &base, 0, &globs()).unwrap(), [".ruff.toml"]);
        assert_eq!(show(&root, &base, ".ruff.toml").as_deref(), Some("1"));
        assert_eq!(show(&root, &base, "missing"), None);
        git(&root, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
        assert!(committed(&root, &base, 0, &globs()).unwrap().is_empty());
    }
}
