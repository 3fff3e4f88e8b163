//! The pipeline with checks made for the purpose: order, strength, rewrites, failures, time.

use std::sync::atomic::{AtomicUsize, Ordering};

use model::{Config, Levels, On, Tools};
use proptest::prelude::*;

use super::*;
use crate::cases::{Table, shell_event};

static META: [Meta; 3] =
    [meta("test/one", Role::Guard), meta("test/two", Role::Guard), meta("test/help", Role::Advisory)];

const fn meta(id: &'static str, role: Role) -> Meta {
    Meta {
        id,
        summary: "made for a test",
        docs: "",
        cases: "",
        on: &[
            On { event: EventName::PreToolUse, tools: Tools::Any },
            On { event: EventName::Stop, tools: Tools::Any },
        ],
        role,
        levels: Levels::ALWAYS,
        since: "0.1",
    }
}

fn made(index: usize, run: crate::Run) -> &'static Check {
    Box::leak(Box::new(Check::new(&META[index], run)))
}

fn report(checks: &[&'static Check], event: &Event, options: &Options<'_>) -> Report {
    let (config, table) = (Config::default(), Table::default());
    run_list(checks, event, &Context::new(&config, &table), options, Spared::default())
}

fn rewrite(event: &Event, from: &str, to: &str, out: &mut Findings) {
    if let Some(at) = event.command().and_then(|command| command.find(from)) {
        out.rewrites.push(Rewrite {
            rule: "test/one",
            span: at..at + from.len(),
            text: to.into(),
            why: format!("{from} is unsafe"),
        });
    }
}

#[test]
fn a_deny_ends_a_tool_call_but_not_a_stop() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let deny = made(0, |_, _, out| {
        out.deny("test/one", "no".into(), "");
    });
    let count = made(1, |_, _, out| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        out.deny("test/two", "no again".into(), "");
    });
    let mut event = shell_event("ls");
    assert_eq!(report(&[deny, count], &event, &Options::default()).verdict.reason(), "no");
    assert_eq!(CALLS.load(Ordering::Relaxed), 0);
    report(&[deny, count], &event, &Options { explain: true, ..Options::default() });
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
    event.name = EventName::Stop;
    assert_eq!(report(&[deny, count], &event, &Options::default()).verdict.reason(), "no\n\nno again");
}

#[test]
fn a_rewritten_command_is_judged_again() {
    let rewriter = made(0, |event, _, out| rewrite(event, "--force ", "--lease ", out));
    let guard = made(1, |event, _, out| {
        if event.command().is_some_and(|c| c.contains("--lease")) {
            out.ask("test/two", "sure?".into(), "");
        }
    });
    let report = report(&[rewriter, guard], &shell_event("push --force x"), &Options::default());
    assert_eq!(report.verdict.command.as_deref(), Some("push --lease x"));
    assert_eq!(report.verdict.decision, Decision::Ask);
    assert_eq!(report.verdict.context, ["--force  is unsafe"]);
}

#[test]
fn rewrites_of_different_words_go_together_and_overlapping_ones_ask() {
    let one = made(0, |event, _, out| rewrite(event, "a", "x", out));
    let two = made(1, |event, _, out| rewrite(event, "b", "y", out));
    let over = made(2, |event, _, out| rewrite(event, "a b", "z", out));
    let both = report(&[one, two], &shell_event("a b"), &Options::default());
    assert_eq!(both.verdict.command.as_deref(), Some("x y"));
    let clash = report(&[one, over], &shell_event("a b"), &Options::default());
    assert_eq!((clash.verdict.decision, clash.verdict.command), (Decision::Ask, None));
}

#[test]
fn a_rewrite_without_end_asks() {
    let grow = made(0, |event, _, out| rewrite(event, "a", "aa", out));
    let report = report(&[grow], &shell_event("a"), &Options::default());
    assert_eq!((report.verdict.decision, report.verdict.command), (Decision::Ask, None));
}

