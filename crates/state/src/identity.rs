//! What was read of a file once is kept by the file's identity: as long as device, number, size and both times are the same, so is what
//! stands in it. A time that is younger than the look at it proves nothing, because a file can change twice within one tick.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::{Machine, Project, atomic, files};

/// A file that has changed so recently may change again without a trace.
const TICK: u128 = 50_000_000;

/// A cache of one subject below one root.
pub(crate) struct Cache {
    file: PathBuf,
    root: PathBuf,
    known: BTreeMap<String, Known>,
    asked: BTreeMap<String, Known>,
    changed: bool,
    now: u128,
}

#[derive(Clone, PartialEq, Eq)]
struct Known {
    identity: String,
    value: String,
}

impl Cache {
    /// `subject` is a part of the cache's file name, and changes with what is kept.
    pub(crate) fn open(machine: &Machine, root: &Path, subject: &str) -> Self {
        let root = files::resolve(root);
        let file = Project::at(machine, root.clone()).records.join(format!("read-{subject}"));
        let text = files::read(&file).ok().flatten().unwrap_or_default();
        let line = |line: &str| {
            let mut parts = line.splitn(3, '\t');
            let (identity, name, value) = (parts.next()?, parts.next()?, parts.next()?);
            Some((name.to_owned(), Known { identity: identity.into(), value: value.into() }))
        };
        let known = text.lines().filter_map(line).collect();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        Self { file, root, known, asked: BTreeMap::new(), changed: false, now }
    }

    /// What `read` gave for this file, now or when it was the same. `None` where it gives nothing.
    pub(crate) fn get(&mut self, path: &Path, read: impl FnOnce(&Path) -> Option<String>) -> Option<String> {
        let entry = self.entry(path);
        if let Some(value) = entry.as_ref().and_then(|entry| self.found(entry)) {
            return Some(value);
        }
        let value = read(path)?;
        self.put(entry, &value);
        Some(value)
    }

    /// What is kept of this file as it is now.
    pub(crate) fn known(&mut self, path: &Path) -> Option<String> {
        let entry = self.entry(path)?;
        self.found(&entry)
    }

    /// Keeps this of the file as it is now.
    pub(crate) fn keep(&mut self, path: &Path, value: &str) {
        let entry = self.entry(path);
        self.put(entry, value);
    }

    /// A file's name below the root, and its identity.
    fn entry(&self, path: &Path) -> Option<(String, String)> {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let name = below.to_str().filter(|name| !name.contains(['\t', '\n']))?;
        Some((name.to_owned(), identity(path, self.now)?))
    }

    fn found(&mut self, (name, identity): &(String, String)) -> Option<String> {
        let known = self.known.get(name).filter(|known| known.identity == *identity)?.clone();
        let value = known.value.clone();
        self.asked.insert(name.clone(), known);
        Some(value)
    }

    fn put(&mut self, entry: Option<(String, String)>, value: &str) {
        if let Some((name, identity)) = entry.filter(|_| !value.contains('\n')) {
            self.changed = true;
            self.asked.insert(name, Known { identity, value: value.to_owned() });
        }
    }

    /// Keeps what was asked for this time. A cache that cannot be written is only slower.
    pub(crate) fn save(self) {
        if !self.changed && self.asked.len() == self.known.len() {
            return;
        }
        let mut text = String::new();
        for (name, known) in &self.asked {
            text.push_str(&known.identity);
            text.push('\t');
            text.push_str(name);
            text.push('\t');
            text.push_str(&known.value);
            text.push('\n');
        }
        let _ = atomic::write_cache(&self.file, text.as_bytes());
    }
}

#[cfg(unix)]
fn identity(path: &Path, now: u128) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let meta = path.symlink_metadata().ok()?;
    let nanos = |seconds: i64, rest: i64| {
        u128::try_from(seconds).unwrap_or(0) * 1_000_000_000 + u128::try_from(rest).unwrap_or(0)
    };
    let (written, changed) = (nanos(meta.mtime(), meta.mtime_nsec()), nanos(meta.ctime(), meta.ctime_nsec()));
    (changed + TICK < now)
        .then(|| format!("{:x}.{:x}.{:x}.{written:x}.{changed:x}", meta.dev(), meta.ino(), meta.size()))
}

/// Without the time of the last change of any kind nothing is proved.
#[cfg(not(unix))]
fn identity(_: &Path, _: u128) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], dir.path());
        let root = dir.path().canonicalize().unwrap();
        let file = root.join("a.py");
        std::fs::write(&file, "1").unwrap();
        let look = || {
            let mut cache = Cache::open(&machine, &root, "text");
            let mut read = false;
            let value = cache.get(&file, |path| {
                read = true;
                std::fs::read_to_string(path).ok()
            });
            cache.save();
            (value, read)
        };
        assert_eq!(look(), (Some("1".into()), true));
        assert_eq!(look(), (Some("1".into()), true), "so young a file may have changed since");
        std::thread::sleep(std::time::Duration::from_millis(60));
        assert_eq!(look(), (Some("1".into()), true));
        assert_eq!(look(), (Some("1".into()), false));
        // The same size and time of writing: the time of the change still tells.
        let before = file.metadata().unwrap().modified().unwrap();
        std::fs::write(&file, "2").unwrap();
        std::fs::File::options().append(true).open(&file).unwrap().set_modified(before).unwrap();
        assert_eq!(look(), (Some("2".into()), true));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(look(), (None, true));
    }
}
