//! Python: ruff's own crates, and on its tree the rules of the tools that ruff does not cover, or only in part.

mod concurrency;
mod dead_code;
mod pydantic;
mod security;
mod settings;
pub(crate) mod tree;
#[cfg(feature = "types")]
mod types;

use ruff_linter::linter::{ParseSource, lint_fix, lint_only, parse_unchecked_source};
use ruff_linter::package::PackageRoot;
use ruff_linter::packaging::detect_package_root;
use ruff_linter::registry::{Linter, Rule};
use ruff_linter::settings::LinterSettings;
use ruff_linter::settings::flags::Noqa;
use ruff_linter::source_kind::SourceKind;
use ruff_python_ast::PySourceType;
use ruff_python_formatter::{FormatModuleError, format_module_source};

use self::settings::{Configs, Preview};
use crate::discover::Place;
use crate::lines::{Lines, number};
use crate::problem::{Input, Outcome, Problem, Trouble};
use crate::tool::{Rewrite, Tool};

#[cfg(feature = "types")]
pub(crate) use self::types::Types;

const RUFF: &str = "ruff";
/// What ruff calls a file that is not Python.
const SYNTAX: &str = "invalid-syntax";

#[derive(Default)]
pub(crate) struct Python {
    configs: Configs,
}

impl Python {
    /// What each of `tools` would say. They share the parsed file.
    pub(crate) fn lint(&self, tools: &[Tool], input: &Input<'_>, place: &Place) -> Outcome<Vec<Problem>> {
        let preview = if place.preview { Preview::On } else { Preview::Off };
        let config = self.configs.get(input.folder(), place, preview)?;
        let settings = &config.settings.linter;
        let asked = |tool: Tool| tools.contains(&tool);
        let mut problems = Vec::new();
        if asked(Tool::Ruff) && !config.excludes(input.path, &settings.exclude) {
            problems.extend(run(input, settings, Noqa::Enabled, RUFF));
        }
        if asked(Tool::Bandit) {
            // Some of bandit's rules are a preview in ruff.
            let config = self.configs.get(input.folder(), place, Preview::On)?;
            problems.extend(self.security(input, place, &config.settings.linter)?);
        }
        if asked(Tool::FlakeAsync) || asked(Tool::FlakePydantic) || asked(Tool::Vulture) {
            let version = settings.resolve_target_version(input.path).parser_version();
            let parsed = parse_unchecked_source(&source(input), kind(input), version);
            // On a file that is not Python the originals say nothing but that, and ruff has said it.
            if parsed.has_valid_syntax() {
                let lines = Lines::new(input.text);
                if asked(Tool::FlakeAsync) {
                    let found = concurrency::lint(parsed.syntax(), input.text, &lines);
                    problems.extend(without_noqa(found, input.text));
                }
                if asked(Tool::FlakePydantic) {
                    problems.extend(pydantic::lint(parsed.syntax(), &lines));
                }
                if asked(Tool::Vulture) {
                    problems.extend(dead_code::lint(parsed.syntax(), input, &lines));
                }
            }
        }
        problems.sort();
        problems.dedup();
        Ok(problems)
    }

    /// Those plain faults alone that the project's own selection of rules leaves out: the rest is said by the tool itself.
    pub(crate) fn left_out(&self, input: &Input<'_>, place: &Place) -> Outcome<Vec<Problem>> {
        let preview = if place.preview { Preview::On } else { Preview::Off };
        let config = self.configs.get(input.folder(), place, preview)?;
        let settings = &config.settings.linter;
        if config.added.is_empty() || config.excludes(input.path, &settings.exclude) {
            return Ok(Vec::new());
        }
        let mut settings = settings.clone();
        let off: Vec<Rule> =
            settings.rules.iter_enabled().filter(|rule| !config.added.contains(rule)).collect();
        off.into_iter().for_each(|rule| settings.rules.disable(rule));
        let mut found = run(input, &settings, Noqa::Enabled, RUFF);
        found.retain(|problem| problem.code != SYNTAX);
        Ok(found)
    }

    /// All of ruff's `S` rules, whatever the project's own selection is: they are bandit's, and obey its comments and
    /// settings, not ruff's.
    fn security(&self, input: &Input<'_>, place: &Place, base: &LinterSettings) -> Outcome<Vec<Problem>> {
        let bandit = self.configs.bandit(input.folder(), place)?;
        if bandit.excludes(input.path) {
            return Ok(Vec::new());
        }
        let wanted = |rule: &Rule| bandit.selects(&security::bandit_id(&rule.noqa_code().to_string()));
        let mut settings = base.clone();
        let off: Vec<Rule> = settings.rules.iter_enabled().collect();
        off.into_iter().for_each(|rule| settings.rules.disable(rule));
        let rules = Linter::Flake8Bandit.all_rules().filter(wanted);
        rules.for_each(|rule| settings.rules.enable(rule, false));
        // Bandit has no such list; ruff's would hide what it shows.
        settings.per_file_ignores = ruff_linter::settings::types::CompiledPerFileIgnoreList::default();
        let mut found = run(input, &settings, Noqa::Disabled, RUFF);
        found.retain(|problem| problem.code != SYNTAX);
        Ok(security::as_bandit(found, input.text))
    }

