//! The part of a case's world that is about work: history, evidence, the user's list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::practice::{Churn, Strikes, TestResult, TestStatus};
use model::{Digest, Facts as _, LastRun, Tested, Tree, Unknown, Work, source};
use toml::Value;

use super::{PROJECT, Table};

#[derive(Debug, Default)]
pub(super) struct Given {
    /// Seconds since 1970 by path; other files are a minute old.
    modified: BTreeMap<PathBuf, u64>,
    dirty: Vec<String>,
    diff: String,
    churn: Option<Churn>,
    /// How the recorded run stands to the code; where nothing is said, it was for this code.
    tested: Option<Tested>,
    /// Versions that are tested code which the user has seen, by themselves and merged.
    tested_versions: Vec<String>,
    /// Tests are running.
    testing: bool,
    /// State files that lie there and are not ours.
    foreign: Vec<String>,
    todo: BTreeMap<String, String>,
    /// Where there are repositories, instead of everywhere.
    repositories: Option<Vec<PathBuf>>,
}

impl Given {
    fn is_tested(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Present => false,
            Tree::Merged(version) | Tree::Version(version) => {
                self.tested_versions.iter().any(|known| known == version)
            }
        }
    }

    /// `false` when this is not a fact of this part.
    pub(super) fn set(&mut self, key: &str, value: &Value) -> Result<bool, String> {
        let texts = || value.as_array().into_iter().flatten().filter_map(Value::as_str);
        let place = |text: &str| model::path::absolute(Path::new(text), Path::new(PROJECT), None);
        match key {
            "modified" => {
                let pairs = value.as_table().into_iter().flatten();
                self.modified = pairs
                    .filter_map(|(path, at)| Some((place(path), u64::try_from(at.as_integer()?).ok()?)))
                    .collect();
            }
            "dirty" => self.dirty = texts().map(str::to_owned).collect(),
            "diff" => value.as_str().unwrap_or_default().clone_into(&mut self.diff),
            "churn" => {
                let numbers: Vec<u64> = value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|number| u64::try_from(number.as_integer()?).ok())
                    .collect();
                let [changed, total, commits] = numbers[..] else {
                    return Err("churn is [changed, total, commits]".into());
                };
                self.churn = Some(Churn { changed, total, commits });
            }
            "tested" => {
                self.tested = Some(match value.as_str() {
                    Some("same") => Tested::Same,
                    Some("changed") => Tested::Changed,
                    Some("forged") => Tested::Forged,
                    Some("unrecorded") => Tested::Unrecorded,
                    Some("failed") => Tested::Failed,
                    Some("no tests") => Tested::NoTests,
                    Some(part) => Tested::Part(part.to_owned()),
                    None => return Err("tested is a text".into()),
                });
            }
            "tested_versions" => self.tested_versions = texts().map(str::to_owned).collect(),
            "testing" => self.testing = value.as_bool() == Some(true),
            "foreign" => self.foreign = texts().map(str::to_owned).collect(),
            "todo" => {
                let pairs = value.as_table().into_iter().flatten();
                self.todo =
                    pairs.map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned())).collect();
            }
            "repositories" => self.repositories = Some(texts().map(place).collect()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn has_repository(&self, dir: &Path) -> bool {
        self.repositories.as_ref().is_none_or(|roots| roots.iter().any(|root| dir.starts_with(root)))
    }
}

impl Work for Table {
    fn list(&self, dir: &Path) -> Vec<PathBuf> {
        let below = self.files.keys().filter_map(|path| path.strip_prefix(dir).ok()?.components().next());
        let mut entries: Vec<PathBuf> = below.map(|first| dir.join(first)).collect();
        entries.dedup();
        entries
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

    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown> {
        if self.work.foreign.iter().any(|known| known == name) {
            return Ok(None);
        }
        self.read(&root.join(".claude").join(name))
    }

    fn tested(&self, root: &Path, tree: &Tree) -> Tested {
        match tree {
            _ if self.work.is_tested(tree) => return Tested::Same,
            // What is said about the code that lies there says nothing about it.
            Tree::Version(_) => return Tested::Changed,
            _ => {}
        }
        let by_file = || {
            let status = self.record(root, TestStatus::FILE).ok().flatten();
            match status.and_then(|text| TestStatus::parse(&text))?.result {
                TestResult::Pass => Some(Tested::Same),
                TestResult::Fail => Some(Tested::Failed),
                TestResult::None => None,
            }
        };
        self.work.tested.clone().or_else(by_file).unwrap_or_default()
    }

    fn proved(&self, _: &Path, tree: &Tree) -> bool {
        self.work.is_tested(tree)
    }

    fn last_run(&self, root: &Path) -> Option<LastRun> {
        let text = self.record(root, TestStatus::FILE).ok()??;
        Some(LastRun { status: TestStatus::parse(&text)?, part: None })
    }

    fn strikes(&self, gate: &str, about: u64) -> u64 {
        let text = self.record(Path::new(PROJECT), gate).ok().flatten();
        let strikes = text.map(|text| Strikes::parse(&text)).unwrap_or_default();
        if strikes.at < about { 0 } else { strikes.count }
    }

    fn tests_are_running(&self, _: &Path, _: Duration) -> bool {
        self.work.testing
    }

    fn claim(&self, _: &str) -> bool {
        self.work.todo.contains_key("claim")
    }

    fn todo(&self, args: &[&str]) -> Option<String> {
        self.work.todo.get(args.first().copied()?).cloned()
    }
}
