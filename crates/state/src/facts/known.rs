//! What was looked up already in this hook: several checks ask for the same.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

use model::{Entry, Linted, SessionChanges, Unknown};

#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) home: OnceCell<Option<PathBuf>>,
    pub(super) state_dir: OnceCell<PathBuf>,
    pub(super) cache_dir: OnceCell<PathBuf>,
    /// The program that is running, and its copies.
    pub(super) executable: OnceCell<Option<PathBuf>>,
    pub(super) executables: OnceCell<Vec<PathBuf>>,
    pub(super) is_the_client: OnceCell<bool>,
    /// Paths that were followed already: every check about files asks for the same one.
    pub(super) resolved: RefCell<BTreeMap<OsString, PathBuf>>,
    /// Of what is not there, the first part of each path that is missing, and where it would be.
    pub(super) missing: RefCell<Vec<(PathBuf, PathBuf)>>,
    pub(super) entry: RefCell<Option<(PathBuf, Option<Entry>)>>,
    /// The file that was asked for last: an archive is asked for in many pieces.
    pub(super) open: RefCell<Option<(PathBuf, File)>>,
    /// Uncommitted files by work tree: several checks of a stop ask for them.
    pub(super) uncommitted: RefCell<BTreeMap<PathBuf, Result<Vec<String>, Unknown>>>,
    /// Several checks of a stop ask for it, and each answer costs processes.
    pub(super) changes: OnceCell<Result<SessionChanges, Unknown>>,
    /// The same, and looking twice at what hangs takes twice the time.
    pub(super) linted: RefCell<Option<(Vec<PathBuf>, Linted)>>,
}