#[test]
fn a_guard_that_panics_asks_and_an_advisory_is_silent() {
    let guard = report(&[made(0, |_, _, _| panic!("lost"))], &shell_event("ls"), &Options::default());
    assert_eq!(guard.verdict.decision, Decision::Ask);
    assert!(guard.verdict.reason().contains("test/one failed: lost"), "{}", guard.verdict.reason());
    let help = report(&[made(2, |_, _, _| panic!("lost"))], &shell_event("ls"), &Options::default());
    assert!(help.verdict.is_silent());
    assert_eq!(help.trace[0].ran, Ran::Failed("failed: lost".into()));
}

#[test]
fn a_guard_without_time_asks() {
    let pass = made(0, |_, _, _| {});
    let report = report(&[pass], &shell_event("ls"), &Options { deadline: 0, ..Options::default() });
    assert_eq!(report.verdict.decision, Decision::Ask);
}

#[test]
fn a_last_resort_is_asked_when_nobody_has_decided() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    static LAST: Check = Check::last_resort(&META[2], |_, _, out| {
        ASKED.fetch_add(1, Ordering::Relaxed);
        out.failures.push("somebody was away".into());
        out.allow("test/help", "fine".into());
    });
    let (last, asked) = (&LAST, || ASKED.load(Ordering::Relaxed));
    let pass = made(0, |_, _, out| out.context.push("a remark".into()));
    let ask = made(0, |_, _, out| {
        out.ask("test/one", "sure?".into(), "");
    });
    let rewriter = made(1, |event, _, out| rewrite(event, "a", "b", out));
    let report = |checks: &[&'static Check], explain| {
        report(checks, &shell_event("a"), &Options { explain, ..Options::default() })
    };

    report(&[ask, last], false);
    let explained = report(&[pass, last], true);
    assert_eq!((asked(), &explained.trace[1].ran), (0, &Ran::Spared));
    let allowed = report(&[pass, last], false);
    assert_eq!((asked(), allowed.verdict.decision), (1, Decision::Allow));
    assert_eq!(allowed.trace[1].ran, Ran::Failed("somebody was away".into()));
    // Once, about the command that would run.
    let rewritten = report(&[rewriter, last], false);
    assert_eq!((asked(), rewritten.verdict.command.as_deref()), (2, Some("b")));
}

#[test]
fn last_resorts_are_last() {
    assert!(all().any(|check| check.last_resort));
    let only = ["shell/second-opinion".to_owned(), "shell/destroy-files".to_owned()];
    let (mut config, table) = (Config::default(), Table::default());
    config.checks.insert(only[0].clone(), Level::On);
    let report = run(
        &shell_event("ls"),
        &Context::new(&config, &table),
        &Options { only: Some(&only), ..Options::default() },
    );
    let order: Vec<_> = report.trace.iter().map(|trace| trace.check.id).collect();
    assert_eq!(order, ["shell/destroy-files", "shell/second-opinion"]);
}

#[test]
fn warn_turns_a_denial_into_context() {
    let deny = made(0, |_, _, out| {
        out.deny("test/one", "no".into(), "never");
    });
    let mut config = Config::default();
    config.checks.insert("test/one".into(), Level::Warn);
    let table = Table::default();
    let cx = Context::new(&config, &table);
    let report = run_list(&[deny], &shell_event("ls"), &cx, &Options::default(), Spared::default());
    assert_eq!(report.verdict.decision, Decision::None);
    assert_eq!(report.verdict.context, ["[hook:warning] test/one: no never"]);
}

proptest! {
    /// Merging is `max`, whatever the order and number of checks.
    #[test]
    fn the_strongest_wins(answers in proptest::collection::vec(0..4_usize, 0..6)) {
        const SAYING: [crate::Run; 4] = [
            |_, _, _| {},
            |_, _, out| {
                out.allow("test/help", "x".into());
            },
            |_, _, out| {
                out.ask("test/help", "x".into(), "");
            },
            |_, _, out| {
                out.deny("test/help", "x".into(), "");
            },
        ];
        assert_eq!(Decision::ALL, [Decision::None, Decision::Allow, Decision::Ask, Decision::Deny]);
        let checks: Vec<_> = answers.iter().map(|&index| made(2, SAYING[index])).collect();
        let expected = answers.iter().map(|&i| Decision::ALL[i]).max().unwrap_or_default();
        prop_assert_eq!(report(&checks, &shell_event("ls"), &Options::default()).verdict.decision, expected);
    }
}
