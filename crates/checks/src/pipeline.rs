//! Runs the checks of an event in order and merges what they say into one verdict.
//!
//! A check that panics or runs out of time is a finding about us: a guard asks the user, an advisory is silent and logged.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use model::{
    Account, Allowance, Decision, Effect, Event, EventName, Findings, Level, Meta, Outcome, Patch, Rewrite,
    Role, RuleId, Verdict,
};

use crate::context::View;
use crate::rules::Lifted;
use crate::{Check, Concern, Context, all, allowed, concern, is_kept, level};

/// A rewrite is judged again; a second one is judged again; a third would be a loop.
const ROUNDS: usize = 2;

#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Run every check even after a deny, and say of each why it did not run.
    pub explain: bool,
    /// Only these checks.
    pub only: Option<&'a [String]>,
    /// On the clock of `Facts::micros`. Checks that would begin after it do not.
    pub deadline: u64,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { explain: false, only: None, deadline: u64::MAX }
    }
}

/// What became of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    Answered(Decision),
    /// Its level is off.
    Off,
    /// A last resort that was not needed, or that an explanation does not trouble.
    Spared,
    /// It could not answer, with the reason.
    Failed(String),
}

#[derive(Clone, Debug)]
pub struct Trace {
    pub check: &'static Meta,
    pub level: Level,
    pub ran: Ran,
    pub micros: u64,
    /// What it said, for `explain`.
    pub text: String,
}

#[derive(Debug, Default)]
pub struct Report {
    pub verdict: Verdict,
    pub effects: Vec<Effect>,
    pub account: Account,
    pub trace: Vec<Trace>,
    /// What the call would do, in short and not masked, as far as a check has asked: for the log.
    pub deeds: Vec<String>,
}

pub fn run(event: &Event, cx: &Context<'_>, options: &Options<'_>) -> Report {
    let mut report = run_checks(event, cx, options);
    let verdict = &report.verdict;
    if verdict.decision == Decision::Deny {
        // What is refused anyway uses up nobody's warning.
        let refuses = |rule: RuleId| {
            verdict.findings.iter().any(|found| found.rule == rule && found.decision == Decision::Deny)
        };
        report.effects.retain(|effect| match effect {
            Effect::Strike { rule, .. } => refuses(rule),
            // It will not be applied.
            Effect::Patched(_) => false,
            _ => true,
        });
    }
    report
}

fn run_checks(event: &Event, cx: &Context<'_>, options: &Options<'_>) -> Report {
    // Most checks are about other events, and a rewrite leaves the event what it is.
    let mut checks = Vec::with_capacity(48);
    checks.extend(all().filter(|check| concern(check.meta, event) != Concern::No));
    checks.sort_by_key(|check| check.last_resort);
    let mut report = run_list(&checks, event, cx, options, Spared::default());
    if event.name != EventName::PreToolUse || report.verdict.decision < Decision::Ask {
        return report;
    }
    // Looked up only here, so that what passes pays nothing for it.
    let may_be =
        |found: &model::Finding| found.decision >= Decision::Ask && allowed::is_liftable(found.rule, cx);
    let mut allowances = if !event.commands().is_empty() && report.verdict.findings.iter().any(may_be) {
        cx.facts.allowances()
    } else {
        Vec::new()
    };
    allowances.retain(|one| one.spent.is_none() || one.spent == event.call());
    let lifted = Lifted::of(event, cx, None);
    let used = allowed::used(event, cx, &allowances);
    if !used.is_empty() || lifted.is_some() {
        let spared = Spared { allowances: &used, overrides: lifted.is_some() };
        report = run_list(&checks, event, cx, options, spared);
        if let Some(lifted) = lifted {
            report.account.ran.extend(lifted.lines());
        }
    }
    if !used.is_empty() {
        report.account.ran.extend(used.iter().map(|one| format!("allowed by the user: {}", one.text)));
        report.effects.extend(used.into_iter().map(|one| Effect::Allowed(one.id)));
    }
    report.verdict.way_out = allowed::way_out(event, cx, &report.verdict);
    report
}

/// What checks do not see, because the user has said so.
#[derive(Clone, Copy, Default)]
struct Spared<'a> {
    allowances: &'a [Allowance],
    /// Rules of the user's own override checks.
    overrides: bool,
}

