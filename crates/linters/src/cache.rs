//! What a linter said about exactly this text, with exactly this executable and these configuration files: said again without
//! running it. Edits that come back to what was, the look after fixing, and a stop find most of their answers here.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use state::{Machine, atomic, files, sha256};

use crate::definition::Linter;
use crate::folders::upwards;
use crate::plan::Task;
use crate::violation::{Violation, from_json, to_json};

/// In each of 256 folders. The oldest go first.
const MOST: usize = 24;

/// The place of one answer.
#[derive(Debug)]
pub(crate) struct Slot {
    place: PathBuf,
    file: PathBuf,
}

impl Slot {
    /// `None` where an answer depends on more than the file and its configuration.
    pub(crate) fn of(
        machine: &Machine,
        task: &Task,
        words: &[String],
        file: &Path,
        project: &Path,
        text: &str,
    ) -> Option<Self> {
        if task.linter.reads_others || task.linter.whole {
            return None;
        }
        let mut key = format!("1\n{}\n{}\n", task.linter.name, files::stamp(&task.place.program)?);
        for word in &task.place.before {
            key.push_str(word);
            key.push('\n');
        }
        for word in words {
            key.push_str(word);
            key.push('\n');
        }
        for config in configs(task.linter, &task.cwd, file, project) {
            key.push_str(&config);
        }
        key.push_str(sha256(text.as_bytes()).as_str());
        let hash = sha256(key.as_bytes());
        let (folder, name) = hash.first(40).split_at(2);
        let place = machine.cache_dir().join("results").join(folder).join(name);
        Some(Self { place, file: file.to_owned() })
    }

    pub(crate) fn read(&self) -> Option<Vec<Violation>> {
        let text = files::read(&self.place).ok().flatten()?;
        let json: Json = serde_json::from_str(&text).ok()?;
        json.as_array()?.iter().map(|entry| from_json(entry, &self.file)).collect()
    }

    /// Not kept, it is found again.
    pub(crate) fn keep(&self, found: &[Violation]) {
        if let Some(dir) = self.place.parent() {
            let mut entries = files::list(dir);
            if entries.len() >= MOST {
                entries.sort_by_key(|entry| {
                    files::stamp(entry).map(|stamp| stamp.rsplit(' ').next().unwrap_or_default().to_owned())
                });
                for old in &entries[..entries.len() / 2] {
                    let _ = files::remove(old);
                }
            }
        }
        let json = Json::Array(found.iter().map(to_json).collect());
        let _ = atomic::write_cache(&self.place, json.to_string().as_bytes());
    }
}

/// Every configuration file that may count, with its content.
fn configs(linter: &Linter, cwd: &Path, file: &Path, project: &Path) -> Vec<String> {
    let near = file.parent().unwrap_or(cwd);
    let mut folders = upwards(near, project);
    for more in [cwd, project] {
        if !folders.contains(&more) {
            folders.push(more);
        }
    }
    let names = linter.configs.iter().copied().chain([".editorconfig", ".gitignore"]);
    let places = names.flat_map(|name| folders.iter().map(move |dir| dir.join(name)));
    places
        .filter_map(|place| {
            let text = files::read(&place).ok().flatten()?;
            Some(format!("{}\n{}\n", place.display(), sha256(text.as_bytes())))
        })
        .collect()
}
