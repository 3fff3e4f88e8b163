//! What may differ from the last commit, by one look at each file, without starting git.
//!
//! Git compares a file's times, number and size with its index before it reads the file; where all are the same, so is the file. That
//! comparison is made here, because starting git for it twice (once for what its settings could run) is most of what a start
//! or a stop costs. Whatever is not certain is named, and git is asked about those paths only.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{FileStat, Mode, fstatat};

use super::Repository;
use super::changes::Glance;
use super::index::{Entry, Index, Look};
use super::objects::{self, Kind, Objects};
use super::settled::{Around, Settled};
use crate::folders::{Folders, Kind as Entered};
use crate::{Machine, files};

/// With more it is quicker to ask git about everything.
const MOST: usize = 100;

/// `None` where it takes git to know.
pub(super) fn look_at(machine: &Machine, root: &Path) -> Option<Glance> {
    let repository = Repository::at(root)?;
    if !is_ordinary(&repository) {
        return None;
    }
    let file = repository.git_dir.join("index");
    let index = Index::parse(files::read_bytes(&file).ok()?)?;
    let tree = last_tree(&repository)?;
    if *index.tree.as_ref()? != tree {
        return None;
    }
    let meta = std::fs::symlink_metadata(&file).ok()?;
    let written = nanoseconds(meta.mtime(), meta.mtime_nsec());
    let folder = openat(nix::fcntl::AT_FDCWD, root, FOLDER, Mode::empty()).ok()?;
    let mut found = Folders::with(machine, root, |folders| {
        let ignored = Ignored::read(root);
        let mut walk = Walk { root, index: &index, folders, found: Vec::new(), ignored, written };
        walk.folder(&folder, "", &index.entries)?;
        Some(walk.found)
    })?;
    // Our own records are kept out of git (`exclude.rs`), and are there after every event.
    found.retain(|path| !(path.starts_with(".claude/") && model::changes::is_record(path)));
    let mut settled = Settled::default();
    if !found.is_empty() {
        settled = Around::of(machine, root, &repository, &index).settle(&found, &index);
        found.retain(|path| !settled.clean.contains(path));
    }
    let written = latest_source(&index);
    Some(Glance {
        tree: objects::hex(&tree),
        differs: found,
        known: settled.dirty,
        open: settled.open,
        written,
    })
}

fn is_source(path: &str) -> bool {
    model::source::is_source(Path::new(path)) && !path.starts_with(".claude/")
}

/// When the source that git looks after was last written, as its index says.
fn latest_source(index: &Index) -> u64 {
    let mut latest = 0;
    for entry in &index.entries {
        let written = index.look(entry).written.0;
        if written > latest && std::str::from_utf8(index.path(entry)).is_ok_and(is_source) {
            latest = written;
        }
    }
    u64::from(latest)
}

/// Whether a source file may have been written at this time or later. Of what git looks after and what has not changed since, the index says
/// when it was written; of the rest the file does, and of one that is gone its folder.
pub(super) fn source_written_since(root: &Path, glance: &Glance, at: u64) -> bool {
    let since = |path: &str| {
        let file = root.join(path);
        let time = files::modified(&file).or_else(|| files::modified(file.parent()?));
        time.is_none_or(|time| time >= at)
    };
    let known = glance.known.keys().any(|path| is_source(path) && since(path));
    // A folder that git is to judge may hold anything.
    let open =
        glance.open.iter().any(|path| (is_source(path) || files::is_dir(&root.join(path))) && since(path));
    glance.written >= at || known || open
}

/// Settings that say where the work tree is, or that are read from elsewhere, may say anything.
fn is_ordinary(repository: &Repository) -> bool {
    let Ok(Some(text)) = files::read(&repository.common_dir.join("config")) else { return false };
    let text = text.to_ascii_lowercase();
    !["worktree", "include", "bare = true", "bare=true", "objectformat"]
        .iter()
        .any(|word| text.contains(word))
}

fn last_tree(repository: &Repository) -> Option<Vec<u8>> {
    let commit = repository.head().commit?;
    let (kind, text) = Objects::of(repository).read(&objects::bytes(&commit)?).ok()?;
    let line = text.strip_prefix(b"tree ").filter(|_| kind == Kind::Commit)?;
    objects::bytes(std::str::from_utf8(line.get(..40)?).ok()?)
}

