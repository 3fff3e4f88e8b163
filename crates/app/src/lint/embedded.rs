//! The engines of this build, as `linters` asks them: by a language and by the names of the linters that they stand for.

use std::path::Path;

use engines::{Input, Place, Tool};
use linters::{Language, Outcome, Rewrite};
use model::{Violation, environment};
use state::Machine;

#[derive(Debug)]
pub(crate) struct Embedded {
    engines: engines::Engines,
    place: Place,
}

impl Embedded {
    /// For files of one project.
    pub(crate) fn new(project: &Path, machine: Option<&Machine>, preview: bool) -> Self {
        let home = machine.and_then(Machine::home);
        let config = machine
            .and_then(|machine| machine.var(&environment::XDG_CONFIG_HOME))
            .map(Into::into)
            .or_else(|| home.as_ref().map(|home| home.join(".config")));
        let virtual_env = machine.and_then(|machine| machine.var(&environment::VIRTUAL_ENV)).map(Into::into);
        let project = Some(project.to_path_buf());
        // Whoever wants all that linters say wants no more than the project's own selection.
        let faults =
            linters::definition::find("ruff").filter(|_| !preview).map_or(&[][..], |ruff| ruff.faults);
        let place = Place { project, home, config, virtual_env, preview, bare: false, faults };
        Embedded { engines: engines::Engines::new(place.clone()), place }
    }
}

/// A linter by the name of its definition, and what does its work here.
fn tool(linter: &str) -> Option<Tool> {
    let tool = match linter {
        "shellcheck" => Tool::Shellcheck,
        "markdownlint-cli2" => Tool::Markdownlint,
        "yamllint" => Tool::Yamllint,
        "taplo" => Tool::Taplo,
        "json" => Tool::Json,
        "hadolint" => Tool::Hadolint,
        "ruff" => Tool::Ruff,
        "bandit" => Tool::Bandit,
        "flake8-async" => Tool::FlakeAsync,
        "flake8-pydantic" => Tool::FlakePydantic,
        "vulture" => Tool::Vulture,
        "ty" => Tool::Ty,
        "syntax" => Tool::Oxc,
        "rust-syntax" => Tool::Syn,
        _ => return None,
    };
    Tool::ALL.contains(&tool).then_some(tool)
}

impl linters::Engines for Embedded {
    fn stands_for(&self, language: Language, path: &Path) -> &'static [&'static str] {
        let names: &'static [&'static str] = match language {
            Language::Shell => &["shellcheck", "shfmt"],
            Language::Markdown => &["markdownlint-cli2"],
            Language::Yaml => &["yamllint"],
            Language::Toml => &["taplo"],
            Language::Json => &["json"],
            Language::Dockerfile => &["hadolint"],
            Language::Python if tool("ty").is_some() => {
                &["ruff", "bandit", "flake8-async", "flake8-pydantic", "vulture", "ty"]
            }
            Language::Python => &["ruff", "bandit", "flake8-async", "flake8-pydantic", "vulture"],
            Language::TypeScript if is_script(path) => &["syntax"],
            Language::Rust => &["rust-syntax"],
            Language::TypeScript | Language::Go => &[],
        };
        // One feature per language, so that the first of them speaks for all.
        if names.first().is_some_and(|name| tool(name).is_some()) { names } else { &[] }
    }

    fn is_slow(&self, linter: &str) -> bool {
        tool(linter).is_some_and(Tool::is_slow)
    }

    fn lint(&self, _: Language, path: &Path, text: &str, linters: &[&'static str]) -> Option<Outcome> {
        let tools: Vec<Tool> = linters.iter().filter_map(|linter| tool(linter)).collect();
        if tools.is_empty() {
            return None;
        }
        Some(told(&self.engines, &tools, path, text))
    }

    fn lint_bare(&self, _: Language, path: &Path, text: &str, linters: &[&'static str]) -> Option<Outcome> {
        let tools: Vec<Tool> = linters.iter().filter_map(|linter| tool(linter)).collect();
        // Only ruff has so many settings that a newer or older one does not know some.
        tools.contains(&Tool::Ruff).then(|| {
            let engines = engines::Engines::new(Place { bare: true, ..self.place.clone() });
            told(&engines, &[Tool::Ruff], path, text)
        })
    }

    fn left_out(&self, path: &Path, text: &str, linter: &str) -> Option<Outcome> {
        let found = self.engines.left_out(tool(linter)?, &Input::new(path, text));
        Some(outcome(path, found))
    }

    fn same_tree(&self, path: &Path, old: &str, new: &str) -> Option<bool> {
        engines::same_tree(path, old, new)
    }

    fn format(&self, language: Language, path: &Path, text: &str, how: Rewrite<'_>) -> Option<String> {
        let tool = match language {
            Language::Shell => Tool::Shfmt,
            Language::Markdown => Tool::Markdownlint,
            Language::Toml => Tool::Taplo,
            Language::Json => Tool::Json,
            Language::Python => Tool::Ruff,
            _ => return None,
        };
        let keep: Vec<&str>;
        let how = match how {
            Rewrite::Layout => engines::Rewrite::Layout,
            Rewrite::Fixes { keep: rules } => {
                keep = rules.iter().map(String::as_str).collect();
                engines::Rewrite::Fixes { keep: &keep }
            }
        };
        // What goes wrong here is said by the linter, which reads the same settings.
        self.engines.format(tool, &Input::new(path, text), how).ok().flatten()
    }
}

/// Styles and single-file components are in this language too, and no parser here reads them.
fn is_script(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension, "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts")
}

fn told(engines: &engines::Engines, tools: &[Tool], path: &Path, text: &str) -> Outcome {
    outcome(path, engines.lint(tools, &Input::new(path, text)))
}

fn outcome(path: &Path, found: engines::Outcome<Vec<engines::Problem>>) -> Outcome {
    match found {
        Ok(found) => Outcome::of(
            found
                .into_iter()
                .map(|problem| Violation {
                    file: path.to_path_buf(),
                    line: problem.line,
                    column: problem.column,
                    code: problem.code.into_owned(),
                    message: problem.message,
                    linter: problem.linter,
                    built_in: true,
                })
                .collect(),
        ),
        Err(trouble) => Outcome::Unreadable(trouble.0),
    }
}
