//! The project's own commands, run when the agent has done something: which ones, what they are, how they ended.
//!
//! `plan` reads what is configured, `commands` what the words in it stand for. Nothing that a project's files name is run before the
//! person has trusted exactly that.

mod before;
mod cache;
mod commands;
mod plan;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::{Event, EventName, GateOutcome, GateVerdict, Quality};
use serde_json::{Map, Value as Json};

use crate::process::{Program, SHELL, Stopped};
use crate::{Machine, Project, trust};

pub use commands::{Commands, find as find_commands};
use plan::{Action, Plan};

/// What is shown of an output: its end, where the reason is.
const SHOWN: usize = 4000;
/// What is read of it for that: colours are taken out.
const KEPT: usize = 64 * 1024;
/// A gate may name the next one, but not for ever.
const CHAIN: usize = 10;

/// Everything that is configured here.
#[derive(Debug)]
pub struct Gates {
    plan: Plan,
    commands: Commands,
    root: PathBuf,
}

/// One of them, in words.
#[derive(Debug)]
pub struct Row {
    pub name: String,
    /// `None` where nothing says what it is.
    pub command: Option<String>,
    /// When: `after Edit, Write`, `before rust-engineer ends`.
    pub runs: Vec<String>,
    pub on_fail: String,
}

impl Gates {
    /// `None` where nothing is configured, which costs a look for a few files.
    pub fn load(machine: &Machine, project: &Project, cwd: &Path) -> Option<Self> {
        let plan = plan::load(machine, project)?;
        let commands = commands::find(cwd, &project.root);
        Some(Self { plan, commands, root: project.root.clone() })
    }

    fn problems(&self) -> Vec<String> {
        self.plan.problems.iter().chain(&self.commands.problems).cloned().collect()
    }

    /// Everything that is wrong, also what a hook says only when it comes to it.
    pub fn all_problems(&self) -> Vec<String> {
        let mut all = self.problems();
        all.extend(self.plan.gates.keys().filter_map(|name| self.without_command(name)));
        all
    }

