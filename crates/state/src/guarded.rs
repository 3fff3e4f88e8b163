//! The protected files of a project as they lie there: a bounded walk that asks nobody, so that nothing which git is told hides a change.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};

use machine::folders::{self, Folders, Kind};
use model::ContentHash;

use crate::{Machine, git, session};

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
    pub(crate) files: BTreeMap<String, ContentHash>,
    /// Whether everything was looked at.
    pub(crate) whole: bool,
}

/// Git's patterns, sorted by how they are tried: most name a file anywhere.
struct Wanted<'a> {
    /// Which bytes a name may begin with that is meant: most names end here.
    first: [bool; 256],
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
        let mut wanted =
            Self { first: [false; 256], names: HashSet::new(), beginnings: Vec::new(), others: Vec::new() };
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
        let meant = wanted.names.iter().chain(&wanted.beginnings).map(|name| name.first().copied());
        let meant: Vec<Option<u8>> = meant.collect();
        for first in meant {
            match first {
                Some(byte) => wanted.first[usize::from(byte)] = true,
                // `**/*` means every name.
                None => wanted.first = [true; 256],
            }
        }
        wanted
    }

    /// By its name alone. A folder that is meant means everything in it.
    fn names(&self, name: &[u8]) -> bool {
        name.first().is_some_and(|byte| self.first[usize::from(*byte)])
            && (self.names.contains(name)
                || self.beginnings.iter().any(|beginning| name.starts_with(beginning)))
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
pub(crate) fn walk(machine: &Machine, root: &Path, globs: &[String]) -> Seen {
    let wanted = Wanted::of(globs);
    Folders::with(machine, root, |folders| walk_in(folders, root, &wanted))
}

/// A folder that is still to be looked at: its path below the root, how deep it lies, and whether it or one above it is meant.
struct Open {
    below: PathBuf,
    depth: usize,
    inside: bool,
}

fn walk_in(folders: &mut Folders, root: &Path, wanted: &Wanted<'_>) -> Seen {
    let mut seen = Seen { whole: true, ..Seen::default() };
    let mut open = VecDeque::from([Open { below: PathBuf::new(), depth: 0, inside: false }]);
    let mut entries = 0;
    while let Some(Open { below, depth, inside }) = open.pop_front() {
        let listing = match folders.list(&below) {
            Ok(listing) => listing,
            Err(error) => {
                seen.whole &= matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                continue;
            }
        };
        let shown = below.to_string_lossy();
        let prefix = if shown.is_empty() { String::new() } else { format!("{shown}/") };
        let others = wanted.in_folder(&prefix);
        for (kind, name) in listing.entries() {
            entries += 1;
            if entries > MOST_ENTRIES {
                seen.whole = false;
                return seen;
            }
            if kind == Kind::Folder {
                let path = below.join(folders::os_name(name));
                if is_packages(name, &root.join(&path)) {
                    continue;
                }
                if depth >= DEEPEST {
                    seen.whole = false;
                    continue;
                }
                open.push_back(Open { below: path, depth: depth + 1, inside: inside || wanted.names(name) });
                continue;
            }
            // The name first: most files end here.
            let named = inside || wanted.names(name);
            let is_link = kind == Kind::Link;
            if !named && others.is_empty() && !is_link {
                continue;
            }
            let path = format!("{prefix}{}", String::from_utf8_lossy(name));
            let fits = || others.iter().any(|glob| git::glob_matches(glob, &path));
            if named || fits() || is_link && wanted.leads(&path) {
                let hash = session::content_hash(&root.join(&below).join(folders::os_name(name)));
                seen.files.insert(path, hash);
            }
        }
    }
    seen
}

/// A folder that nobody writes rules for: git's own, packages, and what says of itself that it was made.
fn is_packages(name: &[u8], path: &Path) -> bool {
    let has = |file: &str| path.join(file).symlink_metadata().is_ok();
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
        let state = dir.path().join("state").to_string_lossy().into_owned();
        // A machine lives for one event.
        let look = || walk(&Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], dir.path()), dir.path(), &globs);
        let seen = look();
        assert!(seen.whole);
        assert_eq!(seen.files.keys().map(String::as_str).collect::<Vec<_>>(), meant);
        #[cfg(unix)]
        {
            std::fs::rename(dir.path().join(".claude/hooks"), dir.path().join("elsewhere")).unwrap();
            std::os::unix::fs::symlink("../elsewhere", dir.path().join(".claude/hooks")).unwrap();
            assert!(look().files.contains_key(".claude/hooks"), "a link in its place");
        }
    }
}
