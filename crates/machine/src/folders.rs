//! What lies in the folders of a tree, read once and kept by the folders' identities.
//!
//! A folder's times change with its entries, and the later one cannot be set by hand: where both are as they were when a list was read, the
//! list is still true. Several checks of one hook look for different things in the same folders, and reading the names of a large tree takes
//! a third of the time that it takes to look at its files. Nothing is kept of file systems whose folders are not known to have such times,
//! nor of small trees. What changes inside a file is not seen here.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::{Machine, atomic, files};

/// A folder that has changed so recently may change again without a trace.
const TICK: u128 = 50_000_000;
/// Bytes of names below which reading them costs less than keeping them.
const FEW: usize = 16 * 1024;
const MOST: usize = 16 * 1024 * 1024;
const FIRST_LINE: &str = "folders 1\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    Other,
}

impl Kind {
    fn of(kind: &io::Result<std::fs::FileType>) -> Self {
        match kind {
            Ok(kind) if kind.is_dir() => Self::Folder,
            Ok(kind) if kind.is_symlink() => Self::Link,
            Ok(kind) if kind.is_file() => Self::File,
            _ => Self::Other,
        }
    }

    fn letter(self) -> u8 {
        match self {
            Self::File => b'f',
            Self::Folder => b'd',
            Self::Link => b'l',
            Self::Other => b'?',
        }
    }

    fn named(letter: u8) -> Self {
        match letter {
            b'f' => Self::File,
            b'd' => Self::Folder,
            b'l' => Self::Link,
            _ => Self::Other,
        }
    }
}

/// The entries of a folder, in the order of their names' bytes.
#[derive(Clone, Debug)]
pub struct Listing {
    /// A letter for the kind, the name, and a NUL, for each.
    text: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Listing {
    fn bytes(&self) -> &[u8] {
        &self.text[self.range.clone()]
    }

    pub fn entries(&self) -> impl Iterator<Item = (Kind, &[u8])> {
        let entry = |entry: &'_ [u8]| entry.split_first().map(|(letter, _)| Kind::named(*letter));
        self.bytes().split(|byte| *byte == 0).filter_map(move |text| Some((entry(text)?, &text[1..])))
    }
}

struct Known {
    identity: Option<String>,
    listing: Listing,
}

/// The folders below one root, as they are during one hook.
#[derive(Default)]
pub struct Folders {
    /// Where lists are kept; `None` where they prove nothing.
    place: Option<PathBuf>,
    root: PathBuf,
    device: String,
    now: u128,
    /// By the paths below the root: what was kept, and what has been looked at.
    kept: BTreeMap<PathBuf, Known>,
    seen: BTreeMap<PathBuf, Known>,
    changed: bool,
    /// A list of an earlier hook was there.
    was_kept: bool,
}

impl std::fmt::Debug for Folders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folders").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Folders {
    /// Looks through the folders below `root`, which a process reads once.
    pub fn with<T>(machine: &Machine, root: &Path, look: impl FnOnce(&mut Self) -> T) -> T {
        let mut all = machine.folders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let folders = all.entry(root.to_owned()).or_insert_with(|| Self::open(machine, root));
        let found = look(folders);
        folders.save();
        found
    }

