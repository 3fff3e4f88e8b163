//! The checks' questions, answered from disk.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use model::config::{LevelMap, Profile};
use model::environment::Variable;
use model::rule::Book;
use model::{
    Autonomy, Conclusion, Event, Facts, Held, Linted, Mail, Problem, Protected, Question, Repository, Review,
    Reviewer, SessionChanges, SessionId, Unknown, Watch,
};

use crate::config::Loaded;
use crate::session::{self, UNREADABLE};
use crate::written::Belief;
use crate::{Machine, Project, autonomy, files, git, mail, protected, review};

/// Where the user's approvals of a stop are, and how they are given.
#[derive(Clone, Debug)]
pub enum Approvals {
    /// Ours, by session.
    Session,
    /// The linter system's file, by process id.
    Pid(u32),
}

impl Approvals {
    pub fn pid_file(pid: u32) -> PathBuf {
        PathBuf::from(format!("/tmp/stop_hook_approved_{pid}.json"))
    }
}

/// Who lints. It knows the tools, which this crate does not.
pub trait Lints: std::fmt::Debug {
    fn after_edit(&self, event: &Event) -> Result<Linted, Unknown>;
    fn at_stop(&self, event: &Event) -> Result<Linted, Unknown>;
    /// What the linters say of these files as they are, in at most this time; nothing is formatted or fixed. What could not be
    /// looked at is in `said`.
    fn of_files(&self, files: &[PathBuf], limit: Duration) -> Linted;
}

/// Who knows what an agent's client writes down.
pub trait Transcript: std::fmt::Debug {
    /// Whether the call that is judged and this one are parts of one message.
    fn is_beside(&self, call: &str) -> bool;
}

#[derive(Debug)]
pub struct DiskFacts<'a> {
    pub machine: &'a Machine,
    pub project: &'a Project,
    pub loaded: &'a Loaded,
    pub session: &'a SessionId,
    /// The directory that relative paths are relative to.
    pub cwd: PathBuf,
    pub approvals: Approvals,
    /// Whose word counts in a project's state files.
    pub belief: Belief,
    pub(crate) linter: Option<&'a dyn Lints>,
    pub(crate) transcript: Option<&'a dyn Transcript>,
    rules: Option<&'a Book>,
    home: OnceCell<Option<PathBuf>>,
    state_dir: OnceCell<PathBuf>,
    /// Paths that were followed already: every check about files asks for the same one.
    resolved: RefCell<BTreeMap<OsString, PathBuf>>,
    /// Of what is not there, the first part of each path that is missing, and where it would be.
    missing: RefCell<Vec<(PathBuf, PathBuf)>>,
    pub(crate) arriving: crate::arriving::Known,
    pub(crate) own: crate::own::Known,
    /// Uncommitted files by work tree: several checks of a stop ask for them.
    pub(crate) uncommitted: RefCell<BTreeMap<PathBuf, Result<Vec<String>, Unknown>>>,
    /// Several checks of a stop ask for it, and each answer costs processes.
    pub(crate) changes: OnceCell<Result<SessionChanges, Unknown>>,
    /// The same, and looking twice at what hangs takes twice the time.
    pub(crate) linted: RefCell<Option<(Vec<PathBuf>, Linted)>>,
}

impl<'a> DiskFacts<'a> {
    pub fn new(
        machine: &'a Machine,
        project: &'a Project,
        loaded: &'a Loaded,
        session: &'a SessionId,
        cwd: PathBuf,
        approvals: Approvals,
    ) -> Self {
        Self {
            machine,
            project,
            loaded,
            session,
            cwd,
            approvals,
            belief: Belief::Ours,
            linter: None,
            transcript: None,
            rules: None,
            home: OnceCell::new(),
            state_dir: OnceCell::new(),
            resolved: RefCell::default(),
            missing: RefCell::default(),
            arriving: crate::arriving::Known::default(),
            own: crate::own::Known::default(),
            uncommitted: RefCell::default(),
            changes: OnceCell::new(),
            linted: RefCell::default(),
        }
    }

    #[must_use]
    pub fn with_linter(self, linter: &'a dyn Lints) -> Self {
        Self { linter: Some(linter), ..self }
    }

    #[must_use]
    pub fn with_transcript(self, transcript: &'a dyn Transcript) -> Self {
        Self { transcript: Some(transcript), ..self }
    }

    #[must_use]
    pub fn with_rules(self, rules: Option<&'a Book>) -> Self {
        Self { rules, ..self }
    }

    /// A command may name many things in a folder that is not there; the way to it is looked at once.
    fn resolve_anew(&self, path: &Path) -> PathBuf {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::RootDir);
        if !path.components().all(plain) {
            return files::resolve(path);
        }
        let missing = self.missing.borrow().iter().find_map(|(first, real)| {
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
                self.missing.borrow_mut().push((first.to_owned(), place.to_owned()));
            }
        }
        real
    }

    /// One in a folder that is known not to be there, and to have no link on the way: it is what is written.
    fn is_missing(&self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_encoded_bytes();
        self.missing.borrow().iter().any(|(first, real)| {
            let rest = bytes.strip_prefix(first.as_os_str().as_encoded_bytes());
            rest.is_some_and(|rest| rest.first() == Some(&b'/') && is_tidy(rest))
                && first.as_os_str() == real.as_os_str()
        })
    }

    fn home_dir(&self) -> Option<&Path> {
        self.home.get_or_init(|| self.machine.home()).as_deref()
    }

    fn approved(&self) -> BTreeMap<String, String> {
        match self.approvals {
            Approvals::Session => session::approvals(&session::approvals_file(self.project, self.session)),
            Approvals::Pid(pid) => session::shared_approvals(&Approvals::pid_file(pid)),
        }
    }
}

