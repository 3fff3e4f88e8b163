//! Nobody else reads what we keep: our folders are 0700 and our files 0600 from the moment they are made, and nothing in a
//! folder that others may write to is believed.
//!
//! `Machine` says which folders are ours. Everything that makes a folder or a file asks here how, so that no caller can forget.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock};

use crate::files;

/// A folder of ours, and where it really is: links are followed before files are replaced.
#[derive(Debug)]
struct Root {
    written: PathBuf,
    real: OnceLock<PathBuf>,
}

static ROOTS: RwLock<Vec<Root>> = RwLock::new(Vec::new());

/// From now on, whatever is made below `root` is private.
pub(crate) fn keep(root: &Path) {
    let known = |roots: &[Root]| roots.iter().any(|known| known.written == root);
    if known(&ROOTS.read().unwrap_or_else(PoisonError::into_inner)) {
        return;
    }
    let mut roots = ROOTS.write().unwrap_or_else(PoisonError::into_inner);
    if !known(&roots) {
        roots.push(Root { written: root.to_owned(), real: OnceLock::new() });
    }
}

/// Whether a path is one of our folders, or below one.
pub fn is_ours(path: &Path) -> bool {
    let roots = ROOTS.read().unwrap_or_else(PoisonError::into_inner);
    roots.iter().any(|root| path.starts_with(&root.written))
        || roots.iter().any(|root| path.starts_with(root.real.get_or_init(|| files::resolve(&root.written))))
}

/// Makes a folder and what is missing above it.
pub fn create_dir_all(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if is_ours(dir) {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(dir)
}

/// How a file at `path` is opened: one that this makes is for nobody else, if it is ours.
pub fn options(path: &Path) -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    if is_ours(path) {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let _ = path;
    options
}

/// The mode that a file at `place` gets in place of one with `old`: the same elsewhere, never more than 0600 with us.
pub fn permissions(place: &Path, old: Permissions) -> Permissions {
    #[cfg(unix)]
    if is_ours(place) {
        use std::os::unix::fs::PermissionsExt as _;
        return Permissions::from_mode(old.mode() & 0o600);
    }
    let _ = place;
    old
}

/// What is to be closed to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
}

/// Takes away what others may do with a file or folder of this user. A link is not followed, and what cannot be changed stays.
pub fn close(path: &Path, kind: Kind) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        let Ok(meta) = path.symlink_metadata() else { return };
        let (is_meant, most) = match kind {
            Kind::File => (meta.is_file(), 0o600),
            Kind::Folder => (meta.is_dir(), 0o700),
        };
        // A folder with the sticky bit is shared by design.
        if is_meant && meta.uid() == user() && meta.mode() & 0o1000 == 0 && meta.mode() & 0o7777 & !most != 0
        {
            let _ = std::fs::set_permissions(path, Permissions::from_mode(meta.mode() & most));
        }
    }
    #[cfg(not(unix))]
    let _ = (path, kind);
}

/// A name that nobody can guess: the standard library's hash keys come from the system's source of randomness.
pub fn unguessable() -> String {
    let number = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", number(), number())
}

/// A new folder of our own in the temporary directory that nobody else can look into or foresee.
pub fn scratch_dir(name: &str) -> io::Result<PathBuf> {
    let dir = files::resolve(&std::env::temp_dir()).join(format!(
        "{name}-{}-{}",
        std::process::id(),
        unguessable()
    ));
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&dir).map(|()| dir)
}

/// Our folder in the temporary directory, for those who have no home. Anybody may have made one of this name before us, so it is
/// used only where it is a real folder, ours, and closed to others; else this run gets a new one.
pub(crate) fn homeless(name: &str) -> PathBuf {
    let temp = files::resolve(&std::env::temp_dir());
    let dir = temp.join(format!("{name}-{}", user()));
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // What is there already is judged like what we have just made.
    let _ = builder.create(&dir);
    if is_closed(&dir) {
        return dir;
    }
    // Where that cannot be made either, nothing is kept; the guards answer all the same.
    scratch_dir(name).unwrap_or_else(|_| temp.join(unguessable()))
}

