//! Markdown: rumdl, with the rules that markdownlint has and the defaults that markdownlint has.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rumdl_lib::config::{Config, MarkdownFlavor, RuleConfig};
use rumdl_lib::fix_coordinator::FixCoordinator;
use rumdl_lib::markdownlint_config::load_markdownlint_cli2_chain;
use rumdl_lib::rule::Rule;

use crate::discover::{self, Cache, Place};
use crate::glob;
use crate::lines::number;
use crate::problem::{Input, Outcome, Problem, Trouble};

pub(crate) const LINTER: &str = "markdownlint";

/// Rules of the engine's own, which the original does not have.
const FIRST_OWN_RULE: u32 = 61;
static OWN_RULES: &[&str] = &["MD057"];

/// Options in which the engine's defaults differ from the original's.
const PRESET: &str = include_str!("markdown_preset.json");

/// More rounds change nothing more; the engine's own command line stops there too.
const ROUNDS: usize = 100;

static OPTION_FILES: &[&str] = &[".markdownlint-cli2.jsonc", ".markdownlint-cli2.yaml"];
static RULE_FILES: &[&str] =
    &[".markdownlint.jsonc", ".markdownlint.json", ".markdownlint.yaml", ".markdownlint.yml"];

struct Settings {
    config: Config,
    rules: Vec<Box<dyn Rule>>,
    /// `ignores` of the options file and the folder that they are relative to.
    ignores: Vec<String>,
    folder: PathBuf,
}

#[derive(Default)]
pub(crate) struct Markdown {
    settings: Cache<PathBuf, Settings>,
    preset: OnceLock<Vec<(String, RuleConfig)>>,
}

impl Markdown {
    fn settings(&self, folder: &Path, place: &Place) -> Outcome<Arc<Settings>> {
        self.settings.get(&folder.to_path_buf(), || self.read_settings(folder, place))
    }

