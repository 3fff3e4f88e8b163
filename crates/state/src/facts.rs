//! The checks' questions, answered from disk.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::config::Profile;
use model::environment::Variable;
use model::{ChangeKind, Changed, Facts, Problem, Repository, Restore, SessionId, Unknown, Watch};

use crate::config::Loaded;
use crate::session::{self, ABSENT, Baseline};
use crate::{Machine, Project, files, git};

/// Where the person's approvals of a stop are, and how they are given.
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

#[derive(Debug)]
pub struct DiskFacts<'a> {
    pub machine: &'a Machine,
    pub project: &'a Project,
    pub loaded: &'a Loaded,
    pub session: &'a SessionId,
    /// The directory that relative paths are relative to.
    pub cwd: PathBuf,
    pub approvals: Approvals,
    home: OnceCell<Option<PathBuf>>,
    state_dir: OnceCell<PathBuf>,
    /// Paths that were followed already: every check about files asks for the same one.
    resolved: RefCell<Vec<(PathBuf, PathBuf)>>,
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
            home: OnceCell::new(),
            state_dir: OnceCell::new(),
            resolved: RefCell::default(),
        }
    }

    fn home_dir(&self) -> Option<&Path> {
        self.home.get_or_init(|| self.machine.home()).as_deref()
    }

    fn approved(&self) -> BTreeMap<String, String> {
        match self.approvals {
            Approvals::Session => session::approvals(&session::approvals_file(self.project, self.session)),
            Approvals::Pid(pid) => session::approvals(&Approvals::pid_file(pid)),
        }
    }

    fn changed(&self, watch: &Watch) -> std::io::Result<Vec<Changed>> {
        let root = &self.project.root;
        let Some(repository) = git::Repository::find(root) else { return Ok(Vec::new()) };
        let baseline = session::baseline(self.project, self.session);
        let head = repository.head().commit;
        let mut found: BTreeMap<String, Changed> = BTreeMap::new();
        for dirty in git::dirty(root, &watch.globs)? {
            let at_start = baseline.as_ref().and_then(|b| b.files.get(&dirty.path));
            // Dirty before the session, and still the same: not this session's.
            if at_start.is_some_and(|(hash, _)| *hash == session::content_hash(&root.join(&dirty.path))) {
                continue;
            }
            let restore = restore(&dirty, at_start);
            found.insert(dirty.path.clone(), Changed { path: dirty.path, kind: dirty.kind, restore, texts: None });
        }
        if let Some(Baseline { head: Some(base), taken_at, .. }) = &baseline
            && head.as_ref() != Some(base)
        {
            // A base that is gone (a rewritten history) has no commits on top of it.
            for path in git::committed(root, base, *taken_at, &watch.globs).unwrap_or_default() {
                let command = shell_words(&["git", "checkout", &base[..12.min(base.len())], "--", &path]);
                let kind = ChangeKind::Committed;
                found.entry(path.clone()).or_insert(Changed { path, kind, restore: Restore::Command(command), texts: None });
            }
        }
        // Work of the person that the session threw away or replaced by the committed text.
        for (path, (hash, copy)) in baseline.iter().flat_map(|b| &b.files) {
            if !found.contains_key(path)
                && session::content_hash(&root.join(path)) != *hash
                && let Some(copy) = copy
            {
                let restore = Restore::Copy(copy.clone());
                let kind = ChangeKind::Modified;
                found.insert(path.clone(), Changed { path: path.clone(), kind, restore, texts: None });
            }
        }
        let base = baseline.and_then(|b| b.head).or(head);
        Ok(found.into_values().map(|change| self.with_texts(change, watch, base.as_deref())).collect())
    }

    fn with_texts(&self, mut change: Changed, watch: &Watch, base: Option<&str>) -> Changed {
        let name = change.path.rsplit('/').next().unwrap_or_default();
        if watch.parts.contains(&name) {
            let before = match &change.restore {
                Restore::Copy(copy) => files::read(copy).ok().flatten(),
                Restore::Command(_) => base.and_then(|base| git::show(&self.project.root, base, &change.path)),
            };
            let after = files::read(&self.project.root.join(&change.path)).ok().flatten();
            change.texts = Some((before.unwrap_or_default(), after.unwrap_or_default()));
        }
        change
    }
}

/// How the person gets the file back. Never by losing what they had not committed.
fn restore(dirty: &git::Dirty, at_start: Option<&(String, Option<PathBuf>)>) -> Restore {
    if let Some((_, Some(copy))) = at_start {
        return Restore::Copy(copy.clone());
    }
    let words: &[&str] = match (dirty.kind, dirty.added) {
        (ChangeKind::New, true) => &["git", "rm", "-qf", "--", &dirty.path],
        (ChangeKind::New, false) => &["rm", "--", &dirty.path],
        (ChangeKind::Modified, _) => &["git", "checkout", "--", &dirty.path],
        _ => &["git", "checkout", "HEAD", "--", &dirty.path],
    };
    Restore::Command(shell_words(words))
}

fn shell_words(words: &[&str]) -> String {
    shell::join(words.iter().copied())
}

impl Facts for DiskFacts<'_> {
    fn project(&self) -> &Path {
        &self.project.root
    }

    fn home(&self) -> Option<&Path> {
        self.home_dir()
    }

    fn state_dir(&self) -> &Path {
        self.state_dir.get_or_init(|| self.machine.state_dir())
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        if let Some((_, real)) = self.resolved.borrow().iter().find(|(asked, _)| asked == path) {
            return real.clone();
        }
        let expanded = match (path.strip_prefix("~"), self.home_dir()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        };
        let real = files::resolve(&expanded);
        self.resolved.borrow_mut().push((path.to_owned(), real.clone()));
        real
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        model::path::absolute(path, &self.cwd, self.home_dir())
    }

    /// By trying: a directory on the way is looked up with its letters in the other case.
    fn folds_case(&self, dir: &Path) -> bool {
        let Some(dir) = dir.ancestors().find(|dir| dir.is_dir()) else { return cfg!(any(windows, target_os = "macos")) };
        dir.ancestors()
            .find_map(|dir| {
                let name = dir.file_name()?.to_str()?;
                let swapped: String = name
                    .chars()
                    .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
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
        self.machine.var(variable)
    }

    fn micros(&self) -> u64 {
        self.machine.micros()
    }

    fn may_edit(&self, path: &Path) -> bool {
        session::may_edit(self.machine, self.project, path)
    }

    fn protected_changes(&self, watch: &Watch) -> Result<Vec<Changed>, Unknown> {
        let mut changes = self.changed(watch).map_err(|error| Unknown(error.to_string()))?;
        if !changes.is_empty() {
            let approved = self.approved();
            changes.retain(|change| {
                let hash = session::content_hash(&self.project.root.join(&change.path));
                approved.get(&change.path) != Some(&hash) || (hash == ABSENT && change.kind != ChangeKind::Deleted)
            });
        }
        Ok(changes)
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
