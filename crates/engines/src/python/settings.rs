//! Config files of the Python tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ruff_linter::registry::Rule;
use ruff_linter::settings::types::{FilePatternSet, PreviewMode};
use ruff_workspace::Settings;
use ruff_workspace::configuration::Configuration;
use ruff_workspace::pyproject::{find_settings_toml, find_user_settings_toml};
use ruff_workspace::resolver::{
    ConfigurationOrigin, ConfigurationTransformer, match_any_exclusion, resolve_root_settings,
};

use super::security::Bandit;
use crate::discover::{self, Cache, Place};
use crate::problem::{Outcome, Trouble};

/// The old linter hooks check with `--preview` and formats without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Preview {
    On,
    Off,
}

impl ConfigurationTransformer for Preview {
    fn transform(&self, mut config: Configuration) -> Configuration {
        if *self == Preview::On {
            config.preview = Some(PreviewMode::Enabled);
            config.lint.preview = Some(PreviewMode::Enabled);
        }
        config
    }
}

pub(crate) struct Config {
    pub(crate) settings: Settings,
    /// Plain faults that the project's own selection leaves out; they are among the settings' rules.
    pub(crate) added: Vec<Rule>,
}

impl Config {
    /// Whether the project leaves the file out, as with `--force-exclude`: whoever edits it has not asked for ruff.
    pub(crate) fn excludes(&self, path: &Path, own: &FilePatternSet) -> bool {
        match_any_exclusion(path, &self.settings.file_resolver, Some(own), None).is_some()
    }
}

#[derive(Default)]
pub(crate) struct Configs {
    /// By folder: which file holds for it.
    files: Cache<PathBuf, Option<(PathBuf, bool)>>,
    /// By file, since many folders share one.
    by_file: Cache<(Option<PathBuf>, Preview), Config>,
    bandit: Cache<PathBuf, Bandit>,
}

impl Configs {
    pub(crate) fn get(&self, folder: &Path, place: &Place, preview: Preview) -> Outcome<Arc<Config>> {
        let file = self.files.get(&folder.to_path_buf(), || {
            if place.bare {
                return Ok(None);
            }
            // The search reads each of them itself.
            let find = |folder: &Path| {
                discover::only_plain(folder, &[".ruff.toml", "ruff.toml", "pyproject.toml"])?;
                find_settings_toml(folder).map_err(|error| describe(&error))
            };
            if let Some(file) = find(folder)? {
                return Ok(Some((file, false)));
            }
            if let Some(project) = &place.project
                && let Some(file) = find(project)?
            {
                return Ok(Some((file, false)));
            }
            Ok(find_user_settings_toml().map(|file| (file, true)))
        })?;
        let key = (file.as_ref().as_ref().map(|(file, _)| file.clone()), preview);
        self.by_file.get(&key, || {
            let mut settings = match &*file {
                Some((file, of_user)) => {
                    let origin = if *of_user {
                        ConfigurationOrigin::UserSettings
                    } else {
                        ConfigurationOrigin::Ancestor
                    };
                    resolve_root_settings(file, &preview, origin).map_err(|error| describe(&error))?
                }
                None => {
                    let root = place.project.as_deref().unwrap_or(folder);
                    let config = preview.transform(Configuration::default());
                    let mut settings = config.into_settings(root).map_err(|error| describe(&error))?;
                    if !place.bare {
                        settings.linter.builtins = names_of_others(root);
                    }
                    settings
                }
            };
            let added = match &*file {
                Some((file, _)) if !place.faults.is_empty() => {
                    add_faults(&mut settings, place.faults, &discover::read(file)?)
                }
                _ => Vec::new(),
            };
            Ok(Config { settings, added })
        })
    }

    /// `[tool.bandit]` of the project's `pyproject.toml`, which the old linter hooks name on bandit's command line.
    pub(crate) fn bandit(&self, folder: &Path, place: &Place) -> Outcome<Arc<Bandit>> {
        self.bandit.get(&folder.to_path_buf(), || match place.find(folder, &["pyproject.toml"]) {
            Some(file) => Bandit::read(&file, &discover::read(&file)?),
            None => Ok(Bandit::default()),
        })
    }
}