    fn open(machine: &Machine, root: &Path) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let place = system::proves(root).then(|| machine.records_of(root).join("folders"));
        let device = system::identity(root, now).map(|found| found.device).unwrap_or_default();
        let text = place.as_ref().and_then(|place| files::read_bytes(place).ok()).unwrap_or_default();
        let was_kept = !text.is_empty();
        let kept = parse(text).unwrap_or_default();
        Self { place, root: root.to_owned(), device, now, kept, was_kept, ..Self::default() }
    }

    /// What lies in the folder of this path below the root; empty for the root itself.
    pub fn list(&mut self, below: &Path) -> io::Result<Listing> {
        if let Some(seen) = self.seen.get(below) {
            return Ok(seen.listing.clone());
        }
        let path = self.root.join(below);
        // Before it is read: what changes meanwhile makes it another one.
        let identity = self.place.as_ref().and_then(|_| system::identity(&path, self.now));
        let identity = identity.filter(|found| found.device == self.device).map(|found| found.text);
        if let Some(known) = self.kept.remove(below) {
            if identity.is_some() && known.identity == identity {
                let listing = known.listing.clone();
                self.seen.insert(below.to_owned(), known);
                return Ok(listing);
            }
            self.changed = true;
        }
        let listing = read(&path)?;
        self.changed |= identity.is_some();
        self.seen.insert(below.to_owned(), Known { identity, listing: listing.clone() });
        Ok(listing)
    }

    /// Keeps what was looked at, and what was not as long as it is there. What cannot be written is only slower.
    fn save(&mut self) {
        let Some(place) = self.place.as_ref().filter(|_| std::mem::take(&mut self.changed)) else { return };
        let mut there = HashSet::from([PathBuf::new()]);
        let mut text = FIRST_LINE.as_bytes().to_vec();
        // A folder comes before those in it.
        let all: BTreeMap<&PathBuf, &Known> = self.seen.iter().chain(&self.kept).collect();
        for (path, known) in all {
            if !there.contains(path) {
                continue;
            }
            let folders = known.listing.entries().filter(|(kind, _)| *kind == Kind::Folder);
            there.extend(folders.map(|(_, name)| path.join(os_name(name))));
            let path = path.as_os_str().as_encoded_bytes();
            let Some(identity) = known.identity.as_ref().filter(|_| !path.contains(&b'\n')) else { continue };
            let names = known.listing.bytes();
            text.extend_from_slice(format!("{} {identity} ", names.len()).as_bytes());
            text.extend_from_slice(path);
            text.push(b'\n');
            text.extend_from_slice(names);
        }
        let worth = (FEW..MOST).contains(&text.len());
        if worth && place.parent().is_some_and(Path::is_dir) {
            let _ = atomic::write_cache(place, &text);
        } else if self.was_kept {
            let _ = files::remove(place);
        }
    }
}

/// A name as the system has it.
#[cfg(unix)]
pub fn os_name(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).to_owned()
}

#[cfg(not(unix))]
pub fn os_name(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

fn read(path: &Path) -> io::Result<Listing> {
    let (mut found, mut places) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let from = found.len();
        found.push(Kind::of(&entry.file_type()).letter());
        found.extend_from_slice(entry.file_name().as_encoded_bytes());
        found.push(0);
        places.push(from..found.len());
    }
    let name = |place: &Range<usize>| &found[place.start + 1..place.end - 1];
    places.sort_unstable_by(|one, other| name(one).cmp(name(other)));
    let mut text = Vec::with_capacity(found.len());
    for place in places {
        text.extend_from_slice(&found[place]);
    }
    let range = 0..text.len();
    Ok(Listing { text: Arc::new(text), range })
}

/// `None` where a part of it is not as it was written.
fn parse(text: Vec<u8>) -> Option<BTreeMap<PathBuf, Known>> {
    let text = Arc::new(text);
    let mut at = text.starts_with(FIRST_LINE.as_bytes()).then_some(FIRST_LINE.len())?;
    let mut found = BTreeMap::new();
    while at < text.len() {
        let end = at + text[at..].iter().position(|byte| *byte == b'\n')?;
        let mut words = text[at..end].splitn(3, |byte| *byte == b' ');
        let mut word = || words.next();
        let (length, identity, path) = (word()?, word()?, PathBuf::from(os_name(word()?)));
        let (length, identity) = (std::str::from_utf8(length).ok()?, std::str::from_utf8(identity).ok()?);
        let length = length.parse().ok()?;
        let range = end + 1..(end + 1).checked_add(length)?;
        text.get(range.clone())?;
        at = range.end;
        let listing = Listing { text: Arc::clone(&text), range };
        found.insert(path, Known { identity: Some(identity.to_owned()), listing });
    }
    Some(found)
}

struct Identity {
    device: String,
    text: String,
}

#[cfg(target_os = "linux")]
mod system {
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    use super::{Identity, TICK};

    /// ext, XFS, Btrfs, tmpfs, overlays of them, F2FS and ZFS: every change of a folder changes its times, however it is made.
    /// As their numbers are written: the number's type is another one on each system.
    const PROVING: &[&str] = &["ef53", "58465342", "9123683e", "1021994", "794c7630", "f2f52010", "2fc12fc1"];

    pub(super) fn proves(root: &Path) -> bool {
        nix::sys::statfs::statfs(root)
            .is_ok_and(|found| PROVING.contains(&format!("{:x}", found.filesystem_type().0).as_str()))
    }

