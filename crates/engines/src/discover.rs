//! Finds config files as the originals do: the nearest one from a file's folder upwards. Nothing else here touches the disk, but for
//! the checker of types, which follows imports (`python/types/disk.rs`).

#![expect(clippy::disallowed_methods, reason = "the one place of this crate that looks at the disk")]

use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::depth::{MOST, is_deep};
use crate::problem::{Outcome, Trouble};

/// The first of `names` that exists in `folder` or the nearest folder above it that has one.
pub fn nearest(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    folder.ancestors().find_map(|folder| here(folder, names))
}

/// The first of `names` that exists in `folder`.
pub fn here(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| is_plain(path))
}

/// Longer files are not read; no config and no module is nearly as long.
const LARGEST: u64 = 32 * 1024 * 1024;

/// A config file's text.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    read_regular(path).map_err(|error| Trouble::new(format_args!("cannot read {}: {error}", path.display())))
}

/// In a clone a device or a FIFO may lie in a file's place: reading it would not end. A file of the kernel's says that it is an
/// ordinary one, and waits all the same; so it is opened without waiting.
pub(crate) fn read_regular(path: &Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let meta = path.metadata()?;
    if !meta.is_file() || meta.len() > LARGEST {
        return Err(std::io::Error::other("not a regular file of a sensible size"));
    }
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NONBLOCK);
    let mut text = String::new();
    options.open(path)?.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// `O_NONBLOCK`, which is not worth a dependency.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NONBLOCK: i32 = 0o4000;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const NONBLOCK: i32 = 0x4;

/// Whether a config file, which an engine may read by itself, is one that can be read to its end: no device, not endless, not
/// nested too deeply. One that is not there is none.
fn is_plain(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    // Short, and of a known length: nothing that could hurt fits in.
    let short = 1..=500;
    meta.is_file()
        && (short.contains(&meta.len()) || read_regular(path).is_ok_and(|text| !is_deep(&text, MOST)))
}

/// Fails where one of `names`, in `folder` or a folder above it, is there and cannot be read to its end.
#[cfg(feature = "python")]
pub(crate) fn only_plain(folder: &Path, names: &[&str]) -> Outcome<()> {
    let all = folder.ancestors().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    match all.into_iter().find(|path| path.is_file() && !is_plain(path)) {
        Some(path) => Err(Trouble::new(format_args!("cannot read {}: not an ordinary file", path.display()))),
        None => Ok(()),
    }
}

/// Where settings may be besides a file's own folder and those above it.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Where the originals would be started: its config holds for files that have none nearer, such as those elsewhere.
    pub project: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, or `~/.config`.
    pub config: Option<PathBuf>,
    /// `VIRTUAL_ENV`: the Python environment that is in use.
    pub virtual_env: Option<PathBuf>,
    /// Rules that ruff calls a preview count, too, as with `--preview`.
    pub preview: bool,
    /// As though no tool had settings: for what is wrong whatever they say, where they cannot be read.
    pub bare: bool,
    /// Rules of ruff that count also where a project selects others, unless it names them in its settings: plain faults.
    pub faults: &'static [&'static str],
}

impl Place {
    /// The nearest of `names` from `folder` upwards, else from the project upwards.
    pub(crate) fn find(&self, folder: &Path, names: &[&str]) -> Option<PathBuf> {
        nearest(folder, names).or_else(|| nearest(self.project.as_deref()?, names))
    }
}

/// What was worked out for a key (mostly a folder), so that a walk over a tree reads each config once.
#[derive(Debug)]
pub(crate) struct Cache<K, V>(Mutex<HashMap<K, Outcome<Arc<V>>>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Cache(Mutex::new(HashMap::new()))
    }
}

impl<K: Clone + Eq + Hash, V> Cache<K, V> {
    pub(crate) fn get(&self, key: &K, make: impl FnOnce() -> Outcome<V>) -> Outcome<Arc<V>> {
        // Not held while a config is read: two threads may read the same one once.
        if let Some(found) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key) {
            return found.clone();
        }
        let made = make().map(Arc::new);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_insert(made).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_wins() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(root.path().join("x.toml"), "").unwrap();
        std::fs::write(root.path().join("a/y.toml"), "").unwrap();
        assert_eq!(nearest(&deep, &["x.toml", "y.toml"]), Some(root.path().join("a/y.toml")));
        assert_eq!(nearest(&deep, &["x.toml"]), Some(root.path().join("x.toml")));
        assert_eq!(here(&deep, &["x.toml"]), None);
    }
}
