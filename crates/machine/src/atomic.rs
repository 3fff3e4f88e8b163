//! Files that are whole at every moment: written beside their place, synced, and renamed into it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{private, unwritable};

/// The middle of a temporary name. A kill between creating and renaming leaves such a file; `sweep` removes old ones.
const MARK: &str = ".plimsoll-";

/// Replaces the content of `path`, or nothing at all. A symlink stays and its target is replaced; the mode stays too.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let place = crate::files::resolve(path);
    unwritable::watch(&place, replace(&place, bytes))
}

fn replace(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = place.parent().unwrap_or(Path::new("."));
    private::create_dir_all(dir)?;
    let temporary = temporary(place);
    let written =
        fill(&temporary, bytes, place.metadata().ok()).and_then(|()| std::fs::rename(&temporary, place));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
        return written;
    }
    // The rename itself survives a power cut only when its directory is on disk. Not every file system can sync one.
    #[cfg(unix)]
    if let Ok(dir) = std::fs::File::open(dir) {
        let _ = dir.sync_all();
    }
    Ok(())
}

/// The same for what can be had again: whole at every moment, but nobody waits for the disk, and nobody is told where there is no room for it.
pub fn write_cache(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        private::create_dir_all(dir)?;
    }
    let temporary = temporary(path);
    let mut options = private::options(path);
    let filled =
        options.write(true).create_new(true).open(&temporary).and_then(|mut file| file.write_all(bytes));
    let written = filled.and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// A name beside `place` that no other process and no other call uses.
pub fn temporary(place: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let unique = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    place.with_file_name(format!(".{name}{MARK}{}-{}", unique.0, unique.1))
}

fn fill(temporary: &Path, bytes: &[u8], old: Option<std::fs::Metadata>) -> io::Result<()> {
    let mut file = private::options(temporary).write(true).create_new(true).open(temporary)?;
    if let Some(old) = old {
        file.set_permissions(private::permissions(temporary, old.permissions()))?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Removes what killed processes left in `dir`: temporary files older than an hour.
pub fn sweep(dir: &Path) {
    for path in crate::files::list(dir) {
        let old = || {
            let age = path.metadata().ok()?.modified().ok()?.elapsed().ok()?;
            Some(age.as_secs() > 3600)
        };
        if is_temporary(&path) && old().unwrap_or(false) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Whether a file is one of ours on its way to its place.
pub fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(MARK))
}

/// A copy of `path` in `dir` under a name of its own, before something is done to it. Its mode is that of the original: what
/// only the user may read stays so.
pub fn backup(path: &Path, dir: &Path, now: u64) -> io::Result<PathBuf> {
    let (bytes, meta) = (crate::files::read_bytes(path)?, path.metadata()?);
    private::create_dir_all(dir)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let time = model::time::rfc3339(now).replace(':', "");
    let temporary = temporary(&dir.join(name.as_ref()));
    fill(&temporary, &bytes, Some(meta))?;
    // A link, unlike a rename, does not replace what another process has put there in the same second; where the file system
    // knows no links, a rename has to do.
    let placed = (0..1000)
        .map(|number| {
            dir.join(if number == 0 { format!("{time}-{name}") } else { format!("{time}-{number}-{name}") })
        })
        .find_map(|copy| match std::fs::hard_link(&temporary, &copy) {
            Ok(()) => Some(Ok(copy)),
            Err(_) if copy.exists() => None,
            Err(_) => Some(std::fs::rename(&temporary, &copy).map(|()| copy)),
        });
    let _ = std::fs::remove_file(&temporary);
    placed.unwrap_or_else(|| Err(io::Error::other("too many copies in one second")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn mode_and_symlink_stay() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(crate::files::list(dir.path()).len(), 2);
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("taken")).unwrap();
        assert!(write(&dir.path().join("taken"), b"x").is_err());
        assert_eq!(crate::files::list(dir.path()).len(), 1);
    }

    #[test]
    fn backups_of_the_same_second_are_all_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (file, backups) = (dir.path().join("settings.json"), dir.path().join("backups"));
        for text in ["1", "2", "3"] {
            std::fs::write(&file, text).unwrap();
            let copy = backup(&file, &backups, 1_000_000_000).unwrap();
            assert_eq!(std::fs::read_to_string(copy).unwrap(), text);
        }
        assert_eq!(crate::files::list(&backups).len(), 3);
    }
}
