//! More code on top of failing tests: `file/test-gate`.

use model::state_files::{Strikes, TestResult};
use model::{Effect, Event, EventName, Findings, Level, Levels, Meta, On, Role};

use crate::work::{Code, counted, own_record, span, test_status};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/test-gate",
    summary: "source code written while tests are failing",
    docs: "\
While the last test run failed and is younger than ten minutes, the first source file that is written brings a warning and every further
one is refused, until the tests have run again: each failing run grants one write, so that it can be fixed. Writes of one message of the agent
count once, and one that another gate refuses does not count. Tests themselves may always be written. Strikes are counted for each session; `.claude/.test-gate-strikes`
mirrors the one that wrote last. Passing tests and the end of the session clear them. Without any test result it says once per session that
tests exist and have not run.
",
    cases: include_str!("test_gate.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

/// Files that say that there is something to run tests with.
const FRAMEWORKS: &[&str] = &[
    "pyproject.toml",
    "vitest.config.ts",
    "vitest.config.js",
    "jest.config.ts",
    "jest.config.js",
    "Cargo.toml",
    "go.mod",
];

/// The mark of what is said once.
const COLD: &str = "no-test-results";

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(code) = Code::of(event, cx).filter(|code| !code.is_test() && code.is_ours(cx)) else {
        return;
    };
    let Some(status) = test_status(cx, code.repository.as_ref()) else {
        return remind(cx, out);
    };
    let age = status.age(cx.facts.now());
    match status.result {
        TestResult::Pass if own_record(cx, Strikes::TESTS).is_some() => {
            out.effects.push(Effect::ClearStrikes(Strikes::TESTS));
        }
        // The user may let a fix through that the agent cannot make otherwise.
        TestResult::Fail if cx.may_edit(META.id, &code.target.real) => {}
        TestResult::Fail if age <= model::state_files::TestStatus::RECENT => {
            // Each run that fails grants one write with a warning, so that it can be fixed.
            let before = cx.facts.strikes(Strikes::TESTS, status.at);
            let (gate, rule, about) = (Strikes::TESTS, META.id, status.at);
            out.effects.push(Effect::Strike { gate, rule, about, before });
            let failing = format!("{}, {} ago", counted(status.failures, "failure", "failures"), span(age));
            if before == 0 {
                out.context.push(format!(
                    "Tests are failing ({failing}). Fix them before you write more source code: the next source file is refused until the tests have run again."
                ));
                return;
            }
            let what = format!(
                "Tests are still failing ({failing}). You have written source code {} times since.",
                before + 1
            );
            out.deny(META.id, what, "New code cannot be judged while tests fail.").instead = Some(
                "Run the tests (`plimsoll test`): after each run that fails, one more file may be written to fix it. Test files may \
                 always be written. The user lets another file through with `plimsoll approve --edit FILE`."
                    .into(),
            );
        }
        _ => {}
    }
}

fn remind(cx: &Context<'_>, out: &mut Findings) {
    let there = |name: &&str| cx.facts.modified(&cx.facts.project().join(name)).is_some();
    if cx.facts.was_said(COLD) || !FRAMEWORKS.iter().any(there) {
        return;
    }
    out.effects.push(Effect::Said(COLD.into()));
    let runs = crate::find("edit/test-runner")
        .is_some_and(|check| crate::level(check.meta, cx.config) != Level::Off);
    let how = if runs { "They run after each edit of source." } else { "Run them with `plimsoll test`." };
    out.context
        .push(format!("No test results yet in this session, although the project has tests to run. {how}"));
}