const FOLDER: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);

struct Walk<'a> {
    root: &'a Path,
    index: &'a Index,
    folders: &'a mut Folders,
    found: Vec<String>,
    ignored: Ignored,
    /// When the index was. A file that is hardly older may have changed after git had looked at it, without a trace.
    written: i128,
}

/// Longer than the clock of any file system needs for its next tick.
const TICK: i128 = 50_000_000;

fn nanoseconds(seconds: i64, rest: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(rest)
}

impl Walk<'_> {
    /// `None` where there is too much, or a name that is not text.
    fn folder(&mut self, folder: &OwnedFd, prefix: &str, entries: &[Entry]) -> Option<()> {
        let mut known: Vec<&[u8]> = Vec::new();
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let index = self.index;
            let whole = index.path(first);
            let below = &whole[prefix.len()..];
            let end = below.iter().position(|byte| *byte == b'/');
            let name = &below[..end.unwrap_or(below.len())];
            known.push(name);
            let count = match end {
                None => {
                    self.file(folder.as_fd(), name, prefix, first)?;
                    1
                }
                Some(_) => {
                    let stem = &whole[..=prefix.len() + name.len()];
                    let count = rest.partition_point(|entry| index.path(entry).starts_with(stem));
                    self.below(folder.as_fd(), (prefix, name), &rest[..count])?;
                    count
                }
            };
            rest = &rest[count..];
        }
        // Hardly out of order: of folders the index counts the slash at their end.
        known.sort_unstable();
        self.unknown(prefix, &known)
    }

    fn file(&mut self, folder: BorrowedFd<'_>, name: &[u8], prefix: &str, entry: &Entry) -> Option<()> {
        if entry.unwatched {
            return Some(());
        }
        let same = fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW).is_ok_and(|stat| {
            let settled = nanoseconds(stat.st_mtime, stat.st_mtime_nsec) + TICK < self.written;
            settled && look(&stat) == Some(self.index.look(entry))
        });
        if same { Some(()) } else { self.note(prefix, name) }
    }

    fn below(
        &mut self,
        folder: BorrowedFd<'_>,
        (prefix, name): (&str, &[u8]),
        entries: &[Entry],
    ) -> Option<()> {
        match openat(folder, name, FOLDER, Mode::empty()) {
            Ok(inner) => {
                let text = std::str::from_utf8(name).ok()?;
                self.folder(&inner, &format!("{prefix}{text}/"), entries)
            }
            // Gone, or something else in its place.
            Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP) => self.note(prefix, name),
            Err(_) => None,
        }
    }

    /// What lies in the folder beside what git looks after.
    fn unknown(&mut self, prefix: &str, known: &[&[u8]]) -> Option<()> {
        let listing = self.folders.list(Path::new(prefix.strip_suffix('/').unwrap_or(prefix))).ok()?;
        // Both are in order.
        let mut known = known.iter().peekable();
        for (kind, name) in listing.entries() {
            // A folder's own list may take back what the first one ignores.
            if name == b".gitignore"
                && !prefix.is_empty()
                && takes_back(&self.root.join(prefix).join(".gitignore"))
            {
                return None;
            }
            while known.next_if(|known| **known < name).is_some() {}
            let is_known = name == b".git" || known.peek().is_some_and(|known| **known == name);
            if !is_known && !self.ignored.has(name, || kind == Entered::Folder) {
                self.note(prefix, name)?;
            }
        }
        Some(())
    }

    fn note(&mut self, prefix: &str, name: &[u8]) -> Option<()> {
        self.found.push(format!("{prefix}{}", std::str::from_utf8(name).ok()?));
        (self.found.len() <= MOST).then_some(())
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "git keeps 32 bits of each")]
fn look(stat: &FileStat) -> Option<Look> {
    const KIND: u32 = 0o170_000;
    let mode = match stat.st_mode & KIND {
        0o100_000 if stat.st_mode & 0o100 != 0 => 0o100_755,
        0o100_000 => 0o100_644,
        0o120_000 => 0o120_000,
        _ => return None,
    };
    Some(Look {
        changed: (stat.st_ctime as u32, stat.st_ctime_nsec as u32),
        written: (stat.st_mtime as u32, stat.st_mtime_nsec as u32),
        number: stat.st_ino as u32,
        mode,
        owner: (stat.st_uid, stat.st_gid),
        size: stat.st_size as u32,
    })
}

