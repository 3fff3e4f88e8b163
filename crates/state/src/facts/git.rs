//! A repository and its versions: answered from disk.

use std::path::{Path, PathBuf};

use model::state_files::Churn;
use model::{Git, Incoming, Repository, Unknown};

use super::DiskFacts;
use crate::written::Belief;
use crate::{churn, git};

impl Git for DiskFacts<'_> {
    fn repository(&self, dir: &Path) -> Option<Repository> {
        git::Repository::find(dir).map(|repository| repository.facts())
    }

    fn staged(&self, dir: &Path) -> Result<Vec<String>, Unknown> {
        git::staged(dir).map_err(|error| Unknown(error.to_string()))
    }

    fn uncommitted(&self, dir: &Path) -> Result<Vec<String>, Unknown> {
        let Some(repository) = git::Repository::find(dir) else { return Ok(Vec::new()) };
        let mut known = self.known.uncommitted.borrow_mut();
        let asked = known.entry(repository.root.clone()).or_insert_with(|| {
            let found =
                git::status(self.machine, &repository.root).map_err(|error| Unknown(error.to_string()))?;
            // Work trees lie where we advise to make them.
            let ours = |path: &String| model::changes::is_record(path) || path.starts_with(".worktrees/");
            Ok(found.keys().filter(|path| !ours(path)).cloned().collect())
        });
        asked.clone()
    }

    fn diff(&self, path: &Path) -> Result<String, Unknown> {
        let dir = path.parent().unwrap_or(path);
        let name = format!(":(literal){}", path.file_name().unwrap_or_default().to_string_lossy());
        let words = ["diff", "--no-ext-diff", "--no-color", "HEAD", "--", &name];
        git::text(dir, &words).map_err(|error| Unknown(error.to_string()))
    }

    fn churn(&self, plan: &Path) -> Result<Option<Churn>, Unknown> {
        churn::churn(self.machine, plan).map_err(|error| Unknown(error.to_string()))
    }

    fn source_written_since(&self, root: &Path, at: u64) -> bool {
        git::source_written_since(self.machine, root, at).unwrap_or(true)
    }

    fn known_churn(&self, plan: &Path) -> Option<Churn> {
        match self.belief {
            Belief::Everything => churn::churn(self.machine, plan).ok()?,
            Belief::Ours => churn::known(self.machine, plan),
        }
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

    fn has_in_history(&self, root: &Path, branch: &str, version: &str) -> bool {
        !version.starts_with('-')
            && git::text(root, &["merge-base", "--is-ancestor", version, branch]).is_ok()
    }

    fn changes_root(&self) -> PathBuf {
        git::Repository::find(&self.project.root)
            .map_or_else(|| self.project.root.clone(), |found| found.root)
    }
}
