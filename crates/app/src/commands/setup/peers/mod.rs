//! Our hooks in the settings of agents other than Claude Code. What differs is data (`agents::dialect::Wiring`); one file here per
//! format. Each text is a pure function of the text before, and taking out gives the old bytes back.

mod json;
mod lines;
mod own;

use std::borrow::Cow;
use std::path::PathBuf;

use agents::dialect::{Beside, Format};
use agents::{Agent, Dialect};
use anyhow::Context;
use model::EventName;
use state::{Machine, Project, files};

use super::Scope;
use super::plan::Plan;
use super::registration::Wanted;
use crate::fault::Fault;
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
            let home = machine.told_home().with_context(|| {
                Fault::Environment("there is no home directory for the user's settings".into())
            })?;
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
fn entries(dialect: &Dialect, wanted: &Wanted<'_>) -> Vec<Entry> {
    let wiring = checks::wiring(wanted.config);
    let looked_at = |event: &EventName| wiring.iter().any(|(name, _)| name == event);
    let rows = dialect.rows.iter().filter(|row| looked_at(&row.event));
    rows.map(|row| {
        let seconds =
            super::registration::timeout(row.event.as_str(), wanted.config).min(dialect.wiring.longest);
        let line = format!(
            "{} hook --agent {} --event {} --deadline {seconds}",
            word(&wanted.program, cfg!(windows)),
            dialect.id,
            row.native
        );
        let blocks = row.event == EventName::PreToolUse && !wanted.fail_open;
        Entry { event: row.native, line: or_else(dialect, &line, blocks), seconds }
    })
    .collect()
}

/// A program as the first word of a line. Windows' own shells know no single quotes, and read a backslash as it is.
fn word(program: &str, windows: bool) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_.:\\/~+".contains(c);
    if !windows {
        return shell::quote(program);
    }
    if program.chars().all(plain) { program.into() } else { format!("\"{program}\"").into() }
}

/// How a line begins that refuses in our place.
pub(crate) const COULD_NOT_JUDGE: &str = "Plimsoll could not judge this call";

/// Whether what we register with this agent is a line that refuses where we are missing or were killed, unless the user chose otherwise.
pub(crate) fn refuses_in_our_place(dialect: &Dialect) -> bool {
    !cfg!(windows) && !matches!(dialect.wiring.format, Format::Bridge(_) | Format::Cursor)
}

/// What the shell that starts us does where we are missing or were killed. Most agents let a call run then, so before a call the shell
/// refuses in our place. Everywhere else it is silent: some agents take any odd exit code for a reason to end the turn. Exit code 2
/// is an answer of ours.
fn or_else(dialect: &Dialect, line: &str, blocks: bool) -> String {
    // Cursor has a switch for it, and nobody has seen which shell it takes; that of Windows has other words.
    if cfg!(windows) || dialect.wiring.format == Format::Cursor {
        return line.to_owned();
    }
    if !blocks {
        return format!("{line} || case $? in 2) exit 2;; esac");
    }
    let reason = format!(
        "{COULD_NOT_JUDGE}: it is not installed where the hook looks for it, or it was killed. The user can check it with \
         `plimsoll doctor`, or go on without it: `plimsoll uninstall --agent {}`, or take its hooks out of {} by hand.",
        dialect.id, dialect.name
    );
    let reply = dialect.refuse(&reason);
    let say = if reply.exit == 2 {
        format!("printf '%s\\n' {} >&2; exit 2", shell::quote(reply.stderr.trim_end()))
    } else {
        format!("printf '%s\\n' {}", shell::quote(&reply.stdout))
    };
    format!("{line} || case $? in 2) exit 2;; *) {say};; esac")
}

/// A file's text with exactly our entries in it.
pub(super) fn put_in(dialect: &Dialect, wanted: &Wanted<'_>, text: &str) -> anyhow::Result<String> {
    let entries = entries(dialect, wanted);
    match dialect.wiring.format {
        Format::Groups { key, unit } => json::groups(text, key, unit, &entries),
        Format::Cursor => json::handlers(text, &entries, !wanted.fail_open),
        Format::OwnGroups => own::groups(&entries),
        Format::OwnCopilot => own::copilot(&entries),
        Format::Bridge(code) => Ok(own::bridge(code, dialect.id, &wanted.program)),
        Format::Toml => lines::toml(text, &entries),
    }
}

/// The same without them.
pub(super) fn take_out(dialect: &Dialect, text: &str) -> anyhow::Result<String> {
    match dialect.wiring.format {
        _ if text.trim().is_empty() => Ok(text.to_owned()),
        Format::Groups { key, .. } => json::groups(text, key, 1, &[]),
        Format::Cursor => json::handlers(text, &[], true),
        Format::OwnGroups | Format::OwnCopilot | Format::Bridge(_) => Ok(own::without(text)),
        Format::Toml => Ok(lines::without_block(text)),
    }
}

/// The same for a file besides it.
pub(crate) fn put_beside(beside: Beside, text: &str) -> anyhow::Result<String> {
    match beside {
        Beside::Own(text) => Ok(own::bridge(text, "", "")),
        Beside::YamlWord { section, list, word } => lines::with_word(text, section, list, word),
    }
}

fn take_beside(beside: Beside, text: &str) -> String {
    match beside {
        Beside::Own(_) => own::without(text),
        Beside::YamlWord { section, list, word } => lines::without_word(text, section, list, word),
    }
}

/// The files besides the one that names us. There are none in a project.
pub(crate) fn beside(
    machine: &Machine,
    dialect: &'static Dialect,
    scope: Scope,
) -> impl Iterator<Item = (PathBuf, Beside)> {
    let home = machine.told_home().filter(|_| scope == Scope::User);
    home.into_iter()
        .flat_map(|home| dialect.wiring.beside.iter().map(move |(file, beside)| (home.join(file), *beside)))
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
    wanted: &Wanted<'_>,
) -> anyhow::Result<PathBuf> {
    let path = file(machine, project, dialect, scope)?;
    plan.put_in(&path, |text| put_in(dialect, wanted, text), |text| take_out(dialect, text))?;
    for (path, beside) in beside(machine, dialect, scope) {
        plan.put_in(&path, |text| put_beside(beside, text), |text| Ok(take_beside(beside, text)))?;
    }
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
        if only.is_some_and(|only| only != scope) {
            continue;
        }
        plan.take_away(machine, &path, |text| take_out(dialect, text))?;
        for (path, beside) in beside(machine, dialect, scope) {
            plan.take_away(machine, &path, |text| Ok(take_beside(beside, text)))?;
        }
    }
    Ok(())
}

/// What is left to do in the agent itself.
pub(super) fn say_steps(printer: &Printer, dialect: &Dialect) {
    for step in dialect.wiring.steps {
        printer.note(&printer.paint(Tone::Warning, &format!("{}: {step}", dialect.name)));
    }
}

#[cfg(test)]
mod tests;
