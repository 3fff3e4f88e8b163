//! What the session did and what comes next: `stop/summary`.

use std::fmt::Write as _;

use model::config::Profile;
use model::practice::{TestResult, TestStatus};
use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use super::is_first;
use crate::plan::has_decision;
use crate::practice::counted;
use crate::practice::picture::{Picture, sources};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "stop/summary",
    summary: "what the session changed, where it stands, and what comes next",
    docs: "\
Tells the person at a stop, when files have changed: how many and of which kind, decisions in them, branch and uncommitted files, whether the
tests pass, what waits on their list of work, and the next step that fits: a plan, a worktree, fixing or running tests, a review, a merge.
",
    cases: include_str!("summary.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        if !is_first(event) {
            return;
        }
        let picture = Picture::of(event, cx);
        let changes = picture.changes(event);
        if changes.is_empty() {
            return;
        }
        let source = sources(&changes);
        let decided = source
            .iter()
            .filter(|path| cx.facts.read(path).ok().flatten().is_some_and(|text| has_decision(&text)))
            .count();
        let mut session = format!(
            "Session: {} changed ({} source, {} config/other).",
            counted(changes.len() as u64, "file", "files"),
            source.len(),
            changes.len() - source.len(),
        );
        // Whoever does not write decisions down need not hear that there are none.
        if decided > 0 || cx.config.profile == Profile::Strict {
            let files = counted(decided as u64, "file", "files");
            let _ = write!(session, " {files} with @decision annotations.");
        }
        let mut lines = vec![session];
        let tests = tests(&picture, cx);
        let dirty = picture.uncommitted();
        if let Some(repository) = &picture.repository {
            let branch = repository.branch.as_deref().unwrap_or("(detached)");
            let state = match dirty {
                Some(0) => "clean".to_owned(),
                Some(count) => format!("{count} uncommitted"),
                None => "state not known".to_owned(),
            };
            lines.push(format!("Git: branch={branch}, {state}. Tests: {}.", tests.words()));
        } else {
            lines.push(format!("Tests: {}.", tests.words()));
        }
        lines.extend(pending(cx));
        if let Some(next) = next(&picture, &tests, dirty, !source.is_empty()) {
            lines.push(format!("Next: {next}"));
        }
        out.notices.push(lines.join("\n"));
    }
}

enum Tests {
    Passing,
    Failing(u64),
    Running,
    NotRun,
}

impl Tests {
    fn words(&self) -> String {
        match self {
            Tests::Passing => "passing".into(),
            Tests::Failing(count) => format!("FAILING ({})", counted(*count, "failure", "failures")),
            Tests::Running => "still running".into(),
            Tests::NotRun => "not run this session".into(),
        }
    }
}

/// The last result, after a short wait for a run that is going on.
fn tests(picture: &Picture<'_>, cx: &Context<'_>) -> Tests {
    if cx.facts.tests_are_running(picture.root()) {
        return Tests::Running;
    }
    match picture.test_status().filter(|status| status.age(cx.facts.now()) <= TestStatus::STALE) {
        Some(TestStatus { result: TestResult::Pass, .. }) => Tests::Passing,
        Some(TestStatus { result: TestResult::Fail, failures, .. }) => Tests::Failing(failures),
        _ => Tests::NotRun,
    }
}

/// What waits on the person's list of work: `project|global|…`, or one number.
fn pending(cx: &Context<'_>) -> Option<String> {
    let text = cx.facts.todo(&["count", "--all"])?;
    let mut counts = text.split('|').map(|part| part.trim().parse::<u64>().unwrap_or(0));
    let (project, global) = (counts.next()?, counts.next().unwrap_or(0));
    match (project, global) {
        (0, 0) => None,
        (project, 0) => Some(format!("Todos: {project} pending.")),
        (project, global) => Some(format!("Todos: {project} pending here, {global} elsewhere.")),
    }
}

/// The step that fits the state of the work.
fn next(
    picture: &Picture<'_>,
    tests: &Tests,
    dirty: Option<usize>,
    has_source: bool,
) -> Option<&'static str> {
    picture.repository.as_ref()?;
    if picture.is_on_main() {
        return match (&picture.plan, picture.wants_plan(), dirty) {
            (None, true, _) => Some("create MASTER_PLAN.md before implementation."),
            (Some(_), true, _) if has_source => {
                Some("create a worktree for the next phase, and go on there.")
            }
            (_, _, Some(0)) => None,
            _ => Some("review the changes and commit them."),
        };
    }
    match (tests, dirty) {
        (Tests::Failing(_), _) => Some("fix the failing tests."),
        (Tests::Running, _) => Some("wait for the tests."),
        (Tests::NotRun, _) if has_source => Some("run the tests."),
        (_, Some(0)) => Some("merge to main when the work is done."),
        _ => Some("review the changes and commit them."),
    }
}
