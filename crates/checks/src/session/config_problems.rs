//! Mistakes in the configuration, said once: `session/config-problems`.

use model::state_files::BELIEVED;
use model::{Body, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/config-problems",
    summary: "a configuration that is broken, unknown or not trusted",
    docs: "\
Names at the start of a session what is wrong with the configuration: the file, the key, what was expected, what to do. The
good parts stay in force. It is said to the user; the agent cannot fix it, its edits of these files are refused.

It also names state files that lie in `.claude/` and that Plimsoll did not write, which a clone may bring along: they count for nothing.
",
    cases: include_str!("config_problems.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// State files that lie there as if we had written them.
fn foreign(cx: &Context<'_>) -> Vec<&'static str> {
    let claude = cx.facts.project().join(".claude");
    let is_foreign = |name: &&&str| {
        cx.facts.modified(&claude.join(name)).is_some()
            && matches!(cx.facts.record(cx.facts.project(), name), Ok(None))
    };
    // The user's own folder is not a project.
    if cx.facts.home().is_some_and(|home| home == cx.facts.project()) {
        return Vec::new();
    }
    BELIEVED.iter().filter(is_foreign).copied().collect()
}

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    for problem in cx.facts.config_problems() {
        out.notices.push(format!("[hook:warning] {}", problem.text));
    }
    let goes_on = matches!(&event.body, Body::Session(change) if change.cause == "compact");
    let foreign = if goes_on { Vec::new() } else { foreign(cx) };
    if !foreign.is_empty() {
        out.notices.push(format!(
            "[hook:warning] Plimsoll did not write {} in .claude/ as it is now, so it counts for nothing: no evidence, no \
             approval, nothing that is told to the agent. Tests, `plimsoll proof verify` and `plimsoll autonomy start` record \
             what counts.",
            foreign.join(", ")
        ));
    }
}
