//! Dockerfiles: hadolint's rules, written anew on a parser crate, with the bodies of `RUN` given to the shell linter.

mod command;
mod instructions;
mod labels;
mod packages;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parse_dockerfile::{Command as Form, Instruction};
use shuck_linter::ShellDialect;

use self::command::{Commands, commands};
use self::settings::{Pragmas, Settings};
use crate::discover::{self, Cache, Place};
use crate::lines::Lines;
use crate::problem::{Input, Outcome, Problem};
use crate::shell::Shell;

pub(crate) const LINTER: &str = "hadolint";

/// Findings of the shell linter that make no sense for the body of a `RUN`: there is no shebang, no file to follow, and the
/// small shells that images have take these words though POSIX does not know them.
static NOT_IN_RUN: &[&str] = &[
    "SC1090", "SC1091", "SC2112", "SC2113", "SC2148", "SC2154", "SC2187", "SC3010", "SC3013", "SC3014",
    "SC3015", "SC3018", "SC3037", "SC3039", "SC3043", "SC3045", "SC3061",
];

#[derive(Default)]
pub(crate) struct Dockerfile {
    settings: Cache<PathBuf, Settings>,
}

impl Dockerfile {
    fn settings(&self, folder: &Path, place: &Place) -> Outcome<Arc<Settings>> {
        self.settings.get(&folder.to_path_buf(), || {
            let names = [".hadolint.yaml", ".hadolint.yml"];
            let file = place
                .find(folder, &names)
                .or_else(|| discover::here(place.config.as_deref()?, &["hadolint.yaml"]))
                .or_else(|| discover::here(place.home.as_deref()?, &[".hadolint.yaml"]));
            match file {
                Some(file) => Settings::read(&file, &discover::read(&file)?),
                None => Ok(Settings::default()),
            }
        })
    }

    pub(crate) fn lint(&self, input: &Input<'_>, place: &Place, shell: &Shell) -> Outcome<Vec<Problem>> {
        let settings = self.settings(input.folder(), place)?;
        let lines = Lines::new(input.text);
        let pragmas = Pragmas::read(input.text);
        let mut found = Vec::new();
        let mut instructions = Vec::new();
        match parse_dockerfile::parse_iter(input.text) {
            Ok(parsed) => {
                for instruction in parsed {
                    match instruction {
                        Ok(instruction) => instructions.push(instruction),
                        Err(error) => {
                            let line = u32::try_from(error.line()).unwrap_or(1).max(1);
                            found.push(if instructions.is_empty() && is_known(input.text, line) {
                                at(line, "DL3061", "A Dockerfile begins with FROM or ARG")
                            } else {
                                at(line, "DL1000", error.to_string())
                            });
                            // What does not parse was not looked at any further.
                            instructions.clear();
                            break;
                        }
                    }
                }
            }
            Err(error) => found.push(at(1, "DL1000", error.to_string())),
        }
        let steps: Vec<Step<'_, '_>> =
            instructions.iter().map(|instruction| Step::new(instruction, input.text, &lines)).collect();
        found.extend(instructions::lint(&steps, &settings));
        found.extend(labels::lint(&steps, &settings));
        found.extend(packages::lint(&steps));
        found.extend(shell_problems(&steps, &pragmas, shell));
        found.retain(|problem| {
            let ignored = settings.ignored.iter().any(|code| *code == problem.code);
            !ignored
                && (settings.no_pragmas
                    || !pragmas.ignore(problem.line, above(input.text, problem.line), &problem.code))
        });
        found.sort();
        found.dedup_by(|one, other| one.line == other.line && one.code == other.code);
        Ok(found)
    }
}

pub(crate) fn at(line: u32, code: &'static str, message: impl Into<String>) -> Problem {
    Problem { line, column: 1, code: code.into(), message: message.into(), linter: LINTER }
}

/// Whether the line begins with an instruction, so that only its place is wrong.
fn is_known(text: &str, line: u32) -> bool {
    let line = text.lines().nth(line as usize - 1).unwrap_or_default();
    let first = line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    let known = [
        "ADD",
        "CMD",
        "COPY",
        "ENTRYPOINT",
        "ENV",
        "EXPOSE",
        "HEALTHCHECK",
        "LABEL",
        "MAINTAINER",
        "ONBUILD",
        "RUN",
        "SHELL",
        "STOPSIGNAL",
        "USER",
        "VOLUME",
        "WORKDIR",
    ];
    known.contains(&&*first)
}

/// The last line before `line` that is neither empty nor a comment, plus one: comments from there on speak for `line`.
fn above(text: &str, line: u32) -> u32 {
    let before: Vec<&str> = text.lines().take(line as usize - 1).collect();
    let comments =
        before.iter().rev().take_while(|line| line.trim().is_empty() || line.trim().starts_with('#')).count();
    line - u32::try_from(comments).unwrap_or_default()
}

/// An instruction with what several rules want to know of it.
pub(crate) struct Step<'a, 't> {
    pub(crate) line: u32,
    pub(crate) instruction: &'a Instruction<'t>,
    /// It is behind an `ONBUILD`.
    pub(crate) on_build: bool,
    pub(crate) run: Option<Run>,
}

pub(crate) struct Run {
    /// As a script, lines that go on joined as they are.
    pub(crate) script: String,
    pub(crate) commands: Commands,
    /// Its options, such as `--mount=type=cache,…`.
    pub(crate) options: Vec<String>,
}

