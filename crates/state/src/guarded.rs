//! The protected files of a project as they lie there: a bounded walk that asks nobody, so that nothing which git is told hides a change.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};

use crate::git;
use crate::session;

/// Entries that are looked at; a larger tree is seen as far as this reaches, from the top downwards.
const MOST_ENTRIES: usize = 200_000;
const DEEPEST: usize = 64;

/// Folders that hold what tools made and other people's packages: a rule in there is about nothing but them.
const PACKAGES: &[&str] = &[
    "node_modules",
    "bower_components",
    "__pycache__",
    "site-packages",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
];

/// What a walk has found.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Content hashes by path below the root, with `/`.
    pub(crate) files: BTreeMap<String, String>,
    /// Whether everything was looked at.
    pub(crate) whole: bool,
}

/// Git's patterns, sorted by how they are tried: most name a file anywhere.
struct Wanted<'a> {
    names: HashSet<&'a [u8]>,
    beginnings: Vec<&'a [u8]>,
    others: Vec<Other<'a>>,
}

/// A pattern for paths, and in which folders anything can fit it: most folders of a large project are none of them.
struct Other<'a> {
    glob: &'a str,
    place: Place<'a>,
}

enum Place<'a> {
    /// Below this one, by its path with a slash at its end; below the root where it is empty.
    Below(&'a str),
    /// Below one of this name, wherever that is.
    Named(&'a str),
}

impl<'a> Other<'a> {
    fn of(glob: &'a str) -> Self {
        let literal = |text: &'a str| &text[..text.find(['*', '?', '[', '\\']).unwrap_or(text.len())];
        let anywhere = glob.strip_prefix("**/");
        let name = anywhere.and_then(|rest| Some(literal(rest).split_once('/')?.0));
        let below = || {
            let start = literal(glob);
            // A pattern that ends with a folder's name means what is in it.
            &start[..start.rfind('/').map_or(0, |at| at + 1)]
        };
        Self { glob, place: name.map_or_else(|| Place::Below(below()), Place::Named) }
    }

    /// Whether a file right in this folder may fit.
    fn may_lie_in(&self, folder: &str) -> bool {
        match self.place {
            Place::Below(start) => folder.starts_with(start),
            Place::Named(name) => folder.split_terminator('/').any(|part| part == name),
        }
    }
}

impl<'a> Wanted<'a> {
    fn of(globs: &'a [String]) -> Self {
        let mut wanted = Self { names: HashSet::new(), beginnings: Vec::new(), others: Vec::new() };
        for glob in globs {
            let plain = |text: &str| !text.contains(['*', '?', '[', '\\', '/']);
            match glob.strip_prefix("**/") {
                Some(name) if plain(name) => {
                    wanted.names.insert(name.as_bytes());
                }
                Some(name) if name.strip_suffix('*').is_some_and(plain) => {
                    wanted.beginnings.push(&name.as_bytes()[..name.len() - 1]);
                }
                _ => wanted.others.push(Other::of(glob)),
            }
        }
        wanted
    }

    /// By its name alone. A folder that is meant means everything in it.
    fn names(&self, name: &[u8]) -> bool {
        self.names.contains(name) || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
    }

    /// A link to a folder in place of one that is meant, or that leads to one.
    fn leads(&self, path: &str) -> bool {
        let below = format!("{path}/");
        self.others.iter().any(|other| other.glob.starts_with(&below))
    }

    /// The patterns that files right in this folder may fit.
    fn in_folder(&self, folder: &str) -> Vec<&'a str> {
        self.others.iter().filter(|other| other.may_lie_in(folder)).map(|other| other.glob).collect()
    }
}

/// Everything below `root` that the patterns mean. Links are not followed into folders; a file that is a link counts by what it leads to.
pub(crate) fn walk(root: &Path, globs: &[String]) -> Seen {
    let wanted = Wanted::of(globs);
    let mut seen = Seen { whole: true, ..Seen::default() };
    let mut open: VecDeque<(PathBuf, String, usize, bool)> = VecDeque::new();
    open.push_back((root.to_owned(), String::new(), 0, false));
    let mut entries = 0;
    while let Some((dir, prefix, depth, inside)) = open.pop_front() {
        let list = match std::fs::read_dir(&dir) {
            Ok(list) => list,
            Err(error) => {
                seen.whole &= matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                continue;
            }
        };
        let others = wanted.in_folder(&prefix);
        for entry in list.flatten() {
            entries += 1;
            if entries > MOST_ENTRIES {
                seen.whole = false;
                return seen;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let bytes = name.as_encoded_bytes();
            if kind.is_dir() {
                if is_packages(bytes, &entry) {
                    continue;
                }
                if depth >= DEEPEST {
                    seen.whole = false;
                    continue;
                }
                let path = format!("{prefix}{}/", name.to_string_lossy());
                open.push_back((entry.path(), path, depth + 1, inside || wanted.names(bytes)));
                continue;
            }
            // The name first: most files end here.
            let named = inside || wanted.names(bytes);
            if !named && others.is_empty() && !kind.is_symlink() {
                continue;
            }
            let path = format!("{prefix}{}", name.to_string_lossy());
            let fits = || others.iter().any(|glob| git::glob_matches(glob, &path));
            if named || fits() || kind.is_symlink() && wanted.leads(&path) {
                seen.files.insert(path, session::content_hash(&entry.path()));
            }
        }
    }
    seen
}

/// A folder that nobody writes rules for: git's own, packages, and what says of itself that it was made.
fn is_packages(name: &[u8], entry: &std::fs::DirEntry) -> bool {
    let has = |file: &str| entry.path().join(file).symlink_metadata().is_ok();
    name == b".git"
        || PACKAGES.iter().any(|known| name == known.as_bytes())
        || (name == b"target" && has("CACHEDIR.TAG"))
        || (matches!(name, b".venv" | b"venv" | b"env") && has("pyvenv.cfg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_pattern_means_is_seen_and_no_package() {
        let dir = tempfile::tempdir().unwrap();
        let globs: Vec<String> =
            ["**/.ruff.toml", "**/.yamllint*", ".claude/hooks/**", "**/.cargo/**"].map(str::to_owned).into();
        let write = |name: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        };
        let meant = [
            ".claude/hooks/a/b.sh",
            ".ruff.toml",
            "a b/ü/.ruff.toml",
            "a/.yamllint.yml",
            "a/.yamllint/x",
            "ignored/.ruff.toml",
            "nested/.ruff.toml",
            "target/.ruff.toml",
            "x/.cargo/config.toml",
        ];
        for name in meant {
            write(name);
        }
        for name in [
            "node_modules/p/.ruff.toml",
            ".git/.ruff.toml",
            "venv/pyvenv.cfg",
            "venv/.ruff.toml",
            "sub/target/CACHEDIR.TAG",
            "sub/target/.ruff.toml",
            "src/ruff.toml",
            "hooks/a.sh",
            "nested/.git/HEAD",
        ] {
            write(name);
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("..", dir.path().join("a/round")).unwrap();
        let seen = walk(dir.path(), &globs);
        assert!(seen.whole);
        assert_eq!(seen.files.keys().map(String::as_str).collect::<Vec<_>>(), meant);
        #[cfg(unix)]
        {
            std::fs::rename(dir.path().join(".claude/hooks"), dir.path().join("elsewhere")).unwrap();
            std::os::unix::fs::symlink("../elsewhere", dir.path().join(".claude/hooks")).unwrap();
            assert!(walk(dir.path(), &globs).files.contains_key(".claude/hooks"), "a link in its place");
        }
    }
}
