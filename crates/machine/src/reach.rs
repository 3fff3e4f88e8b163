//! Whether a path leads into a project: by its text, by a link at its end, or by one on the way.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::git::Repository;
use crate::{Machine, files};

/// As the kernel counts before it gives up.
const MOST_LINKS: u8 = 40;

/// Folders that somebody else wrote.
#[derive(Debug)]
pub struct Fence(Vec<Identity>);

impl Fence {
    /// Around the project that `folder` lies in: the folder and the repository around it. A home, and whatever has it within, is
    /// no project: its programs are the user's own.
    pub fn around(machine: &Machine, folder: &Path) -> Self {
        let home = machine.home().map(|home| files::resolve(&home)).unwrap_or_default();
        let folder = files::resolve(folder);
        let repository = Repository::find(&folder).map(|repository| repository.root);
        let mut all: Vec<PathBuf> = repository.into_iter().chain([folder]).collect();
        all.dedup();
        all.retain(|folder| !home.starts_with(folder));
        Self(all.iter().map(|folder| Identity::of(folder)).collect())
    }

    /// The first program of this name on PATH that is not behind the fence.
    pub fn program_outside(&self, machine: &Machine, name: &str) -> Option<PathBuf> {
        machine.find_programs(name).find(|file| !self.holds(file))
    }

    /// Whether following `path` from the root of the file system enters one of them at any step. A link that lies there and leads
    /// out counts, because whoever wrote the folder chose where it leads; so does a link elsewhere that leads in. A relative path
    /// counts always: what it means depends on where we are, which is the project.
    pub fn holds(&self, path: &Path) -> bool {
        if !path.is_absolute() {
            return true;
        }
        let mut open: Vec<PathBuf> = parts(path);
        let (mut at, mut links) = (PathBuf::new(), MOST_LINKS);
        while let Some(part) = open.pop() {
            match part.components().next() {
                Some(Component::Normal(_)) => {}
                Some(Component::ParentDir) => {
                    at.pop();
                    continue;
                }
                Some(Component::RootDir | Component::Prefix(_)) => {
                    at.push(part);
                    continue;
                }
                None | Some(Component::CurDir) => continue,
            }
            let next = at.join(&part);
            if self.0.iter().any(|folder| folder.is(&next)) {
                return true;
            }
            match std::fs::read_link(&next) {
                // Whatever is behind so many links, nobody means well with it.
                Ok(_) if links == 0 => return true,
                Ok(target) => {
                    links -= 1;
                    open.extend(parts(&target));
                }
                Err(_) => at = next,
            }
        }
        false
    }
}

/// A path's parts, the first one last.
fn parts(path: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = path.components().map(|part| PathBuf::from(part.as_os_str())).collect();
    all.reverse();
    all
}

/// A folder by what the file system calls it, so that another spelling of its name is the same folder.
#[derive(Debug)]
struct Identity {
    path: PathBuf,
    #[cfg(unix)]
    inode: Option<(u64, u64)>,
}

impl Identity {
    fn of(folder: &Path) -> Self {
        Self {
            path: files::resolve(folder),
            #[cfg(unix)]
            inode: inode(folder).ok(),
        }
    }

    fn is(&self, other: &Path) -> bool {
        #[cfg(unix)]
        if self.inode.is_some() && inode(other).ok() == self.inode {
            return true;
        }
        self.path == other
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    path.symlink_metadata().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
#[expect(dead_code, reason = "the system has no such number")]
fn inode(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn fence(folder: &Path) -> Fence {
        Fence::around(&Machine::with(&[("HOME", "/no/home")], folder), folder)
    }

    #[test]
    fn every_way_into_a_folder_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let project = base.join("project");
        for name in ["project/.venv/bin", "outside/bin", "projects"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        for name in ["project/.venv/bin/ruff", "outside/bin/ruff", "projects/ruff"] {
            std::fs::write(base.join(name), "").unwrap();
        }
        symlink("../../../outside/bin/ruff", project.join(".venv/bin/python")).unwrap();
        symlink(project.join(".venv/bin/ruff"), base.join("outside/bin/linked")).unwrap();
        symlink(project.join(".venv"), base.join("outside/env")).unwrap();
        // In and out again.
        symlink(project.join(".venv/bin/python"), base.join("outside/bin/through")).unwrap();
        symlink("loop", base.join("outside/bin/loop")).unwrap();
        for (name, inside) in [
            ("project/.venv/bin/ruff", true),
            ("project/.venv/bin/python", true),
            ("outside/bin/linked", true),
            ("outside/env/bin/ruff", true),
            ("outside/bin/through", true),
            ("outside/bin/loop", true),
            ("outside/../project/.venv/bin/ruff", true),
            ("outside/bin/ruff", false),
            ("projects/ruff", false),
            ("outside/bin/nothing", false),
        ] {
            assert_eq!(fence(&project).holds(&base.join(name)), inside, "{name}");
        }
        assert!(fence(&project).holds(Path::new("node_modules/.bin/eslint")));
        let other = base.join("other-name");
        symlink(&project, &other).unwrap();
        assert!(fence(&project).holds(&other.join(".venv/bin/ruff")));
        assert!(fence(&other).holds(&project.join(".venv/bin/ruff")));
    }

    #[test]
    fn a_repository_is_fenced_in_whole_and_a_home_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["home/clone/.git", "home/clone/app", "home/.local/bin", "home/.git"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        for name in ["home/clone/.git/HEAD", "home/.git/HEAD"] {
            std::fs::write(base.join(name), "ref: refs/heads/main\n").unwrap();
        }
        let home = base.join("home");
        let machine = Machine::with(&[("HOME", home.to_str().unwrap())], &base);
        let app = Fence::around(&machine, &home.join("clone/app"));
        assert!(app.holds(&home.join("clone/node_modules/.bin/eslint")));
        assert!(!app.holds(&home.join(".local/bin/ruff")));
        assert!(!Fence::around(&machine, &home).holds(&home.join(".local/bin/ruff")));
        assert!(Fence::around(&machine, &home).holds(Path::new("ruff")));
    }
}
