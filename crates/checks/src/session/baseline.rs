//! What the protected files look like when a session begins: `session/baseline`.

use model::{Body, Effect, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::work::is_old_evidence;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/baseline",
    summary: "a record of the protected files as the session finds them",
    docs: "\
Remembers, at the start of a session, the contents of the protected files, the last commit and what branches there are. The stop guardian
then reports only what this session changed. The results of earlier tests of other code are forgotten. A compaction or a resumed session keeps the record of its beginning. It says
nothing to the agent.
",
    cases: include_str!("baseline.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Session(change) = &event.body else { return };
    // After a compaction the same session goes on, with the beginning that it had.
    if event.session.is_known() && change.cause != "compact" {
        out.effects.push(Effect::Baseline(crate::stop::watch(cx.config)));
    }
    // Whoever else speaks at its start.
    if is_old_evidence(&change.cause, cx) {
        out.effects.push(Effect::ForgetTests);
    }
}
