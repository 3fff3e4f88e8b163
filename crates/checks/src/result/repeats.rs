//! The same call with the same result, again and again: `result/repeats`.

use model::deed::{Place, Verb, Verbs};
use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Outcome, Role, Tool, Tools};

use super::fingerprint;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "result/repeats",
    summary: "a call that gives the same result again and again",
    docs: "\
Counts calls that come back with the same result while nothing has changed: one call by itself, two that take turns, and tests that
fail alike, whatever was read in between. At the fourth time the agent is told; before the eighth you are asked. An edit, a command that
changes something, or any other change of the work tree begins a new count. Looking at something that changes by itself (a
service, the network, a process, a wait) is not counted.
",
    cases: include_str!("repeats.toml"),
    on: &[
        On::event(EventName::PreToolUse),
        On::shell(EventName::PostToolUse),
        On::edits(EventName::PostToolUse),
        On::reads(EventName::PostToolUse),
        On { event: EventName::PostToolUse, tools: Tools::Mcp },
        On::shell(EventName::PostToolUseFailure),
    ],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// The last calls, under this name: one line each, the call and its result, and for tests that have failed a `!`.
const CALLS: &str = "calls";
/// The call that would be the eighth, or both of two that take turns.
const REPEATING: &str = "repeating";
/// How the work tree looked when a count began to matter.
const TREE: &str = "calls-tree";

const TOLD: usize = 4;
const ASKED: usize = 8;
/// More than two calls that take turns eight times.
const KEPT: usize = 32;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if event.name == EventName::PreToolUse {
        before(event, cx, out);
    } else {
        after(event, cx, out);
    }
}

/// The call by its tool and all that it was given.
fn call(event: &Event) -> Option<String> {
    let use_ = event.tool_use()?;
    // Descriptions are for people, and are worded anew each time.
    let mut input = use_.input.clone();
    input.remove("description");
    let input = serde_json::to_string(&input).unwrap_or_default();
    let subject = event.subject();
    let who = event.subagent.as_ref().map_or("", |agent| &agent.id);
    Some(format!("{:016x}", fingerprint(&[who, &use_.name, &input, &subject])))
}

fn before(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(repeating) = cx.facts.said_text(REPEATING).filter(|text| !text.is_empty()) else { return };
    let Some(call) = call(event) else { return };
    if repeating.split_whitespace().any(|one| one == call) {
        let what = format!(
            "This call has given the same result {} times, and nothing has changed since.",
            ASKED - 1
        );
        out.ask(META.id, what, "Once more will not help.").instead =
            Some("Say what is missing, or try another way; the user decides whether it runs again.".into());
    }
}

fn after(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let (Some(use_), Some(call)) = (event.tool_use(), call(event)) else { return };
    if !event.edits().is_empty() {
        return reset(cx, out);
    }
    if is_waiting(event, cx) {
        return;
    }
    let failed_tests = has_failed_tests(event, cx);
    let mut result = use_.outcome.printed();
    if failed_tests {
        // How long it took is another number each time.
        result.retain(|c| !c.is_ascii_digit());
    }
    let mark = if failed_tests { "!" } else { "" };
    let entry = format!("{call}:{:016x}{mark}", fingerprint(&[&result]));
    let kept = cx.facts.said_text(CALLS).unwrap_or_default();
    let mut entries: Vec<&str> = kept.lines().collect();
    if !entries.contains(&entry.as_str()) && may_change(event, cx) {
        reset(cx, out);
        entries.clear();
    }
    entries.push(&entry);
    let from = entries.len().saturating_sub(KEPT);
    let entries = &entries[from..];
    out.effects.push(Effect::Noted(CALLS, entries.join("\n")));
    let times = repeated(entries, failed_tests);
    if times + 1 < TOLD {
        return;
    }
    // Only now, because it starts git.
    let tree = tree(cx);
    if times + 1 == TOLD {
        out.effects.push(Effect::Noted(TREE, tree));
        return;
    }
    if cx.facts.said_text(TREE).is_some_and(|then| then != tree) {
        reset(cx, out);
        out.effects.push(Effect::Noted(CALLS, entry));
        return;
    }
    if times == TOLD {
        let subject: String = event.subject().chars().take(120).collect();
        out.context.push(format!(
            "[hook:warning] `{subject}` has given the same result {times} times, and nothing has changed in between. Once more will not \
             help: look at what it says, change something, or tell the user what is missing."
        ));
    }
    if times + 1 >= ASKED {
        out.effects.push(Effect::Noted(REPEATING, repeating(entries, failed_tests)));
    }
}

fn reset(cx: &Context<'_>, out: &mut Findings) {
    for what in [CALLS, REPEATING] {
        if cx.facts.said_text(what).is_some_and(|text| !text.is_empty()) {
            out.effects.push(Effect::Noted(what, String::new()));
        }
    }
}