/// Makes a folder with a known name where others may have made one before; `false` where they have, or could write to it.
pub fn own_dir(dir: &Path) -> io::Result<bool> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let meta = dir.symlink_metadata()?;
        Ok(meta.is_dir() && meta.uid() == user() && meta.mode() & 0o022 == 0)
    }
    #[cfg(not(unix))]
    Ok(dir.is_dir())
}

/// Whether there is something of this user's at a place where anybody may have put something.
pub fn is_by_us(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        path.symlink_metadata().is_ok_and(|meta| meta.uid() == user())
    }
    #[cfg(not(unix))]
    path.exists()
}

fn user() -> u32 {
    #[cfg(unix)]
    return nix::unistd::geteuid().as_raw();
    #[cfg(not(unix))]
    return 0;
}

/// A real folder of this user that nobody else may look into.
fn is_closed(dir: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        dir.symlink_metadata()
            .is_ok_and(|meta| meta.is_dir() && meta.uid() == user() && meta.mode().trailing_zeros() >= 6)
    }
    #[cfg(not(unix))]
    {
        dir.is_dir()
    }
}

/// A file in a folder that others may write to, as far as it can be believed: a regular file of this user that nobody else may
/// write, no link, with one name.
pub fn read_shared(path: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::io::Read as _;
        let mut text = String::new();
        open_shared(path, OpenOptions::new().read(true))?.take(1 << 20).read_to_string(&mut text).ok()?;
        Some(text)
    }
    #[cfg(not(unix))]
    files::read(path).ok()?
}

/// The same, to write: `None` where somebody else's file or a link is in its place.
#[cfg(unix)]
fn open_shared(path: &Path, options: &mut OpenOptions) -> Option<File> {
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
    // Opening a FIFO would wait for its other end.
    let file = options
        .mode(0o600)
        .custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK | nix::libc::O_CLOEXEC)
        .open(path)
        .ok()?;
    let meta = file.metadata().ok()?;
    let good = meta.is_file() && meta.uid() == user() && meta.mode() & 0o022 == 0 && meta.nlink() == 1;
    good.then_some(file)
}

/// Replaces a file in a folder that others may write to.
pub fn write_shared(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    // A name that nobody foresees, made by us; the rename replaces a link, and does not follow it.
    let temporary = path.with_file_name(format!(".plimsoll-{}", unguessable()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&temporary)
        .and_then(|mut file: File| file.write_all(text.as_bytes()))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Adds a line to a file in a folder that others may write to.
pub fn append_shared(path: &Path, line: &str) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::io::Write as _;
        let mut file = open_shared(path, OpenOptions::new().append(true).create(true))
            .ok_or_else(|| io::Error::other(format!("{} is not a file of this user", path.display())))?;
        file.write_all(format!("{line}\n").as_bytes())
    }
    #[cfg(not(unix))]
    crate::append_line(path, line)
}

/// The home of `user` in the text of `/etc/passwd`. The C library would load whatever `nsswitch.conf` names into our process.
#[cfg(unix)]
pub(crate) fn home_in_passwd(text: &str, user: u32) -> Option<PathBuf> {
    let line = text.lines().find(|line| line.split(':').nth(2) == Some(user.to_string().as_str()))?;
    line.split(':').nth(5).map(PathBuf::from).filter(|home| home.is_absolute() && home.is_dir())
}

