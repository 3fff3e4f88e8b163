//! The part of a case's world that is about the guard's own parts, and about who is speaking.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use model::{Entry, Facts, Own};
use toml::Value;

use super::{HOME, PROJECT, Table};

#[derive(Debug)]
pub(super) struct Given {
    executables: Vec<PathBuf>,
    /// Other names of a file, with the one that is meant.
    twins: BTreeMap<PathBuf, PathBuf>,
    folders: Vec<PathBuf>,
    /// Copies of the program that were made before.
    copies: Vec<PathBuf>,
    is_the_client: bool,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            executables: vec!["/home/me/.local/bin/plimsoll".into()],
            twins: BTreeMap::new(),
            folders: Vec::new(),
            copies: Vec::new(),
            is_the_client: true,
        }
    }
}

impl Given {
    /// `false` when this is not a fact of this part.
    pub(super) fn set(&mut self, key: &str, value: &Value) -> bool {
        let place =
            |text: &str| model::path::absolute(Path::new(text), Path::new(PROJECT), Some(Path::new(HOME)));
        let texts = || value.as_array().into_iter().flatten().filter_map(Value::as_str).map(place);
        match key {
            "executables" => self.executables = texts().collect(),
            "folders" => self.folders = texts().collect(),
            "copies" => self.copies = texts().collect(),
            "twins" => {
                let pairs = value.as_table().into_iter().flatten();
                self.twins =
                    pairs.map(|(name, of)| (place(name), place(of.as_str().unwrap_or_default()))).collect();
            }
            "client" => self.is_the_client = value.as_bool().unwrap_or(true),
            _ => return false,
        }
        true
    }
}

impl Own for Table {
    fn executable(&self) -> Option<&Path> {
        self.own.executables.first().map(PathBuf::as_path)
    }

    fn executables(&self) -> &[PathBuf] {
        &self.own.executables
    }

    fn cache_dir(&self) -> &Path {
        Path::new("/home/me/.cache/plimsoll")
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

    fn is_the_client(&self) -> bool {
        self.own.is_the_client
    }
}
