//! YAML: ryl, which has yamllint's rules, names and config files.

mod indentation;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ryl::config::{Overrides, YamlLintConfig, discover_config};
use ryl::directives::Directives;
use ryl::lint::{LintProblem, lint_str};
use ryl::rules::{empty_lines, line_length, new_line_at_end_of_file, new_lines, trailing_spaces};

use crate::discover::{self, Cache, Place};
use crate::lines::number;
use crate::problem::{Input, Outcome, Problem, Trouble};

pub(crate) const LINTER: &str = "yamllint";
/// What the original's reports end in when the file is not YAML.
const SYNTAX: &str = "syntax";

/// How many lines before a syntax error are tried as the end of what is whole.
const LOOK_BACK: usize = 20;

/// Rules that look at lines, not at tokens, and so go on after a syntax error.
static BY_LINE: &[&str] =
    &[empty_lines::ID, line_length::ID, new_line_at_end_of_file::ID, new_lines::ID, trailing_spaces::ID];

struct Settings {
    folder: PathBuf,
    config: YamlLintConfig,
}

#[derive(Default)]
pub(crate) struct Yaml {
    settings: Cache<PathBuf, Settings>,
}

impl Yaml {
    fn settings(&self, folder: &Path, place: &Place) -> Outcome<Arc<Settings>> {
        self.settings.get(&folder.to_path_buf(), || {
            let file = place
                .find(folder, &[".yamllint", ".yamllint.yaml", ".yamllint.yml"])
                .or_else(|| discover::here(place.config.as_deref()?, &["yamllint/config"]));
            let (overrides, folder) = match &file {
                Some(file) => (
                    Overrides { config_file: Some(file.clone()), config_data: None },
                    file.parent().unwrap_or(file).to_path_buf(),
                ),
                None => (
                    Overrides { config_file: None, config_data: Some("extends: default".to_owned()) },
                    folder.to_path_buf(),
                ),
            };
            match discover_config(&[], &overrides) {
                Ok(found) => Ok(Settings { folder, config: found.config }),
                Err(error) => {
                    let file = file.map(|file| format!("{}: ", file.display())).unwrap_or_default();
                    Err(Trouble::new(format_args!("{file}{error}")))
                }
            }
        })
    }

    pub(crate) fn lint(&self, input: &Input<'_>, place: &Place) -> Outcome<Vec<Problem>> {
        let settings = self.settings(input.folder(), place)?;
        let (config, folder) = (&settings.config, &*settings.folder);
        if config.is_file_ignored(input.path, folder) {
            return Ok(Vec::new());
        }
        let mut found = lint_str(input.text, input.path, config, folder);
        if let [broken] = &*found
            && broken.rule.is_none()
            && broken.message.starts_with("syntax error")
        {
            found = around(&moved(broken, input.text), input, config, folder);
        } else {
            found = indented(found, input.text, input, config, folder);
        }
        let mut problems: Vec<Problem> = found.iter().map(problem).collect();
        problems.sort();
        problems.dedup();
        Ok(problems)
    }
}

fn problem(found: &LintProblem) -> Problem {
    let message = found.message.strip_suffix(" (syntax)").unwrap_or(&found.message).to_owned();
    Problem {
        line: number(found.line),
        column: number(found.column),
        code: found.rule.unwrap_or(SYNTAX).into(),
        message,
        linter: LINTER,
    }
}

/// What is opened and never closed is found at the end of the file by the original, at its beginning by the engine. An
/// unclosed quote, too, swallows the rest there.
fn moved(broken: &LintProblem, text: &str) -> LintProblem {
    let unclosed = ["unclosed", "multiline quoted scalar", "while scanning a quoted scalar"];
    if unclosed.iter().any(|sign| broken.message.contains(sign)) {
        return LintProblem { line: text.split('\n').count(), column: 1, ..broken.clone() };
    }
    broken.clone()
}

/// With the original's `indentation` instead of the engine's.
fn indented(
    mut found: Vec<LintProblem>,
    text: &str,
    input: &Input<'_>,
    config: &YamlLintConfig,
    folder: &Path,
) -> Vec<LintProblem> {
    let rule = ryl::rules::indentation::ID;
    let Some(level) = config.rule_level(rule) else { return found };
    if config.is_rule_ignored(rule, input.path, folder) {
        return found;
    }
    let Some(ours) = indentation::check(text, config) else { return found };
    found.retain(|problem| problem.rule != Some(rule) || ours.inside.contains(&problem.line));
    let directives = Directives::parse(text);
    for (line, column, message) in ours.found {
        if !directives.is_disabled(rule, line) {
            found.push(LintProblem { line, column, level: level.into(), message, rule: Some(rule) });
        }
    }
    found
}

