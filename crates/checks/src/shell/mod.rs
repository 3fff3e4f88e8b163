//! What a command may do. Each check is a class of harm; the words that commands are made of are read in one place, `words`,
//! and the places that they touch in another, `place`.

use std::borrow::Cow;

use model::{Event, EventName, Levels, Meta, On, Role};

use crate::Context;

mod commits;
#[cfg(test)]
mod disguises;
mod effects;
mod made;
mod packed;
mod place;
mod taken;
pub(crate) mod words;
mod written;

crate::group! {
    unreadable,
    destroy_files,
    destroy_disk,
    fork_bomb,
    open_permissions,
    halt,
    remote_code,
    reverse_shell,
    destroy_data,
    destroy_cloud,
    secret,
    persistence,
    self_protection,
    protected_write,
    force_push,
    discard_work,
    package_manager,
    commit_on_main,
    evidence,
    worktree_remove,
    temp_write,
    deploy,
    review,
    second_opinion,
}

/// The edits of an event: its own, or what its command does to files.
pub(crate) fn edits<'a>(event: &'a Event, cx: &Context<'_>) -> Cow<'a, [Event]> {
    match cx.reading(event) {
        Some(reading) => Cow::Owned(protected_write::edits_of(event, reading, cx.facts)),
        None => Cow::Borrowed(std::slice::from_ref(event)),
    }
}

pub use effects::{Deed, deeds};

static BEFORE_SHELL: &[On] = &[On::shell(EventName::PreToolUse)];

/// What the guards of this group have in common: they look at shell calls before they run, and they are on in every profile.
const fn guard(id: &'static str, summary: &'static str, docs: &'static str, cases: &'static str) -> Meta {
    Meta {
        id,
        summary,
        docs,
        cases,
        on: BEFORE_SHELL,
        role: Role::Guard,
        levels: Levels::ALWAYS,
        since: "0.1",
    }
}
