//! Markdown: rumdl, with the rules that markdownlint has and the defaults that markdownlint has.

mod scan;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rumdl_lib::config::{Config, MarkdownFlavor, RuleConfig};
use rumdl_lib::fix_coordinator::FixCoordinator;
use rumdl_lib::markdownlint_config::load_markdownlint_cli2_chain;
use rumdl_lib::rule::Rule;
use rumdl_lib::rules::create_rule_by_name;

use self::scan::Scan;
use crate::discover::{self, Cache, Place};
use crate::glob;
use crate::lines::number;
use crate::problem::{Input, Outcome, Problem, Trouble};

pub(crate) const LINTER: &str = "markdownlint-cli2";

/// Rules of the engine's own, which the original does not have.
const FIRST_OWN_RULE: u32 = 61;
static OWN_RULES: &[&str] = &["MD057"];

/// Options in which the engine's defaults differ from the original's.
const PRESET: &str = include_str!("preset.json");

/// More rounds change nothing more; the engine's own command line stops there too.
const ROUNDS: usize = 100;

static OPTION_FILES: &[&str] = &[".markdownlint-cli2.jsonc", ".markdownlint-cli2.yaml"];
static RULE_FILES: &[&str] =
    &[".markdownlint.jsonc", ".markdownlint.json", ".markdownlint.yaml", ".markdownlint.yml"];

struct Settings {
    config: Config,
    rules: Vec<Box<dyn Rule>>,
    /// Names of the rules that are on, also of those that are not the engine's.
    enabled: Vec<String>,
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
        if config.global.enable.is_empty() {
            // The original has it on.
            config.global.extend_enable.push(TABLE_STYLE.to_owned());
        }
        let on = rumdl_lib::rules::filter_rules(&ours, &config.global);
        let enabled = on.iter().map(|rule| rule.name().to_owned()).collect();
        let ignores = match &options {
            Some(file) => ignores(file)?,
            None => Vec::new(),
        };
        Ok(Settings {
            rules: on.into_iter().filter(|rule| rule.name() != TABLE_STYLE).collect(),
            enabled,
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
        let scan = scan::scan(input.text);
        let rules = settings.rules_for(&scan);
        let found =
            rumdl_lib::lint(input.text, &rules, false, flavor(input.path), None, Some(&settings.config))
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
        settings.adapt(&mut problems, input.text, &scan);
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
        let rules = settings.rules_for(&scan::scan(input.text));
        FixCoordinator::new()
            .apply_fixes_iterative(&rules, &[], &mut text, &settings.config, ROUNDS, Some(input.path))
            .map_err(Trouble::new)?;
        Ok((text != input.text).then_some(text))
    }
}

/// Rules whose default style is the first that the document has.
static CONSISTENT: &[&str] = &["MD004", "MD046", "MD048"];
/// Checked here instead of by the engine.
const TABLE_STYLE: &str = "MD060";

impl Settings {
    fn has(&self, rule: &str) -> bool {
        self.enabled.iter().any(|name| name == rule)
    }

    fn option(&self, rule: &str, key: &str) -> Option<&str> {
        self.config.rules.get(rule)?.values.get(key)?.as_str()
    }

    /// The rules, those about consistency with the style that the document begins with.
    fn rules_for(&self, scan: &Scan) -> Vec<Box<dyn Rule>> {
        let mut config = self.config.clone();
        let styles = [scan.bullet, scan.code, scan.fence];
        let mut changed = Vec::new();
        for (name, style) in CONSISTENT.iter().zip(styles) {
            if let Some(style) = style
                && matches!(self.option(name, "style"), None | Some("consistent"))
            {
                let rule = config.rules.entry((*name).to_owned()).or_default();
                // Their value type comes from another version of its crate; JSON is the common ground.
                if let Ok(value) = serde_json::from_value(serde_json::Value::from(style)) {
                    rule.values.insert("style".to_owned(), value);
                    changed.push(*name);
                }
            }
        }
        let adapted =
            |name: &str| changed.contains(&name).then(|| create_rule_by_name(name, &config)).flatten();
        self.rules
            .iter()
            .map(|rule| adapted(rule.name()).unwrap_or_else(|| dyn_clone::clone_box(&**rule)))
            .collect()
    }

    /// What the engine sees otherwise than the original.
    fn adapt(&self, problems: &mut Vec<Problem>, text: &str, scan: &Scan) {
        let problem = |line: usize, column: usize, code: &'static str, message: &str| Problem {
            line: number(line),
            column: number(column),
            code: code.into(),
            message: message.to_owned(),
            linter: LINTER,
        };
        // Only the line that opens a fence.
        problems
            .retain(|problem| problem.code != "MD048" || scan.openings.contains(&(problem.line as usize)));
        // The first line that is there, also if it is only a definition.
        for problem in problems.iter_mut().filter(|problem| problem.code == "MD041") {
            problem.line = scan.first.map_or(problem.line, number);
        }
        let mut own = Vec::new();
        for line in &scan.colliding {
            let message = "Lists should be surrounded by blank lines";
            own.extend([(line - 1, 1, "MD032", message), (*line, 1, "MD032", message)]);
        }
        if text.contains('|') {
            own.extend(tables::lint(text, scan, self.option(TABLE_STYLE, "style")));
        }
        if own.is_empty() {
            return;
        }
        let disabled = Disabled::read(text);
        own.retain(|(line, _, code, _)| self.has(code) && !disabled.hides(*line, code));
        problems.extend(
            own.into_iter().map(|(line, column, code, message)| problem(line, column, code, message)),
        );
    }

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

/// `<!-- markdownlint-disable MD060 -->` and its kind, for the rules that are checked here.
struct Disabled(Vec<(usize, String)>);

impl Disabled {
    fn read(text: &str) -> Self {
        let comments = text.lines().enumerate().filter_map(|(at, line)| {
            let start = line.find("<!-- markdownlint-")?;
            Some((at + 1, line[start + "<!-- markdownlint-".len()..].split("-->").next()?.trim().to_owned()))
        });
        Disabled(comments.collect())
    }

    fn hides(&self, line: usize, code: &str) -> bool {
        let mut off = false;
        for (at, comment) in &self.0 {
            let (verb, rules) = comment.split_once(' ').unwrap_or((comment, ""));
            if !rules.is_empty() && !rules.split_whitespace().any(|rule| rule.eq_ignore_ascii_case(code)) {
                continue;
            }
            match verb {
                "disable-file" => return true,
                "disable-line" if *at == line => return true,
                "disable-next-line" if at + 1 == line => return true,
                "disable" if *at <= line => off = true,
                "enable" if *at <= line => off = false,
                _ => {}
            }
        }
        off
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
