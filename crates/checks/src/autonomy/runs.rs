//! Tests and linters that ran, by what the binary saw: `autonomy/runs`.

use model::deed::Verb;
use model::{Bookkeeping, Effect, Event, EventName, Findings, Meta, On, Proof, Role, Seen};
use shell::Call;
use shell::programs::Role as Part;

use super::AUTONOMOUS;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "autonomy/runs",
    summary: "a record of the tests and linters that ran, and how they ended",
    docs: "\
Remembers each run of a test runner or linter that the agent starts, and whether it passed, so that a report about it can be held
against what happened. A run whose own end cannot be told from the command's (`pytest | tail`, `pytest || true`) is not evidence
of anything. It says nothing to the agent.
",
    cases: include_str!("runs.toml"),
    on: &[On::shell(EventName::PostToolUse), On::shell(EventName::PostToolUseFailure)],
    role: Role::Guard,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    // Of a command that goes on, the answer says only that it was started.
    let Some(command) = event.command().filter(|_| event.commands().iter().all(|command| command.awaited))
    else {
        return;
    };
    let Some(reading) = cx.reading(event) else { return };
    let failed = event.name == EventName::PostToolUseFailure;
    let runs: Vec<(&Call, Proof)> =
        reading.calls.iter().filter_map(|call| Some((call, proof_of(call)?))).collect();
    let last = reading.calls.last();
    for (call, proof) in runs {
        // A failure is the last program's, or nobody's in particular.
        let own = if failed { last == Some(call) } else { true };
        if own && decides(command, call) {
            let seen =
                Seen { proof, command: shell::text::show(&call.line()), passed: !failed, at: cx.facts.now() };
            out.effects.push(Effect::Bookkeeping(Bookkeeping::Saw(seen)));
        }
    }
}

/// Whether the command's end is also this call's: after it comes only what runs when it has passed.
fn decides(command: &str, call: &Call) -> bool {
    let Some(span) = &call.span else { return false };
    let rest = command.get(span.end..).unwrap_or_default().trim_end().as_bytes();
    let mut at = 0;
    while let Some(byte) = rest.get(at) {
        let (before, after) = (at.checked_sub(1).map(|at| rest[at]), rest.get(at + 1).copied());
        match byte {
            b'&' if before == Some(b'>') || after == Some(b'>') => {}
            b'&' if after == Some(b'&') => at += 1,
            b'&' | b'|' | b';' | b'\n' => return false,
            _ => {}
        }
        at += 1;
    }
    true
}

/// What a program's success is evidence of.
pub(crate) fn proof_of(call: &Call) -> Option<Proof> {
    let words = call.words();
    let what = words.does().find(|(verb, _)| *verb == Verb::Builds).map(|(_, what)| what);
    match what.filter(|_| !words.rehearses)? {
        "the tests" | "a part of the tests" => Some(Proof::Test),
        "a report" => Some(Proof::Lint),
        // By the name that the project has given it, or by the verb that stands for it.
        "a task" => call.with_role(Part::Task).chain(call.path().get(1).copied()).find_map(task),
        _ => None,
    }
}

/// What a task of a project is evidence of, by its name.
fn task(name: &str) -> Option<Proof> {
    let name = name.trim_start_matches("run:");
    let is = |word: &str| {
        name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '-']))
    };
    if is("test") || name == "verify" {
        Some(Proof::Test)
    } else if is("lint") || matches!(name, "typecheck" | "type-check" | "check" | "check:types") {
        Some(Proof::Lint)
    } else {
        None
    }
}
