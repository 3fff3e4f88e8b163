//! `plimsoll trust`: what a project may do, in the user's word: values of its config, commands, a settings file for the fixer, and
//! its own tools.

use anyhow::Context;
use model::redact_all;
use serde_json::{Map, Value as Json};
use state::config::{self, Loaded, Trust};
use state::{Machine, Project, trust};

use super::own_tools::{self, Tools};
use crate::rules::Made;
use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Let this project do what needs your consent: weaken protection, name commands to run, run its own tools.
///
/// Shows what the project's `.claude/hooks/config.json` and `config.local.json` ask for, the commands that its
/// `quality-checks.json` or `gates.json` would run, and a settings file for the fixer, against what you trusted last, and records
/// your yes for exactly these values. Anything new asks again.
///
/// Its own tools are its linters and tests, and tools of yours that run its code. Until you trust them, only the engines in this
/// program and tools that run no code of the project look at your files. This trust is for the project, whatever tools it has
/// later.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Only the project's own tools, also where it has none yet
    #[arg(long)]
    tools: bool,
    /// Agree, where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show what is trusted and what waits
    Show,
    /// Take the trust back
    Revoke,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let asked = Asked::by(machine, &project);
    match args.verb {
        Some(Verb::Show) => asked.show(machine, printer, &project),
        Some(Verb::Revoke) => {
            trust::revoke(machine, &project).context("the trust could not be taken back")?;
            printer.line(&format!("{} is no longer trusted", project.root.display()));
        }
        None if args.tools => {
            printer.toned(Tone::Title, &project.root.display().to_string());
            asked.tools.show_programs(printer);
            return asked.tools.settle(machine, printer, &project, args.yes);
        }
        None => {
            asked.show(machine, printer, &project);
            return asked.settle(machine, printer, &project, args.yes);
        }
    }
    Ok(exit::OK)
}

/// Everything that a project asks for.
struct Asked {
    loaded: Loaded,
    commands: Map<String, Json>,
    new_commands: bool,
    rules: Made,
    tools: Tools,
}

impl Asked {
    fn by(machine: &Machine, project: &Project) -> Self {
        let loaded = config::load(machine, project, checks::role, Trust::Recorded);
        let commands = crate::gates::load(machine, project, &machine.cwd())
            .map(|gates| gates.bound())
            .unwrap_or_default();
        let new_commands = !commands.is_empty() && !trust::is_trusted_commands(machine, project, &commands);
        let tools = own_tools::look(machine, project, &loaded);
        let rules = Made::here(machine, project, &loaded);
        Self { loaded, commands, new_commands, rules, tools }
    }

    fn has_new_values(&self) -> bool {
        !self.loaded.untrusted.is_empty() || self.new_commands || self.rules.is_waiting()
    }

    /// Asks about each kind by itself, and records the yes.
    fn settle(
        &self,
        machine: &Machine,
        printer: &Printer,
        project: &Project,
        yes: bool,
    ) -> anyhow::Result<u8> {
        let Self { loaded, commands, new_commands, rules, tools } = self;
        let failed = "the trust could not be recorded";
        let mut answers = Vec::new();
        if self.has_new_values() {
            let agrees = person::agrees(machine, printer, "Trust these values?", yes);
            answers.push(agrees);
            if agrees && !loaded.untrusted.is_empty() {
                trust::add(machine, project, &loaded.bound).context(failed)?;
            }
            if agrees && *new_commands {
                trust::add_commands(machine, project, commands).context(failed)?;
            }
            if agrees && rules.is_waiting() {
                trust::set_rules(machine, project, &rules.bound()).context(failed)?;
            }
        }
        if let Some(own) = &tools.settings {
            let agrees = person::agrees(machine, printer, "Start the fixer with this settings file?", yes);
            answers.push(agrees);
            if agrees {
                trust::add_file(machine, &project.root, &own.file, &own.content).context(failed)?;
            }
        }
        if !tools.waiting.is_empty() {
            let agrees = person::agrees(machine, printer, own_tools::QUESTION, yes);
            answers.push(agrees);
            if agrees {
                trust::allow_tools(machine, project).context(failed)?;
            }
        }
        if answers.contains(&true) {
            printer.toned(Tone::Good, "trusted");
        }
        Ok(if answers.contains(&false) { exit::FAILED } else { exit::OK })
    }

    /// A diff against what was trusted last.
    fn show(&self, machine: &Machine, printer: &Printer, project: &Project) {
        let Self { loaded, commands, rules, tools, .. } = self;
        let mut before = trust::recorded(machine, project).unwrap_or_default();
        let known = trust::recorded_commands(machine, project).unwrap_or_default();
        let mut now = loaded.bound.clone();
        // Commands of other folders stay trusted.
        now.extend(known.clone());
        now.extend(commands.clone());
        before.extend(known);
        let named =
            |rules: Map<String, Json>| rules.into_iter().map(|(id, rule)| (format!("rule {id}"), rule));
        now.extend(named(rules.bound()));
        before.extend(named(trust::recorded_rules(machine, project)));
        let no_values = now.is_empty() && before.is_empty();
        if no_values && !tools.trusted && tools.waiting.is_empty() && tools.settings.is_none() {
            printer.line(&format!("{} asks for nothing that needs trust", project.root.display()));
            return;
        }
        printer.toned(Tone::Title, &project.root.display().to_string());
        for line in diff(&before, &now) {
            let tone = match line.as_bytes()[0] {
                b'+' => Tone::Warning,
                b'-' => Tone::Good,
                _ => Tone::Faint,
            };
            printer.toned(tone, &line);
        }
        tools.show(printer, project);
        if !self.has_new_values() && tools.waiting.is_empty() && tools.settings.is_none() {
            printer.line("all of it is trusted");
        }
    }
}

fn diff(before: &Map<String, Json>, now: &Map<String, Json>) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in before {
        if now.get(key) != Some(value) {
            lines.push(format!("- {key} = {}", redact_all(&value.to_string())));
        }
    }
    for (key, value) in now {
        let mark = if before.get(key) == Some(value) { ' ' } else { '+' };
        lines.push(format!("{mark} {key} = {}", redact_all(&value.to_string())));
    }
    lines
}
