//! What follows from a judged event is done, once: effects are applied, the log gets its line, and what the user has to hear about
//! our own troubles is put beside the verdict.

use agents::Agent;
use checks::Ran;
use model::{Decision, Effect, Event, EventName, Task, Verdict, environment};
use state::{Machine, Project, log};

use super::{Dialect, Judged, Terms};

/// An event with everything done that follows from it. What is left is to say it.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) project: Project,
    /// As it is to be said: while observing nothing, presentable in any case.
    pub(crate) verdict: Verdict,
    /// What became of edited files.
    pub(crate) lint: Option<Box<model::Linted>>,
    /// Lines for stderr, for whoever looks for a fault in the hooks.
    pub(crate) aloud: Vec<String>,
}

/// What `plimsoll doctor` sends through the registered hook: it must be refused.
pub(crate) const TRIAL: &str = "rm -rf /";

/// When the input had been read, and when it was judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub(super) input_read: u64,
    pub(super) judged: u64,
}

pub(super) fn settle(
    machine: &Machine,
    terms: &Terms,
    agent: &dyn Agent,
    event: &Event,
    mut judged: Judged,
    clock: Clock,
) -> Settled {
    let observed = judged.is_observed();
    if !observed {
        note_who_speaks(machine, terms, &judged.project, event);
    }
    // A permit is the user's answer to a question, so there has to be one.
    if judged.report.verdict.decision != Decision::Ask {
        judged.report.effects.retain(|effect| !matches!(effect, Effect::Permit(_)));
    }
    // Observing changes nothing but the log.
    let effects = if observed { &[][..] } else { &judged.report.effects };
    let mut failures = state::apply(machine, &judged.project, event, effects);
    for effect in effects {
        if let Effect::Patched(file) = effect {
            failures.extend(
                crate::lint::open::unseen(&judged.project, &event.session, file)
                    .err()
                    .map(|why| why.to_string()),
            );
        }
    }
    // Where this cannot be written, the log beside it cannot either, and says so.
    let _ = judged.project.note();
    if event.name == EventName::SessionStart {
        let limits = log::Limits::of(&judged.loaded.config);
        failures.extend(state::upkeep::at_session_start(machine, &judged.project, &event.session, limits));
    }
    failures.extend(judged.report.trace.iter().filter_map(|trace| match &trace.ran {
        Ran::Failed(why) => Some(format!("{} {why}", trace.check.id)),
        _ => None,
    }));
    let aloud = if observed { &[][..] } else { &judged.report.account.aloud };
    let mut aloud: Vec<String> = aloud.iter().map(|line| model::redact_all(line)).collect();
    if !is_trial(machine, event, &judged)
        && let Err(error) = note(machine, event, &judged, failures, clock)
    {
        // Not worth stopping the agent for, and the client shows stderr only to those who look for it.
        aloud.push(format!("plimsoll: the log could not be written: {error}"));
    }
    // After the line, so that it goes along. Also while observing: it is how a team finds out what would be said.
    if state::telemetry::is_due(machine, &judged.loaded.config, &event.name) {
        let task = Task { name: "telemetry", args: Vec::new() };
        // Where it cannot be started, the next one sends.
        let _ = state::task::start(machine, &judged.project, &event.session, &task);
    }
    let mut verdict = if observed { Verdict::default() } else { std::mem::take(&mut judged.report.verdict) };
    own_troubles(machine, terms, agent, event, &judged, &mut verdict, &mut aloud);
    verdict.make_presentable();
    Settled { project: judged.project, verdict, lint: judged.report.account.lint, aloud }
}

/// What is wrong with our own files is for the user to fix, so this is also said while only observing.
fn own_troubles(
    machine: &Machine,
    terms: &Terms,
    agent: &dyn Agent,
    event: &Event,
    judged: &Judged,
    verdict: &mut Verdict,
    aloud: &mut Vec<String>,
) {
    let Judged { project, loaded, .. } = judged;
    if let Some(unwritable) = state::unwritable::news(machine, project, &event.session) {
        let text = unwritable.text(machine);
        if terms.dialect == Dialect::Legacy || agent.tells_the_user(event) {
            verdict.notices.push(text);
        } else {
            aloud.push(text);
        }
    }
    if terms.dialect == Dialect::Native
        && agent.tells_the_user(event)
        && let Some(text) = state::config::news(machine, project, &event.session, loaded)
        && !verdict.notices.iter().any(|notice| loaded.stale.iter().all(|stale| notice.contains(stale)))
    {
        verdict.notices.push(text);
    }
}

/// Whether this is the trial call of `plimsoll doctor`, which no agent has wanted. Nothing else passes for it: only the refusal of
/// exactly that command is left out, so that the variable hides nothing.
fn is_trial(machine: &Machine, event: &Event, judged: &Judged) -> bool {
    judged.report.verdict.decision == Decision::Deny
        && event.commands().iter().all(|command| command.text == TRIAL)
        && !event.commands().is_empty()
        && machine.var(&environment::PLIMSOLL_TRIAL).is_some()
}

/// The line in the log.
fn note(
    machine: &Machine,
    event: &Event,
    judged: &Judged,
    failures: Vec<String>,
    clock: Clock,
) -> std::io::Result<()> {
    /// A check that takes less is no reason for anything.
    const SLOW: u64 = 1000;
    let report = &judged.report;
    let root = judged.project.root.to_string_lossy();
    let now = machine.micros();
    let mut entry = log::Entry::new(event, &root);
    entry.verdict = report.verdict.decision.as_str();
    entry.rules = report.verdict.rules();
    if report.verdict.decision >= Decision::Ask {
        entry.reason = report.verdict.reason();
    }
    entry.deeds.clone_from(&report.deeds);
    entry.besides = report.verdict.besides();
    entry.micros = now;
    entry.parts = vec![
        ("input", clock.input_read),
        ("checks", clock.judged - clock.input_read),
        ("records", now - clock.judged),
    ];
    let slow = report.trace.iter().filter(|trace| trace.micros >= SLOW);
    entry.slow = slow.map(|trace| (trace.check.id, trace.micros)).collect();
    entry.observed = judged.is_observed();
    entry.policy = judged.loaded.policy.as_ref().map(|policy| policy.commit.as_str());
    entry.failures = failures;
    entry.trace.extend_from_slice(&report.account.ran);
    entry.lint = report.account.lint.as_deref();
    for effect in &report.effects {
        match effect {
            Effect::Allowed(id) => entry.allowed.push(id),
            Effect::TestsEnd(seen) => entry.tests = Some(seen),
            _ => {}
        }
    }
    log::append(machine, &entry, Some(log::Limits::of(&judged.loaded.config)))
}

/// Where a session begins, who began it; at a tool call, that earlier questions are settled.
fn note_who_speaks(machine: &Machine, terms: &Terms, project: &Project, event: &Event) {
    match event.name {
        // Only a command could use what a question has left.
        EventName::PreToolUse if !event.commands().is_empty() => {
            state::person::settle(machine, project, event);
        }
        // Not worth stopping for: without it the user speaks in a terminal.
        EventName::SessionStart | EventName::UserPromptSubmit => {
            state::person::settle(machine, project, event);
            let _ = state::client::note(machine, project, &event.session, terms.only.is_none());
        }
        EventName::Stop | EventName::SessionEnd => state::person::settle(machine, project, event),
        _ => {}
    }
}
