//! The disk as the checker sees it: it may read what a file imports, and nothing else. No process, no writing, no environment.

#![expect(
    clippy::disallowed_methods,
    reason = "the checker follows imports, which are files that nobody has read before"
)]

use std::any::Any;
use std::env::VarError;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use ruff_db::file_revision::FileRevision;
use ruff_db::system::walk_directory::WalkDirectoryBuilder;
use ruff_db::system::{
    DirectoryEntry, FileType, InMemorySystem, Metadata, System, SystemPath, SystemPathBuf, SystemVirtualPath,
    WhichError, WhichResult, WritableSystem,
};
use ruff_notebook::{Notebook, NotebookError};

/// A file whose text is not the one on disk.
#[derive(Debug)]
pub(super) struct Newer {
    pub(super) path: SystemPathBuf,
    pub(super) text: String,
}

#[derive(Clone, Debug)]
pub(super) struct Disk {
    root: SystemPathBuf,
    newer: Option<Arc<Newer>>,
}

impl Disk {
    pub(super) fn new(root: SystemPathBuf) -> Self {
        Disk { root, newer: None }
    }

    /// The same, but for one file.
    pub(super) fn with(&self, newer: Newer) -> Self {
        Disk { root: self.root.clone(), newer: Some(Arc::new(newer)) }
    }

    fn newer(&self, path: &SystemPath) -> Option<&str> {
        self.newer.as_deref().filter(|newer| *newer.path == *path).map(|newer| newer.text.as_str())
    }
}

impl System for Disk {
    fn path_metadata(&self, path: &SystemPath) -> io::Result<Metadata> {
        if self.newer(path).is_some() {
            return Ok(Metadata::new(FileRevision::new(u128::MAX), None, FileType::File));
        }
        let found = path.as_std_path().metadata()?;
        let written = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let revision = FileRevision::new(written.map_or(0, |time| time.as_nanos()));
        let kind = if found.is_dir() { FileType::Directory } else { FileType::File };
        Ok(Metadata::new(revision, None, kind))
    }

    fn canonicalize_path(&self, path: &SystemPath) -> io::Result<SystemPathBuf> {
        let path = path.as_std_path().canonicalize()?;
        SystemPathBuf::from_path_buf(path).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
    }

    fn is_same_file(&self, first: &SystemPath, second: &SystemPath) -> io::Result<bool> {
        Ok(self.canonicalize_path(first)? == self.canonicalize_path(second)?)
    }

    fn which(&self, _: &str) -> WhichResult {
        Err(WhichError::CannotFindBinaryPath)
    }

    fn read_to_string(&self, path: &SystemPath) -> io::Result<String> {
        match self.newer(path) {
            Some(text) => Ok(text.to_owned()),
            None => crate::discover::read_regular(path.as_std_path()),
        }
    }

    fn read_to_notebook(&self, path: &SystemPath) -> Result<Notebook, NotebookError> {
        Notebook::from_source_code(&self.read_to_string(path)?)
    }

    fn read_virtual_path_to_string(&self, _: &SystemVirtualPath) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn read_virtual_path_to_notebook(&self, _: &SystemVirtualPath) -> Result<Notebook, NotebookError> {
        Err(io::Error::from(io::ErrorKind::NotFound).into())
    }

    fn current_directory(&self) -> &SystemPath {
        &self.root
    }

    fn user_config_directory(&self) -> Option<SystemPathBuf> {
        None
    }

    fn cache_dir(&self) -> Option<SystemPathBuf> {
        None
    }

    fn read_directory<'a>(
        &'a self,
        path: &SystemPath,
    ) -> io::Result<Box<dyn Iterator<Item = io::Result<DirectoryEntry>> + 'a>> {
        let entries = std::fs::read_dir(path.as_std_path())?;
        Ok(Box::new(entries.map(|entry| {
            let entry = entry?;
            let kind = entry.file_type()?;
            let kind = match () {
                () if kind.is_dir() => FileType::Directory,
                () if kind.is_symlink() => FileType::Symlink,
                () => FileType::File,
            };
            let path = SystemPathBuf::from_path_buf(entry.path())
                .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            Ok(DirectoryEntry::new(path, kind))
        })))
    }

    /// Only whole projects are walked, and that is not asked of this engine.
    fn walk_directory(&self, path: &SystemPath) -> WalkDirectoryBuilder {
        InMemorySystem::default().walk_directory(path)
    }

    fn env_var(&self, _: &str) -> Result<String, VarError> {
        Err(VarError::NotPresent)
    }

    fn as_writable(&self) -> Option<&dyn WritableSystem> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn dyn_clone(&self) -> Box<dyn System> {
        Box::new(self.clone())
    }
}

/// Whether a folder is there that is not a package, so that modules may lie in it.
pub(super) fn holds_modules(folder: &Path) -> bool {
    folder.is_dir() && !folder.join("__init__.py").exists() && !folder.join("__init__.pyi").exists()
}

pub(super) fn is_folder(folder: &Path) -> bool {
    folder.is_dir()
}
