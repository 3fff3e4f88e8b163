//! The project's settings: `ty.toml`, else `[tool.ty]` of `pyproject.toml`, and under them the user's own file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ruff_python_ast::PythonVersion;
use ty_module_resolver::ModuleGlobSet;
use ty_python_core::platform::PythonPlatform;
use ty_python_semantic::AnalysisSettings;
use ty_python_semantic::lint::{Level, LintSource, RuleSelection};

use super::names;
use crate::discover::{self, Place};
use crate::problem::{Outcome, Trouble};

type Table = ::toml::Table;

/// What is read. What is not is about output, about which files are looked at, and about preview features.
pub(super) struct Settings {
    /// The folder that first-party modules are found from.
    pub(super) root: PathBuf,
    pub(super) version: Option<PythonVersion>,
    pub(super) platform: Option<PythonPlatform>,
    /// Named in the settings, else `None`.
    pub(super) roots: Option<Vec<PathBuf>>,
    pub(super) extra_paths: Vec<PathBuf>,
    pub(super) python: Option<PathBuf>,
    pub(super) typeshed: Option<PathBuf>,
    /// `[project] name`, whose folder may hold the package.
    pub(super) name: Option<String>,
    pub(super) analysis: AnalysisSettings,
    /// By the names that the checker knows.
    rules: BTreeMap<String, Level>,
    /// What a walk leaves out.
    exclude: Vec<String>,
}

impl Settings {
    pub(super) fn find(folder: &Path, place: &Place) -> Outcome<Self> {
        let found = match Found::above(folder)? {
            Some(found) => Some(found),
            None => place.project.as_deref().map(Found::above).transpose()?.flatten(),
        };
        let root = match &found {
            Some(found) => found.root.clone(),
            None => place.project.clone().unwrap_or_else(|| folder.to_path_buf()),
        };
        let mut settings = Settings {
            root: root.clone(),
            version: None,
            platform: None,
            roots: None,
            extra_paths: Vec::new(),
            python: None,
            typeshed: None,
            name: None,
            analysis: AnalysisSettings::default(),
            rules: BTreeMap::new(),
            exclude: Vec::new(),
        };
        let person = place.config.as_deref().and_then(|folder| discover::here(folder, &["ty/ty.toml"]));
        if let Some(file) = person {
            let table = read(&file)?;
            settings.take(&table, file.parent().unwrap_or(&root)).map_err(|why| in_file(&file, why))?;
        }
        if let Some(found) = found {
            settings.read_project(&found.project);
            settings.take(&found.table, &root).map_err(|why| in_file(&found.file, why))?;
        }
        Ok(settings)
    }

    /// What the tool takes from `[project]`.
    fn read_project(&mut self, project: &Table) {
        let text = |key: &str| project.get(key).and_then(|value| value.as_str());
        self.name = text("name").map(|name| name.replace('-', "_"));
        self.version = text("requires-python").and_then(lowest);
    }

    fn take(&mut self, table: &Table, base: &Path) -> Result<(), String> {
        let section = |name: &str| table.get(name).and_then(|value| value.as_table());
        if let Some(rules) = section("rules") {
            self.take_rules(rules)?;
        }
        // Which files an override is for is not worked out: what any of them leaves out is left out everywhere, so that nothing
        // is said that the tool would not say. What they make stricter is not said.
        for rules in table.get("overrides").and_then(|value| value.as_array()).into_iter().flatten() {
            for (name, level) in rules.get("rules").and_then(|rules| rules.as_table()).into_iter().flatten() {
                if level_of(name, level)? == Level::Ignore {
                    self.rules.insert(names::known(name).to_owned(), Level::Ignore);
                }
            }
        }
        if let Some(environment) = section("environment") {
            self.take_environment(environment, base)?;
        }
        if let Some(analysis) = section("analysis") {
            self.take_analysis(analysis)?;
        }
        if let Some(src) = section("src") {
            if let Some(root) = src.get("root").and_then(|value| value.as_str()) {
                self.roots = Some(vec![base.join(root), base.to_path_buf()]);
            }
            self.exclude.extend(texts(src, "exclude"));
        }
        Ok(())
    }

    fn take_rules(&mut self, rules: &Table) -> Result<(), String> {
        if let Some(level) = rules.get(ALL) {
            self.rules.clear();
            self.rules.insert(ALL.to_owned(), level_of(ALL, level)?);
        }
        for (name, level) in rules.iter().filter(|(name, _)| *name != ALL) {
            self.rules.insert(names::known(name).to_owned(), level_of(name, level)?);
        }
        Ok(())
    }

