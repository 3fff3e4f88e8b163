//! Two sessions in one project: `session/owner`.

use model::{Bookkeeping, Effect, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/owner",
    summary: "another session that is at work in the same project",
    docs: "\
Writes down which session works in the project, with the client's process (`.claude/session-owner.json`), and says at the start of
a session when another one is still there: both would edit the same files. `plimsoll worktree create` gives an agent a folder of its
own.
",
    cases: include_str!("owner.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !event.session.is_known() {
        return;
    }
    if let Some(other) = cx.facts.other_session() {
        out.notices.push(format!(
            "[hook:warning] another session ({}, process {}, since {}) is at work in this project; `plimsoll worktree create` gives \
             an agent a folder of its own",
            other.session.as_str(), other.pid, other.since
        ));
    }
    out.effects.push(Effect::Bookkeeping(Bookkeeping::ClaimSession));
}
