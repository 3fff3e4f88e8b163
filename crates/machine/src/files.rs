//! Plain reading and looking, for everyone outside this crate.
//!
//! A clone may have anything in a file's place: a device that never ends, a FIFO that nobody writes to. So what is read is a
//! regular file, opened without waiting, and no longer than `LARGEST`.

use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value as Json};

/// Longer files are not read: nothing that we look at is nearly as long, and a hook has a time and a memory to keep to.
pub const LARGEST: u64 = 32 * 1024 * 1024;

/// A file's text, or `None` when there is no such file.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    match read_bytes(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What a file of ours says; `None` when there is none, or it is not JSON.
pub fn read_json(path: &Path) -> Option<Json> {
    serde_json::from_str(&read(path).ok()??).ok()
}

/// The same where it is an object; an empty one otherwise.
pub fn read_object(path: &Path) -> Map<String, Json> {
    match read_json(path) {
        Some(Json::Object(object)) => object,
        _ => Map::new(),
    }
}

pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let (mut file, meta) = open_regular(path)?;
    if meta.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    // What grows meanwhile, or does not know its length (`/proc`), is cut off all the same.
    (&mut file).take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
}

/// The last bytes of a file that may be long, as text; what they cut in two is left out of it.
pub fn read_end(path: &Path, most: u64) -> io::Result<String> {
    use std::io::{Read as _, Seek as _};
    let (mut file, meta) = open_regular(path)?;
    file.seek(io::SeekFrom::Start(meta.len().saturating_sub(most)))?;
    let mut bytes = Vec::new();
    (&mut file).take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MB", LARGEST >> 20))
}

pub fn size(path: &Path) -> io::Result<u64> {
    path.metadata().map(|meta| meta.len())
}

/// When a file was last written, in seconds since 1970.
pub fn modified(path: &Path) -> Option<u64> {
    let time = path.metadata().ok()?.modified().ok()?;
    time.duration_since(std::time::UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// Name, size and time of a file: what changes when it is replaced. The time is last.
pub fn stamp(path: &Path) -> Option<String> {
    let meta = path.metadata().ok()?;
    let time = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos();
    Some(format!("{} {} {time:020}", path.display(), meta.len()))
}

/// A regular file, open for reading.
pub fn open(path: &Path) -> io::Result<std::fs::File> {
    open_regular(path).map(|(file, _)| file)
}

/// Looked at before it is opened, because opening alone does something to some devices, and again after, because it may have
/// been replaced meanwhile; then it was opened without waiting.
fn open_regular(path: &Path) -> io::Result<(std::fs::File, std::fs::Metadata)> {
    let regular = |meta: std::fs::Metadata| match meta.is_file() {
        true => Ok(meta),
        false if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    };
    regular(path.metadata()?)?;
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use nix::libc::{O_NOCTTY, O_NONBLOCK};
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NONBLOCK | O_NOCTTY);
    }
    let file = options.open(path)?;
    let meta = regular(file.metadata()?)?;
    Ok((file, meta))
}

pub fn exists(path: &Path) -> bool {
    path.exists()
}

pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Whether somebody may start it; where the system has no such bit, everything may be started.
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.exists()
}

pub fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

/// Longer paths than this no system call takes.
const LONGEST_PATH: usize = 4096;
/// As the kernel counts before it gives up.
const MOST_LINKS: u8 = 40;

/// `path` as the kernel follows it; what does not exist stays as written. A link that leads nowhere is followed too: a write
/// through it makes the file at its end. One look per part of the path, whatever is in it.
pub fn resolve(path: &Path) -> PathBuf {
    if path.as_os_str().len() > LONGEST_PATH {
        // No call would take it, so there is nothing to follow.
        return model::path::absolute(path, Path::new("/"), None);
    }
    // What is there, the C library follows for a tenth of the price.
    #[cfg(unix)]
    if path.is_absolute()
        && let Ok(real) = std::fs::canonicalize(path)
    {
        return real;
    }
    let mut real = PathBuf::new();
    let mut open: Vec<PathBuf> = Vec::new();
    push_parts(path, &mut open);
    let (mut links, mut there) = (MOST_LINKS, true);
    while let Some(part) = open.pop() {
        match part.components().next() {
            None | Some(Component::CurDir) => continue,
            Some(Component::ParentDir) => {
                real.pop();
                continue;
            }
            Some(Component::RootDir | Component::Prefix(_)) => {
                real.push(part);
                continue;
            }
            Some(Component::Normal(_)) => {}
        }
        let next = real.join(&part);
        match if there { std::fs::read_link(&next) } else { Err(io::ErrorKind::NotFound.into()) } {
            Ok(target) if links > 0 => {
                links -= 1;
                push_parts(&target, &mut open);
            }
            Ok(_) => real = next,
            Err(error) => {
                // Below something that is not there, nothing is.
                there =
                    there && !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                real = next;
            }
        }
    }
    real
}

