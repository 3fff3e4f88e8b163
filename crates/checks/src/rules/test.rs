//! Whether a rule keeps what its cases promise: as they are, and each that fires in every wrapper; and what is odd about it.

use model::rule::{Author, Book, Fit, Rule, Then};
use model::{Decision, Event, Facts, Verdict};

use super::cases::Case;
use super::wrappers::wrapped;
use super::{Matched, Written, matched};
use crate::context::View;
use crate::imagined::{Table, shell_event};
use crate::{Context, Options, run};

/// A case that did not go as promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub case: String,
    pub text: String,
}

/// What came of a rule's cases.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub run: usize,
    pub failures: Vec<Failure>,
}

/// What a rule alone does about an event: what its matches come to.
pub fn answer(rule: &Rule, event: &Event, facts: &dyn Facts, config: &model::Config) -> Option<Then> {
    let book = Book::new(std::slice::from_ref(rule));
    let view = View::default();
    let cx = Context::new(config, facts);
    let cx = cx.about(&view);
    let found = matched(event, &cx, &book);
    let best = found.iter().map(|one| one.fit).max()?;
    match (rule.then, best) {
        (Then::Deny | Then::Ask | Then::Rewrite, Fit::Perhaps) => Some(Then::Ask),
        (Then::Allow | Then::Context, Fit::Perhaps) => None,
        (Then::Allow, _) => allows(event, &found, &cx),
        (then, _) => Some(then),
    }
}

fn allows(event: &Event, found: &[Matched], cx: &Context<'_>) -> Option<Then> {
    let mut out = model::Findings::default();
    let all: Vec<&Matched> = found.iter().collect();
    super::allow::decide(&all, event, cx, &mut out);
    (out.decision() == Decision::Allow).then_some(Then::Allow)
}

/// Runs the cases as they are.
pub fn plain(written: &Written) -> Outcome {
    let mut outcome = Outcome::default();
    for case in &written.cases {
        outcome.run += 1;
        let got = answer(&written.rule, &case.event, &case.table, &case.config);
        if got != case.expect {
            outcome.failures.push(failure(case, &case.title, got));
        }
    }
    outcome
}

/// The same, and each that fires in all wrappers.
pub fn whole(written: &Written) -> Outcome {
    let mut outcome = plain(written);
    let fires = |case: &&Case| matches!(case.expect, Some(Then::Deny | Then::Ask | Then::Warn));
    for case in written.cases.iter().filter(fires) {
        let Some(command) = &case.command else { continue };
        for (how, text) in wrapped(command) {
            outcome.run += 1;
            let event =
                Event { cwd: case.event.cwd.clone(), mode: case.event.mode.clone(), ..shell_event(&text) };
            let got = answer(&written.rule, &event, &case.table, &case.config);
            if got != case.expect {
                let mut failed = failure(case, &text, got);
                failed.text = format!("{} ({how})", failed.text);
                outcome.failures.push(failed);
            }
        }
    }
    outcome
}

fn word(then: Option<Then>) -> &'static str {
    then.map_or("none", Then::as_str)
}

fn failure(case: &Case, title: &str, got: Option<Then>) -> Failure {
    Failure { case: title.to_owned(), text: format!("expected {}, got {}", word(case.expect), word(got)) }
}

/// What Plimsoll says to an event without any rule.
fn without_rules(event: &Event, case: &Case) -> Verdict {
    run(event, &Context::new(&case.config, &case.table), &Options::default()).verdict
}

/// What is odd about a rule, although it is well written.
pub fn oddities(written: &Written) -> Vec<String> {
    let rule = &written.rule;
    let mut odd = Vec::new();
    if !rule.instead.is_empty() && matches!(rule.then, Then::Deny | Then::Ask) {
        let event = shell_event(&rule.instead);
        if answer(rule, &event, &Table::default(), &model::Config::default()).is_some() {
            odd.push(format!("it stops its own `instead`: {}", rule.instead));
        }
    }
    let firing: Vec<&Case> = written.cases.iter().filter(|case| case.expect == Some(rule.then)).collect();
    let fires = |case: &&&Case| answer(rule, &case.event, &case.table, &case.config) == Some(rule.then);
    if firing.iter().filter(fires).count() == 0 {
        odd.push("it fires in none of its cases".to_owned());
        return odd;
    }
    let verdicts: Vec<Verdict> = firing.iter().map(|case| without_rules(&case.event, case)).collect();
    let all = |decision: Decision| verdicts.iter().all(|verdict| verdict.decision >= decision);
    let by = || verdicts.iter().flat_map(Verdict::rules).find(|id| !overridden(rule, id)).unwrap_or_default();
    let stronger = match rule.then {
        Then::Deny => all(Decision::Deny).then_some("denies all of its cases already"),
        Then::Ask | Then::Warn | Then::Context | Then::Rewrite => {
            all(Decision::Deny).then_some("denies all of its cases, so it is never heard")
        }
        Then::Allow => (all(Decision::Ask) && !by().is_empty())
            .then_some("stops all of its cases, so nothing is allowed"),
    };
    if let Some(stronger) = stronger {
        odd.push(format!("{} {stronger}", by()));
    }
    if rule.by == Author::Project
        && rule.then == Then::Allow
        && rule.when.call.as_ref().is_some_and(|call| call.words.is_empty())
    {
        odd.push("it allows whatever the program is told to do".to_owned());
    }
    odd
}

fn overridden(rule: &Rule, id: &str) -> bool {
    rule.overrides.iter().any(|known| known == id)
}
