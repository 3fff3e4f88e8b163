//! Writing below a project, whose files somebody else may have made: no link on the way is followed, so nothing outside the
//! project changes (`.claude/session-owner.json -> ~/.bashrc`).
//!
//! Each folder is opened from the one above it and must be a folder itself. One call of the kernel could do the same
//! (`openat2`), where it has it; our paths are two parts long, and one way that is tried everywhere beats two.
//! `atomic` and `journal` are for files of our own and of the user, which may lie behind links.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::{atomic, files, unwritable};

/// Replaces the content of a file below `root`, or nothing at all; makes the folders that it needs. The mode stays.
pub fn write(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    unwritable::watch(path, platform::write(root, path, bytes))
}

/// The same for a file that the agent or the user works on: links within the project are theirs, and lead to the file that is meant.
/// A file outside the project is written as the agent wrote it.
pub fn rewrite(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    if !path.starts_with(root) {
        return atomic::write(path, bytes);
    }
    let real = files::resolve(path);
    if real.starts_with(root) {
        return write(root, &real, bytes);
    }
    Err(refusal(path, "leads out of the project"))
}

/// Appends one line below `root`, in one write. See `journal::append_line`.
pub fn append_line(root: &Path, path: &Path, line: &str) -> io::Result<()> {
    unwritable::watch(path, platform::append_line(root, path, line))
}

