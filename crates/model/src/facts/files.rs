//! What lies at a path. A part of `Facts`.

use std::path::{Path, PathBuf};

use crate::Unknown;

/// What lies at a path, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub directory: bool,
    /// How many names the file has.
    pub links: u64,
    /// Device and number: two names with the same are one file.
    pub id: (u64, u64),
    pub size: u64,
}

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

/// One subject that source files are read for. What was read is kept by its name, so that changes with what is kept.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    pub name: &'static str,
    /// One line about a file's text; `None` where it says nothing.
    pub of: fn(&str) -> Option<String>,
}

pub trait Files {
    /// A file's text; `Ok(None)` when there is no such file.
    fn read(&self, path: &Path) -> Result<Option<String>, Unknown>;

    /// At most `most` bytes of a regular file, from `from` on; `Ok(None)` when there is no such file.
    fn read_piece(&self, path: &Path, from: u64, most: usize) -> Result<Option<Piece>, Unknown>;

    /// `None` where nothing is, or where that cannot be told.
    fn entry(&self, path: &Path) -> Option<Entry>;

    /// The entries of a folder, sorted; none where there is no such folder.
    fn list(&self, dir: &Path) -> Vec<PathBuf>;

    /// The names in a directory, sorted.
    fn names_in(&self, dir: &Path) -> Vec<String>;

    /// What lies below a folder, links not followed, names relative to it; `Ok(None)` when there is no such folder, and unknown where
    /// there is more than `most`.
    fn tree(&self, folder: &Path, most: usize) -> Result<Option<Vec<Incoming>>, Unknown>;

    /// When a file was last written, in seconds since 1970; `None` where there is none.
    fn modified(&self, path: &Path) -> Option<u64>;

    /// What all source files of the project say about one subject, without those that say nothing. A file that was looked at before is not
    /// read again.
    fn source_digests(&self, digest: &Digest) -> Vec<String>;
}
