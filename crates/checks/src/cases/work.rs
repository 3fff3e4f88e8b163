//! The part of a case's world that is about work: history, evidence, the person's list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::practice::Churn;
use model::{Facts as _, Tested, Unknown, Work, source};
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
    /// State files that lie there and are not ours.
    foreign: Vec<String>,
    todo: BTreeMap<String, String>,
    /// Where there are repositories, instead of everywhere.
    repositories: Option<Vec<PathBuf>>,
}

impl Given {
    /// `false` when this is no fact of this part.
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
                    _ => return Err("tested is same, changed, forged or unrecorded".into()),
                });
            }
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
        Some(self.work.modified.get(path).copied().unwrap_or(1_000_000 - 60))
    }

    fn source_files(&self) -> Vec<PathBuf> {
        self.files.keys().filter(|path| source::is_source(path)).cloned().collect()
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

    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown> {
        if self.work.foreign.iter().any(|known| known == name) {
            return Ok(None);
        }
        self.read(&root.join(".claude").join(name))
    }

    fn tested(&self, _: &Path) -> Tested {
        self.work.tested.unwrap_or(Tested::Same)
    }

    fn tests_are_running(&self, _: &Path) -> bool {
        false
    }

    fn todo(&self, args: &[&str]) -> Option<String> {
        self.work.todo.get(args.first().copied()?).cloned()
    }
}