/// After a syntax error the engine says nothing else. The original still has its rules about lines, and those about tokens
/// up to the error; what it finds at the very place of the error gives way to it.
fn around(
    broken: &LintProblem,
    input: &Input<'_>,
    config: &YamlLintConfig,
    folder: &Path,
) -> Vec<LintProblem> {
    let lines: Vec<&str> = input.text.split_inclusive('\n').collect();
    let last = broken.line.saturating_sub(1).min(lines.len());
    // What precedes the error may itself end in the middle of something.
    let whole = (last.saturating_sub(LOOK_BACK)..=last).rev().find_map(|end| {
        let text = lines[..end].concat();
        let found = lint_str(&text, input.path, config, folder);
        let is_whole = found.iter().all(|problem| problem.rule.is_some());
        is_whole.then(|| indented(found, &text, input, config, folder))
    });
    let mut found = whole.unwrap_or_default();
    found.retain(|problem| problem.rule.is_some_and(|rule| !BY_LINE.contains(&rule)));
    found.extend(by_line(input, config, folder));
    found.retain(|problem| (problem.line, problem.column) != (broken.line, broken.column));
    found.push(broken.clone());
    found
}

fn by_line(input: &Input<'_>, config: &YamlLintConfig, folder: &Path) -> Vec<LintProblem> {
    let mut found = Vec::new();
    let mut push = |rule: &'static str, hits: Vec<(usize, usize, String)>| {
        let Some(level) = config.rule_level(rule) else { return };
        if config.is_rule_ignored(rule, input.path, folder) {
            return;
        }
        for (line, column, message) in hits {
            found.push(LintProblem { line, column, level: level.into(), message, rule: Some(rule) });
        }
    };
    let text = input.text;
    push(trailing_spaces::ID, {
        let hits = trailing_spaces::check(text).into_iter();
        hits.map(|hit| (hit.line, hit.column, trailing_spaces::MESSAGE.to_owned())).collect()
    });
    push(new_line_at_end_of_file::ID, {
        let hits = new_line_at_end_of_file::check(text).into_iter();
        hits.map(|hit| (hit.line, hit.column, new_line_at_end_of_file::MESSAGE.to_owned())).collect()
    });
    push(line_length::ID, {
        let hits = line_length::check(text, &line_length::Config::resolve(config)).into_iter();
        hits.map(|hit| (hit.line, hit.column, hit.message)).collect()
    });
    push(empty_lines::ID, {
        let hits = empty_lines::check(text, &empty_lines::Config::resolve(config)).into_iter();
        hits.map(|hit| (hit.line, hit.column, hit.message)).collect()
    });
    push(new_lines::ID, {
        let hits = new_lines::check(text, new_lines::Config::resolve(config), new_lines::platform_newline())
            .into_iter();
        hits.map(|hit| (hit.line, hit.column, hit.message)).collect()
    });
    let directives = Directives::parse(text);
    found.retain(|problem| !problem.rule.is_some_and(|rule| directives.is_disabled(rule, problem.line)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint(text: &str, config: Option<&str>) -> Vec<(u32, String)> {
        let root = tempfile::tempdir().unwrap();
        if let Some(config) = config {
            crate::test_files::write(&root.path().join(".yamllint"), config);
        }
        let path = root.path().join("a.yaml");
        let found = Yaml::default().lint(&Input::new(&path, text), &Place::default()).unwrap();
        found.into_iter().map(|problem| (problem.line, problem.code.into_owned())).collect()
    }

    #[test]
    fn rules_have_their_names() {
        assert_eq!(lint("---\na: 1\n", None), []);
        assert_eq!(
            lint("---\na: 1 \nb: yes\n", None),
            [(2, "trailing-spaces".to_owned()), (3, "truthy".to_owned())]
        );
        assert_eq!(lint("---\nb: yes\n", Some("extends: default\nrules:\n  truthy: disable\n")), []);
    }

    #[test]
    fn a_syntax_error_does_not_hide_the_rest() {
        let found = lint("a: 1\nb: [1, 2\nc: 3 \n", None);
        assert!(found.contains(&(1, "document-start".to_owned())), "{found:?}");
        assert!(found.contains(&(3, "trailing-spaces".to_owned())), "{found:?}");
        assert!(found.iter().any(|(_, code)| code == SYNTAX), "{found:?}");
    }

    #[test]
    fn a_wrong_config_is_said() {
        let root = tempfile::tempdir().unwrap();
        crate::test_files::write(&root.path().join(".yamllint"), "rules:\n  nonsense: enable\n");
        let path = root.path().join("a.yaml");
        let trouble = Yaml::default().lint(&Input::new(&path, "a: 1\n"), &Place::default()).unwrap_err();
        assert!(trouble.0.contains(".yamllint") && trouble.0.contains("nonsense"), "{trouble}");
    }
}
