//! Paths, files, repositories, variables and settings of a made-up world.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use model::config::{LevelMap, Profile};
use model::environment::Variable;
use model::rule::Book;
use model::state_files::Churn;
use model::{
    Allowance, Digest, Entry, Files, Git, Incoming, Paths, Piece, Problem, Repository, Settings,
    Surroundings, Unknown, What, source,
};

use crate::imagined::{HOME, PROJECT, Table, shell_event};

impl Paths for Table {
    fn project(&self) -> &Path {
        &self.project
    }

    fn home(&self) -> Option<&Path> {
        Some(Path::new(HOME))
    }

    fn state_dir(&self) -> &Path {
        Path::new("/home/me/.local/state/plimsoll")
    }

    fn cache_dir(&self) -> &Path {
        Path::new("/home/me/.cache/plimsoll")
    }

    fn executable(&self) -> Option<&Path> {
        self.own.executables.first().map(PathBuf::as_path)
    }

    fn executables(&self) -> &[PathBuf] {
        &self.own.executables
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let path = self.absolute(path);
        for (link, target) in &self.links {
            if let Ok(rest) = path.strip_prefix(link) {
                return if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) };
            }
        }
        path
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        model::path::absolute(path, &self.project, self.home())
    }

    fn folds_case(&self, _: &Path) -> bool {
        self.folds
    }
}

impl Files for Table {
    fn read(&self, path: &Path) -> Result<Option<String>, Unknown> {
        if self.unreadable.iter().any(|p| p == path) {
            return Err(Unknown("permission denied".into()));
        }
        Ok(self.files.get(path).cloned())
    }

    fn read_piece(&self, path: &Path, from: u64, most: usize) -> Result<Option<Piece>, Unknown> {
        if self.unreadable.iter().any(|p| p == path) {
            return Err(Unknown("permission denied".into()));
        }
        let text = || self.files.get(path).map(|text| text.as_bytes().to_vec());
        let Some(bytes) = self.incoming.bytes.get(path).cloned().or_else(text) else { return Ok(None) };
        let size = bytes.len() as u64;
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
        let to = from.saturating_add(most).min(bytes.len());
        Ok(Some(Piece { bytes: bytes[from..to].to_vec(), size }))
    }

    /// What a case gives is there, and so are we and the agent's settings.
    fn entry(&self, path: &Path) -> Option<Entry> {
        let path = self.resolve(path);
        let of = self.own.twins.get(&path).unwrap_or(&path);
        let always = [self.state_dir(), self.cache_dir()].contains(&of.as_path());
        let settings = [PROJECT, HOME].iter().any(|root| {
            [".claude/settings.json", ".claude/settings.local.json"]
                .iter()
                .any(|name| *of == Path::new(root).join(name))
        });
        let directory = always
            || self.own.folders.contains(of)
            || self.files.keys().any(|file| file != of && file.starts_with(of));
        let program = self.own.executables.contains(of) || self.own.copies.contains(of);
        let file = settings || program || self.files.contains_key(of);
        let size = if program { 40_000_000 } else { 1000 };
        let mut hasher = DefaultHasher::new();
        of.hash(&mut hasher);
        let links = if self.own.twins.keys().chain(self.own.twins.values()).any(|name| *name == path) {
            2
        } else {
            1
        };
        (directory || file).then(|| Entry { directory, links, id: (1, hasher.finish()), size })
    }

    fn list(&self, dir: &Path) -> Vec<PathBuf> {
        let below = self.files.keys().filter_map(|path| path.strip_prefix(dir).ok()?.components().next());
        let mut entries: Vec<PathBuf> = below.map(|first| dir.join(first)).collect();
        entries.dedup();
        entries
    }

    fn names_in(&self, dir: &Path) -> Vec<String> {
        self.session
            .names
            .iter()
            .find(|(known, _)| known == dir)
            .map_or_else(Vec::new, |(_, names)| names.clone())
    }

