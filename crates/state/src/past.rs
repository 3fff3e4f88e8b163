//! The checks' questions about a moment that is over: a call of a recording, judged again.
//!
//! Nothing is written and no process is started. A file is answered for as it was then where the recording says so, or where it has
//! not been written since; the branch and the time come from the recording. What is gone is answered as well as can be, and noted. A
//! second run answers all of that the other way (`contrary`): where the verdict changes with it, it hung on something that nobody
//! knows any more.

mod work;
mod world;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use model::{Entry, Files, Unknown};

use crate::DiskFacts;

/// Texts of files by their place as the kernel follows it; without a text where there was no file.
pub type Texts = BTreeMap<PathBuf, Option<String>>;

/// What a recording knows about the moment of a call.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// In seconds since 1970; 0 where it is not known.
    pub at: u64,
    pub branch: Option<String>,
    /// Files that the call itself is about, as they were before it.
    pub before: Texts,
}

/// The facts of a moment that is over.
#[derive(Debug)]
pub struct Past<'a> {
    pub(crate) disk: DiskFacts<'a>,
    moment: &'a Moment,
    /// What earlier calls of the session have left.
    written: &'a Texts,
    /// Copies of the program, looked up once for all calls.
    executables: &'a [PathBuf],
    contrary: bool,
    gone: RefCell<BTreeSet<&'static str>>,
    /// Something was asked for that has no other answer to try.
    hard: Cell<bool>,
}

/// How a file of then is known.
enum Stands<'a> {
    /// As it lies there now.
    Still,
    Told(Option<&'a str>),
    Gone,
}

pub(crate) const OVER: &str = "what it was then is not known any more";

impl<'a> Past<'a> {
    pub fn new(
        disk: DiskFacts<'a>,
        moment: &'a Moment,
        written: &'a Texts,
        executables: &'a [PathBuf],
    ) -> Self {
        Self {
            disk,
            moment,
            written,
            executables,
            contrary: false,
            gone: RefCell::default(),
            hard: Cell::new(false),
        }
    }

    /// The same with what is gone answered the other way.
    #[must_use]
    pub fn contrary(self) -> Self {
        Self { contrary: true, ..self }
    }

    /// What was asked for and is gone, in words.
    pub fn gone(&self) -> Vec<&'static str> {
        self.gone.borrow().iter().copied().collect()
    }

    /// Whether something is gone for which no other answer could be tried.
    pub fn is_lost(&self) -> bool {
        self.hard.get()
    }

    /// Answers for what is gone.
    fn either<T>(&self, what: &'static str, likely: T, other: T) -> T {
        self.gone.borrow_mut().insert(what);
        if self.contrary { other } else { likely }
    }

    /// The same for questions that can be left open.
    fn open<T>(&self, what: &'static str, likely: T) -> Result<T, Unknown> {
        self.either(what, Ok(likely), Err(Unknown(OVER.to_owned())))
    }

    /// Notes what is gone where nothing else can be tried.
    fn lost(&self, what: &'static str) {
        self.hard.set(true);
        self.gone.borrow_mut().insert(what);
    }

    /// Whether a path is of the work, and so changes from call to call. What lies elsewhere is taken to be what it was.
    fn is_of_work(&self, path: &Path) -> bool {
        path.starts_with(&self.disk.project.root)
            || path.starts_with(&self.disk.cwd)
            || path.starts_with("/tmp")
    }

    fn stands(&self, path: &Path) -> Stands<'_> {
        if let Some(text) = self.moment.before.get(path) {
            return Stands::Told(text.as_deref());
        }
        let changed = path.metadata().ok().map(|meta| {
            // A folder is written to all the time; what counts is whether it was there.
            let at =
                if meta.is_dir() { meta.created().or_else(|_| meta.modified()) } else { meta.modified() };
            at.ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |at| at.as_secs())
        });
        match changed {
            Some(changed) if changed < self.moment.at => Stands::Still,
            _ => match self.written.get(path) {
                Some(text) => Stands::Told(text.as_deref()),
                None if self.is_of_work(path) => Stands::Gone,
                None => Stands::Still,
            },
        }
    }

    fn entry_then(&self, path: &Path) -> Option<Entry> {
        const FILES: &str = "which files there were";
        let made_up =
            |size: usize| Entry { directory: false, links: 1, id: (0, u64::MAX), size: size as u64 };
        match self.stands(path) {
            Stands::Still => self.disk.entry(path),
            Stands::Told(text) => {
                text.map(|text| self.disk.entry(path).unwrap_or_else(|| made_up(text.len())))
            }
            Stands::Gone => match self.disk.entry(path) {
                Some(entry) => self.either(FILES, Some(entry), None),
                None => self.either(FILES, None, Some(made_up(0))),
            },
        }
    }

    fn read_then(&self, path: &Path) -> Result<Option<String>, Unknown> {
        match self.stands(path) {
            Stands::Still => self.disk.read(path),
            Stands::Told(text) => Ok(text.map(str::to_owned)),
            Stands::Gone => {
                let now = self.disk.read(path);
                self.either("what stood in a file", now, Err(Unknown(OVER.to_owned())))
            }
        }
    }
}
