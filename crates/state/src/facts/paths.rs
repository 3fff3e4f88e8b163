//! Where things are: the project, our own folders, and what a path as it was written leads to: answered from disk.

use std::io;
use std::path::{Component, Path, PathBuf};

use model::{Paths, is_own_name};

use super::DiskFacts;
use crate::{files, registered};

impl Paths for DiskFacts<'_> {
    fn project(&self) -> &Path {
        &self.project.root
    }

    fn home(&self) -> Option<&Path> {
        self.home_dir()
    }

    fn state_dir(&self) -> &Path {
        // As the kernel follows it: behind a link a record has two names, and an edit may use either.
        self.known
            .state_dir
            .get_or_init(|| files::resolve(&self.machine.cwd().join(self.machine.state_dir())))
    }

    fn cache_dir(&self) -> &Path {
        self.known.cache_dir.get_or_init(|| files::resolve(&self.machine.cache_dir()))
    }

    fn executable(&self) -> Option<&Path> {
        self.known.executable.get_or_init(|| self.machine.executable()).as_deref()
    }

    fn executables(&self) -> &[PathBuf] {
        self.known.executables.get_or_init(|| {
            let mut all: Vec<PathBuf> = self.executable().map(Path::to_owned).into_iter().collect();
            let mut add = |path: PathBuf| {
                for path in [files::resolve(&path), path] {
                    if path.is_absolute() && !all.contains(&path) {
                        all.push(path);
                    }
                }
            };
            self.machine.find_program("plimsoll").into_iter().for_each(&mut add);
            let ours =
                |program: &Path| program.file_name().is_some_and(|name| is_own_name(&name.to_string_lossy()));
            let hooks = registered::all(self.machine, self.project).into_iter().map(|hook| hook.program);
            hooks.filter(|program| ours(program)).for_each(add);
            all
        })
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        if self.is_below_missing(path) {
            return path.to_owned();
        }
        if let Some(real) = self.known.resolved.borrow().get(path.as_os_str()) {
            return real.clone();
        }
        let expanded = match (path.strip_prefix("~"), self.home_dir()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        };
        let real = self.resolve_anew(&expanded);
        self.known.resolved.borrow_mut().insert(path.into(), real.clone());
        real
    }

    fn is_itself(&self, path: &Path) -> bool {
        if self.is_below_missing(path) {
            return true;
        }
        if let Some(real) = self.known.resolved.borrow().get(path.as_os_str()) {
            return real.as_os_str() == path.as_os_str();
        }
        // In a folder that is itself, what is no link is itself.
        let folder = path.to_str().and_then(|text| text.rsplit_once('/'));
        if let Some((folder, _)) = folder.filter(|(folder, name)| folder.len() > 1 && is_plain(name))
            && self.resolve(Path::new(folder)).as_os_str() == folder
        {
            match path.symlink_metadata() {
                Ok(meta) => return !meta.is_symlink() || self.resolve(path).as_os_str() == path.as_os_str(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return true,
                Err(_) => {}
            }
        }
        self.resolve(path).as_os_str() == path.as_os_str()
    }

    fn is_missing(&self, folder: &Path) -> bool {
        self.is_below_missing(folder)
            || self.resolve(folder).as_os_str() == folder.as_os_str()
                && self.known.missing.borrow().iter().any(|(first, real)| {
                    first.as_os_str() == folder.as_os_str() && first.as_os_str() == real.as_os_str()
                })
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        model::path::absolute(path, &self.cwd, self.home_dir())
    }

    /// By trying: a directory on the way is looked up with its letters in the other case.
    fn folds_case(&self, dir: &Path) -> bool {
        let Some(dir) = dir.ancestors().find(|dir| dir.is_dir()) else {
            return cfg!(any(windows, target_os = "macos"));
        };
        dir.ancestors()
            .find_map(|dir| {
                let name = dir.file_name()?.to_str()?;
                let swapped: String =
                    name.chars()
                        .map(|c| {
                            if c.is_ascii_lowercase() {
                                c.to_ascii_uppercase()
                            } else {
                                c.to_ascii_lowercase()
                            }
                        })
                        .collect();
                (swapped != name).then(|| same_file(dir, &dir.with_file_name(swapped)))
            })
            .unwrap_or(false)
    }
}

impl DiskFacts<'_> {
    fn home_dir(&self) -> Option<&Path> {
        self.known.home.get_or_init(|| self.machine.home()).as_deref()
    }

    /// One in a folder that is known not to be there, and to have no link on the way: it is what is written.
    fn is_below_missing(&self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_encoded_bytes();
        self.known.missing.borrow().iter().any(|(first, real)| {
            let rest = bytes.strip_prefix(first.as_os_str().as_encoded_bytes());
            rest.is_some_and(|rest| rest.first() == Some(&b'/') && is_tidy(rest))
                && first.as_os_str() == real.as_os_str()
        })
    }

    /// A command may name many things in a folder that is not there; the way to it is looked at once.
    fn resolve_anew(&self, path: &Path) -> PathBuf {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::RootDir);
        if !path.components().all(plain) {
            return files::resolve(path);
        }
        let missing = self.known.missing.borrow().iter().find_map(|(first, real)| {
            let rest = path.strip_prefix(first).ok()?;
            Some(if rest.as_os_str().is_empty() { real.clone() } else { real.join(rest) })
        });
        if let Some(real) = missing {
            return real;
        }
        let real = files::resolve(path);
        let gone = |path: &Path| path.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if gone(path) {
            let gone = |above: &&Path| gone(above);
            if let Some((nth, first)) = path.ancestors().take_while(gone).enumerate().last()
                && let Some(place) = real.ancestors().nth(nth)
            {
                self.known.missing.borrow_mut().push((first.to_owned(), place.to_owned()));
            }
        }
        real
    }
}

#[cfg(unix)]
fn same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
    id(a).is_some() && id(a) == id(b)
}

#[cfg(not(unix))]
fn same_file(_: &Path, b: &Path) -> bool {
    b.exists()
}

fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
}

/// Whether a path has only names between its slashes.
fn is_tidy(path: &[u8]) -> bool {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[at + 1..]).all(|rest| match rest {
        [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..] | [b'.', b'.'] | [b'.', b'.', b'/', ..] => false,
        [..] => true,
    })
}