impl Facts for DiskFacts<'_> {
    fn project(&self) -> &Path {
        &self.project.root
    }

    fn home(&self) -> Option<&Path> {
        self.home_dir()
    }

    fn state_dir(&self) -> &Path {
        // As the kernel follows it: behind a link a record has two names, and an edit may use either.
        self.state_dir.get_or_init(|| files::resolve(&self.machine.cwd().join(self.machine.state_dir())))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        if self.is_missing(path) {
            return path.to_owned();
        }
        if let Some(real) = self.resolved.borrow().get(path.as_os_str()) {
            return real.clone();
        }
        let expanded = match (path.strip_prefix("~"), self.home_dir()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        };
        let real = self.resolve_anew(&expanded);
        self.resolved.borrow_mut().insert(path.into(), real.clone());
        real
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

    fn read(&self, path: &Path) -> Result<Option<String>, Unknown> {
        files::read(path).map_err(|error| Unknown(error.to_string()))
    }

    fn repository(&self, dir: &Path) -> Option<Repository> {
        git::Repository::find(dir).map(|repository| repository.facts())
    }

    fn staged(&self, dir: &Path) -> Result<Vec<String>, Unknown> {
        git::staged(dir).map_err(|error| Unknown(error.to_string()))
    }

    fn now(&self) -> u64 {
        self.machine.now()
    }

    fn env(&self, variable: &Variable) -> Option<String> {
        self.machine.var(variable).filter(|_| !self.loaded.config.floor.silences(variable))
    }

    fn has_program(&self, name: &str) -> bool {
        self.machine.find_program(name).is_some()
    }

    fn was_said(&self, what: &str) -> bool {
        session::said_file(self.machine, self.project, self.session, what).exists()
    }

    fn said_text(&self, what: &str) -> Option<String> {
        files::read(&session::said_file(self.machine, self.project, self.session, what)).ok().flatten()
    }

    fn micros(&self) -> u64 {
        self.machine.micros()
    }

    fn may_edit(&self, path: &Path) -> bool {
        session::may_edit(self.machine, path)
    }

    fn allowances(&self) -> Vec<model::Allowance> {
        crate::allowances::in_force(self.machine, self.project, self.session)
    }

    fn rules(&self) -> Option<&Book> {
        self.rules
    }

    fn protected_changes(&self, watch: &Watch) -> Result<Protected, Unknown> {
        let as_script = matches!(self.approvals, Approvals::Pid(_));
        let changes = protected::changes(self.machine, self.project, self.session, watch, as_script);
        let mut found = changes.map_err(|error| Unknown(error.to_string()))?;
        if !found.changes.is_empty() {
            let approved = self.approved();
            found.changes.retain(|change| {
                let hash = session::content_hash(&self.project.root.join(&change.path));
                hash == UNREADABLE || approved.get(&change.path) != Some(&hash)
            });
        }
        Ok(found)
    }

    fn is_named_restore(&self, command: &str) -> bool {
        session::is_named_restore(self.project, self.session, command)
    }

    fn approve_command(&self, files: &[&str]) -> String {
        let pid;
        let mut words = match self.approvals {
            Approvals::Session if self.session.is_known() => {
                vec!["plimsoll", "approve", "--session", self.session.as_str(), "--"]
            }
            Approvals::Session => vec!["plimsoll", "approve", "--"],
            Approvals::Pid(number) => {
                pid = number.to_string();
                // A project that has the script's address goes on using it.
                let script = ".claude/hooks/approve_configs.sh";
                if self.project.root.join(script).exists() {
                    vec![script, &pid]
                } else {
                    vec!["plimsoll", "compat", "approve_configs", &pid]
                }
            }
        };
        words.extend(files);
        shell::join(words)
    }

    fn config_problems(&self) -> &[Problem] {
        &self.loaded.problems
    }

    fn personal_profile(&self) -> Profile {
        self.loaded.personal_profile
    }

    fn personal_checks(&self) -> &LevelMap {
        &self.loaded.personal_checks
    }

    fn autonomy(&self) -> Option<Autonomy> {
        autonomy::active(
            self.machine,
            self.project,
            self.session,
            &self.cwd,
            &self.loaded.config,
            self.belief,
        )
    }

    fn reviewers(&self) -> Vec<Reviewer> {
        review::reviewers(self.machine, &self.loaded.config)
    }

    fn review(
        &self,
        reviewer: Reviewer,
        question: &Question,
        earlier: Option<&Review>,
        limit: Duration,
    ) -> Result<Review, Unknown> {
        review::ask(self.machine, &self.loaded.config, reviewer, question, earlier, limit).map_err(Unknown)
    }

    fn lint(&self, event: &Event) -> Result<Linted, Unknown> {
        self.linter.map_or_else(|| Ok(Linted::default()), |linter| linter.after_edit(event))
    }

    fn lint_open(&self, event: &Event) -> Result<Linted, Unknown> {
        self.linter.map_or_else(|| Ok(Linted::default()), |linter| linter.at_stop(event))
    }

    fn remembered_review(&self, question: &Question) -> Option<Conclusion> {
        review::remembered(self.machine, self.project, self.session, question, self.belief)
    }

    fn mail(&self) -> Vec<Mail> {
        mail::waiting(self.project, self.session)
    }

    fn held(&self, by: &str) -> Option<Held> {
        session::held(self.project, self.session, by)
    }
}

/// Whether a path has only names between its slashes.
fn is_tidy(path: &[u8]) -> bool {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[at + 1..]).all(|rest| match rest {
        [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..] | [b'.', b'.'] | [b'.', b'.', b'/', ..] => false,
        [..] => true,
    })
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
