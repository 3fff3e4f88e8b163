//! What a session leaves behind: `session/end`.

use model::state_files::Record;
use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::work::has_todo;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/end",
    summary: "the session's own files, cleared when it ends",
    docs: "\
When a session ends, its journal, its prompt count, its strikes at the gates and its second opinions go, tests that it has started and that are still
running are told to end, and claims on the user's list of work are given back. What another session has stays, and what later ones need: evidence,
findings, drift, and the last hundred lines of the audit log.
",
    cases: include_str!("end.toml"),
    on: &[On::event(EventName::SessionEnd)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

const AUDIT_LINES: usize = 100;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let session = event.session.as_str();
    for name in
        [format!(".session-changes-{session}"), format!(".prompt-count-{session}"), ".lint-cache".into()]
    {
        out.effects.push(Effect::Record(name, Record::Remove));
    }
    // Where files count as they are, nobody knows whose runs they are of.
    if cx.facts.believes_files() {
        for name in [".test-runner.last-run", ".test-gate-cold-warned"] {
            out.effects.push(Effect::Record(name.into(), Record::Remove));
        }
    }
    // Left behind by a run that was killed: a run that goes on has it for itself.
    if !cx.facts.tests_are_running(cx.facts.project(), std::time::Duration::ZERO) {
        out.effects.push(Effect::Record(".test-runner.lock".into(), Record::Remove));
    }
    out.effects.push(Effect::EndSession);
    out.effects.push(Effect::Record(".audit-log".into(), Record::Keep(AUDIT_LINES)));
    if has_todo(cx) {
        out.effects.push(Effect::Todo(vec!["unclaim".into(), format!("--session={session}")]));
    }
}
