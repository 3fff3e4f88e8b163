//! What was done so far, before the client forgets it: `memory/compaction`.

use model::{Bookkeeping, Effect, Event, EventName, Findings, Meta, On, Role};

use super::lesson::of_unfinished;
use crate::autonomy::AUTONOMOUS;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "memory/compaction",
    summary: "a memory of the work so far, before a compaction",
    docs: "\
Before the client compacts a conversation in which files were changed and no report was written yet, the files are put down as a
memory, so that a session that ends abruptly leaves a trace. It says nothing to the agent.
",
    cases: include_str!("compaction.toml"),
    on: &[On::event(EventName::PreCompact)],
    role: Role::Advisory,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(_: &Event, cx: &Context<'_>, out: &mut Findings) {
    let report = cx.facts.project().join(crate::stop::CHECKPOINT);
    if cx.facts.modified(&report).is_some() {
        return;
    }
    let changes = cx.facts.session_changes().unwrap_or_default();
    if let Some(lesson) = of_unfinished(&changes) {
        out.effects.push(Effect::Bookkeeping(Bookkeeping::BeforeCompaction { lesson }));
    }
}
