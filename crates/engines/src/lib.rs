//! Linters and formatters that are linked in, so that a machine with no tool installed still gets real findings.
//!
//! One adapter per engine, one cargo feature per adapter. An engine gives the rule ids of the tool that it stands for and
//! reads that tool's config files; otherwise it sees only text. How far each agrees with its original is measured by the
//! conformance suite.

#![cfg_attr(
    not(feature = "all"),
    allow(
        clippy::needless_update,
        dead_code,
        unused_variables,
        reason = "helpers of engines that this build leaves out"
    )
)]

mod depth;
pub mod discover;
#[cfg(feature = "dockerfile")]
mod dockerfile;
#[cfg(feature = "shell")]
mod editorconfig;
#[cfg(any(feature = "shell", feature = "toml", feature = "markdown", feature = "types"))]
mod glob;
#[cfg(feature = "javascript")]
mod javascript;
#[cfg(feature = "json")]
mod json;
#[cfg(any(
    feature = "dockerfile",
    feature = "javascript",
    feature = "json",
    feature = "markdown",
    feature = "python",
    feature = "rust",
    feature = "shell",
    feature = "toml",
    feature = "yaml"
))]
mod lines;
#[cfg(feature = "markdown")]
mod markdown;
mod problem;
#[cfg(feature = "python")]
mod python;
#[cfg(feature = "rust")]
mod rust;
#[cfg(feature = "shell")]
mod shell;
#[cfg(test)]
mod test_files;
#[cfg(feature = "toml")]
mod toml;
mod tool;
#[cfg(feature = "yaml")]
mod yaml;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use discover::Place;
pub use problem::{Input, Outcome, Problem, Trouble};
pub use tool::{Rewrite, Tool};

/// All engines of this build, with what they have learnt about config files. One for a whole run.
#[derive(Default)]
pub struct Engines {
    place: Place,
    #[cfg(feature = "shell")]
    shell: shell::Shell,
    #[cfg(feature = "markdown")]
    markdown: markdown::Markdown,
    #[cfg(feature = "yaml")]
    yaml: yaml::Yaml,
    #[cfg(feature = "toml")]
    toml: toml::Toml,
    #[cfg(feature = "dockerfile")]
    dockerfile: dockerfile::Dockerfile,
    #[cfg(feature = "python")]
    python: python::Python,
    #[cfg(feature = "types")]
    types: python::Types,
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engines").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Engines {
    pub fn new(place: Place) -> Self {
        Engines { place, ..Engines::default() }
    }

    /// What all of `tools` say about a file, in the order of its lines. Those that this build does not have say nothing;
    /// ask `Tool::ALL` first. Of Python's tools any number share one parse.
    pub fn lint(&self, tools: &[Tool], input: &Input<'_>) -> Outcome<Vec<Problem>> {
        look(input)?;
        let mut problems = guarded(|| self.lint_unguarded(tools, input))?;
        problems.sort();
        Ok(problems)
    }

    fn lint_unguarded(&self, tools: &[Tool], input: &Input<'_>) -> Outcome<Vec<Problem>> {
        let mut problems = Vec::new();
        for tool in tools {
            problems.extend(match tool {
                #[cfg(feature = "shell")]
                Tool::Shellcheck => self.shell.lint(input, &self.place)?,
                #[cfg(feature = "markdown")]
                Tool::Markdownlint => self.markdown.lint(input, &self.place)?,
                #[cfg(feature = "yaml")]
                Tool::Yamllint => self.yaml.lint(input, &self.place)?,
                #[cfg(feature = "toml")]
                Tool::Taplo => self.toml.lint(input, &self.place)?,
                #[cfg(feature = "json")]
                Tool::Json => json::lint(input)?,
                #[cfg(feature = "dockerfile")]
                Tool::Hadolint => self.dockerfile.lint(input, &self.place, &self.shell)?,
                #[cfg(feature = "javascript")]
                Tool::Oxc => javascript::lint(input)?,
                #[cfg(feature = "rust")]
                Tool::Syn => rust::lint(input)?,
                #[cfg(feature = "types")]
                Tool::Ty => self.types.lint(input, &self.place)?,
                _ => Vec::new(),
            });
        }
        #[cfg(feature = "python")]
        if tools.iter().any(|tool| tool.is_python()) {
            problems.extend(self.python.lint(tools, input, &self.place)?);
        }
        Ok(problems)
    }

    /// Plain faults alone, and those of them that the project's own settings of `tool` leave out without naming them.
    pub fn left_out(&self, tool: Tool, input: &Input<'_>) -> Outcome<Vec<Problem>> {
        look(input)?;
        guarded(|| match tool {
            #[cfg(feature = "python")]
            Tool::Ruff => self.python.left_out(input, &self.place),
            _ => Ok(Vec::new()),
        })
    }

    /// The file as `tool` would write it, `None` where it would change nothing or cannot read it.
    pub fn format(&self, tool: Tool, input: &Input<'_>, how: Rewrite<'_>) -> Outcome<Option<String>> {
        look(input)?;
        guarded(|| match tool {
            // All that it changes are fixes.
            Tool::Markdownlint if how == Rewrite::Layout => Ok(None),
            #[cfg(feature = "shell")]
            Tool::Shfmt => self.shell.format(input),
            #[cfg(feature = "markdown")]
            Tool::Markdownlint => self.markdown.format(input, &self.place),
            #[cfg(feature = "toml")]
            Tool::Taplo => self.toml.format(input, &self.place),
            #[cfg(feature = "json")]
            Tool::Json => json::format(input),
            #[cfg(feature = "python")]
            Tool::Ruff => self.python.format(input, &self.place, how),
            _ => Ok(None),
        })
    }
}

/// Whether two texts of a file say the same, however they are written. `None` where no parser of this build can tell.
pub fn same_tree(path: &std::path::Path, old: &str, new: &str) -> Option<bool> {
    let ends = |ending: &str| path.extension().is_some_and(|extension| extension == ending);
    look(&Input::new(path, old)).and_then(|()| look(&Input::new(path, new))).ok()?;
    let compare = || {
        Ok(match () {
            #[cfg(feature = "python")]
            () if ends("py") || ends("pyi") => python::tree::same(old, new),
            #[cfg(feature = "json")]
            () if ends("json") => json::same(old, new),
            #[cfg(feature = "toml")]
            () if ends("toml") => toml::same(old, new),
            () => None,
        })
    };
    guarded(compare).ok().flatten()
}

/// What no engine may be given.
fn look(input: &Input<'_>) -> Outcome<()> {
    let python = input.path.extension().is_some_and(|extension| extension == "py" || extension == "pyi");
    if depth::is_deep(input.text, if python { depth::MOST_OF_PYTHON } else { depth::MOST }) {
        return Err(Trouble::new(format_args!("it is nested too deeply to be looked at")));
    }
    Ok(())
}

/// An engine that panics has not looked, and that is said. The caches that it may leave behind are only ever filled with
/// whole values.
fn guarded<T>(run: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        Err(Trouble::new(format_args!("the engine gave up: {what}")))
    })
}