    /// Their names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.plan.gates.keys().map(String::as_str).collect()
    }

    /// What would be run, by a name that says where it stands: what trust is about.
    pub fn bound(&self) -> Map<String, Json> {
        let mut bound = Map::new();
        for (name, gate) in &self.plan.gates {
            match &gate.command {
                Some(command) => {
                    let of = gate
                        .plugin
                        .as_ref()
                        .map_or(String::new(), |(plugin, _)| format!(" of the plugin {plugin}"));
                    bound.insert(format!("command of gate {name}{of}"), command.as_str().into())
                }
                None => match self.commands.get(name) {
                    Some(command) => {
                        bound.insert(format!("command {name} in {}", self.commands.place()), command.into())
                    }
                    None => None,
                },
            };
        }
        bound
    }

    pub fn is_trusted(&self, machine: &Machine, project: &Project) -> bool {
        let bound = self.bound();
        bound.is_empty() || trust::is_trusted_commands(machine, project, &bound)
    }

    /// The folder that the user looks at them from.
    pub fn trusted_in(&self) -> &Path {
        let named = self
            .plan
            .gates
            .iter()
            .any(|(name, gate)| gate.command.is_none() && self.commands.get(name).is_some());
        if named { self.commands.dir() } else { &self.root }
    }

    /// All of them, with when they run and what follows, for people.
    pub fn rows(&self) -> Vec<Row> {
        self.plan
            .gates
            .iter()
            .map(|(name, gate)| Row {
                name: name.clone(),
                command: self.command(name).map(|(command, _)| command.to_owned()),
                runs: self.plan.occasions(name),
                on_fail: gate.on_fail.to_string(),
            })
            .collect()
    }

    /// What a check that should hold the agent needs, and has not.
    fn without_command(&self, name: &str) -> Option<String> {
        let gate = self.plan.gates.get(name)?;
        let holds = matches!(gate.on_fail, Action::Block | Action::Stop);
        (holds && self.command(name).is_none()).then(|| {
            let root = self.root.display();
            format!("{name} is to hold the agent, but has no command and is not run: the front matter of no CLAUDE.md, AGENTS.md, GEMINI.md or QWEN.md in {root} names it under `commands`")
        })
    }

    fn command(&self, name: &str) -> Option<(&str, &Path)> {
        let gate = self.plan.gates.get(name)?;
        match &gate.command {
            Some(command) => {
                Some((command, gate.plugin.as_ref().map_or(self.root.as_path(), |(_, root)| root)))
            }
            None => Some((self.commands.get(name)?, self.commands.dir())),
        }
    }

    /// Runs one of them. `None` where it has no command.
    pub fn run(
        &self,
        machine: &Machine,
        project: &Project,
        name: &str,
        limit: Duration,
    ) -> Option<GateOutcome> {
        let (command, dir) = self.command(name)?;
        let key = cache::key(machine, project, command, dir);
        if let Some(output) = key.as_deref().and_then(|key| cache::passed(project, key)) {
            return Some(outcome(name, command, GateVerdict::Passed, output));
        }
        let (passed, output) = match execute(command, dir, &self.root, limit) {
            Ok((code, output)) => (code == Some(0), output),
            Err(error) => (false, stopped(&error, limit)),
        };
        if passed {
            // Only what passed is kept: what failed may have failed for another reason than the code.
            if let Some(key) = &key {
                let _ = cache::keep(machine, project, key, &output);
            }
            return Some(outcome(name, command, GateVerdict::Passed, output));
        }
        let verdict = match self.plan.gates.get(name).map(|gate| &gate.on_fail) {
            Some(Action::Continue | Action::Gate(_)) => GateVerdict::Warn,
            Some(Action::Stop) => GateVerdict::Stop,
            Some(Action::Block) | None => GateVerdict::Block,
        };
        Some(outcome(name, command, verdict, output))
    }

    /// Runs what this event asks for, in order, until something blocks.
    fn answer(
        &self,
        machine: &Machine,
        project: &Project,
        event: &Event,
        limit: Duration,
        trusted: bool,
    ) -> Quality {
        // A gate before a prompt holds whatever the reason: there is no work yet that could be let through.
        let prompted = event.name == EventName::UserPromptSubmit;
        let end = Instant::now() + limit;
        let alike = |name: &str, output: &str, took: Duration| {
            let left = end.saturating_duration_since(Instant::now());
            let command = self.command(name).map(|(text, dir)| before::Command { text, dir });
            // It takes as long as this time, or there is no answer in time.
            // The scripts of old held whatever the reason, too.
            !(prompted || trusted)
                && left > took * 2
                && command.is_some_and(|command| {
                    before::note(machine, project, command, Some(output));
                    before::failed_alike(machine, project, &event.session, command, output, left)
                })
        };
        let mut quality = Quality { problems: self.problems(), outcomes: Vec::new() };
        let mut open: Vec<String> = self.plan.wanted(event).into_iter().rev().cloned().collect();
        if open.is_empty() {
            // What is wrong may be the reason why nothing is asked for.
            return quality;
        }
        if !trusted && !self.is_trusted(machine, project) {
            quality.problems.push(format!(
                "the commands of {0} wait for your word and were not run; run `plimsoll trust` in {0}",
                self.trusted_in().display()
            ));
            return quality;
        }
        let mut steps = 0;
        while let Some(name) = open.pop() {
            steps += 1;
            if steps > CHAIN + self.plan.gates.len() {
                quality.problems.push(format!(
                    "gate {name}: gates lead to each other again and again; the rest was not run"
                ));
                break;
            }
            let Some(gate) = self.plan.gates.get(&name) else { continue };
            let begin = Instant::now();
            let left = end.saturating_duration_since(begin);
            let Some(outcome) = self.run(machine, project, &name, left) else {
                quality.problems.extend(self.without_command(&name));
                continue;
            };
            let mut outcome = outcome;
            // What failed in the same way before the session is not its fault, and does not hold it.
            if !outcome.passed
                && outcome.verdict == GateVerdict::Block
                && alike(&name, &outcome.output, begin.elapsed())
            {
                outcome.before = true;
                outcome.verdict = GateVerdict::Warn;
            }
            let verdict = outcome.verdict;
            let next = if verdict == GateVerdict::Passed { &gate.on_pass } else { &gate.on_fail };
            let verdict = match (verdict, next) {
                // Also a success may end it.
                (GateVerdict::Passed, Action::Block) => GateVerdict::Block,
                (GateVerdict::Passed, Action::Stop) => GateVerdict::Stop,
                (verdict, _) => verdict,
            };
            if let Action::Gate(next) = next {
                open.push(next.clone());
            }
            quality.outcomes.push(GateOutcome { verdict, ..outcome });
            if matches!(verdict, GateVerdict::Block | GateVerdict::Stop) {
                break;
            }
        }
        quality
    }
}