/// The home of this user, where no variable says it.
pub(crate) fn home_of_user() -> Option<PathBuf> {
    #[cfg(unix)]
    return home_in_passwd(&std::fs::read_to_string("/etc/passwd").ok()?, user());
    #[cfg(not(unix))]
    return std::env::home_dir();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_below_our_folders_is_private_also_behind_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        keep(&link.join("state"));
        for base in [&link, &real.canonicalize().unwrap()] {
            let file = base.join("state/deep/x");
            create_dir_all(file.parent().unwrap()).unwrap();
            options(&file).write(true).create(true).truncate(true).open(&file).unwrap();
            assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
            std::fs::remove_dir_all(base.join("state")).unwrap();
        }
        let elsewhere = dir.path().join("elsewhere/x");
        create_dir_all(&elsewhere).unwrap();
        assert_ne!(mode(&elsewhere) & 0o055, 0);
        assert_eq!(permissions(&elsewhere, Permissions::from_mode(0o100_755)).mode(), 0o100_755);
        for (old, new) in [(0o755, 0o600), (0o644, 0o600), (0o400, 0o400), (0o600, 0o600)] {
            assert_eq!(permissions(&link.join("state/x"), Permissions::from_mode(old)).mode(), new);
        }
    }

    #[test]
    fn a_shared_file_counts_only_where_it_is_a_file_of_ours() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        write_shared(&path("own"), "mine").unwrap();
        assert_eq!(mode(&path("own")), 0o600);
        assert_eq!(read_shared(&path("own")).as_deref(), Some("mine"));
        append_shared(&path("log"), "line").unwrap();
        assert_eq!((mode(&path("log")), read_shared(&path("log")).as_deref()), (0o600, Some("line\n")));

        std::fs::write(path("victim"), "untouched").unwrap();
        symlink(path("victim"), path("link")).unwrap();
        std::fs::write(path("open"), "x").unwrap();
        std::fs::set_permissions(path("open"), Permissions::from_mode(0o666)).unwrap();
        std::fs::hard_link(path("victim"), path("twice")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        for name in ["link", "open", "twice", "fifo", "missing"] {
            assert_eq!(read_shared(&path(name)), None, "{name}");
        }
        for name in ["link", "open", "twice", "fifo"] {
            append_shared(&path(name), "line").unwrap_err();
        }
        write_shared(&path("link"), "new").unwrap();
        assert_eq!(std::fs::read_to_string(path("victim")).unwrap(), "untouched");
        assert!(path("link").symlink_metadata().unwrap().is_file());
    }

    #[test]
    fn names_are_never_the_same() {
        let (one, two) = (scratch_dir("plimsoll-test").unwrap(), scratch_dir("plimsoll-test").unwrap());
        assert_ne!(one, two);
        assert_eq!(mode(&one), 0o700);
        std::fs::remove_dir(one).unwrap();
        std::fs::remove_dir(two).unwrap();
    }

    #[test]
    fn a_home_is_found_by_the_user_id() {
        let text = "root:x:0:0::/:/bin/sh\nme:x:1000:1000:,,:/usr:/bin/sh\nbad:x:7:7::relative:\ngone:x:8:8::/no/such:\n";
        let rows = [(0, Some("/")), (1000, Some("/usr")), (7, None), (8, None), (9, None), (100, None)];
        for (user, home) in rows {
            assert_eq!(home_in_passwd(text, user), home.map(PathBuf::from), "{user}");
        }
    }

    #[test]
    fn a_folder_that_others_may_look_into_is_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        let (open, closed) = (dir.path().join("open"), dir.path().join("closed"));
        std::fs::create_dir(&open).unwrap();
        std::fs::create_dir(&closed).unwrap();
        std::fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
        std::fs::set_permissions(&open, Permissions::from_mode(0o755)).unwrap();
        let link = dir.path().join("link");
        symlink(&closed, &link).unwrap();
        assert!(own_dir(&closed).unwrap() && own_dir(&open).unwrap() && !own_dir(&link).unwrap());
        std::fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        assert!(!own_dir(&open).unwrap());
        assert!(is_closed(&closed) && !is_closed(&open) && !is_closed(&link));
    }
}
