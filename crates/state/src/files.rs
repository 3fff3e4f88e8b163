//! Plain reading and looking, for everyone outside this crate.

use std::io;
use std::path::{Path, PathBuf};

/// A file's text, or `None` when there is no such file.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(path)
}

pub fn size(path: &Path) -> io::Result<u64> {
    path.metadata().map(|meta| meta.len())
}

pub fn open(path: &Path) -> io::Result<std::fs::File> {
    std::fs::File::open(path)
}

pub fn exists(path: &Path) -> bool {
    path.exists()
}

pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

pub fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

/// `path` as the kernel follows it; what does not exist stays as written. A link that leads nowhere is followed too: a write
/// through it makes the file at its end.
pub fn resolve(path: &Path) -> PathBuf {
    resolve_links(path, 16)
}

fn resolve_links(path: &Path, links: u8) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if parent != path => {
            let parent = resolve_links(parent, links);
            match std::fs::read_link(parent.join(name)) {
                Ok(target) if links > 0 => resolve_links(&parent.join(target), links - 1),
                _ => parent.join(name),
            }
        }
        // `..` at the end, or the root.
        (Some(parent), None) => {
            let mut up = resolve_links(parent, links);
            up.pop();
            up
        }
        _ => path.to_owned(),
    }
}

/// Names in a directory, sorted; nothing when it cannot be read.
pub fn list(dir: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries
}

/// The files below `root`, at most `limit`, without hidden folders and those that hold other people's code.
pub fn walk(root: &Path, limit: usize) -> Vec<PathBuf> {
    const SKIPPED: &[&str] = &["node_modules", "target", "dist", "build", "vendor", "__pycache__", "venv"];
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for path in list(&dir) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // Symlinks are not followed: they lead out of the project, or round in it.
            let Ok(meta) = path.symlink_metadata() else { continue };
            if meta.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                open.push(path);
            } else if meta.is_file() {
                found.push(path);
                if found.len() >= limit {
                    return found;
                }
            }
        }
    }
    found
}

/// A new folder of our own in the temporary directory; the caller removes it.
pub fn scratch_dir(name: &str) -> io::Result<PathBuf> {
    for number in 0..1000 {
        let dir = resolve(&std::env::temp_dir()).join(format!("{name}-{}-{number}", std::process::id()));
        match std::fs::create_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|()| dir),
        }
    }
    Err(io::Error::other("too many scratch folders"))
}

pub fn create_dir(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)
}

pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

pub fn remove_dir(dir: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Everything on stdin, but no more than one byte over `limit`, which tells the caller that there was more.
pub fn read_stdin(limit: usize) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::with_capacity(8 * 1024);
    io::stdin().lock().take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_path_is_followed_as_the_kernel_does() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::os::unix::fs::symlink("a/b", root.join("link")).unwrap();
        assert_eq!(resolve(&root.join("link/new.txt")), root.join("a/b/new.txt"));
        assert_eq!(resolve(&root.join("link/../new.txt")), root.join("a/new.txt"));
        assert_eq!(resolve(&root.join("no/such/file")), root.join("no/such/file"));
        std::os::unix::fs::symlink("nowhere/x.toml", root.join("dangling")).unwrap();
        assert_eq!(resolve(&root.join("dangling")), root.join("nowhere/x.toml"));
    }
}