fn run_list(
    checks: &[&'static Check],
    event: &Event,
    cx: &Context<'_>,
    options: &Options<'_>,
    spared: Spared<'_>,
) -> Report {
    let mut current = Cow::Borrowed(event);
    let mut notes: Vec<String> = Vec::new();
    // What a rewrite needs (a directory, say) is asked for by the round that rewrites.
    let mut needed: Vec<Effect> = Vec::new();
    let mut account = Account::default();
    let mut round = 0;
    loop {
        let (mut report, rewrites) = one_round(checks, &current, cx, options, spared);
        let Some(command) = current.command().filter(|_| !rewrites.is_empty()) else {
            needed.retain(|effect| !report.effects.contains(effect));
            report.effects.splice(0..0, needed);
            account.append(std::mem::take(&mut report.account));
            report.account = account;
            return settle(report, &current, round, notes);
        };
        if report.verdict.decision == Decision::Deny {
            return report;
        }
        let rule = rewrites[0].rule;
        match apply(command, rewrites) {
            Ok((text, whys)) if round < ROUNDS => {
                for why in whys {
                    if !notes.contains(&why) {
                        notes.push(why);
                    }
                }
                needed.append(&mut report.effects);
                account.append(report.account);
                current = Cow::Owned(current.with_command(&text));
                round += 1;
            }
            Ok(_) => {
                ask(&mut report, rule, "This command is rewritten again and again.".into());
                return report;
            }
            Err([one, other]) => {
                let what =
                    format!("Two safe rewrites of this command contradict each other ({one} and {other}).");
                ask(&mut report, rule, what);
                return report;
            }
        }
    }
}

/// The report of the last round, with the rewritten command if there was one.
fn settle(mut report: Report, event: &Event, round: usize, notes: Vec<String>) -> Report {
    if round > 0 && report.verdict.decision < Decision::Deny {
        report.verdict.command = event.command().map(str::to_owned);
        // The user has not seen the new command, so nothing approves it for them.
        report.verdict.findings.retain(|finding| finding.decision != Decision::Allow);
        report.verdict.decision =
            report.verdict.findings.iter().map(|finding| finding.decision).max().unwrap_or_default();
        report.verdict.merge(Vec::new(), notes, Vec::new());
    }
    report
}

fn ask(report: &mut Report, rule: &'static str, what: String) {
    let mut findings = Findings::default();
    findings.ask(rule, what, "The user decides.");
    report.verdict.merge(findings.findings, Vec::new(), Vec::new());
}

fn one_round(
    checks: &[&'static Check],
    event: &Event,
    cx: &Context<'_>,
    options: &Options<'_>,
    spared: Spared<'_>,
) -> (Report, Vec<Rewrite>) {
    let mut report = Report::default();
    let mut rewrites = Vec::new();
    let mut patches = Vec::new();
    // What the command comes down to is worked out once for all checks of a round.
    let view = View::default();
    let lifted = allowed::lifted(event, cx, spared.allowances);
    let overridden = spared.overrides.then(|| Lifted::of(event, cx, lifted.as_ref())).flatten();
    let lifted = lifted.map(View::of);
    let without = lifted.as_ref().map(|lifted| cx.viewing(lifted, options.deadline));
    let whole = &cx.viewing(&view, options.deadline);
    let mut now = cx.facts.micros();
    for check in checks {
        let meta = check.meta;
        let cx =
            without.as_ref().filter(|_| !is_kept(meta) && !allowed::holds(meta, cx.config)).unwrap_or(whole);
        let narrower = overridden.as_ref().and_then(|lifted| lifted.view(meta.id));
        let narrower = narrower.map(|view| cx.viewing(view, options.deadline));
        let cx = narrower.as_ref().unwrap_or(cx);
        if overridden.as_ref().is_some_and(|lifted| lifted.spares(meta.id)) {
            continue;
        }
        let concern = concern(meta, event);
        if concern == Concern::No || options.only.is_some_and(|only| !only.iter().any(|id| id == meta.id)) {
            continue;
        }
        let level = level(meta, cx.config);
        if level == Level::Off {
            if options.explain {
                report.trace.push(not_run(meta, level, Ran::Off, ""));
            }
            continue;
        }
        let decided = report.verdict.decision != Decision::None || !rewrites.is_empty();
        if check.last_resort && (decided || options.explain) {
            if options.explain {
                let why = if decided { "the others have decided" } else { "only the hook itself asks" };
                report.trace.push(not_run(meta, level, Ran::Spared, why));
            }
            continue;
        }
        // Where one ends, the next begins.
        let started = now;
        let late = started >= options.deadline;
        let (mut found, failure) = match concern {
            Concern::EachEdit => each_edit(check, event, cx, options.deadline, late),
            _ => one_check(check, event, cx, late),
        };
        if level == Level::Warn {
            soften(meta, &mut found);
        }
        let failure = failure.or_else(|| (!found.failures.is_empty()).then(|| found.failures.join("; ")));
        let ran = failure.map_or(Ran::Answered(found.decision()), Ran::Failed);
        now = cx.facts.micros();
        let text = if options.explain { describe(&found) } else { String::new() };
        report.trace.push(Trace { check: meta, level, ran, micros: now.saturating_sub(started), text });
        rewrites.append(&mut found.rewrites);
        patches.append(&mut found.patches);
        add(&mut report, found);
        // A stop collects all reasons, so that the agent can settle them in one go.
        let ends = event.name == EventName::PreToolUse && !options.explain;
        if ends && report.verdict.decision == Decision::Deny {
            break;
        }
    }
    if let Some(Outcome::Done(answer)) = event.tool_use().map(|use_| &use_.outcome) {
        report.verdict.output = Patch::apply(answer, patches);
    }
    if !options.explain && event.name == EventName::PreToolUse {
        report.deeds = view.in_short();
    }
    model::brief::spare((view, lifted, overridden));
    (report, rewrites)
}

/// Adds what a check has said, but for its rewrites and patches, which are put together with those of others.
fn add(report: &mut Report, mut found: Findings) {
    report.effects.append(&mut found.effects);
    if !found.account.is_empty() {
        report.account.append(found.account);
    }
    report.verdict.merge(found.findings, found.context, found.notices);
    report.verdict.background.append(&mut found.background);
    report.verdict.signal = report.verdict.signal.take().or(found.signal);
    report.verdict.halt = report.verdict.halt.take().or(found.halt);
}

fn not_run(check: &'static Meta, level: Level, ran: Ran, why: &str) -> Trace {
    Trace { check, level, ran, micros: 0, text: why.into() }
}

/// A check of edits on a call that changes several files, or one by a tool that is not known.
fn each_edit(
    check: &Check,
    event: &Event,
    cx: &Context<'_>,
    deadline: u64,
    late: bool,
) -> (Findings, Option<String>) {
    let mut all = Findings::default();
    for edit in cx.edits(event) {
        // What was worked out about the whole call is not about this file alone.
        let view = View::default();
        let one = event.with_edit(edit.clone());
        let (found, failure) = one_check(check, &one, &cx.viewing(&view, deadline), late);
        all.append(found);
        if failure.is_some() || all.decision() == Decision::Deny {
            return (all, failure);
        }
    }
    (all, None)
}

/// Runs a check so that nothing it does can take the hook down, and turns a failure into what its role asks for.
fn one_check(check: &Check, event: &Event, cx: &Context<'_>, late: bool) -> (Findings, Option<String>) {
    let failure = if late {
        "ran out of time before it could look".to_owned()
    } else {
        let mut found = Findings::default();
        match catch_unwind(AssertUnwindSafe(|| (check.run)(event, cx, &mut found))) {
            Ok(()) => return (found, None),
            Err(panic) => format!("failed: {}", panic_text(panic.as_ref())),
        }
    };
    let mut found = Findings::default();
    let meta = check.meta;
    if meta.role == Role::Guard && holds_something(&event.name) {
        let what = format!("Plimsoll could not judge this: {} {failure}.", meta.id);
        found.ask(meta.id, what, "A guard in doubt asks; `plimsoll log` has the details.");
    }
    (found, Some(failure))
}

/// Whether a question can still keep something from happening. Elsewhere it would only be in the way: a prompt, or a session that begins.
fn holds_something(event: &EventName) -> bool {
    matches!(
        event,
        EventName::PreToolUse | EventName::PermissionRequest | EventName::Stop | EventName::SubagentStop
    )
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".into())
}

/// `warn`: what would have stopped the agent becomes context.
pub(crate) fn soften(meta: &Meta, found: &mut Findings) {
    found.halt = None;
    found.patches.clear();
    for finding in std::mem::take(&mut found.findings) {
        if finding.decision >= Decision::Ask {
            found.context.push(format!("[hook:warning] {}: {}", meta.id, finding.text()));
        } else {
            found.findings.push(finding);
        }
    }
}

fn describe(found: &Findings) -> String {
    let texts = found.findings.iter().map(model::Finding::text);
    let rewrites = found.rewrites.iter().map(|r| format!("rewrite to `{}`: {}", r.text, r.why));
    let notes = found.context.iter().chain(&found.background).chain(&found.notices).cloned();
    texts.chain(rewrites).chain(notes).collect::<Vec<_>>().join("\n")
}

/// All rewrites at once, by span. Two that touch the same bytes contradict each other, unless they are the same.
fn apply(command: &str, mut rewrites: Vec<Rewrite>) -> Result<(String, Vec<String>), [RuleId; 2]> {
    rewrites.sort_by_key(|r| (r.span.start, r.span.end));
    rewrites.dedup_by(|a, b| a.span == b.span && a.text == b.text);
    for pair in rewrites.windows(2) {
        if pair[1].span.start < pair[0].span.end || pair[1].span == pair[0].span {
            return Err([pair[0].rule, pair[1].rule]);
        }
    }
    let mut text = command.to_owned();
    for rewrite in rewrites.iter().rev() {
        text.replace_range(rewrite.span.clone(), &rewrite.text);
    }
    Ok((text, rewrites.into_iter().map(|r| r.why).collect()))
}

#[cfg(test)]
mod tests;