    fn take_environment(&mut self, environment: &Table, base: &Path) -> Result<(), String> {
        let text = |key: &str| environment.get(key).and_then(|value| value.as_str());
        if let Some(version) = text("python-version") {
            let read = PythonVersion::from_str(version);
            self.version =
                Some(read.map_err(|_| format!("environment.python-version is not a version: `{version}`"))?);
        }
        if let Some(platform) = text("python-platform") {
            self.platform = Some(match platform {
                "all" => PythonPlatform::All,
                name => PythonPlatform::Identifier(name.to_owned()),
            });
        }
        let path = |path: &str| base.join(path);
        let roots: Vec<PathBuf> = texts(environment, "root").map(|root| path(&root)).collect();
        if !roots.is_empty() {
            self.roots = Some(roots);
        }
        self.extra_paths.extend(texts(environment, "extra-paths").map(|extra| path(&extra)));
        self.python = text("python").map(path).or_else(|| self.python.take());
        self.typeshed = text("typeshed").map(path).or_else(|| self.typeshed.take());
        Ok(())
    }

    fn take_analysis(&mut self, analysis: &Table) -> Result<(), String> {
        let switch = |key: &str, place: &mut bool| {
            if let Some(on) = analysis.get(key).and_then(::toml::Value::as_bool) {
                *place = on;
            }
        };
        switch("respect-type-ignore-comments", &mut self.analysis.respect_type_ignore_comments);
        switch("strict-generic-narrowing", &mut self.analysis.strict_generic_narrowing);
        switch("strict-equality-semantics", &mut self.analysis.strict_equality_semantics);
        let modules = |key: &str| {
            let patterns: Vec<String> = texts(analysis, key).collect();
            let set = (!patterns.is_empty()).then(|| ModuleGlobSet::from_patterns(patterns)).transpose();
            set.map_err(|error| format!("analysis.{key}: {error}"))
        };
        if let Some(set) = modules("allowed-unresolved-imports")? {
            self.analysis.allowed_unresolved_imports = set;
        }
        if let Some(set) = modules("replace-imports-with-any")? {
            self.analysis.replace_imports_with_any = set;
        }
        Ok(())
    }

    /// Names that the checker does not know belong to rules that it does not have.
    pub(super) fn rules(&self) -> RuleSelection {
        let registry = ty_python_semantic::default_lint_registry();
        let mut selection = RuleSelection::from_registry(registry);
        let mut set = |rule, level: Level| match level.try_into() {
            Ok(severity) => selection.enable(rule, severity, LintSource::File),
            Err(()) => selection.disable(rule),
        };
        if let Some(level) = self.rules.get(ALL) {
            registry.lints().iter().for_each(|rule| set(*rule, *level));
        }
        for (name, level) in &self.rules {
            if let Ok(rule) = registry.get(name) {
                set(rule, *level);
            }
        }
        selection
    }

    /// Whether a walk over the tree leaves the file out. A pattern without a slash names a file or folder at any depth.
    pub(super) fn excludes(&self, file: &Path) -> bool {
        let Ok(relative) = file.strip_prefix(&self.root) else { return false };
        let parts: Vec<String> =
            relative.ancestors().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
        let matches = |pattern: &str| {
            let bare = pattern.trim_end_matches("/**").trim_end_matches('/');
            let anchored = bare.strip_prefix("./").or_else(|| bare.strip_prefix('/')).unwrap_or(bare);
            let any_depth = format!("**/{anchored}");
            let pattern = if bare.contains('/') { anchored } else { any_depth.as_str() };
            parts.iter().any(|part| crate::glob::matches(pattern, part))
        };
        // The last that matches decides.
        let deciding = self.exclude.iter().rev().find(|pattern| matches(pattern.trim_start_matches('!')));
        deciding.is_some_and(|pattern| !pattern.starts_with('!'))
    }
}

/// The name that stands for every rule.
const ALL: &str = "all";

/// A project as the tool finds it.
struct Found {
    root: PathBuf,
    file: PathBuf,
    /// Its settings.
    table: Table,
    /// `[project]` beside them.
    project: Table,
}

impl Found {
    /// The nearest folder with settings of this tool, else the nearest with a `pyproject.toml`.
    fn above(folder: &Path) -> Outcome<Option<Self>> {
        let mut plain = None;
        for root in folder.ancestors() {
            let own = discover::here(root, &["ty.toml"]);
            let shared = discover::here(root, &["pyproject.toml"]);
            let pyproject = shared.as_deref().map(read).transpose()?.unwrap_or_default();
            let inside =
                |table: &Table, key: &str| table.get(key).and_then(|value| value.as_table()).cloned();
            let project = inside(&pyproject, "project").unwrap_or_default();
            let root = root.to_path_buf();
            if let Some(file) = own {
                return Ok(Some(Found { root, table: read(&file)?, file, project }));
            }
            let Some(file) = shared else { continue };
            if let Some(table) = inside(&pyproject, "tool").and_then(|tool| inside(&tool, "ty")) {
                return Ok(Some(Found { root, file, table, project }));
            }
            plain.get_or_insert(Found { root, file, table: Table::new(), project });
        }
        Ok(plain)
    }
}

