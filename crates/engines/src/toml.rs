//! TOML: taplo's own parser and formatter.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taplo::dom;
use taplo::formatter::{self, Options, OptionsIncomplete};

use crate::discover::{self, Cache, Place};
use crate::glob;
use crate::lines::Lines;
use crate::problem::{Input, Outcome, Problem, Trouble};

pub(crate) const LINTER: &str = "taplo";
/// The original has no rule ids; this is what the old linter hooks call its one kind of finding.
pub(crate) const CODE: &str = "TOML_SYNTAX";

/// What `taplo.toml` says.
#[derive(Debug, Default)]
struct Settings {
    folder: PathBuf,
    include: Option<Vec<String>>,
    exclude: Vec<String>,
    options: OptionsIncomplete,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    include: Option<Vec<String>>,
    exclude: Vec<String>,
    keys: Vec<String>,
    options: OptionsIncomplete,
}

#[derive(Debug, Default)]
pub(crate) struct Toml {
    settings: Cache<PathBuf, Settings>,
}

/// Whether two texts are the same document, in whatever order: taplo sorts keys and lists where it is told to. `None` where one cannot be read.
pub(crate) fn same(old: &str, new: &str) -> Option<bool> {
    fn sorted(value: &::toml::Value) -> String {
        match value {
            ::toml::Value::Array(items) => {
                let mut items: Vec<String> = items.iter().map(sorted).collect();
                items.sort();
                format!("[{}]", items.join(","))
            }
            ::toml::Value::Table(table) => {
                let mut entries: Vec<String> =
                    table.iter().map(|(key, value)| format!("{key:?}={}", sorted(value))).collect();
                entries.sort();
                format!("{{{}}}", entries.join(","))
            }
            other => format!("{other:?}"),
        }
    }
    let read = |text: &str| ::toml::from_str::<::toml::Value>(text).ok();
    Some(sorted(&read(old)?) == sorted(&read(new)?))
}

impl Toml {
    fn settings(&self, folder: &Path, place: &Place) -> Outcome<Arc<Settings>> {
        self.settings.get(&folder.to_path_buf(), || {
            match place.find(folder, &[".taplo.toml", "taplo.toml"]) {
                Some(file) => read_settings(&file, &discover::read(&file)?),
                None => Ok(Settings::default()),
            }
        })
    }

    pub(crate) fn lint(&self, input: &Input<'_>, place: &Place) -> Outcome<Vec<Problem>> {
        if !self.settings(input.folder(), place)?.covers(input.path) {
            return Ok(Vec::new());
        }
        let lines = Lines::new(input.text);
        let mut problems: Vec<Problem> =
            errors(input.text).into_iter().map(|(at, message)| problem(&lines, at, message)).collect();
        problems.sort();
        problems.dedup();
        Ok(problems)
    }

    pub(crate) fn format(&self, input: &Input<'_>, place: &Place) -> Outcome<Option<String>> {
        let settings = self.settings(input.folder(), place)?;
        let parsed = taplo::parser::parse(input.text);
        if !settings.covers(input.path) || !parsed.errors.is_empty() {
            return Ok(None);
        }
        let mut options = Options { crlf: input.text.contains("\r\n"), ..Options::default() };
        options.update(settings.options.clone());
        let mut scopes = Vec::new();
        for rule in &settings.rules {
            if !within(rule.include.as_deref(), &rule.exclude, &settings.folder, input.path) {
                continue;
            }
            if rule.keys.is_empty() {
                options.update(rule.options.clone());
            }
            scopes.extend(rule.keys.iter().map(|keys| (keys, rule.options.clone())));
        }
        let text = formatter::format_with_path_scopes(parsed.into_dom(), options, &[], scopes)
            .map_err(Trouble::new)?;
        Ok((text != input.text).then_some(text))
    }
}

impl Settings {
    fn covers(&self, path: &Path) -> bool {
        within(self.include.as_deref(), &self.exclude, &self.folder, path)
    }
}

/// Whether a file under `folder` is named by `include` (everything, where there is none) and not by `exclude`.
fn within(include: Option<&[String]>, exclude: &[String], folder: &Path, path: &Path) -> bool {
    let Ok(relative) = path.strip_prefix(folder) else { return include.is_none() };
    let relative = relative.to_string_lossy();
    let named = |patterns: &[String]| {
        patterns.iter().any(|pattern| glob::matches(pattern.strip_prefix("./").unwrap_or(pattern), &relative))
    };
    include.is_none_or(named) && !named(exclude)
}

fn problem(lines: &Lines<'_>, at: usize, message: String) -> Problem {
    let (line, column) = lines.position(at);
    Problem { line, column, code: CODE.into(), message, linter: LINTER }
}

/// Syntax errors; where there are none, keys that contradict each other.
fn errors(text: &str) -> Vec<(usize, String)> {
    let parsed = taplo::parser::parse(text);
    if !parsed.errors.is_empty() {
        return parsed
            .errors
            .iter()
            .map(|error| (usize::from(error.range.start()), error.message.clone()))
            .collect();
    }
    match parsed.into_dom().validate() {
        Ok(()) => Vec::new(),
        Err(errors) => errors.map(|error| semantic(&error)).collect(),
    }
}