/// Plain names that the list at the root ignores wherever they lie (`node_modules`, `__pycache__/`): the folders that build tools fill.
/// Anything less plain is git's to judge.
#[derive(Default)]
struct Ignored {
    /// Each with whether it is ignored as a folder only.
    names: BTreeMap<Vec<u8>, bool>,
}

impl Ignored {
    fn read(root: &Path) -> Self {
        let list = root.join(".gitignore");
        if takes_back(&list) {
            return Self::default();
        }
        let text = files::read(&list).ok().flatten().unwrap_or_default();
        let plain = |line: &str| {
            let line = line.trim_end();
            let name = line.strip_suffix('/').unwrap_or(line);
            let plain = !name.is_empty() && !name.contains(['*', '?', '[', '\\', '/', '#', ' ']);
            plain.then(|| (name.as_bytes().to_vec(), name != line))
        };
        Self { names: text.lines().filter_map(plain).collect() }
    }

    fn has(&self, name: &[u8], is_folder: impl FnOnce() -> bool) -> bool {
        self.names.get(name).is_some_and(|folders_only| !folders_only || is_folder())
    }
}

/// Whether a list has a line that says not to ignore something, or cannot be read.
fn takes_back(list: &Path) -> bool {
    files::read(list)
        .map_or(true, |text| text.is_some_and(|text| text.lines().any(|line| line.starts_with('!'))))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::git::{dirty, status};
    use crate::testing::{git, repo};

    /// A file that was written long ago: its time proves something.
    fn old(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let then = SystemTime::now() - Duration::from_hours(1);
        fs::File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
    }

    fn settled() -> (tempfile::TempDir, PathBuf) {
        let (guard, root) = repo();
        for name in ["a.py", "lib/b.py", "lib/deep/c.py", "lib.txt", "z"] {
            old(&root, name, name);
        }
        old(&root, ".gitignore", "node_modules\n__pycache__/\n*.log\n");
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-q", "-m", "first"]);
        (guard, root)
    }

    /// Whatever is found by a glance, the whole answer is git's.
    #[track_caller]
    fn agrees(root: &Path) -> Option<Vec<String>> {
        let found = status(&Machine::with(&[], root), root).unwrap();
        assert_eq!(*found, dirty(root, &[]).unwrap());
        look_at(&Machine::with(&[], root), root).map(|mut glance| {
            glance.differs.sort();
            glance.differs
        })
    }

    #[track_caller]
    fn names(found: Option<&Vec<String>>, expected: &[&str]) {
        assert_eq!(
            found.map(Vec::as_slice),
            Some(expected.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().as_slice())
        );
    }

    #[test]
    fn nothing_differs_and_git_is_not_asked() {
        let (_guard, root) = settled();
        names(agrees(&root).as_ref(), &[]);
        old(&root, "node_modules/x/index.js", "");
        old(&root, "lib/__pycache__/b.pyc", "");
        names(agrees(&root).as_ref(), &[]);
        git(&root, &["update-index", "--index-version", "4"]);
        names(agrees(&root).as_ref(), &[]);
    }

    #[test]
    fn what_may_differ_is_named() {
        let (_guard, root) = settled();
        old(&root, "a.py", "b.py, longer");
        names(agrees(&root).as_ref(), &["a.py"]);
        fs::remove_file(root.join("z")).unwrap();
        old(&root, "new/one.py", "");
        old(&root, "x.log", "");
        old(&root, "lib/__pycache__x", "");
        names(agrees(&root).as_ref(), &["a.py", "lib/__pycache__x", "new", "x.log", "z"]);
        fs::remove_dir_all(root.join("lib/deep")).unwrap();
        std::os::unix::fs::symlink(root.join("new"), root.join("lib/deep")).unwrap();
        assert!(agrees(&root).unwrap().contains(&"lib/deep".to_owned()));
        fs::remove_dir_all(root.join("lib")).unwrap();
        assert!(agrees(&root).unwrap().contains(&"lib".to_owned()));
        // A file of a folder's name is not what the list means.
        fs::write(root.join("__pycache__"), "").unwrap();
        assert!(agrees(&root).unwrap().contains(&"__pycache__".to_owned()));
    }

    /// What is left to git after a look at the bytes.
    #[track_caller]
    fn left(root: &Path) -> Vec<String> {
        agrees(root);
        look_at(&Machine::with(&[], root), root).unwrap().open
    }

    #[test]
    fn what_bytes_tell_needs_no_git() {
        let (_guard, root) = settled();
        let none: [&str; 0] = [];
        old(&root, "a.py", "another size");
        old(&root, "lib/b.py", "x");
        old(&root, "new/one.py", "");
        old(&root, "new/deep/two.py", "");
        fs::create_dir_all(root.join("empty/folder")).unwrap();
        old(&root, ".claude/settings.json", "{}");
        fs::remove_file(root.join("z")).unwrap();
        // Written anew as it was.
        old(&root, "lib.txt", "lib.txt");
        assert_eq!(left(&root), none);
        names(agrees(&root).as_ref(), &[".claude", "a.py", "empty", "lib/b.py", "new", "z"]);
    }

    #[test]
    fn what_bytes_do_not_tell_is_left_to_git() {
        let (_guard, root) = settled();
        // Lists may mean it, further down too.
        old(&root, "x.log", "");
        old(&root, "new/x.log", "");
        old(&root, "lib/.gitignore", "b*\n");
        old(&root, "lib/bb.py", "");
        let mut found = left(&root);
        found.sort();
        assert_eq!(found, ["lib/bb.py", "new", "x.log"]);
        // Line ends, kinds of files, other repositories.
        old(&root, "a.py", "a\r\n");
        std::os::unix::fs::symlink("a.py", root.join("link.py")).unwrap();
        fs::remove_file(root.join("z")).unwrap();
        std::os::unix::fs::symlink("a.py", root.join("z")).unwrap();
        fs::create_dir_all(root.join("other")).unwrap();
        git(&root.join("other"), &["init", "-q"]);
        let found = left(&root);
        for name in ["a.py", "z", "other"] {
            assert!(found.iter().any(|path| path == name), "{name}: {found:?}");
        }
        fs::remove_dir_all(root.join("lib/deep")).unwrap();
        std::os::unix::fs::symlink(root.join("new"), root.join("lib/deep")).unwrap();
        assert!(left(&root).contains(&"lib/deep".to_owned()));
    }

    #[test]
    fn attributes_that_change_bytes_leave_files_to_git() {
        let (_guard, root) = settled();
        old(&root, ".gitattributes", "* text=auto\n");
        old(&root, "a.py", "another size");
        assert_eq!(left(&root), [""; 0]);
        old(&root, "lib/.gitattributes", "*.py ident\n");
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-q", "-m", "attributes"]);
        old(&root, "a.py", "and another");
        assert_eq!(left(&root), ["a.py"]);
    }

    #[test]
    fn what_a_glance_cannot_know_is_gits() {
        let (_guard, root) = settled();
        // As young as the index: its times prove nothing, its bytes do.
        fs::write(root.join("a.py"), "a.py").unwrap();
        names(agrees(&root).as_ref(), &[]);
        old(&root, "a.py", "staged");
        git(&root, &["add", "a.py"]);
        assert_eq!(agrees(&root), None);
        git(&root, &["commit", "-q", "-m", "second"]);
        names(agrees(&root).as_ref(), &[]);
        old(&root, "announced", "");
        git(&root, &["add", "-N", "announced"]);
        assert_eq!(agrees(&root), None);
        git(&root, &["reset", "-q"]);
        // A list further down takes back what the first ignores.
        old(&root, "lib/.gitignore", "!node_modules\n");
        old(&root, "lib/node_modules/kept", "");
        assert_eq!(agrees(&root), None);
        fs::remove_dir_all(root.join("lib")).unwrap();
        git(&root, &["checkout", "-q", "."]);
        git(&root, &["config", "core.worktree", root.to_str().unwrap()]);
        assert_eq!(agrees(&root), None);
    }

    #[test]
    fn a_broken_index_is_gits() {
        let (_guard, root) = settled();
        let bytes = fs::read(root.join(".git/index")).unwrap();
        for cut in 0..bytes.len() {
            let _ = Index::parse(bytes[..cut].to_vec());
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x55;
            let _ = Index::parse(other);
        }
        assert_eq!(Index::parse(b"DIRC\0\0\0\x05\0\0\0\0".to_vec()), None);
    }
}