    /// The fixes that ruff calls safe, but none for the rules in `keep`; then its formatter, which also tidies up what the
    /// fixes leave.
    pub(crate) fn format(
        &self,
        input: &Input<'_>,
        place: &Place,
        how: Rewrite<'_>,
    ) -> Outcome<Option<String>> {
        let config = self.configs.get(input.folder(), place, Preview::Off)?;
        let formatter = &config.settings.formatter;
        let mut text = input.text.to_owned();
        if let Rewrite::Fixes { keep } = how
            && !config.excludes(input.path, &config.settings.linter.exclude)
        {
            let mut settings = config.settings.linter.clone();
            for rule in keep.iter().filter_map(|code| Rule::from_code(code).ok()) {
                if settings.rules.enabled(rule) {
                    settings.rules.disable(rule);
                    settings.rules.enable(rule, false);
                }
            }
            let package =
                detect_package_root(input.folder(), &settings.namespace_packages).map(PackageRoot::root);
            let unsafe_fixes = config.settings.unsafe_fixes;
            let source = source(input);
            let fixed =
                lint_fix(input.path, package, Noqa::Enabled, unsafe_fixes, &settings, &source, kind(input));
            fixed.map_err(Trouble::new)?.transformed.source_code().clone_into(&mut text);
        }
        if !config.excludes(input.path, &formatter.exclude) {
            let options = formatter.to_format_options(kind(input), &text, Some(input.path));
            match format_module_source(&text, options) {
                Ok(printed) => text = printed.into_code(),
                // No Python: the linter says so.
                Err(FormatModuleError::ParseError(_)) => return Ok(None),
                Err(error) => return Err(Trouble::new(error)),
            }
        }
        Ok((text != input.text).then_some(text))
    }
}

fn source(input: &Input<'_>) -> SourceKind {
    SourceKind::Python { code: input.text.to_owned(), is_stub: kind(input).is_stub() }
}

fn kind(input: &Input<'_>) -> PySourceType {
    if input.path.extension().is_some_and(|extension| extension == "pyi") {
        PySourceType::Stub
    } else {
        PySourceType::Python
    }
}

fn run(input: &Input<'_>, settings: &LinterSettings, noqa: Noqa, linter: &'static str) -> Vec<Problem> {
    let package = detect_package_root(input.folder(), &settings.namespace_packages).map(PackageRoot::root);
    let found =
        lint_only(input.path, package, settings, noqa, &source(input), kind(input), ParseSource::None);
    let problem = |found: &ruff_db::diagnostic::Diagnostic| {
        let (line, column) = found
            .ruff_start_location()
            .map_or((1, 1), |place| (number(place.line.get()), number(place.column.get())));
        let code = match found.secondary_code() {
            Some(code) => code.as_str().to_owned(),
            None => SYNTAX.to_owned(),
        };
        Problem { line, column, code: code.into(), message: found.concise_message().to_string(), linter }
    };
    found.diagnostics.iter().map(problem).collect()
}

/// What flake8 shows.
fn without_noqa(mut problems: Vec<Problem>, text: &str) -> Vec<Problem> {
    let text: Vec<&str> = text.lines().collect();
    problems.retain(|problem| {
        let line = text.get(problem.line as usize - 1).copied().unwrap_or_default();
        !has_noqa(line, &problem.code)
    });
    problems
}

