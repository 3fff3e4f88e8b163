//! Which commands are invocations of a package manager.

use shell::Call;

use super::form::{Ecosystem, Manager};
use super::translate::{self, Word};
use super::{javascript, python};

/// A package manager with the words that it is given.
pub(super) struct Invocation {
    pub(super) manager: &'static Manager,
    pub(super) words: Vec<Word>,
}

impl Invocation {
    /// By the words of a command, the program first.
    pub(super) fn of(words: &[Word]) -> Option<Self> {
        let (program, rest) = words.split_first()?;
        let name = shell::path::name(&program.text);
        let (manager, words) = match name {
            "poetry" => (&python::POETRY, rest.to_vec()),
            "pipenv" => (&python::PIPENV, rest.to_vec()),
            "npm" => (&javascript::NPM, rest.to_vec()),
            "npx" => (&javascript::NPX, rest.to_vec()),
            "yarn" => (&javascript::YARN, javascript::without_prefix(rest)),
            "pnpm" => (&javascript::PNPM, rest.to_vec()),
            "py" => module("", rest)?,
            _ => match name
                .strip_prefix("python")
                .or_else(|| name.strip_prefix("pip"))
                .filter(|rest| is_version(rest))
            {
                Some(_) if name.starts_with("pip") => (&python::PIP, rest.to_vec()),
                Some(version) => module(version, rest)?,
                None => return None,
            },
        };
        Some(Self { manager, words })
    }

    /// Whether a call may be of a package manager: asked before anything is worked out.
    pub(super) fn is_possible(call: &Call) -> bool {
        let program = call.program();
        // A module may stand in one word with its option.
        let module = |text: &str| text.ends_with("pip") || text.ends_with("venv");
        matches!(program, "poetry" | "pipenv" | "npm" | "npx" | "yarn" | "pnpm")
            || program.starts_with("pip")
            || (program == "py" || program.starts_with("python")) && call.texts().any(module)
    }

    pub(super) fn verb(&self) -> Option<&str> {
        translate::verb_at(self.manager, &self.words).map(|at| self.words[at].text.as_str())
    }

    /// It only asks for a version or for help.
    pub(super) fn is_diagnostic(&self) -> bool {
        match self.words.first().map(|word| word.text.as_str()) {
            Some("--version" | "-V" | "-h" | "--help") => true,
            // To the Python tools `-v` is `--verbose`.
            Some("-v") => self.manager.ecosystem == Ecosystem::JavaScript || self.verb().is_none(),
            _ => false,
        }
    }

    /// The command that does the same with the preferred tool.
    pub(super) fn replacement(&self, has_script: &dyn Fn(&str) -> bool) -> String {
        // What poetry or pipenv would start may itself be a package manager.
        if matches!(self.manager.name, "poetry" | "pipenv")
            && let Some(at) =
                translate::verb_at(self.manager, &self.words).filter(|&at| self.words[at].text == "run")
            && let Some(inner) = Self::of(&self.words[at + 1..]).filter(|inner| !inner.is_diagnostic())
        {
            return inner.replacement(has_script);
        }
        translate::replacement(self.manager, &self.words, has_script)
    }
}

/// Nothing, `3`, `3.11`.
fn is_version(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// `python -m pip …`, `python -m venv …`: the manager and the words after the module's name.
fn module(version: &str, words: &[Word]) -> Option<(&'static Manager, Vec<Word>)> {
    let mut at = 0;
    loop {
        let text = words.get(at)?.text.as_str();
        at += 1;
        let name = match text {
            "-m" => {
                at += 1;
                words.get(at - 1)?.text.as_str()
            }
            "-W" | "-X" => {
                at += 1;
                continue;
            }
            _ if text.starts_with("-W") || text.starts_with("-X") => continue,
            // A cluster may end in the module.
            _ if text.starts_with('-') && !text.starts_with("--") => match text.split_once('m') {
                Some((_, "")) => {
                    at += 1;
                    words.get(at - 1)?.text.as_str()
                }
                Some((_, name)) => name,
                None if text.contains('c') => return None,
                None => continue,
            },
            _ => return None,
        };
        let rest = words[at..].to_vec();
        return match name {
            "pip" => Some((&python::MODULE_PIP, rest)),
            "venv" if version.contains('.') => {
                let chosen = [Word::made("--python"), Word::made(version)];
                Some((&python::MODULE_VENV, rest.into_iter().chain(chosen).collect()))
            }
            "venv" => Some((&python::MODULE_VENV, rest)),
            _ => None,
        };
    }
}