/// Runs a command as the user would in a terminal: how it ended, and the end of what it printed.
fn execute(
    command: &str,
    dir: &Path,
    root: &Path,
    limit: Duration,
) -> std::io::Result<(Option<i32>, String)> {
    let done = Program::new(SHELL)
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .cwd(dir)
        .env("CLAUDE_PROJECT_DIR", root)
        .within(limit)
        .keeping_end(KEPT)
        .run()?;
    Ok((done.code, ending(&String::from_utf8_lossy(&done.stdout))))
}

fn outcome(name: &str, command: &str, verdict: GateVerdict, output: String) -> GateOutcome {
    let passed = verdict == GateVerdict::Passed;
    GateOutcome { name: name.to_owned(), command: command.to_owned(), verdict, passed, before: false, output }
}

/// For a hook.
pub(crate) fn answer(
    machine: &Machine,
    project: &Project,
    cwd: &Path,
    event: &Event,
    limit: Duration,
    trusted: bool,
) -> Quality {
    Gates::load(machine, project, cwd)
        .map_or_else(Quality::default, |gates| gates.answer(machine, project, event, limit, trusted))
}

/// What a command that was ended has printed until then, which often says where it hangs, and that it was ended.
fn stopped(error: &std::io::Error, limit: Duration) -> String {
    let printed = Stopped::of(error).map(|stopped| ending(&String::from_utf8_lossy(&stopped.stdout)));
    let why = match error.kind() {
        std::io::ErrorKind::TimedOut => {
            format!("[it did not end within {} s and was stopped]", limit.as_secs_f32().ceil())
        }
        _ => error.to_string(),
    };
    match printed.filter(|text| !text.is_empty()) {
        Some(text) => format!("{text}\n{why}"),
        None => why,
    }
}

/// The last part of an output, whole lines, without colours.
fn ending(text: &str) -> String {
    let plain = without_colours(text);
    let plain = plain.trim();
    if plain.len() <= SHOWN {
        return plain.to_owned();
    }
    let start = plain.ceil_char_boundary(plain.len() - SHOWN);
    let start = plain[start..].find('\n').map_or(start, |at| start + at + 1);
    format!("[… more before this]\n{}", &plain[start..])
}

fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                // `ESC [ … letter`; anything else is two characters.
                if rest.next() == Some('[') {
                    rest.by_ref().find(char::is_ascii_alphabetic);
                }
            }
            '\r' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_the_end_is_shown() {
        let text: String = (0..2000).map(|n| format!("line {n}\n")).collect();
        let end = ending(&text);
        assert!(end.len() < SHOWN + 60 && end.ends_with("line 1999") && end.starts_with("[… "), "{end}");
        assert_eq!(ending("\u{1b}[31mred\u{1b}[0m\r\n"), "red");
        assert_eq!(ending("é\u{1b}"), "é");
    }
}
