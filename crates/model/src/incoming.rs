//! What a check may ask about files that other files bring: archives, folders that are copied, other versions of a repository. Part
//! of `Facts`; nothing is unpacked, and no process is started for an answer.

use std::path::Path;

use crate::Unknown;

/// A piece of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    pub bytes: Vec<u8>,
    /// Of the whole file.
    pub size: u64,
}

/// One thing that is brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// As it is written where it comes from, with `/`.
    pub name: String,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// With its text, where that was asked for and could be had.
    File(Option<String>),
    Folder,
    /// A symbolic link, and where it leads.
    Link(String),
    /// Another name of a file that is there, or comes too.
    Twin(String),
    /// It is taken away.
    Gone,
}

pub trait Arriving {
    /// At most `most` bytes of a regular file, from `from` on; `Ok(None)` when there is no such file.
    fn read_piece(&self, path: &Path, from: u64, most: usize) -> Result<Option<Piece>, Unknown>;

    /// What lies below a folder, links not followed, names relative to it; `Ok(None)` when there is no such folder, and unknown where
    /// there is more than `most`.
    fn tree(&self, folder: &Path, most: usize) -> Result<Option<Vec<Incoming>>, Unknown>;

    /// What differs from one version to another in the repository around `dir`, names relative to its root, as far as its own files
    /// say it. `Ok(None)` where one of the versions is not there. The texts of files that `wanted` names come along.
    fn version_changes(
        &self,
        dir: &Path,
        from: &str,
        to: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<Incoming>>, Unknown>;
}
