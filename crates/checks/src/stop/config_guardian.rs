//! Protected files that changed in spite of everything: `stop/config-guardian`.

use std::fmt::Write;

use model::{
    ChangeKind, Changed, Config, Effect, Event, EventName, Findings, Levels, Meta, On, Protected, Restore,
    Role, Watch,
};

use crate::file::{PARTIAL, SETTINGS_GLOBS, linter_config_names, touched};
use crate::stop::hold::is_first;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "stop/config-guardian",
    summary: "an agent that wants to finish after changing protected files",
    docs: "\
Holds a stop once when protected files (see `file/linter-config` and `file/agent-settings`) differ from what they were when
the session began: modified, staged, deleted, new, or already committed. The agent is told to ask the user, who keeps the
change (`plimsoll approve FILE…`, good for exactly this content) or takes it back with the command that the answer names.

It catches what got past the first line: an edit that a user allowed, a formatter, a shell command. Contents are compared, with those
of the session's beginning, wherever the file lies: ignored, in a repository within, or hidden from git. What a commit has that was
there before (another branch, what a remote had) is nobody's change, unless its settings leave Plimsoll out; what was fetched since has to be confirmed. Outside a git
repository there is nothing to compare with, and it is silent. Of `settings.local.json`, which is the client's own, only that it
switches all hooks off counts.

What the user has not decided about is asked again in the next session, while the change stands; a file that was put back is settled.
",
    cases: include_str!("config_guardian.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// The files that are watched.
pub(crate) fn watch(config: &Config) -> Watch {
    let mut globs: Vec<String> = SETTINGS_GLOBS.iter().map(|&glob| glob.to_owned()).collect();
    globs.extend(linter_config_names(config));
    globs.push(LOCAL.into());
    let parts = PARTIAL.iter().copied().chain(LOCAL.rsplit('/').next()).collect();
    Watch { globs, parts }
}

/// The client itself writes permissions there, so only what takes the hooks away counts.
const LOCAL: &str = ".claude/settings.local.json";

fn switches_hooks_off(text: &str) -> bool {
    let json = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    json["disableAllHooks"] == true
}

/// The mark that what could not be looked at was said.
const UNSEEN: &str = "protected-unseen";

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    // Said once: the next stop goes through, whatever the user decided.
    if !is_first(event) {
        return;
    }
    match cx.facts.protected_changes(&watch(cx.config)) {
        Ok(Protected { mut changes, unseen }) => {
            // Once in a session: a large project does not grow smaller.
            if !unseen.is_empty() && !cx.facts.was_said(UNSEEN) {
                out.notices.extend(unseen.iter().map(|what| format!("[hook:warning] {}: {what}", META.id)));
                out.effects.push(Effect::Said(UNSEEN.into()));
            }
            changes.retain(counts);
            if !changes.is_empty() {
                report(cx, &changes, out);
            }
        }
        Err(unknown) => {
            out.notices.push(format!(
                "[hook:warning] {}: could not look at the protected files: {}",
                META.id, unknown.0
            ));
        }
    }
}

/// Of a file that only partly matters, only a change of those parts counts.
fn counts(change: &Changed) -> bool {
    let name = change.path.rsplit('/').next().unwrap_or(&change.path);
    match &change.texts {
        Some((before, after)) if change.path.ends_with(LOCAL) => {
            switches_hooks_off(after) && !switches_hooks_off(before)
        }
        Some((before, after)) if PARTIAL.contains(&name) => !touched(name, before, after).is_empty(),
        _ => true,
    }
}

fn report(cx: &Context<'_>, changes: &[Changed], out: &mut Findings) {
    let mut what = String::from("Protected config files changed in this session:\n");
    let mut list = String::from("Linter config files modified:");
    for change in changes {
        let _ = writeln!(what, "  - {} ({})", change.path, change.kind.as_str());
        let _ = write!(list, "\n  - {}", change.path);
    }
    let files: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    let mut instead = String::from(
        "\nUse the AskUserQuestion tool NOW and let the user choose for each file: keep it, restore it, or see the diff. \
         Then run what they chose:\n",
    );
    let _ = writeln!(instead, "  keep:    {}", cx.facts.approve_command(&files));
    for change in changes {
        let _ = match &change.restore {
            Restore::Command(command) => writeln!(instead, "  restore: {command}"),
            Restore::Copy(copy) => writeln!(
                instead,
                "  restore: {} held uncommitted work of the user before this session; that text is in {}",
                change.path,
                shell::quote(&copy.to_string_lossy())
            ),
        };
    }
    let named = changes.iter().filter_map(|change| match &change.restore {
        Restore::Command(command) => Some(command.clone()),
        Restore::Copy(_) => None,
    });
    out.effects.push(Effect::NamedRestores(named.collect()));
    let open = changes.iter().map(|change| (change.path.clone(), change.kind == ChangeKind::Committed));
    out.effects.push(Effect::LeftOpen(open.collect()));
    let diff: Vec<&str> = ["git", "diff", "HEAD", "--"].into_iter().chain(files).collect();
    let _ = write!(instead, "  diff:    {}", shell::join(diff));
    out.deny(META.id, what, "Only the user may change them.").instead = Some(instead);
    out.notices.push(list);
}