fn semantic(error: &dom::Error) -> (usize, String) {
    let start = |key: &dom::node::Key| key.text_ranges().next().map_or(0, |range| usize::from(range.start()));
    match error {
        dom::Error::ConflictingKeys { key, .. } => (start(key), format!("the key `{key}` is there twice")),
        dom::Error::ExpectedTable { not_table, required_by } => {
            (start(required_by), format!("`{required_by}` needs `{not_table}` to be a table, and it is none"))
        }
        dom::Error::ExpectedArrayOfTables { not_array_of_tables, required_by } => {
            let other = format!(
                "`{required_by}` needs `{not_array_of_tables}` to be an array of tables, and it is none"
            );
            (start(required_by), other)
        }
        dom::Error::UnexpectedSyntax { syntax } => {
            (usize::from(syntax.text_range().start()), "this is not expected here".to_owned())
        }
        dom::Error::InvalidEscapeSequence { string } => {
            (usize::from(string.text_range().start()), error.to_string())
        }
        dom::Error::Query(_) => (0, error.to_string()),
    }
}

fn read_settings(file: &Path, text: &str) -> Outcome<Settings> {
    let wrong = |what: &dyn std::fmt::Display| Trouble::new(format_args!("{}: {what}", file.display()));
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| wrong(&error.message()))?;
    let options = |table: &toml::Table| {
        options(table.get("formatting").and_then(toml::Value::as_table)).map_err(|error| wrong(&error))
    };
    let rules = table.get("rule").and_then(toml::Value::as_array).into_iter().flatten();
    let rules = rules
        .filter_map(toml::Value::as_table)
        .map(|rule| {
            Ok(Rule {
                include: strings(rule, "include"),
                exclude: strings(rule, "exclude").unwrap_or_default(),
                keys: strings(rule, "keys").unwrap_or_default(),
                options: options(rule)?,
            })
        })
        .collect::<Outcome<_>>()?;
    Ok(Settings {
        folder: file.parent().unwrap_or(file).to_path_buf(),
        include: strings(&table, "include"),
        exclude: strings(&table, "exclude").unwrap_or_default(),
        options: options(&table)?,
        rules,
    })
}

fn strings(table: &toml::Table, key: &str) -> Option<Vec<String>> {
    let list = table.get(key)?.as_array()?;
    Some(list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
}

fn options(table: Option<&toml::Table>) -> Result<OptionsIncomplete, String> {
    let mut options = OptionsIncomplete::default();
    for (key, value) in table.into_iter().flatten() {
        set(&mut options, key, value)
            .ok_or_else(|| format!("`formatting.{key}` is not known or not of its type"))?;
    }
    Ok(options)
}

fn set(options: &mut OptionsIncomplete, key: &str, value: &toml::Value) -> Option<()> {
    let yes = value.as_bool();
    let count = value.as_integer().and_then(|value| usize::try_from(value).ok());
    macro_rules! set {
        ($value:expr, $($name:ident)*) => {
            $(if key == stringify!($name) {
                options.$name = Some($value?);
                return Some(());
            })*
        };
    }
    set!(yes, align_entries align_comments align_single_comments array_trailing_comma array_auto_expand);
    set!(yes, inline_table_expand array_auto_collapse compact_arrays compact_inline_tables compact_entries);
    set!(yes, indent_tables indent_entries trailing_newline reorder_keys reorder_arrays reorder_inline_tables crlf);
    set!(count, column_width allowed_blank_lines);
    set!(value.as_str().map(str::to_owned), indent_string);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint(text: &str) -> Vec<(u32, String)> {
        let found =
            Toml::default().lint(&Input::new(Path::new("/p/a.toml"), text), &Place::default()).unwrap();
        found.into_iter().map(|problem| (problem.line, problem.message)).collect()
    }

    #[test]
    fn errors_have_their_lines() {
        assert_eq!(lint("a = 1\n[b]\nc = 'x'\n"), []);
        assert_eq!(lint("a = 1\nb = \n[c\n").iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
        insta::assert_debug_snapshot!(lint("a = 1\na = 2\n"), @r#"
        [
            (
                2,
                "the key `a` is there twice",
            ),
        ]
        "#);
    }

    #[test]
    fn the_config_says_what_is_covered_and_how_it_is_written() {
        let root = tempfile::tempdir().unwrap();
        let config = "include = [\"**/*.toml\"]\nexclude = [\"gen/**\"]\n[formatting]\nindent_string = \"    \"\n\
                      [[rule]]\nkeys = [\"deps\"]\n[rule.formatting]\nreorder_keys = true\n";
        crate::test_files::write(&root.path().join("taplo.toml"), config);
        let place = Place { project: Some(root.path().to_path_buf()), ..Place::default() };
        let engine = Toml::default();
        let count = |path: &Path| engine.lint(&Input::new(path, "a =\n"), &place).unwrap().len();
        assert_eq!(count(&root.path().join("x/a.toml")), 1);
        assert_eq!(count(&root.path().join("gen/a.toml")), 0);
        assert_eq!(count(Path::new("/elsewhere/a.toml")), 0, "outside of what the project's config includes");

        let path = root.path().join("a.toml");
        let format = |text: &str| engine.format(&Input::new(&path, text), &place).unwrap();
        assert_eq!(format("a=[\n1]\n[deps]\nb=1\na=2\n").as_deref(), Some("a = [1]\n[deps]\na = 2\nb = 1\n"));
        assert_eq!(format("a = 1\n"), None);
        assert_eq!(format("a = \n"), None, "what is broken is left alone");
    }

    #[test]
    fn a_wrong_option_is_named() {
        let root = tempfile::tempdir().unwrap();
        crate::test_files::write(&root.path().join("taplo.toml"), "[formatting]\nindent = 2\n");
        let path = root.path().join("a.toml");
        let trouble = Toml::default().lint(&Input::new(&path, ""), &Place::default()).unwrap_err();
        assert!(trouble.0.contains("taplo.toml: `formatting.indent` is not known"), "{trouble}");
    }
}