/// Removes a file below `root`, or the link that lies in its place. None there is fine.
pub fn remove(root: &Path, path: &Path) -> io::Result<()> {
    match platform::remove(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

pub fn create_dir(root: &Path, path: &Path) -> io::Result<()> {
    unwritable::watch(path, platform::create_dir(root, path))
}

fn refusal(path: &Path, why: &str) -> io::Error {
    io::Error::other(format!(
        "{} {why}; Plimsoll follows no links when it writes below a project",
        path.display()
    ))
}

/// The parts of `path` below `root`. There are no `..` among them: they would lead out.
fn parts<'a>(root: &Path, path: &'a Path) -> io::Result<Vec<&'a OsStr>> {
    let below = path.strip_prefix(root).map_err(|_| refusal(path, "is not in the project"))?;
    below
        .components()
        .map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(refusal(path, "is not in the project")),
        })
        .collect()
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::OwnedFd;

    use nix::errno::Errno;
    use nix::fcntl::{AtFlags, OFlag, openat, renameat};
    use nix::sys::stat::{FileStat, Mode, SFlag, fchmod, fstatat, mkdirat};
    use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};

    use super::{OsStr, Path, PathBuf, atomic, io, parts, refusal};
    use crate::journal;

    const FOLDER: OFlag =
        OFlag::O_DIRECTORY.union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC).union(OFlag::O_NONBLOCK);
    const FILE: OFlag =
        OFlag::O_WRONLY.union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC).union(OFlag::O_NONBLOCK);

    /// An open folder below a project, and the name in it that is meant.
    struct Place<'a> {
        dir: OwnedFd,
        name: &'a OsStr,
        path: &'a Path,
    }

    impl<'a> Place<'a> {
        fn open(root: &Path, path: &'a Path, make: bool) -> io::Result<Self> {
            let mut parts = parts(root, path)?;
            let name = parts.pop().ok_or_else(|| refusal(path, "is the project itself"))?;
            Ok(Self { dir: folder(root, &parts, path, make)?, name, path })
        }

        fn stat(&self) -> io::Result<Option<FileStat>> {
            match fstatat(&self.dir, self.name, AtFlags::AT_SYMLINK_NOFOLLOW) {
                Ok(stat) => Ok(Some(stat)),
                Err(Errno::ENOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        fn create(&self, name: &OsStr, more: OFlag) -> Result<File, Errno> {
            openat(&self.dir, name, FILE | OFlag::O_CREAT | more, Mode::from_bits_truncate(0o666))
                .map(File::from)
        }
    }

    fn folder(root: &Path, parts: &[&OsStr], path: &Path, make: bool) -> io::Result<OwnedFd> {
        if make && !root.is_dir() {
            std::fs::create_dir_all(root)?;
        }
        let mut dir: OwnedFd = File::open(root)?.into();
        for part in parts {
            let opened = match openat(&dir, *part, FOLDER, Mode::empty()) {
                Err(Errno::ENOENT) if make => {
                    match mkdirat(&dir, *part, Mode::from_bits_truncate(0o777)) {
                        Ok(()) | Err(Errno::EEXIST) => {}
                        Err(error) => return Err(error.into()),
                    }
                    openat(&dir, *part, FOLDER, Mode::empty())
                }
                other => other,
            };
            dir = match opened {
                // What the system says about a link that may not be followed differs; either way it is not a folder.
                Err(Errno::ELOOP | Errno::ENOTDIR | Errno::EMLINK) => {
                    return Err(refusal(
                        path,
                        &format!("lies below {}, which is not a folder", Path::new(part).display()),
                    ));
                }
                other => other?,
            };
        }
        Ok(dir)
    }

    fn is_regular(stat: &FileStat) -> bool {
        SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFREG
    }

    pub(super) fn write(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let place = Place::open(root, path, true)?;
        let old = place.stat()?;
        if let Some(old) = &old {
            if !is_regular(old) {
                return Err(refusal(path, "is a link, or not a regular file"));
            }
            if old.st_nlink > 1 && old.st_uid != geteuid().as_raw() {
                return Err(refusal(path, "is a second name of another user's file"));
            }
        }
        let temporary: PathBuf = atomic::temporary(Path::new(place.name));
        let temporary = temporary.as_os_str();
        let written = place.create(temporary, OFlag::O_EXCL).map_err(io::Error::from).and_then(|mut file| {
            if let Some(old) = &old {
                fchmod(&file, Mode::from_bits_truncate(old.st_mode))?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            Ok(renameat(&place.dir, temporary, &place.dir, place.name)?)
        });
        if written.is_err() {
            let _ = unlinkat(&place.dir, temporary, UnlinkatFlags::NoRemoveDir);
            return written;
        }
        // The rename itself survives a power cut only when its directory is on disk. Not every file system can sync one.
        let _ = File::from(place.dir).sync_all();
        Ok(())
    }

    pub(super) fn append_line(root: &Path, path: &Path, line: &str) -> io::Result<()> {
        let place = Place::open(root, path, true)?;
        let mut file = match place.create(place.name, OFlag::O_APPEND) {
            Err(Errno::ELOOP | Errno::EMLINK) => return Err(refusal(path, "is a link")),
            // A FIFO that nobody reads.
            Err(Errno::ENXIO) => return Err(refusal(path, "is not a regular file")),
            other => other?,
        };
        // Unlike a replaced file this one is changed where it is, under all of its names.
        let stat = nix::sys::stat::fstat(&file)?;
        if !is_regular(&stat) || stat.st_nlink > 1 {
            return Err(refusal(place.path, "has a second name, or is not a regular file"));
        }
        journal::write_line(&mut file, line)
    }

    pub(super) fn remove(root: &Path, path: &Path) -> io::Result<()> {
        let place = Place::open(root, path, false)?;
        Ok(unlinkat(&place.dir, place.name, UnlinkatFlags::NoRemoveDir)?)
    }

    pub(super) fn create_dir(root: &Path, path: &Path) -> io::Result<()> {
        folder(root, &parts(root, path)?, path, true).map(drop)
    }
}

/// Looked at part by part before it is written. Links are rare where these systems are at home, and need a right of their own.
#[cfg(not(unix))]
mod platform {
    use super::{Path, PathBuf, atomic, io, parts, refusal};

    fn look(root: &Path, path: &Path) -> io::Result<()> {
        let mut place: PathBuf = root.to_owned();
        for part in parts(root, path)? {
            place.push(part);
            if place.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
                return Err(refusal(path, "is a link, or lies below one"));
            }
        }
        Ok(())
    }

    pub(super) fn write(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
        look(root, path).and_then(|()| atomic::write(path, bytes))
    }

    pub(super) fn append_line(root: &Path, path: &Path, line: &str) -> io::Result<()> {
        look(root, path).and_then(|()| crate::append_line(path, line))
    }

    pub(super) fn remove(root: &Path, path: &Path) -> io::Result<()> {
        look(root, path.parent().unwrap_or(path)).and_then(|()| std::fs::remove_file(path))
    }

    pub(super) fn create_dir(root: &Path, path: &Path) -> io::Result<()> {
        look(root, path).and_then(|()| std::fs::create_dir_all(path))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    struct World {
        _dir: tempfile::TempDir,
        base: PathBuf,
        root: PathBuf,
    }

    /// A home with a file in it, and a project beside it.
    fn world() -> World {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("home/.claude")).unwrap();
        std::fs::write(base.join("home/.bashrc"), "mine\n").unwrap();
        std::fs::create_dir_all(base.join("p")).unwrap();
        World { root: base.join("p"), base, _dir: dir }
    }

    #[test]
    fn folders_are_made_and_the_mode_stays() {
        let World { root, .. } = &world();
        let file = root.join(".claude/deep/x.json");
        write(root, &file, b"1").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        write(root, &file, b"2").unwrap();
        append_line(root, &file, "3").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "23\n");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(files::list(&root.join(".claude/deep")).len(), 1, "nothing is left behind");
        remove(root, &file).unwrap();
        remove(root, &file).unwrap();
        remove(root, &root.join("no/such/file")).unwrap();
    }

    /// Every shape of a link that a clone can have in the place of a file of ours.
    #[test]
    fn no_link_leads_out() {
        type Plant = fn(&World);
        let plants: &[(&str, Plant)] = &[
            ("the file", |w| symlink("../../home/.bashrc", w.root.join(".claude/x")).unwrap()),
            ("the file, absolute", |w| {
                symlink(w.base.join("home/.bashrc"), w.root.join(".claude/x")).unwrap();
            }),
            ("a file that is not there", |w| symlink("../../home/.new", w.root.join(".claude/x")).unwrap()),
            ("a chain", |w| {
                symlink("y", w.root.join(".claude/x")).unwrap();
                symlink("../../home/.bashrc", w.root.join(".claude/y")).unwrap();
            }),
            ("the folder", |w| {
                std::fs::remove_dir(w.root.join(".claude")).unwrap();
                symlink("../home", w.root.join(".claude")).unwrap();
                std::fs::hard_link(w.base.join("home/.bashrc"), w.base.join("home/x")).unwrap();
            }),
            ("a FIFO", |w| {
                nix::unistd::mkfifo(&w.root.join(".claude/x"), nix::sys::stat::Mode::S_IRWXU).unwrap();
            }),
            ("a folder in its place", |w| std::fs::create_dir(w.root.join(".claude/x")).unwrap()),
        ];
        for (name, plant) in plants {
            let world = world();
            std::fs::create_dir(world.root.join(".claude")).unwrap();
            plant(&world);
            let file = world.root.join(".claude/x");
            assert!(write(&world.root, &file, b"evil").is_err(), "{name}");
            assert!(append_line(&world.root, &file, "evil").is_err(), "{name}");
            assert_eq!(std::fs::read_to_string(world.base.join("home/.bashrc")).unwrap(), "mine\n", "{name}");
            assert!(!world.base.join("home/.new").exists(), "{name}");
        }
    }

    #[test]
    fn a_line_goes_to_no_second_name() {
        let World { base, root, .. } = &world();
        std::fs::create_dir(root.join(".claude")).unwrap();
        std::fs::hard_link(base.join("home/.bashrc"), root.join(".claude/x")).unwrap();
        assert!(append_line(root, &root.join(".claude/x"), "evil").is_err());
        // Replaced, the name in the project is another file from then on.
        write(root, &root.join(".claude/x"), b"ours").unwrap();
        assert_eq!(std::fs::read_to_string(base.join("home/.bashrc")).unwrap(), "mine\n");
    }

    #[test]
    fn a_path_that_leads_out_is_refused() {
        let World { root, .. } = &world();
        for path in [
            root.join("../home/.bashrc"),
            root.join(".claude/../../home/.bashrc"),
            PathBuf::from("/tmp/x"),
            root.clone(),
        ] {
            assert!(write(root, &path, b"evil").is_err(), "{}", path.display());
            assert!(create_dir(root, &path).is_err() || path == *root, "{}", path.display());
        }
    }

    #[test]
    fn a_link_within_the_project_leads_to_the_file_that_is_meant() {
        let World { base, root, .. } = &world();
        std::fs::write(root.join("real.py"), "1").unwrap();
        symlink("real.py", root.join("link.py")).unwrap();
        rewrite(root, &root.join("link.py"), b"2").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("real.py")).unwrap(), "2");
        assert!(root.join("link.py").symlink_metadata().unwrap().is_symlink());
        symlink("../home/.bashrc", root.join("out.sh")).unwrap();
        assert!(rewrite(root, &root.join("out.sh"), b"evil").is_err());
        assert_eq!(std::fs::read_to_string(base.join("home/.bashrc")).unwrap(), "mine\n");
    }
}
