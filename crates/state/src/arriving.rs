//! What other files bring: pieces of archives, folders, versions of a repository. Read only, and bounded.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use model::{Arriving, Incoming, Piece, Unknown, What};

use crate::{DiskFacts, files, git};

/// The file that was asked for last: an archive is asked for in many pieces.
#[derive(Debug, Default)]
pub(crate) struct Known {
    open: RefCell<Option<(PathBuf, File)>>,
}

/// What lies in a repository's own folder and brings nothing: there may be very much of it.
const STORES: &[&str] = &["objects", "lfs", "logs"];

impl Arriving for DiskFacts<'_> {
    fn read_piece(&self, path: &Path, from: u64, most: usize) -> Result<Option<Piece>, Unknown> {
        let unknown = |error: std::io::Error| Unknown(error.to_string());
        let mut open = self.arriving.open.borrow_mut();
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

    fn version_changes(
        &self,
        dir: &Path,
        from: &str,
        to: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<Incoming>>, Unknown> {
        let Some(repository) = git::Repository::find(dir) else { return Ok(None) };
        git::version_changes(&repository, from, to, wanted)
    }
}