fn read(file: &Path) -> Outcome<Table> {
    discover::read(file)?.parse().map_err(|error| in_file(file, error))
}

fn in_file(file: &Path, why: impl std::fmt::Display) -> Trouble {
    Trouble::new(format_args!("{}: {why}", file.display()))
}

fn level_of(name: &str, level: &::toml::Value) -> Result<Level, String> {
    match level.as_str() {
        Some("ignore") => Ok(Level::Ignore),
        Some("warn") => Ok(Level::Warn),
        Some("error") => Ok(Level::Error),
        _ => Err(format!("rules.{name} is {level}, and not ignore, warn or error")),
    }
}

fn texts(table: &Table, key: &str) -> impl Iterator<Item = String> {
    let list = table.get(key).and_then(|value| value.as_array()).cloned().unwrap_or_default();
    list.into_iter().filter_map(|value| value.as_str().map(str::to_owned))
}

/// The lowest version that `requires-python` allows: `>=3.10,<4` is 3.10. What has no lower bound says nothing.
fn lowest(requires: &str) -> Option<PythonVersion> {
    let bounds = requires.split(',').filter_map(|part| {
        let part = part.trim();
        let version = [">=", "~=", "===", "==", ">"].iter().find_map(|sign| part.strip_prefix(sign))?;
        let mut numbers = version.trim().split('.');
        let (major, minor) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        Some(PythonVersion { major, minor })
    });
    bounds.max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::write;

    fn settings(files: &[(&str, &str)]) -> Outcome<Settings> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            write(&root.path().join(name), text);
        }
        Settings::find(&root.path().join("a/b"), &Place::default())
    }

    fn trouble(text: &str) -> String {
        settings(&[("ty.toml", text)]).err().expect("it is wrong").0
    }

    #[test]
    fn the_lowest_version_counts() {
        for (requires, minor) in [(">=3.10,<4", 10), ("~=3.9.2", 9), ("==3.12.*", 12), ("<4, >= 3.11", 11)] {
            assert_eq!(lowest(requires), Some(PythonVersion { major: 3, minor }), "{requires}");
        }
        assert_eq!(lowest("<4"), None);
        assert_eq!(lowest(">=3"), None);
    }

    #[test]
    fn settings_of_the_tool_win_over_a_nearer_project_without_any() {
        let found = settings(&[
            ("pyproject.toml", "[tool.ty.environment]\npython-version = \"3.9\"\n"),
            ("a/pyproject.toml", "[project]\nrequires-python = \">=3.12\"\n"),
        ]);
        assert_eq!(found.unwrap_or_else(|why| panic!("{why}")).version, Some(PythonVersion::PY39));
        let plain = settings(&[("a/pyproject.toml", "[project]\nrequires-python = \">=3.12\"\n")]);
        assert_eq!(plain.unwrap_or_else(|why| panic!("{why}")).version, Some(PythonVersion::PY312));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(trouble("rules = 3 3").contains("ty.toml"));
        assert!(trouble("[rules]\ninvalid-key = \"off\"\n").contains("rules.invalid-key"));
        assert!(trouble("[environment]\npython-version = \"new\"\n").contains("python-version"));
    }

    #[test]
    fn an_override_only_takes_away() {
        let text = "[rules]\ninvalid-key = \"warn\"\n[[overrides]]\ninclude = [\"x\"]\n[overrides.rules]\nmissing-attribute = \"ignore\"\ndivision-by-zero = \"error\"\n";
        let rules = settings(&[("ty.toml", text)]).unwrap_or_else(|why| panic!("{why}")).rules;
        let expected = [("invalid-key", Level::Warn), ("unresolved-attribute", Level::Ignore)];
        assert_eq!(rules, expected.map(|(name, level)| (name.to_owned(), level)).into());
    }

    #[test]
    fn patterns_leave_files_out_of_a_walk() {
        let text =
            "[src]\nexclude = [\"generated\", \"*.proto.py\", \"tests/data/**\", \"!tests/data/keep.py\"]\n";
        let found = settings(&[("ty.toml", text)]).unwrap_or_else(|why| panic!("{why}"));
        for (path, expected) in [
            ("a/generated/x.py", true),
            ("x.proto.py", true),
            ("tests/data/x.py", true),
            ("tests/data/keep.py", false),
            ("tests/x.py", false),
        ] {
            assert_eq!(found.excludes(&found.root.join(path)), expected, "{path}");
        }
    }
}