/// flake8's comment: `# noqa`, or `# noqa: A1,B2` with codes or the beginnings of codes.
fn has_noqa(line: &str, code: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let Some(at) = lower.find("# noqa") else { return false };
    match line[at + "# noqa".len()..].trim_start().strip_prefix(':') {
        Some(codes) => codes
            .split(|c: char| c == ',' || c.is_whitespace())
            .any(|listed| !listed.is_empty() && code.starts_with(listed)),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint_with(files: &[(&str, &str)], tools: &[Tool], text: &str) -> Vec<(u32, String)> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            crate::test_files::write(&root.path().join(name), text);
        }
        let path = root.path().join("a.py");
        let found = Python::default().lint(tools, &Input::new(&path, text), &Place::default()).unwrap();
        found.into_iter().map(|problem| (problem.line, problem.code.into_owned())).collect()
    }

    fn lint(tools: &[Tool], text: &str) -> Vec<(u32, String)> {
        lint_with(&[], tools, text)
    }

    #[test]
    fn ruff_finds_what_ruff_finds() {
        let text = "def f():\n    x = 1\n";
        assert_eq!(lint(&[Tool::Ruff], text), [(2, "F841".to_owned())]);
        assert_eq!(lint_with(&[(".ruff.toml", "lint.select = [\"E\"]\n")], &[Tool::Ruff], text), []);
        let strict = "[tool.ruff.lint]\nselect = [\"D100\"]\n";
        assert_eq!(lint_with(&[("pyproject.toml", strict)], &[Tool::Ruff], ""), [(1, "D100".to_owned())]);
        assert_eq!(lint(&[Tool::Ruff], "def f(:\n").first().map(|(_, code)| code.as_str()), Some(SYNTAX));
        assert_eq!(lint(&[Tool::Ruff], "import os  # noqa: F401\n"), []);
    }

    #[test]
    fn plain_faults_count_unless_the_settings_name_them() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.py");
        let place = Place { faults: &["F821", "F841"], ..Place::default() };
        let found = |settings: &str| {
            crate::test_files::write(&root.path().join("ruff.toml"), settings);
            let text = "def f():\n    x = 1\n    return y\n";
            let found = Python::default().lint(&[Tool::Ruff], &Input::new(&path, text), &place).unwrap();
            found.into_iter().map(|problem| problem.code.into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("lint.select = [\"E\"]\n"), ["F841", "F821"]);
        assert_eq!(found("lint.select = [\"E\"]\nlint.ignore = [\"F821\"]\n"), ["F841"]);
        assert_eq!(
            found("lint.select = [\"ALL\"]\nlint.ignore = [\"F\", \"D\", \"ANN\", \"INP\", \"CPY\"]\n"),
            [""; 0]
        );
    }

    #[test]
    fn faults_that_the_selection_leaves_out_are_found_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.py");
        let place = Place { faults: &["F821", "F901"], ..Place::default() };
        let found = |settings: &str| {
            crate::test_files::write(&root.path().join("ruff.toml"), settings);
            let text = "import os\n\n\ndef f():\n    return y == None\n";
            let found = Python::default().left_out(&Input::new(&path, text), &place).unwrap();
            found.into_iter().map(|problem| problem.code.into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("lint.select = [\"E\"]\n"), ["F821"]);
        assert_eq!(found("lint.select = [\"E\", \"F\"]\n"), [""; 0]);
        assert_eq!(found("line-length = 90\n"), [""; 0]);
        assert_eq!(found("exclude = [\"a.py\"]\nlint.select = [\"E\"]\n"), [""; 0]);
    }

    #[test]
    fn a_wrong_config_is_said() {
        let root = tempfile::tempdir().unwrap();
        crate::test_files::write(&root.path().join("ruff.toml"), "lint.select = 3\n");
        let path = root.path().join("a.py");
        let trouble =
            Python::default().lint(&[Tool::Ruff], &Input::new(&path, ""), &Place::default()).unwrap_err();
        assert!(trouble.0.contains("ruff.toml"), "{trouble}");
    }

    #[test]
    fn families_have_the_names_of_their_tools() {
        let text = "import asyncio\nimport time\n\n\nasync def f(x):\n    assert x\n    time.sleep(1)\n    await asyncio.sleep(0)\n";
        assert_eq!(lint(&[Tool::Bandit], text), [(6, "B101".to_owned())]);
        assert_eq!(lint(&[Tool::FlakeAsync], text), [(7, "ASYNC251".to_owned())]);
        let quiet =
            text.replace("assert x", "assert x  # nosec B101").replace("sleep(1)", "sleep(1)  # noqa: ASYNC");
        assert_eq!(lint(&[Tool::Bandit, Tool::FlakeAsync], &quiet), []);
        let config = [("pyproject.toml", "[tool.bandit]\nskips = [\"B101\"]\n")];
        assert_eq!(lint_with(&config, &[Tool::Bandit], text), []);
    }

    #[test]
    fn formatting_keeps_what_it_is_told_to_keep() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.py");
        let format = |text: &str, keep: &[&str]| {
            let how = Rewrite::Fixes { keep };
            Python::default().format(&Input::new(&path, text), &Place::default(), how).unwrap()
        };
        assert_eq!(format("import os\nx=1\n", &[]).as_deref(), Some("x = 1\n"));
        assert_eq!(format("import os\nx=1\n", &["F401"]).as_deref(), Some("import os\n\nx = 1\n"));
        assert_eq!(format("x = 1\n", &[]), None);
        assert_eq!(format("x = (\n", &[]), None);
    }
}