impl<'a, 't> Step<'a, 't> {
    fn new(instruction: &'a Instruction<'t>, text: &str, lines: &Lines<'_>) -> Self {
        let line = lines.line(start(instruction));
        let (on_build, instruction) = match instruction {
            Instruction::Onbuild(outer) => (true, &*outer.instruction),
            other => (false, other),
        };
        let run = match instruction {
            Instruction::Run(run) => {
                let mut script = match &run.arguments {
                    Form::Shell(shell) => text[shell.span.clone()].to_owned(),
                    Form::Exec(words) => {
                        words.value.iter().map(|word| &*word.value).collect::<Vec<_>>().join(" ")
                    }
                    _ => String::new(),
                };
                if !run.here_docs.is_empty() {
                    script = run.here_docs.iter().map(|document| &*document.value).collect();
                }
                let options = run.options.iter().map(|flag| text[flag.span()].to_owned()).collect();
                let script = without_comments(&script);
                Some(Run { commands: commands(&script), script, options })
            }
            _ => None,
        };
        Step { line, instruction, on_build, run }
    }
}

/// A comment line between lines that go on is the Dockerfile's, not the shell's.
fn without_comments(script: &str) -> String {
    let mut goes_on = false;
    let mut kept = String::with_capacity(script.len());
    for line in script.split_inclusive('\n') {
        if goes_on && line.trim_start().starts_with('#') {
            continue;
        }
        goes_on = line.trim_end().ends_with('\\');
        kept.push_str(line);
    }
    kept
}

fn start(instruction: &Instruction<'_>) -> usize {
    match instruction {
        Instruction::Add(it) => it.add.span.start,
        Instruction::Arg(it) => it.arg.span.start,
        Instruction::Cmd(it) => it.cmd.span.start,
        Instruction::Copy(it) => it.copy.span.start,
        Instruction::Entrypoint(it) => it.entrypoint.span.start,
        Instruction::Env(it) => it.env.span.start,
        Instruction::Expose(it) => it.expose.span.start,
        Instruction::From(it) => it.from.span.start,
        Instruction::Healthcheck(it) => it.healthcheck.span.start,
        Instruction::Label(it) => it.label.span.start,
        Instruction::Maintainer(it) => it.maintainer.span.start,
        Instruction::Onbuild(it) => it.onbuild.span.start,
        Instruction::Run(it) => it.run.span.start,
        Instruction::Shell(it) => it.shell.span.start,
        Instruction::Stopsignal(it) => it.stopsignal.span.start,
        Instruction::User(it) => it.user.span.start,
        Instruction::Volume(it) => it.volume.span.start,
        Instruction::Workdir(it) => it.workdir.span.start,
        _ => 0,
    }
}

/// Which shell runs the instructions that follow; `None` for one that is not a POSIX shell at all.
pub(crate) fn shell_named(program: &str) -> Option<ShellDialect> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    match name.strip_suffix(".exe").unwrap_or(name) {
        "bash" => Some(ShellDialect::Bash),
        "ksh" | "mksh" => Some(ShellDialect::Ksh),
        "dash" | "ash" => Some(ShellDialect::Dash),
        "sh" => Some(ShellDialect::Sh),
        _ => None,
    }
}

fn shell_problems(steps: &[Step<'_, '_>], pragmas: &Pragmas, shell: &Shell) -> Vec<Problem> {
    let default = match &pragmas.shell {
        Some(named) => shell_named(named),
        None => Some(ShellDialect::Sh),
    };
    let mut dialect = default;
    let mut found = Vec::new();
    for step in steps {
        match step.instruction {
            Instruction::From(_) => dialect = default,
            Instruction::Shell(shell) => {
                dialect = shell.arguments.first().and_then(|word| shell_named(&word.value));
            }
            _ => {}
        }
        let (Some(run), Some(dialect)) = (&step.run, dialect) else { continue };
        let problems = shell.lint_fragment(&run.script, dialect);
        found.extend(problems.into_iter().filter(|problem| !NOT_IN_RUN.contains(&&*problem.code)).map(
            |problem| {
                // All of them belong to the instruction, and what does not parse has one name here.
                let code = if problem.code.starts_with("SC1") { "SC1072".into() } else { problem.code };
                Problem { line: step.line, column: 1, code, message: problem.message, linter: LINTER }
            },
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn lint_with(config: Option<&str>, text: &str) -> String {
        let root = tempfile::tempdir().unwrap();
        if let Some(config) = config {
            crate::test_files::write(&root.path().join(".hadolint.yaml"), config);
        }
        let path = root.path().join("Dockerfile");
        let found = Dockerfile::default()
            .lint(&Input::new(&path, text), &Place::default(), &Shell::default())
            .unwrap();
        found
            .into_iter()
            .map(|problem| format!("{}:{} ", problem.line, problem.code))
            .collect::<String>()
            .trim_end()
            .to_owned()
    }

    #[test]
    fn findings_have_hadolints_ids() {
        assert_eq!(lint_with(None, "FROM ubuntu:latest\n"), "1:DL3007");
        assert_eq!(lint_with(None, "FROM ubuntu:24.04\nRUN echo $A\n"), "2:SC2086");
        assert_eq!(lint_with(None, "FROM a:1\nFOO x\n"), "2:DL1000");
        assert_eq!(lint_with(None, "FROM a:1\nRUN if true; then x\n"), "2:SC1072");
    }

    #[test]
    fn comments_and_config_ignore() {
        let text = "FROM a:1\n# hadolint ignore=DL3004,SC2086\nRUN sudo x $A\nRUN sudo y && z\n";
        assert_eq!(lint_with(None, text), "4:DL3004");
        assert_eq!(lint_with(Some("ignored:\n  - DL3004\n"), text), "");
        assert_eq!(lint_with(Some("disable-ignore-pragma: true\n"), text), "3:DL3004 3:SC2086 4:DL3004");
        assert_eq!(lint_with(None, &format!("# hadolint global ignore=DL3004\n{text}")), "");
    }
}
