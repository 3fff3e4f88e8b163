//! What a command may do. Each check is a class of harm; the words that commands are made of are read in one place, `words`,
//! and the places that they touch in another, `place`.

mod commit_on_main;
mod commits;
mod deploy;
mod destroy_cloud;
mod destroy_data;
mod destroy_disk;
mod destroy_files;
mod discard_work;
#[cfg(test)]
mod disguises;
mod evidence;
mod force_push;
mod fork_bomb;
mod halt;
pub(crate) mod made;
mod open_permissions;
mod package_manager;
mod package_name;
mod persistence;
pub(crate) mod place;
mod protected_write;
mod remote_code;
mod reverse_shell;
mod review;
mod second_opinion;
mod secret;
mod self_protection;
mod taken;
mod temp_write;
mod test_runs;
mod unreadable;
mod warned;
pub(crate) mod words;
mod worktree_remove;

use std::borrow::Cow;

use model::{Event, EventName, Levels, Meta, On, Role};

use crate::Context;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[
    &unreadable::CHECK,
    &destroy_files::CHECK,
    &destroy_disk::CHECK,
    &fork_bomb::CHECK,
    &open_permissions::CHECK,
    &halt::CHECK,
    &remote_code::CHECK,
    &reverse_shell::CHECK,
    &destroy_data::CHECK,
    &destroy_cloud::CHECK,
    &secret::CHECK,
    &warned::CHECK,
    &persistence::CHECK,
    &self_protection::CHECK,
    &protected_write::CHECK,
    &force_push::CHECK,
    &discard_work::CHECK,
    &package_manager::CHECK,
    &package_name::CHECK,
    &commit_on_main::CHECK,
    &evidence::CHECK,
    &test_runs::CHECK,
    &worktree_remove::CHECK,
    &temp_write::CHECK,
    &deploy::CHECK,
    &review::CHECK,
    &second_opinion::CHECK,
];

/// The edits of an event: its own, or what its command does to files.
pub(crate) fn edits<'a>(event: &'a Event, cx: &Context<'_>) -> Cow<'a, [Event]> {
    match cx.reading(event) {
        Some(reading) => {
            let mut edits = protected_write::edits_of(event, reading, cx);
            edits.extend(protected_write::patched(event, cx));
            Cow::Owned(edits)
        }
        None if event.edit().is_none() && !event.edits().is_empty() => {
            event.edits().iter().map(|edit| event.with_edit(edit.clone())).collect()
        }
        None => Cow::Borrowed(std::slice::from_ref(event)),
    }
}

pub(crate) use protected_write::{CHANGING, on_this_machine};
pub(crate) use review::{changes_path, is_started_plainly, needs_no_question};
pub(crate) use test_runs::Disk;

// What judges of deeds share with the checks here.
pub(crate) use destroy_data::{destructive_sql, grants};
pub(crate) use destroy_files::report as report_loss;
pub(crate) use place::{Place, is_disk, place};
pub(crate) use secret::glob_hits as secret_pattern;

/// Whether a word stands in the command as it is, so that writing another in its place changes this word and nothing else: no
/// variable or substitution, which a loop may give other values.
pub(crate) fn literal(event: &Event, arg: &shell::Arg) -> bool {
    let written = arg.span.clone().and_then(|span| event.command()?.get(span));
    written.is_some_and(|written| {
        let plain: String = written.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        plain == arg.text && shell::text::is_known(&arg.text)
    })
}

static BEFORE_SHELL: &[On] = &[On::shell(EventName::PreToolUse)];

static BEFORE_ANY: &[On] = &[On::shell(EventName::PreToolUse), On::foreign(EventName::PreToolUse)];

/// What the guards of this group have in common: they look at shell calls before they run, and they are on in every profile.
const fn guard(id: &'static str, summary: &'static str, docs: &'static str, cases: &'static str) -> Meta {
    guard_on(BEFORE_SHELL, id, summary, docs, cases)
}

/// The same for other tools too: what their deeds are judged by stands in `deeds`.
const fn guard_on(
    on: &'static [On],
    id: &'static str,
    summary: &'static str,
    docs: &'static str,
    cases: &'static str,
) -> Meta {
    Meta { id, summary, docs, cases, on, role: Role::Guard, levels: Levels::ALWAYS, since: "0.1" }
}
