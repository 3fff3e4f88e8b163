//! What an implementer leaves behind: `subagent/implementer`.

use model::state_files::{TestResult, TestStatus};
use model::{Event, EventName, Findings, Levels, Meta, On, Role, source};

use super::{Kind, last_words, persist, waits_for_approval};
use crate::plan::has_decision;
use crate::work::counted;
use crate::work::picture::{Picture, sources};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "subagent/implementer",
    summary: "an implementer that ends before the work is done",
    docs: "\
When an implementer ends, five things are looked at: it has not worked on `main`; changed files of fifty lines or more have a `@decision`; it has not
stopped at a question that nobody will answer; the tests pass; the user has confirmed the work. What is open is shown to the user and
told to the agent with the next prompt (`.claude/.agent-findings`). With `subagents.implementer_blocks` the implementer itself is held until it
is settled, as far as it can.
",
    cases: include_str!("implementer.toml"),
    on: &[On::event(EventName::SubagentStop)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

const LARGE: usize = 50;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !Kind::Implementer.is(event) {
        return;
    }
    let picture = Picture::of(event, cx);
    let mut issues: Vec<String> = Vec::new();
    if picture.is_on_main() {
        issues.push(format!("it worked on {} instead of a worktree", picture.branch().unwrap_or("main")));
    }
    let changes = picture.changes(event);
    for path in sources(&changes) {
        let below = path.strip_prefix(cx.facts.project()).unwrap_or(path);
        let text = cx.facts.read(path).ok().flatten().unwrap_or_default();
        let counts = !source::is_skippable(below) && !source::is_test(below);
        if counts && text.lines().count() >= LARGE && !has_decision(&text) {
            issues.push(format!("{} has {} lines and no @decision", below.display(), text.lines().count()));
        }
    }
    if waits_for_approval(last_words(event)) {
        issues.push("it ended with a question instead of finished work".into());
    }
    issues.extend(tests(&picture, cx));
    // Only the user can settle it, so an implementer is never held for it.
    let own = issues.len();
    match picture.proof() {
        Some(proof) if proof.verified => {}
        Some(_) => {
            issues.push("proof-of-work is pending: the work has changed since the user saw it".into());
        }
        None => issues.push("proof-of-work is missing: the user has not seen it work".into()),
    }
    if cx.config.implementer_blocks {
        crate::stop::hold(META.id, event, cx, &issues[..own], out);
    }
    persist("implementer", &issues, out);
}

fn tests(picture: &Picture<'_>, cx: &Context<'_>) -> Option<String> {
    match picture.test_status() {
        None => Some("there are no test results".into()),
        Some(TestStatus { result: TestResult::Pass, .. }) => None,
        Some(status)
            if status.result == TestResult::Fail && status.age(cx.facts.now()) <= TestStatus::STALE =>
        {
            let failures = counted(status.failures, "failure", "failures");
            Some(format!("implementation not complete: tests are failing ({failures})"))
        }
        Some(status) if status.result == TestResult::None => Some("the tests gave no result".into()),
        Some(_) => None,
    }
}
