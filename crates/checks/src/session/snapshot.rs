//! How a session finds the repository: `session/snapshot`.

use model::{Bookkeeping, Effect, Event, EventName, Findings, Meta, On, Role};

use crate::autonomy::AUTONOMOUS;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/snapshot",
    summary: "a record of the code as the session finds it",
    docs: "\
Remembers, at the start of a session, the last commit and everything that already differs from it, untracked files too, so that
`stop/checkpoint` can tell what this session changed. The record belongs to the session: a compaction or a resumed session keeps
the one of its beginning. `.claude/session-snapshot.json` has the hash of the diff, the time and the session for other tools.
States of autonomous work that are older than `autonomy.ttl_hours` are removed, which the user is told, and so are agents' work trees that were left behind
for eight hours with nobody in them and nothing to lose.
",
    cases: include_str!("snapshot.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Guard,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(_: &Event, cx: &Context<'_>, out: &mut Findings) {
    let ttl_hours = cx.config.autonomy_ttl_hours;
    let stale: Vec<String> =
        cx.facts.stale_autonomy().iter().map(|file| file.display().to_string()).collect();
    if !stale.is_empty() {
        out.notices.push(format!(
            "[session-init] Cleaned up expired state of autonomous work: {}. Tool calls ask again.",
            stale.join(", ")
        ));
    }
    out.effects.push(Effect::Bookkeeping(Bookkeeping::SweepAutonomy { ttl_hours }));
    out.effects.push(Effect::Bookkeeping(Bookkeeping::BeginWork));
    out.effects.push(Effect::Bookkeeping(Bookkeeping::CollectWorktrees { ttl_hours: 8 }));
}