    fn tree(&self, folder: &Path, most: usize) -> Result<Option<Vec<Incoming>>, Unknown> {
        let below = |path: &Path| Some(path.strip_prefix(folder).ok()?.to_string_lossy().into_owned());
        let files = self.files.iter().filter_map(|(path, text)| {
            Some(Incoming { name: below(path)?, what: What::File(Some(text.clone())) })
        });
        let links = self.links.iter().filter_map(|(path, to)| {
            Some(Incoming { name: below(path)?, what: What::Link(to.to_string_lossy().into_owned()) })
        });
        let all: Vec<_> = files.chain(links).collect();
        match all.len() {
            0 => Ok(None),
            count if count > most => Err(Unknown("too many files".into())),
            _ => Ok(Some(all)),
        }
    }

    fn modified(&self, path: &Path) -> Option<u64> {
        self.files.get(path)?;
        // A report is written when all else is.
        let age = if path.ends_with(crate::stop::CHECKPOINT) { 0 } else { 60 };
        Some(self.work.modified.get(path).copied().unwrap_or(1_000_000 - age))
    }

    fn source_digests(&self, digest: &Digest) -> Vec<String> {
        let found = self.files.keys().filter(|path| source::is_source(path));
        found.filter_map(|path| (digest.of)(&self.read(path).ok()??)).collect()
    }
}

impl Git for Table {
    fn repository(&self, dir: &Path) -> Option<Repository> {
        if !self.work.has_repository(dir) {
            return None;
        }
        // One repository, the project; `given.worktree` is another work tree of it.
        let root = if dir.starts_with(&self.project) { self.project.clone() } else { dir.to_owned() };
        Some(Repository {
            root,
            main_root: self.project.clone(),
            worktrees: self.worktrees.clone(),
            branch: self.branch.clone(),
            unborn: self.unborn,
            merging: self.merging,
        })
    }

    fn staged(&self, _: &Path) -> Result<Vec<String>, Unknown> {
        Ok(self.staged.clone())
    }

    fn uncommitted(&self, _: &Path) -> Result<Vec<String>, Unknown> {
        Ok(self.work.dirty.clone())
    }

    fn diff(&self, _: &Path) -> Result<String, Unknown> {
        Ok(self.work.diff.clone())
    }

    fn churn(&self, _: &Path) -> Result<Option<Churn>, Unknown> {
        Ok(self.work.churn)
    }

    fn source_written_since(&self, _: &Path, _: u64) -> bool {
        true
    }

    fn known_churn(&self, _: &Path) -> Option<Churn> {
        self.work.churn
    }

    fn version_changes(
        &self,
        _: &Path,
        _: &str,
        to: &str,
        _: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<Incoming>>, Unknown> {
        self.incoming.versions.get(to).cloned().transpose()
    }

    fn has_in_history(&self, _: &Path, _: &str, version: &str) -> bool {
        matches!(self.incoming.versions.get(version), Some(Ok(changes)) if changes.is_empty())
    }

    fn changes_root(&self) -> PathBuf {
        PROJECT.into()
    }
}

impl Surroundings for Table {
    fn now(&self) -> u64 {
        1_000_000
    }

    fn micros(&self) -> u64 {
        0
    }

    fn env(&self, variable: &Variable) -> Option<String> {
        self.variables.get(variable.name).cloned()
    }

    fn has_program(&self, name: &str) -> bool {
        !self.missing_programs.iter().any(|missing| missing == name)
    }
}

impl Settings for Table {
    fn rules(&self) -> Option<&Book> {
        self.rules.as_ref()
    }

    fn config_problems(&self) -> &[Problem] {
        &self.problems
    }

    fn personal_profile(&self) -> Profile {
        self.personal
    }

    fn personal_checks(&self) -> &LevelMap {
        &self.personal_checks
    }

    fn may_edit(&self, path: &Path) -> bool {
        self.may_edit.iter().any(|p| p == path)
    }

    fn allowances(&self) -> Vec<Allowance> {
        let allowance = |text: &String| {
            let reading = crate::read(&shell_event(text), self).unwrap_or_default();
            Allowance {
                id: text.clone(),
                text: text.clone(),
                signature: crate::signature(&reading),
                once: false,
                spent: None,
            }
        };
        self.allowed.iter().map(allowance).collect()
    }
}
