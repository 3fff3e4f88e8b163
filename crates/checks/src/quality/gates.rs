//! The project's own commands, run when the agent has done something: which ones, in which order, and what follows from how they end.
//!
//! `plan` reads what is configured, `instructions` what the words in it stand for. Nothing that a project's files name is run before the
//! user has trusted exactly that.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Event, EventName, GateCommand, GateOutcome, GateRun, GateVerdict, Quality};
use serde_json::{Map, Value as Json};

use super::instructions::{self, Commands};
use super::output;
use super::plan::{self, Action, Parsed, Plan, Plugin};

/// A gate may name the next one, but not for ever.
const CHAIN: usize = 10;

/// Who runs commands, and remembers how they ended.
pub trait Machinery {
    /// Whether the user has trusted exactly these.
    fn is_trusted(&self, bound: &Map<String, Json>) -> bool;

    /// A name for a command on exactly this code; `None` where nothing tells that code is the same.
    fn key(&self, command: GateCommand<'_>) -> Option<String>;

    /// What was shown when a command passed under this name.
    fn passed(&self, key: &str) -> Option<String>;

    fn keep(&self, key: &str, shown: &str);

    fn run(&self, command: GateCommand<'_>, limit: Duration) -> GateRun;

    /// Whether a command that has just failed, and this is shown of it, failed in the same way before the session.
    fn failed_before(&self, command: GateCommand<'_>, shown: &str) -> bool;

    /// What is left of the time.
    fn left(&self) -> Duration;
}

/// Everything that is configured here.
#[derive(Debug)]
pub struct Gates {
    plan: Plan,
    commands: Commands,
    root: PathBuf,
}

/// One of them, in words.
#[derive(Debug)]
pub struct Listed {
    pub name: String,
    /// `None` where nothing says what it is.
    pub command: Option<String>,
    /// When: `after Edit, Write`, `before rust-engineer ends`.
    pub runs: Vec<String>,
    pub on_fail: String,
}

impl Gates {
    /// `None` where nothing is configured. `instructions` are the texts that may name commands, the nearest first.
    pub fn load(
        root: &Path,
        files: &[(PathBuf, Parsed)],
        plugin: &dyn Fn(&str) -> Option<Plugin>,
        instructions: impl FnOnce() -> Vec<(PathBuf, String)>,
    ) -> Option<Self> {
        let plan = plan::load(files, plugin)?;
        Some(Self { plan, commands: instructions::find(instructions()), root: root.to_owned() })
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

    pub fn is_trusted(&self, on: &dyn Machinery) -> bool {
        let bound = self.bound();
        bound.is_empty() || on.is_trusted(&bound)
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
    pub fn list(&self) -> Vec<Listed> {
        self.plan
            .gates
            .iter()
            .map(|(name, gate)| Listed {
                name: name.clone(),
                command: self.command(name).map(|command| command.text.to_owned()),
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

    fn command(&self, name: &str) -> Option<GateCommand<'_>> {
        let gate = self.plan.gates.get(name)?;
        Some(match &gate.command {
            Some(text) => {
                let dir = gate.plugin.as_ref().map_or(self.root.as_path(), |(_, root)| root);
                GateCommand { text, dir }
            }
            None => GateCommand { text: self.commands.get(name)?, dir: self.commands.dir() },
        })
    }

    /// Runs one of them. `None` where it has no command.
    pub fn run(&self, on: &dyn Machinery, name: &str, limit: Duration) -> Option<GateOutcome> {
        let command = self.command(name)?;
        let key = on.key(command);
        if let Some(shown) = key.as_deref().and_then(|key| on.passed(key)) {
            return Some(outcome(name, command, GateVerdict::Passed, shown));
        }
        let run = on.run(command, limit);
        let shown = output::shown(&run);
        if run.passed {
            // Only what passed is kept: what failed may have failed for another reason than the code.
            if let Some(key) = &key {
                on.keep(key, &shown);
            }
            return Some(outcome(name, command, GateVerdict::Passed, shown));
        }
        let verdict = match self.plan.gates.get(name).map(|gate| &gate.on_fail) {
            Some(Action::Continue | Action::Gate(_)) => GateVerdict::Warn,
            Some(Action::Stop) => GateVerdict::Stop,
            Some(Action::Block) | None => GateVerdict::Block,
        };
        Some(outcome(name, command, verdict, shown))
    }

    /// Runs what this event asks for, in order, until something blocks. `trusted` where nobody needs to be asked, as with the scripts
    /// of old, which held whatever the reason, too.
    pub fn answer(&self, on: &dyn Machinery, event: &Event, trusted: bool) -> Quality {
        let mut quality = Quality { problems: self.problems(), outcomes: Vec::new() };
        let mut open: Vec<String> = self.plan.wanted(event).into_iter().rev().cloned().collect();
        if open.is_empty() {
            // What is wrong may be the reason why nothing is asked for.
            return quality;
        }
        if !trusted && !self.is_trusted(on) {
            quality.problems.push(format!(
                "the commands of {0} were not run, because you have not trusted them yet; run `plimsoll trust` in {0}",
                self.trusted_in().display()
            ));
            return quality;
        }
        // A gate before a prompt holds whatever the reason: there is no work yet that could be let through.
        let forgives = event.name != EventName::UserPromptSubmit && !trusted;
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
            let begin = on.left();
            let Some(mut outcome) = self.run(on, &name, begin) else {
                quality.problems.extend(self.without_command(&name));
                continue;
            };
            // What failed in the same way before the session is not its fault, and does not hold it.
            if forgives && outcome.verdict == GateVerdict::Block && self.failed_before(on, &outcome, begin) {
                outcome.before = true;
                outcome.verdict = GateVerdict::Warn;
            }
            let next = if outcome.passed { &gate.on_pass } else { &gate.on_fail };
            outcome.verdict = match (outcome.verdict, next) {
                // Also a success may end it.
                (GateVerdict::Passed, Action::Block) => GateVerdict::Block,
                (GateVerdict::Passed, Action::Stop) => GateVerdict::Stop,
                (verdict, _) => verdict,
            };
            if let Action::Gate(next) = next {
                open.push(next.clone());
            }
            let ends = matches!(outcome.verdict, GateVerdict::Block | GateVerdict::Stop);
            quality.outcomes.push(outcome);
            if ends {
                break;
            }
        }
        quality
    }

    /// `begin` is what was left before the run: to find out takes as long again, or there is no answer in time.
    fn failed_before(&self, on: &dyn Machinery, outcome: &GateOutcome, begin: Duration) -> bool {
        let left = on.left();
        let took = begin.saturating_sub(left);
        let command = self.command(&outcome.name).filter(|_| left > took * 2);
        command.is_some_and(|command| on.failed_before(command, &outcome.output))
    }
}

fn outcome(name: &str, command: GateCommand<'_>, verdict: GateVerdict, output: String) -> GateOutcome {
    let passed = verdict == GateVerdict::Passed;
    let command = command.text.to_owned();
    GateOutcome { name: name.to_owned(), command, verdict, passed, before: false, output }
}
