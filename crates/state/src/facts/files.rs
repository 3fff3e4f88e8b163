//! What lies at a path: answered from disk.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use model::{Digest, Entry, Files, Incoming, Piece, Unknown, What};

use super::DiskFacts;
use crate::{files, source_words};

/// What lies in a repository's own folder and brings nothing: there may be very much of it.
const STORES: &[&str] = &["objects", "lfs", "logs"];

impl Files for DiskFacts<'_> {
    fn read(&self, path: &Path) -> Result<Option<String>, Unknown> {
        files::read(path).map_err(|error| Unknown(error.to_string()))
    }

    fn read_piece(&self, path: &Path, from: u64, most: usize) -> Result<Option<Piece>, Unknown> {
        let unknown = |error: std::io::Error| Unknown(error.to_string());
        let mut open = self.known.open.borrow_mut();
        if open.as_ref().is_none_or(|(known, _)| known != path) {
            match files::open(path) {
                Ok(file) => *open = Some((path.to_owned(), file)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(unknown(error)),
            }
        }
        let Some((_, file)) = open.as_mut() else { return Ok(None) };
        let size = file.metadata().map_err(unknown)?.len();
        let mut bytes =
            Vec::with_capacity(most.min(usize::try_from(size.saturating_sub(from)).unwrap_or(most)));
        file.seek(SeekFrom::Start(from)).map_err(unknown)?;
        file.take(most as u64).read_to_end(&mut bytes).map_err(unknown)?;
        Ok(Some(Piece { bytes, size }))
    }

    #[cfg(unix)]
    fn entry(&self, path: &Path) -> Option<Entry> {
        use std::os::unix::fs::MetadataExt;
        if let Some((known, entry)) = &*self.known.entry.borrow()
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
        self.known.entry.replace(Some((path.to_owned(), entry)));
        entry
    }

    /// Hard links are not told apart there.
    #[cfg(not(unix))]
    fn entry(&self, path: &Path) -> Option<Entry> {
        let meta = path.metadata().ok()?;
        Some(Entry { directory: meta.is_dir(), links: 1, id: (0, 0), size: meta.len() })
    }

    fn list(&self, dir: &Path) -> Vec<PathBuf> {
        files::list(dir)
    }

    fn names_in(&self, dir: &Path) -> Vec<String> {
        let names = files::list(dir).into_iter();
        names.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
    }

    fn tree(&self, folder: &Path, most: usize) -> Result<Option<Vec<Incoming>>, Unknown> {
        if !files::is_dir(folder) {
            return Ok(None);
        }
        let mut found = Vec::new();
        let mut open = vec![String::new()];
        while let Some(inner) = open.pop() {
            let within = files::resolve(folder).join(&inner);
            for entry in files::entries(&within) {
                let last = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let store = STORES.contains(&last.as_str()) && (inner == ".git" || inner.ends_with("/.git"));
                let name = if inner.is_empty() { last } else { format!("{inner}/{last}") };
                let what = if entry.is_dir {
                    if !store {
                        open.push(name.clone());
                    }
                    What::Folder
                } else if entry.is_file {
                    What::File(None)
                } else {
                    let target = std::fs::read_link(&entry.path);
                    target
                        .map_or(What::File(None), |target| What::Link(target.to_string_lossy().into_owned()))
                };
                if found.len() >= most {
                    return Err(Unknown("there are too many files".into()));
                }
                found.push(Incoming { name, what });
            }
        }
        Ok(Some(found))
    }

    fn modified(&self, path: &Path) -> Option<u64> {
        files::modified(path)
    }

    fn source_digests(&self, digest: &Digest) -> Vec<String> {
        let found = source_words::digests(self.machine, self.project, digest);
        found.into_iter().map(|(_, said)| said).collect()
    }
}