    fn read_settings(&self, folder: &Path, place: &Place) -> Outcome<Settings> {
        let options = place.find(folder, OPTION_FILES);
        let rules = place.find(folder, RULE_FILES);
        let chain: Vec<String> = [&options, &rules]
            .into_iter()
            .flatten()
            .map(|file| file.to_string_lossy().into_owned())
            .collect();
        let mut config = if chain.is_empty() {
            Config::default()
        } else {
            let paths: Vec<&str> = chain.iter().map(String::as_str).collect();
            let loaded = load_markdownlint_cli2_chain(&paths).map_err(Trouble::new)?;
            loaded.map_to_sourced_rumdl_config(None).into_validated_unchecked().into()
        };
        for (name, preset) in self.preset() {
            let rule = config.rules.entry(name.clone()).or_default();
            for (key, value) in &preset.values {
                rule.values.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        let ours: Vec<Box<dyn Rule>> = rumdl_lib::rules::all_rules(&config)
            .into_iter()
            .filter(|rule| is_original(rule.name()))
            .collect();
        let ignores = match &options {
            Some(file) => ignores(file)?,
            None => Vec::new(),
        };
        Ok(Settings {
            rules: rumdl_lib::rules::filter_rules(&ours, &config.global),
            config,
            ignores,
            folder: options.and_then(|file| file.parent().map(Path::to_path_buf)).unwrap_or_default(),
        })
    }

    fn preset(&self) -> &[(String, RuleConfig)] {
        self.preset.get_or_init(|| {
            let preset: serde_json::Map<_, _> = serde_json::from_str(PRESET).unwrap_or_default();
            let rule = |value| serde_json::from_value(value).unwrap_or_default();
            preset.into_iter().map(|(name, value)| (name, rule(value))).collect()
        })
    }

    pub(crate) fn lint(&self, input: &Input<'_>, place: &Place) -> Outcome<Vec<Problem>> {
        let settings = self.settings(input.folder(), place)?;
        if settings.ignores(input.path) {
            return Ok(Vec::new());
        }
        let found = rumdl_lib::lint(
            input.text,
            &settings.rules,
            false,
            flavor(input.path),
            None,
            Some(&settings.config),
        )
        .map_err(Trouble::new)?;
        let mut problems: Vec<Problem> = found
            .into_iter()
            .map(|warning| Problem {
                line: number(warning.line),
                column: number(warning.column),
                code: warning.rule_name.unwrap_or_default().into(),
                message: warning.message,
                linter: LINTER,
            })
            .filter(|problem| is_original(&problem.code))
            .collect();
        problems.sort();
        problems.dedup();
        Ok(problems)
    }

    /// With every fix that a rule has, as `markdownlint-cli2 --fix` does.
    pub(crate) fn format(&self, input: &Input<'_>, place: &Place) -> Outcome<Option<String>> {
        let settings = self.settings(input.folder(), place)?;
        if settings.ignores(input.path) {
            return Ok(None);
        }
        let mut text = input.text.to_owned();
        FixCoordinator::new()
            .apply_fixes_iterative(
                &settings.rules,
                &[],
                &mut text,
                &settings.config,
                ROUNDS,
                Some(input.path),
            )
            .map_err(Trouble::new)?;
        Ok((text != input.text).then_some(text))
    }
}

impl Settings {
    fn ignores(&self, path: &Path) -> bool {
        let Ok(relative) = path.strip_prefix(&self.folder) else { return false };
        let relative = relative.to_string_lossy();
        self.ignores.iter().any(|pattern| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            glob::matches(pattern, &relative)
                || relative.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

fn is_original(name: &str) -> bool {
    let number = name.strip_prefix("MD").and_then(|number| number.parse::<u32>().ok());
    number.is_some_and(|number| number < FIRST_OWN_RULE) && !OWN_RULES.contains(&name)
}

fn flavor(path: &Path) -> MarkdownFlavor {
    MarkdownFlavor::from_path(path)
}

/// The `ignores` of an options file. YAML there is rare and has the same key: its list items are read as they stand.
fn ignores(file: &Path) -> Outcome<Vec<String>> {
    let text = discover::read(file)?;
    let strings = |value: &serde_json::Value| {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    if file.extension().is_some_and(|extension| extension == "jsonc") {
        let value: Option<serde_json::Value> =
            jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default())
                .map_err(|error| Trouble::new(format_args!("{}: {error}", file.display())))?;
        return Ok(value.and_then(|value| value.get("ignores").map(strings)).unwrap_or_default());
    }
    let mut lines = text.lines().skip_while(|line| line.trim_end() != "ignores:").skip(1);
    let mut found = Vec::new();
    while let Some(item) = lines.next().and_then(|line| line.trim().strip_prefix("- ")) {
        found.push(item.trim().trim_matches(['"', '\'']).to_owned());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(files: &[(&str, &str)]) -> (tempfile::TempDir, Markdown) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            crate::test_files::write(&root.path().join(name), text);
        }
        (root, Markdown::default())
    }

    fn lint(files: &[(&str, &str)], text: &str) -> Vec<(u32, String)> {
        let (root, engine) = engine(files);
        let path = root.path().join("docs/a.md");
        let found = engine.lint(&Input::new(&path, text), &Place::default()).unwrap();
        found.into_iter().map(|problem| (problem.line, problem.code.into_owned())).collect()
    }

    #[test]
    fn a_long_line_is_md013() {
        let long = format!("# Title\n\n{}\n", "word ".repeat(20).trim_end());
        assert_eq!(lint(&[], "# Title\n\nText.\n"), []);
        assert_eq!(lint(&[], &long), [(3, "MD013".to_owned())]);
        assert_eq!(
            lint(&[(".markdownlint.jsonc", "{\n  // wide\n  \"MD013\": { \"line_length\": 120 }\n}")], &long),
            []
        );
        assert_eq!(
            lint(&[(".markdownlint-cli2.jsonc", "{ \"config\": { \"line-length\": false } }")], &long),
            []
        );
        assert_eq!(lint(&[(".markdownlint-cli2.jsonc", "{ \"ignores\": [\"docs/**\"] }")], &long), []);
        assert_eq!(lint(&[(".markdownlint-cli2.yaml", "ignores:\n  - docs\n")], &long), []);
    }

    #[test]
    fn fixes_are_applied() {
        let (root, engine) = engine(&[]);
        let path = root.path().join("a.md");
        let fixed =
            engine.format(&Input::new(&path, "# Title\nText  here. \n\n\n* a\n"), &Place::default()).unwrap();
        assert_eq!(fixed.as_deref(), Some("# Title\n\nText  here.\n\n* a\n"));
        assert_eq!(engine.format(&Input::new(&path, "# Title\n\nText.\n"), &Place::default()).unwrap(), None);
    }

    #[test]
    fn the_preset_is_read() {
        assert!(!Markdown::default().preset().is_empty());
        assert!(Markdown::default().preset().iter().all(|(_, rule)| !rule.values.is_empty()));
    }
}