/// Switches plain faults on that the settings do not name. What they name, by its code or by the beginning of it, is as they say; so is
/// everything where they build on another file.
fn add_faults(settings: &mut Settings, faults: &[&str], text: &str) -> Vec<Rule> {
    let mut added = Vec::new();
    if text
        .lines()
        .any(|line| line.trim_start().starts_with("extend =") || line.trim_start().starts_with("extend="))
    {
        return added;
    }
    let words = words_about_rules(text);
    let named = |code: &str| (1..=code.len()).any(|end| words.iter().any(|word| *word == code[..end]));
    for code in faults.iter().copied().filter(|code| !named(code)) {
        if let Ok(rule) = Rule::from_code(code)
            && !settings.linter.rules.enabled(rule)
        {
            settings.linter.rules.enable(rule, false);
            added.push(rule);
        }
    }
    added
}

/// What settings may fix says nothing of what they look for, and a list of everything that may be fixed is in many of them.
const ABOUT_FIXES: &[&str] = &["fixable", "unfixable", "extend-fixable", "extend-unfixable"];

/// Every text in settings of ruff that may name rules to look for, or not.
fn words_about_rules(text: &str) -> Vec<String> {
    fn collect(value: &toml::Value, words: &mut Vec<String>) {
        match value {
            toml::Value::String(word) => words.push(word.clone()),
            toml::Value::Array(list) => list.iter().for_each(|value| collect(value, words)),
            toml::Value::Table(table) => {
                let heard = table.iter().filter(|(key, _)| !ABOUT_FIXES.contains(&key.as_str()));
                heard.for_each(|(_, value)| collect(value, words));
            }
            _ => {}
        }
    }
    let mut words = Vec::new();
    if let Ok(table) = toml::from_str::<toml::Table>(text) {
        let own = table.get("tool").and_then(|tools| tools.get("ruff")).cloned();
        collect(&own.unwrap_or(toml::Value::Table(table)), &mut words);
    }
    words
}

/// Names that the project's other linters are told of: who has chosen none of ours has said it to them.
fn names_of_others(root: &Path) -> Vec<String> {
    let files = [".flake8", "setup.cfg", "tox.ini", ".pylintrc", "pylintrc", "pyproject.toml"];
    let texts = files.iter().filter_map(|name| discover::read(&root.join(name)).ok());
    texts.flat_map(|text| names_in(&text)).collect()
}

fn names_in(text: &str) -> Vec<String> {
    let value = |line: &str| -> Option<String> {
        let (key, value) = line.split_once('=')?;
        matches!(key.trim(), "builtins" | "additional-builtins").then(|| value.to_owned())
    };
    let words = |value: String| -> Vec<String> {
        let parts = value.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    text.lines().filter_map(value).flat_map(words).collect()
}

/// The whole chain of causes; the innermost one names the key that is wrong.
fn describe(error: &anyhow::Error) -> Trouble {
    Trouble::new(format_args!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_fixed_is_not_what_is_looked_for() {
        let text = "[tool.other]\nlist = [\"A\"]\n[tool.ruff]\nselect = [\"E\"]\nfixable = [\"PL\"]\n[tool.ruff.lint.per-file-ignores]\n\"a.py\" = [\"F821\"]\n";
        let mut words = words_about_rules(text);
        words.sort();
        assert_eq!(words, ["E", "F821"]);
        assert_eq!(words_about_rules("extend-select = [\"PLE\"]\nunfixable = [\"F\"]\n"), ["PLE"]);
    }

    #[test]
    fn names_that_other_linters_are_told_of_are_read() {
        assert_eq!(names_in("[flake8]\nmax-line-length = 99\nbuiltins = _, ngettext\n"), ["_", "ngettext"]);
        assert_eq!(names_in("[tool.pylint]\nadditional-builtins=[\"_\", \"N_\"]\n"), ["_", "N_"]);
        assert!(names_in("builtins_of = x\n").is_empty());
    }
}
