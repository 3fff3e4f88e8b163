//! Files, repositories, programs and settings, as they were.

use std::path::{Path, PathBuf};

use model::config::{LevelMap, Profile};
use model::environment::Variable;
use model::state_files::Churn;
use model::{
    Allowance, Digest, Entry, Files, Git, Incoming, Paths, Piece, Problem, Repository, Settings,
    Surroundings, Unknown,
};

use super::{OVER, Past, Stands};

impl Paths for Past<'_> {
    fn project(&self) -> &Path {
        self.disk.project()
    }

    fn home(&self) -> Option<&Path> {
        self.disk.home()
    }

    fn state_dir(&self) -> &Path {
        self.disk.state_dir()
    }

    fn cache_dir(&self) -> &Path {
        self.disk.cache_dir()
    }

    fn executable(&self) -> Option<&Path> {
        self.disk.executable()
    }

    fn executables(&self) -> &[PathBuf] {
        self.executables
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.disk.resolve(path)
    }

    fn is_itself(&self, path: &Path) -> bool {
        self.disk.is_itself(path)
    }

    fn is_missing(&self, folder: &Path) -> bool {
        self.disk.is_missing(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.disk.absolute(path)
    }

    fn folds_case(&self, dir: &Path) -> bool {
        self.disk.folds_case(dir)
    }
}

impl Files for Past<'_> {
    fn read(&self, path: &Path) -> Result<Option<String>, Unknown> {
        self.read_then(path)
    }

    fn read_piece(&self, path: &Path, from: u64, most: usize) -> Result<Option<Piece>, Unknown> {
        match self.stands(path) {
            Stands::Still => self.disk.read_piece(path, from, most),
            Stands::Told(None) => Ok(None),
            Stands::Told(Some(text)) => {
                let start = usize::try_from(from).unwrap_or(usize::MAX).min(text.len());
                let bytes = text.as_bytes()[start..].iter().copied().take(most).collect();
                Ok(Some(Piece { bytes, size: text.len() as u64 }))
            }
            Stands::Gone => {
                let now = self.disk.read_piece(path, from, most);
                self.either("what stood in a file", now, Err(Unknown(OVER.to_owned())))
            }
        }
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        self.entry_then(path)
    }

    fn list(&self, dir: &Path) -> Vec<PathBuf> {
        self.disk.list(dir)
    }

    fn names_in(&self, dir: &Path) -> Vec<String> {
        self.disk.names_in(dir)
    }

    fn tree(&self, folder: &Path, most: usize) -> Result<Option<Vec<Incoming>>, Unknown> {
        let now = self.disk.tree(folder, most);
        if !self.is_of_work(folder) {
            return now;
        }
        self.either("what lay in a folder", now, Err(Unknown(OVER.to_owned())))
    }

    fn modified(&self, path: &Path) -> Option<u64> {
        self.disk.modified(path)
    }

    /// It is looked up with the help of a cache, which would be written.
    fn source_digests(&self, _: &Digest) -> Vec<String> {
        self.lost("what stood in the sources");
        Vec::new()
    }
}

impl Git for Past<'_> {
    fn repository(&self, dir: &Path) -> Option<Repository> {
        let Some(branch) = &self.moment.branch else { return self.disk.repository(dir) };
        let branch = (branch != "HEAD").then(|| branch.clone());
        match self.disk.repository(dir) {
            // The record is about where the call was made.
            Some(found) if self.disk.cwd.starts_with(&found.root) => Some(Repository { branch, ..found }),
            Some(found) => Some(found),
            None if dir.starts_with(&self.disk.project.root) || dir.starts_with(&self.disk.cwd) => {
                let root = self.disk.project.root.clone();
                Some(Repository { main_root: root.clone(), root, branch, ..Repository::default() })
            }
            None => None,
        }
    }

    fn staged(&self, _: &Path) -> Result<Vec<String>, Unknown> {
        self.open("what was staged", Vec::new())
    }

    fn uncommitted(&self, _: &Path) -> Result<Vec<String>, Unknown> {
        self.open("what was not committed", Vec::new())
    }

    fn diff(&self, _: &Path) -> Result<String, Unknown> {
        self.open("what was not committed", String::new())
    }

    fn churn(&self, _: &Path) -> Result<Option<Churn>, Unknown> {
        self.open("what had changed since the plan", None)
    }

    fn source_written_since(&self, _: &Path, _: u64) -> bool {
        true
    }

    fn known_churn(&self, plan: &Path) -> Option<Churn> {
        self.churn(plan).ok()?
    }

    fn version_changes(
        &self,
        dir: &Path,
        from: &str,
        to: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<Incoming>>, Unknown> {
        let now = self.disk.version_changes(dir, from, to, wanted);
        self.either("which commits there were", now, Err(Unknown(OVER.to_owned())))
    }

    fn has_in_history(&self, root: &Path, branch: &str, version: &str) -> bool {
        self.disk.has_in_history(root, branch, version)
    }

    fn changes_root(&self) -> PathBuf {
        self.disk.changes_root()
    }
}

impl Surroundings for Past<'_> {
    fn now(&self) -> u64 {
        if self.moment.at == 0 { self.disk.now() } else { self.moment.at }
    }

    fn micros(&self) -> u64 {
        self.disk.micros()
    }

    fn env(&self, variable: &Variable) -> Option<String> {
        self.disk.env(variable)
    }

    fn has_program(&self, name: &str) -> bool {
        self.disk.has_program(name)
    }
}

impl Settings for Past<'_> {
    fn rules(&self) -> Option<&model::rule::Book> {
        self.disk.rules()
    }

    fn config_problems(&self) -> &[Problem] {
        self.disk.config_problems()
    }

    fn personal_profile(&self) -> Profile {
        self.disk.personal_profile()
    }

    fn personal_checks(&self) -> &LevelMap {
        self.disk.personal_checks()
    }

    fn may_edit(&self, path: &Path) -> bool {
        self.disk.may_edit(path)
    }

    /// What was allowed for a while is over, and what is allowed now was not meant for then.
    fn allowances(&self) -> Vec<Allowance> {
        Vec::new()
    }
}
