//! Commands that nobody here can judge, shown to reviewers outside: `shell/second-opinion`.

use std::time::Duration;

use model::deed::Verb;
use model::{
    Body, Conclusion, Effect, Event, EventName, Findings, Judgement, Level, Levels, Meta, On, PermissionMode,
    Question, Review, Reviewer, Role,
};

use shell::Call;

use super::commits::makes_commit;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "shell/second-opinion",
    summary: "a command that other language models are asked about",
    docs: "\
A last resort: when no other check has decided about a command, Gemini is asked what it makes of it, and OpenAI where Gemini
calls it unsafe or does not answer. Two that agree on *unsafe* refuse the command; one alone never does, its view is told to the agent, with
the other's where they disagree. *Misaligned* (safe, but not what the project's plan is about) is told to the agent. *Safe* approves
the command, with these exceptions, where it changes nothing: `git commit`, `push` and `merge`; code that nobody can see; a
command with something masked in it; `permission_mode: auto`; and a project in which this check is on by the project's own
file only, because a clone cannot have its commands approved.

It needs a key, `GEMINI_API_KEY` or `OPENAI_API_KEY`, in the environment or in `~/.claude/.env`; without one nothing is sent.
`LLM_REVIEW_ENABLED=0` switches it off, and the profile `observe` sends nothing either. What is sent: the command, its directory,
the branch, the beginning of `MASTER_PLAN.md` and the phase in progress, all with secrets masked. Answers are kept for the
session in `.claude/.llm-review-cache`. Each reviewer has a few seconds; one that fails is noted in the log, and nobody is
stopped for it.
",
    cases: include_str!("second_opinion.toml"),
    on: &[On::shell(EventName::PreToolUse), On::event(EventName::SessionStart)],
    role: Role::Grant,
    levels: Levels::STRICT,
    since: "0.1",
};

/// What is longer is data more than a command, and costs more to read than it tells.
const LONGEST: usize = 16 * 1024;
/// With less time than this there is no use in asking.
const SHORTEST: Duration = Duration::from_millis(20);

pub(crate) static CHECK: Check = Check::last_resort(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if let Body::Session(change) = &event.body {
        // After a compaction, and when it is resumed, the same session goes on.
        if !matches!(change.cause.as_str(), "compact" | "resume") {
            out.effects.push(Effect::ForgetReviews);
        }
        return;
    }
    let known = event.tool_use().is_some_and(|use_| use_.known);
    let Some(command) = event.command().filter(|_| known).filter(|command| command.len() <= LONGEST) else {
        return;
    };
    let reviewers = cx.facts.reviewers();
    if reviewers.is_empty() {
        return;
    }
    let directory = event.cwd.as_deref().unwrap_or_else(|| cx.facts.project());
    let branch = cx.facts.repository(directory).and_then(|repository| repository.branch);
    let question = Question::new(command, directory, branch, &intent(cx));
    let conclusion = if let Some(known) = cx.facts.remembered_review(&question) {
        known
    } else {
        let reviews = ask(&question, &reviewers, cx, out);
        let Some(conclusion) = conclude(&reviews) else { return };
        // With a reviewer missing, another time may bring more.
        if out.failures.is_empty() {
            out.effects.push(Effect::Reviewed(question.clone(), conclusion.clone()));
        }
        conclusion
    };
    say(conclusion, event, &question, cx, out);
}

/// The first that answers; and another, when that one objects.
fn ask(question: &Question, reviewers: &[Reviewer], cx: &Context<'_>, out: &mut Findings) -> Vec<Review> {
    let mut reviews: Vec<Review> = Vec::new();
    for &reviewer in reviewers {
        let own = match reviewer {
            Reviewer::Gemini => cx.config.gemini_timeout_ms,
            Reviewer::OpenAi => cx.config.openai_timeout_ms,
        };
        let limit = Duration::from_millis(own).min(cx.remaining());
        if limit < SHORTEST {
            out.failures.push(format!("{reviewer} was not asked: no time left"));
            continue;
        }
        match cx.facts.review(reviewer, question, reviews.last(), limit) {
            Ok(review) => {
                let objects = review.judgement == Judgement::Unsafe;
                reviews.push(review);
                if !objects {
                    break;
                }
            }
            Err(why) => out.failures.push(format!("{reviewer} {}", why.0)),
        }
    }
    reviews
}