/// The parts of `path`, the first one last, so that it is taken first.
fn push_parts(path: &Path, open: &mut Vec<PathBuf>) {
    open.extend(path.components().rev().map(|part| PathBuf::from(part.as_os_str())));
}

/// Names in a directory, sorted; nothing when it cannot be read.
pub fn list(dir: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries
}

/// Something in a folder. A link is neither a file nor a folder.
#[derive(Debug)]
pub struct Entry {
    pub path: PathBuf,
    pub is_dir: bool,
    pub is_file: bool,
}

/// What lies in a folder, in no order; nothing when it cannot be read. The entries say themselves what they are.
pub fn entries(dir: &Path) -> Vec<Entry> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let known = entries.filter_map(|entry| Some((entry.file_type().ok()?, entry.path())));
    known.map(|(kind, path)| Entry { path, is_dir: kind.is_dir(), is_file: kind.is_file() }).collect()
}

/// Folders that hold what tools made and other people's code.
const SKIPPED: &[&str] = &["node_modules", "target", "dist", "build", "vendor", "__pycache__", "venv"];

/// Whether a path of a project leads into such a folder, or into a hidden one.
pub fn is_passed_over(path: &Path) -> bool {
    path.parent().into_iter().flat_map(Path::components).any(|part| {
        let name = part.as_os_str();
        name.as_encoded_bytes().starts_with(b".") || SKIPPED.iter().any(|skipped| name == *skipped)
    })
}

/// The bytes of all files below a folder. What goes meanwhile is not counted.
pub fn size_below(root: &Path) -> u64 {
    let mut whole = 0;
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(data) if data.is_dir() => open.push(entry.path()),
                Ok(data) if data.is_file() => whole += data.len(),
                _ => {}
            }
        }
    }
    whole
}

/// The files below `root` that `wanted` says yes to, in no order, without hidden folders and those that hold other people's code. One
/// look per folder: the entries say themselves what they are.
pub fn find_below(root: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() {
                if !name.as_encoded_bytes().starts_with(b".")
                    && !SKIPPED.iter().any(|skipped| name == *skipped)
                {
                    open.push(entry.path());
                }
            } else if kind.is_file() && wanted(Path::new(&name)) {
                found.push(entry.path());
            }
        }
    }
    found
}

/// The files below `root`, at most `limit`, without hidden folders and those that hold other people's code.
pub fn walk(root: &Path, limit: usize) -> Vec<PathBuf> {
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
    crate::private::scratch_dir(name)
}

/// Removes scratch folders of this name whose process was ended before it could.
pub fn remove_stale_scratch(name: &str) {
    for dir in list(&resolve(&std::env::temp_dir())) {
        let file_name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(rest) = file_name.strip_prefix(&format!("{name}-")) else { continue };
        let pid = rest.split('-').next().and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| !crate::process::is_alive(pid)) {
            // Somebody else's folder stays.
            let _ = std::fs::remove_dir_all(&dir);
        }
    }
}

pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    crate::private::create_dir_all(to.parent().unwrap_or(Path::new(".")))?;
    std::fs::rename(from, to)
}

pub fn create_dir(dir: &Path) -> io::Result<()> {
    crate::unwritable::watch(dir, crate::private::create_dir_all(dir))
}

pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// `at` leads to `target`. Windows wants a right for it that few have.
pub fn link(target: &Path, at: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(target, at)
    }
    #[cfg(not(unix))]
    {
        let _ = (target, at);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A script that can be run. Elsewhere than on Unix a file's name says that.
pub fn make_executable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
    }
    #[cfg(not(unix))]
    {
        path.metadata().map(drop)
    }
}

/// Removes a folder with all that is in it. What a task in the background still writes there meanwhile goes with it.
pub fn remove_dir(dir: &Path) -> io::Result<()> {
    const ROUNDS: u32 = 20;
    for round in 0..ROUNDS {
        match std::fs::remove_dir_all(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && round + 1 < ROUNDS => {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            other => return other,
        }
    }
    Ok(())
}

/// A folder with nothing in it; any other stays.
pub fn remove_empty_dir(dir: &Path) -> io::Result<()> {
    std::fs::remove_dir(dir)
}

/// Everything on stdin, but no more than one byte over `limit`, which tells the caller that there was more.
pub fn read_stdin(limit: usize) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::with_capacity(8 * 1024);
    io::stdin().lock().take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Everything to stdout, or an error. The standard library's own takes a closed stdout for a written one, and then a denial
/// would be lost.
pub fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut rest = bytes;
        while !rest.is_empty() {
            match nix::unistd::write(io::stdout(), rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => rest = &rest[written..],
                Err(nix::errno::Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
    #[cfg(not(unix))]
    {
        use std::io::Write as _;
        let mut stdout = io::stdout();
        stdout.write_all(bytes).and_then(|()| stdout.flush())
    }
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
