//! Our hooks in the settings of agents other than Claude Code. What differs is data (`agents::dialect::Wiring`); one file here per
//! format. Each text is a pure function of the text before, and taking out gives the old bytes back.

mod json;
mod lines;
mod own;

use std::path::PathBuf;

use agents::Dialect;
use agents::dialect::Format;
use anyhow::Context;
use model::{Config, EventName};
use state::{Machine, Project, files};

use super::Scope;
use super::plan::Plan;
use crate::ui::{Printer, Tone};

/// The agents that can be registered, one of each name.
pub(crate) fn all() -> impl Iterator<Item = &'static Dialect> {
    let dialects = agents::DIALECTS.iter().copied();
    let first = |(at, dialect): &(usize, &'static Dialect)| {
        !agents::DIALECTS[..*at].iter().any(|other| other.id == dialect.id)
    };
    dialects.enumerate().filter(first).map(|(_, dialect)| dialect)
}

pub(crate) fn find(name: &str) -> Option<&'static Dialect> {
    all().find(|dialect| dialect.id == name)
}

/// Those that are used on this machine: their folder is there, or their program.
pub(crate) fn present(machine: &Machine) -> Vec<&'static Dialect> {
    let home = machine.told_home();
    all()
        .filter(|dialect| {
            let folder = home.as_ref().is_some_and(|home| files::is_dir(&home.join(dialect.wiring.folder)));
            folder || machine.find_program(dialect.wiring.program).is_some()
        })
        .collect()
}

/// Where an agent is told about us.
pub(crate) fn file(
    machine: &Machine,
    project: &Project,
    dialect: &Dialect,
    scope: Scope,
) -> anyhow::Result<PathBuf> {
    let name = dialect.name;
    match scope {
        Scope::User => {
            let home = machine.told_home().context("there is no home directory for the user's settings")?;
            Ok(home.join(dialect.wiring.user))
        }
        Scope::Project => {
            let place = dialect.wiring.project;
            let place =
                place.with_context(|| format!("{name} reads no hooks of a project; use --scope user"))?;
            Ok(project.root.join(place))
        }
        Scope::Local => {
            anyhow::bail!("{name} has no settings that are a project's and yours alone; use --scope user")
        }
    }
}

/// One line to register.
pub(super) struct Entry {
    /// The agent's own name of the event.
    pub(super) event: &'static str,
    /// For a shell, or for whoever splits words as one.
    pub(super) line: String,
    pub(super) seconds: u64,
}

/// What is registered: every event that a check looks at, and that the agent has.
fn entries(dialect: &Dialect, config: &Config, program: &str) -> Vec<Entry> {
    let wiring = checks::wiring(config);
    let wanted = |event: &EventName| wiring.iter().any(|(name, _)| name == event);
    let rows = dialect.rows.iter().filter(|row| wanted(&row.event));
    rows.map(|row| {
        let seconds = super::registration::timeout(row.event.as_str(), config).min(dialect.wiring.longest);
        let line = format!(
            "{} hook --agent {} --event {} --deadline {seconds}",
            shell::quote(program),
            dialect.id,
            row.native
        );
        Entry { event: row.native, line, seconds }
    })
    .collect()
}

/// A file's text with exactly our entries in it.
pub(super) fn put_in(
    dialect: &Dialect,
    config: &Config,
    program: &str,
    text: &str,
) -> anyhow::Result<String> {
    let entries = entries(dialect, config, program);
    match dialect.wiring.format {
        Format::Groups { key, unit } => json::groups(text, key, unit, &entries),
        Format::Cursor => json::handlers(text, &entries),
        Format::OwnGroups => own::groups(&entries),
        Format::OwnCopilot => own::copilot(&entries),
        Format::Bridge(code) => Ok(own::bridge(code, dialect.id, program)),
        Format::Toml => lines::toml(text, &entries),
        Format::Yaml => lines::yaml(text, &entries),
    }
}

/// The same without them.
pub(super) fn take_out(dialect: &Dialect, text: &str) -> anyhow::Result<String> {
    match dialect.wiring.format {
        _ if text.trim().is_empty() => Ok(text.to_owned()),
        Format::Groups { key, .. } => json::groups(text, key, 1, &[]),
        Format::Cursor => json::handlers(text, &[]),
        Format::OwnGroups | Format::OwnCopilot | Format::Bridge(_) => Ok(own::without(text)),
        Format::Toml => Ok(lines::without_block(text)),
        Format::Yaml => Ok(lines::without_marks(text)),
    }
}

/// Whether a file of an agent names us.
pub(crate) fn names_us(text: &str) -> bool {
    text.contains(" hook --agent ") || own::is_ours(text)
}

/// The files of this agent that name us, with what is in them.
pub(crate) fn registered(
    machine: &Machine,
    project: &Project,
    dialect: &Dialect,
) -> Vec<(Scope, PathBuf, String)> {
    let scopes = [Scope::Project, Scope::User];
    let files =
        scopes.into_iter().filter_map(|scope| Some((scope, file(machine, project, dialect, scope).ok()?)));
    let texts = files.filter_map(|(scope, file)| {
        let text = files::read(&file).ok().flatten()?;
        Some((scope, file, text))
    });
    texts.filter(|(_, _, text)| names_us(text)).collect()
}

/// Plans the registration of one agent.
pub(super) fn register(
    machine: &Machine,
    project: &Project,
    plan: &mut Plan,
    (dialect, scope): (&'static Dialect, Scope),
    config: &Config,
    program: &str,
) -> anyhow::Result<PathBuf> {
    let path = file(machine, project, dialect, scope)?;
    plan.put_in(&path, |text| put_in(dialect, config, program, text), |text| take_out(dialect, text))?;
    Ok(path)
}

/// Plans to take an agent's registrations out again.
pub(super) fn unregister(
    machine: &Machine,
    project: &Project,
    plan: &mut Plan,
    dialect: &'static Dialect,
    only: Option<Scope>,
) -> anyhow::Result<()> {
    for (scope, path, _) in registered(machine, project, dialect) {
        if only.is_none_or(|only| only == scope) {
            plan.take_away(machine, &path, |text| take_out(dialect, text))?;
        }
    }
    Ok(())
}

/// What is left to do in the agent itself.
pub(super) fn say_steps(printer: &Printer, dialect: &Dialect) {
    for step in dialect.wiring.steps {
        printer.note(&printer.paint(Tone::Warning, &format!("{}: {step}", dialect.name)));
    }
    if dialect.failure.missing == "runs" {
        let text = format!(
            "{}: when the hook cannot be started, is killed or takes too long, {} lets the call run; `plimsoll doctor` finds that",
            dialect.name, dialect.name
        );
        printer.note(&text);
    }
}

#[cfg(test)]
mod tests;