    pub(super) fn identity(folder: &Path, now: u128) -> Option<Identity> {
        let meta = folder.symlink_metadata().ok().filter(std::fs::Metadata::is_dir)?;
        let nanos = |seconds: i64, rest: i64| {
            u128::try_from(seconds).unwrap_or(0) * 1_000_000_000 + u128::try_from(rest).unwrap_or(0)
        };
        let (written, changed) =
            (nanos(meta.mtime(), meta.mtime_nsec()), nanos(meta.ctime(), meta.ctime_nsec()));
        let device = format!("{:x}", meta.dev());
        let text = format!("{device}.{:x}.{written:x}.{changed:x}", meta.ino());
        (changed + TICK < now).then_some(Identity { device, text })
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    use super::Identity;

    pub(super) fn proves(_: &Path) -> bool {
        false
    }

    pub(super) fn identity(_: &Path, _: u128) -> Option<Identity> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    /// What a walk sees in each folder, by a process of its own.
    fn seen(state: &Path, root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state.to_string_lossy())], root);
        fs::create_dir_all(machine.records_of(root)).unwrap();
        Folders::with(&machine, root, |folders| {
            let mut open = vec![PathBuf::new()];
            let mut found = Vec::new();
            while let Some(below) = open.pop() {
                let listing = folders.list(&below).unwrap();
                let inner = listing.entries().filter(|(kind, _)| *kind == Kind::Folder);
                open.extend(inner.map(|(_, name)| below.join(os_name(name))));
                found.push((below, listing.bytes().to_vec()));
            }
            found.sort();
            found
        })
    }

    /// The same without anything that was kept.
    fn read_anew(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let state = tempfile::tempdir().unwrap();
        seen(state.path(), root)
    }

    fn kept(state: &Path, root: &Path) -> Option<String> {
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state.to_string_lossy())], root);
        let bytes = fs::read(machine.records_of(root).join("folders")).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    #[test]
    fn what_is_kept_is_what_is_there_whatever_changes() {
        let (state, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (state, root) = (state.path(), root.path());
        for number in 0..1500 {
            let dir = root.join(format!("d{}/e{}", number % 3, number % 7));
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join(format!("file-with-a-long-name-{number}")), "").unwrap();
        }
        assert_eq!(seen(state, root), read_anew(root), "so young a folder may change again");
        let changes: [&dyn Fn(); 6] = [
            &|| {},
            &|| fs::write(root.join("d1/e1/new\nline"), "").unwrap(),
            &|| fs::remove_file(root.join("d0/e0/file-with-a-long-name-0")).unwrap(),
            &|| fs::rename(root.join("d2/e3"), root.join("d2/other")).unwrap(),
            &|| {
                fs::remove_dir_all(root.join("d1/e2")).unwrap();
                fs::write(root.join("d1/e2"), "a file in its place").unwrap();
            },
            &|| fs::remove_dir_all(root.join("d0")).unwrap(),
        ];
        for change in changes {
            std::thread::sleep(Duration::from_millis(70));
            assert_eq!(seen(state, root), read_anew(root));
            change();
            assert_eq!(seen(state, root), read_anew(root), "at once");
        }
        std::thread::sleep(Duration::from_millis(70));
        seen(state, root);
        if cfg!(target_os = "linux") && system::proves(root) {
            let kept = kept(state, root).unwrap();
            let has = |path: &str| kept.contains(&format!(" {path}\n"));
            assert!(has("d2/other") && has("d1/e1") && !has("d2/e3") && !has("d1/e2") && !has("d0/e0"));
        }
    }

    #[test]
    fn a_list_that_is_not_whole_is_none() {
        let (state, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for number in 0..600 {
            fs::write(root.path().join(format!("file-with-a-long-name-{number}")), "").unwrap();
        }
        std::thread::sleep(Duration::from_millis(70));
        seen(state.path(), root.path());
        let Some(text) = kept(state.path(), root.path()) else { return };
        let lines = read_anew(root.path());
        for (cut, expected) in [(text.len(), true), (text.len() - 1, false), (FIRST_LINE.len() + 3, false)] {
            let known = parse(text.as_bytes()[..cut].to_vec());
            assert_eq!(known.is_some_and(|known| known.len() == lines.len()), expected, "{cut}");
        }
    }

    #[test]
    fn little_is_not_kept() {
        let (state, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(root.path().join("a"), "").unwrap();
        std::thread::sleep(Duration::from_millis(70));
        seen(state.path(), root.path());
        assert_eq!(kept(state.path(), root.path()), None);
    }
}
