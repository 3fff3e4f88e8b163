//! The part of a case's world that is about the guard's own parts, and about who is speaking.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::imagined::{HOME, PROJECT};
use toml::Value;

#[derive(Debug)]
pub(in crate::imagined) struct Given {
    pub(in crate::imagined) executables: Vec<PathBuf>,
    /// Other names of a file, with the one that is meant.
    pub(in crate::imagined) twins: BTreeMap<PathBuf, PathBuf>,
    pub(in crate::imagined) folders: Vec<PathBuf>,
    /// Copies of the program that were made before.
    pub(in crate::imagined) copies: Vec<PathBuf>,
    pub(in crate::imagined) is_the_client: bool,
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
    pub(in crate::imagined) fn set(&mut self, key: &str, value: &Value) -> bool {
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