/// How often the last call, or the last two in turn, have come one after the other; of tests that failed, how often at all.
fn repeated(entries: &[&str], anywhere: bool) -> usize {
    let Some(last) = entries.last() else { return 0 };
    if anywhere {
        return entries.iter().filter(|entry| *entry == last).count();
    }
    let in_turn = |period: usize| {
        let block = &entries[entries.len().saturating_sub(period)..];
        entries.rchunks_exact(period).take_while(|chunk| *chunk == block).count()
    };
    in_turn(1).max(in_turn(2))
}

/// The calls that repeat: the last, and the one that it takes turns with.
fn repeating(entries: &[&str], anywhere: bool) -> String {
    let in_turn = entries.rchunks_exact(2).take_while(|pair| entries.ends_with(pair)).count();
    let count = if !anywhere && in_turn + 1 >= ASKED { 2 } else { 1 };
    let calls = entries.iter().rev().take(count).filter_map(|entry| entry.split(':').next());
    calls.collect::<Vec<_>>().join(" ")
}

/// Something that changes by itself: a service, the network, a process, a wait.
fn is_waiting(event: &Event, cx: &Context<'_>) -> bool {
    const WAITS: &[&str] = &["sleep", "watch", "wait", "ps", "pgrep", "tail", "date", "inotifywait", "jobs"];
    match event.tool_use().map(|use_| &use_.tool) {
        Some(Tool::Shell(command)) => {
            let remote =
                Verbs::NONE.with(Verb::Fetches).with(Verb::Queries).with(Verb::Listens).with(Verb::Sends);
            !command.awaited
                || cx.reading(event).is_some_and(|reading| {
                    reading.calls.iter().any(|call| {
                        let elsewhere = call.deeds.iter().any(|deed| deed.place != Place::Here);
                        elsewhere || call.verbs().has_any(remote) || WAITS.contains(&call.program())
                    })
                })
        }
        Some(Tool::Fetch { .. } | Tool::Ask { .. } | Tool::Own | Tool::Agent { .. }) => true,
        _ => false,
    }
}

/// Whether the call may have changed something: all but looking, building and testing.
fn may_change(event: &Event, cx: &Context<'_>) -> bool {
    match event.tool_use().map(|use_| &use_.tool) {
        Some(Tool::Shell(_)) => cx.reading(event).is_none_or(|reading| {
            !reading.unseen.is_empty()
                || reading
                    .calls
                    .iter()
                    .any(|call| !call.deeds.is_empty() && !call.verbs().are_among(Verbs::LOOKING))
        }),
        Some(Tool::Foreign(foreign)) => !foreign.edits.is_empty(),
        _ => false,
    }
}

/// Whether tests or checks of the project have run and failed.
fn has_failed_tests(event: &Event, cx: &Context<'_>) -> bool {
    let failed = || {
        event.tool_use().is_some_and(|use_| match &use_.outcome {
            Outcome::Failed { .. } => true,
            outcome => outcome.printed().to_ascii_lowercase().contains("fail"),
        })
    };
    // First what has been found out before: results are long.
    cx.reading(event).is_some_and(|reading| reading.calls.iter().any(|call| call.does(Verb::Builds)))
        && failed()
}

/// What git sees of the work tree, and when it was written.
fn tree(cx: &Context<'_>) -> String {
    let root = cx.facts.project();
    let mut parts: Vec<String> = Vec::new();
    for name in cx.facts.uncommitted(root).unwrap_or_default() {
        let written = cx.facts.modified(&root.join(&name)).unwrap_or_default();
        parts.push(format!("{name} {written}"));
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    format!("{:016x}", fingerprint(&parts))
}

#[cfg(test)]
mod tests {
    use super::{repeated, repeating};

    #[test]
    fn one_call_two_in_turn_and_tests_with_others_between() {
        assert_eq!(repeated(&["a", "a", "a", "a"], false), 4);
        assert_eq!(repeated(&["a", "b", "a", "b", "a", "b"], false), 3);
        assert_eq!(repeated(&["a", "b", "c", "a"], false), 1);
        assert_eq!(repeated(&["t!", "a", "t!", "b", "t!"], true), 3);
        assert_eq!(repeated(&[], true), 0);
    }

    #[test]
    fn two_calls_that_take_turns_are_both_asked_about() {
        let turns = ["a:1", "b:2"].repeat(7);
        assert_eq!(repeating(&turns, false), "b a");
        assert_eq!(repeating(&["a:1"; 7], false), "a");
        assert_eq!(repeating(&["t:1!", "a:1", "t:1!"], true), "t");
    }
}
