//! The part of a case's world that is about work: history, evidence, the user's list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::state_files::Churn;
use model::{Tested, Tree};

use crate::imagined::PROJECT;
use toml::Value;

#[derive(Debug, Default)]
pub(in crate::imagined) struct Given {
    /// Seconds since 1970 by path; other files are a minute old.
    pub(in crate::imagined) modified: BTreeMap<PathBuf, u64>,
    pub(in crate::imagined) dirty: Vec<String>,
    pub(in crate::imagined) diff: String,
    pub(in crate::imagined) churn: Option<Churn>,
    /// How the recorded run stands to the code; where nothing is said, it was for this code.
    pub(in crate::imagined) tested: Option<Tested>,
    /// Versions that are tested code which the user has seen, by themselves and merged.
    pub(in crate::imagined) tested_versions: Vec<String>,
    /// Tests are running.
    pub(in crate::imagined) testing: bool,
    /// State files that lie there and are not ours.
    pub(in crate::imagined) foreign: Vec<String>,
    pub(in crate::imagined) todo: BTreeMap<String, String>,
    /// Where there are repositories, instead of everywhere.
    pub(in crate::imagined) repositories: Option<Vec<PathBuf>>,
}

impl Given {
    pub(in crate::imagined) fn is_tested(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Present => false,
            Tree::Merged(version) | Tree::Version(version) => {
                self.tested_versions.iter().any(|known| known == version)
            }
        }
    }

    /// `false` when this is not a fact of this part.
    pub(in crate::imagined) fn set(&mut self, key: &str, value: &Value) -> Result<bool, String> {
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

    pub(in crate::imagined) fn has_repository(&self, dir: &Path) -> bool {
        self.repositories.as_ref().is_none_or(|roots| roots.iter().any(|root| dir.starts_with(root)))
    }
}
