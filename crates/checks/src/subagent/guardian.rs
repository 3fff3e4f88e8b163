//! What a guardian leaves behind: `subagent/guardian`.

use model::state_files::{TestResult, TestStatus};
use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use super::{Kind, last_words, persist, waits_for_approval};
use crate::work::counted;
use crate::work::picture::Picture;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "subagent/guardian",
    summary: "a guardian that ends and leaves the repository untidy",
    docs: "\
When a guardian ends, five things are looked at: a merge that completes a phase has updated `MASTER_PLAN.md` within five minutes; nothing is uncommitted;
which branch it ended on; it has not stopped at a question that nobody will answer; and the tests pass, which is critical when it has
committed or merged. What is open is shown to the user and told to the agent with the next prompt (`.claude/.agent-findings`).
",
    cases: include_str!("guardian.toml"),
    on: &[On::event(EventName::SubagentStop)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

/// A plan that was written longer ago was not updated for this merge.
const FRESH: u64 = 300;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !Kind::Guardian.is(event) {
        return;
    }
    let picture = Picture::of(event, cx);
    let words = last_words(event).to_lowercase();
    let mut issues: Vec<String> = Vec::new();
    if completes_phase(&words)
        && let Some(file) = &picture.plan_file
    {
        let age = cx.facts.modified(file).map_or(0, |written| cx.facts.now().saturating_sub(written));
        if age > FRESH {
            issues.push("a phase was completed and MASTER_PLAN.md was not updated".into());
        }
    }
    if let Some(count) = picture.uncommitted().filter(|count| *count > 0) {
        issues.push(format!(
            "{} left behind",
            counted(count as u64, "uncommitted file is", "uncommitted files are")
        ));
    }
    if waits_for_approval(&words) {
        issues.push("it ended with a question instead of a finished operation".into());
    }
    issues.extend(tests(&picture, cx, &words));
    // For whoever reads it later, only with something to read.
    if !issues.is_empty()
        && let Some(branch) = picture.branch()
    {
        issues.push(format!("branch: {branch}"));
    }
    persist("guardian", &issues, out);
}

fn completes_phase(words: &str) -> bool {
    const SAID: &[&str] =
        &["phase complete", "phase is complete", "completes phase", "completed phase", "phase completed"];
    let numbered = || {
        let mut after = words.split("phase").skip(1).map(str::trim_start);
        after.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains("complete"))
    };
    words.contains("merge") && (SAID.iter().any(|mark| words.contains(mark)) || numbered())
}

fn tests(picture: &Picture<'_>, cx: &Context<'_>, words: &str) -> Option<String> {
    let operation = ["merged", "committed", "merge commit", "pushed"].iter().any(|word| words.contains(word));
    match picture.test_status() {
        None => Some("there are no test results".into()),
        Some(status)
            if status.result == TestResult::Fail && status.age(cx.facts.now()) <= TestStatus::STALE =>
        {
            let failures = counted(status.failures, "failure", "failures");
            Some(if operation {
                format!("CRITICAL: committed or merged while tests are failing ({failures})")
            } else {
                format!("tests are failing ({failures})")
            })
        }
        Some(_) => None,
    }
}