/// What they come to together. Nobody refuses a command alone.
fn conclude(reviews: &[Review]) -> Option<Conclusion> {
    let views = || {
        reviews
            .iter()
            .map(|r| format!("{}: {}, {}", r.reviewer, r.judgement.as_str(), r.reason))
            .collect::<Vec<_>>()
            .join(" / ")
    };
    let agree = |judgement| reviews.iter().all(|review| review.judgement == judgement);
    let judgement = match reviews {
        [] => return None,
        [one] if one.judgement == Judgement::Unsafe => Judgement::Doubtful,
        [one] => one.judgement,
        _ if agree(Judgement::Unsafe) => Judgement::Unsafe,
        _ => Judgement::Doubtful,
    };
    Some(Conclusion { judgement, reason: views() })
}

fn say(conclusion: Conclusion, event: &Event, question: &Question, cx: &Context<'_>, out: &mut Findings) {
    let reason = conclusion.reason;
    match conclusion.judgement {
        Judgement::Safe if may_approve(event, question, cx) => {
            // Nobody needs to read that nothing is wrong.
            out.allow(META.id, String::new());
        }
        Judgement::Safe => {}
        Judgement::Misaligned => out.context.push(format!(
            "[second opinion] This is not what the project's plan is about just now ({reason}). Say why it is needed, or go on with the plan."
        )),
        Judgement::Doubtful => out.context.push(format!(
            "[second opinion] A reviewer has doubts about this command, and no other agreed ({reason}). Look at it again before you go on."
        )),
        Judgement::Unsafe => {
            out.deny(META.id, format!("Two reviewers call this command unsafe ({reason})."), "").instead =
                Some("Do it in a way that cannot do this harm, or let the user run it.".into());
        }
    }
}

/// Where a *safe* counts: the reviewers have seen all of it, and the user wants their word to count.
fn may_approve(event: &Event, question: &Question, cx: &Context<'_>) -> bool {
    let Some(reading) = cx.reading(event) else { return false };
    let personal = cx.facts.personal_checks().get(META.id).copied();
    let wanted = personal.unwrap_or_else(|| META.levels.of(cx.facts.personal_profile()));
    let needs_a_word = |call: &Call| call.does(Verb::Publishes) || makes_commit(call);
    wanted == Level::On
        && event.mode != PermissionMode::Auto
        && !question.masked
        && reading.unseen.is_empty()
        && reading.doubts.is_empty()
        && !reading.calls.iter().any(needs_a_word)
}

/// What the project is about just now: the beginning of its plan, and the phase that is in progress.
fn intent(cx: &Context<'_>) -> String {
    const HEAD: usize = 20;
    const ABOVE: usize = 5;
    const LONGEST: usize = 1500;
    let plan = cx.facts.project().join("MASTER_PLAN.md");
    let Some(text) = cx.facts.read(&plan).ok().flatten() else { return "No project plan found.".into() };
    let lines: Vec<&str> = text.lines().collect();
    let mut kept: Vec<&str> = lines.iter().take(HEAD).copied().collect();
    let active = lines.iter().position(|line| line.contains("Status") && line.contains("in-progress"));
    let above = active.map(|at| &lines[at.saturating_sub(ABOVE)..at]);
    if let Some(phase) = above.and_then(|lines| lines.iter().rev().find(|line| line.starts_with("## Phase")))
    {
        kept.extend(["In progress:", phase]);
    }
    let mut intent = kept.join("\n");
    intent.truncate(intent.floor_char_boundary(LONGEST));
    intent
}
