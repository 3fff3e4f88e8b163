//! Where the guard's own parts are, on this machine.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use model::{Entry, Own, is_own_name};

use crate::{DiskFacts, client, files, registered};

/// What was looked up already: every check about files asks again.
#[derive(Debug, Default)]
pub(crate) struct Known {
    executable: OnceCell<Option<PathBuf>>,
    executables: OnceCell<Vec<PathBuf>>,
    cache_dir: OnceCell<PathBuf>,
    entry: RefCell<Option<(PathBuf, Option<Entry>)>>,
    is_the_client: OnceCell<bool>,
}

impl Own for DiskFacts<'_> {
    fn executable(&self) -> Option<&Path> {
        self.own.executable.get_or_init(|| self.machine.executable()).as_deref()
    }

    fn executables(&self) -> &[PathBuf] {
        self.own.executables.get_or_init(|| {
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

    fn cache_dir(&self) -> &Path {
        self.own.cache_dir.get_or_init(|| files::resolve(&self.machine.cache_dir()))
    }

    #[cfg(unix)]
    fn entry(&self, path: &Path) -> Option<Entry> {
        use std::os::unix::fs::MetadataExt;
        if let Some((known, entry)) = &*self.own.entry.borrow()
            && known == path
        {
            return *entry;
        }
        let entry = path.metadata().ok().map(|meta| Entry {
            directory: meta.is_dir(),
            links: meta.nlink(),
            id: (meta.dev(), meta.ino()),
            size: meta.len(),
        });
        self.own.entry.replace(Some((path.to_owned(), entry)));
        entry
    }

    /// Hard links are not told apart there.
    #[cfg(not(unix))]
    fn entry(&self, path: &Path) -> Option<Entry> {
        let meta = path.metadata().ok()?;
        Some(Entry { directory: meta.is_dir(), links: 1, id: (0, 0), size: meta.len() })
    }

    fn is_the_client(&self) -> bool {
        *self.own.is_the_client.get_or_init(|| client::speaks(self.machine, self.project, self.session))
    }
}
