//! What the session did and what comes next: `stop/summary`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::config::Profile;
use model::state_files::{TestResult, TestStatus};
use model::{Effect, Event, EventName, Findings, LastRun, Level, Levels, Meta, On, Role, Tested};
use shell::programs::is_main;

use super::is_first;
use crate::plan::has_decision;
use crate::runner::{detect, has_tests};
use crate::shell::Disk;
use crate::work::picture::{Picture, sources};
use crate::work::{self, counted, last_run};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "stop/summary",
    summary: "what the session changed, where it stands, and what comes next",
    docs: "\
Tells the user at a stop, when files have changed: how many and of which kind, decisions in them, branch and uncommitted files of the work tree that was
worked in, whether the tests pass (as they were seen, and nothing where the project has none), what waits on their list of work, and the next step that fits and that no gate
would refuse: a plan, a worktree, fixing or running tests, a review, a merge. It is said again only when something has changed.
",
    cases: include_str!("summary.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// A stop waits so long for tests that are running.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !is_first(event) {
        return;
    }
    let here = Picture::of(event, cx);
    let mut changes = here.changes(event);
    changes.retain(|path| !is_our_own(path, cx));
    if changes.is_empty() {
        return;
    }
    let picture = Picture::of_work(event, &changes, cx).unwrap_or(here);
    let source = sources(&changes);
    let tests = tests(&picture, &source, cx);
    let dirty = picture.uncommitted();
    let mut lines = vec![session(&changes, &source, cx)];
    lines.extend(state(&picture, tests.as_ref(), dirty));
    let next = next(&picture, tests.as_ref(), dirty, !source.is_empty(), cx);
    let next = next.map(|next| format!("Next: {next}"));
    let last: Vec<String> = pending(cx).into_iter().chain(next).collect();
    if !last.is_empty() {
        lines.push(last.join(" "));
    }
    let text = lines.join("\n");
    // What has been said, and is still so, is not news.
    if cx.facts.said_text(SAID).as_deref() != Some(&text) {
        out.effects.push(Effect::SaidText(SAID, text.clone()));
        out.notices.push(text);
    }
}

/// The mark of what was said last.
const SAID: &str = "summary";

/// A file that Plimsoll or the agent keeps for itself.
fn is_our_own(path: &Path, cx: &Context<'_>) -> bool {
    let below = path.strip_prefix(cx.facts.project()).unwrap_or(path);
    below.starts_with(".claude") || model::changes::is_record(&below.to_string_lossy())
}

fn session(changes: &[PathBuf], source: &[&PathBuf], cx: &Context<'_>) -> String {
    let decided = source
        .iter()
        .filter(|path| cx.facts.read(path).ok().flatten().is_some_and(|text| has_decision(&text)))
        .count();
    let mut line = format!(
        "Session: {} changed ({} source, {} config/other).",
        counted(changes.len() as u64, "file", "files"),
        source.len(),
        changes.len() - source.len(),
    );
    // Whoever does not write decisions down need not hear that there are none.
    if decided > 0 || cx.config.profile == Profile::Strict {
        let files = counted(decided as u64, "file", "files");
        let _ = write!(line, " {files} with @decision annotations.");
    }
    line
}

fn state(picture: &Picture<'_>, tests: Option<&Tests>, dirty: Option<usize>) -> Option<String> {
    let git = picture.repository.as_ref().map(|repository| {
        let branch = repository.branch.as_deref().unwrap_or("(detached)");
        let state = match dirty {
            Some(0) => "clean".to_owned(),
            Some(count) => format!("{count} uncommitted"),
            None => "state not known".to_owned(),
        };
        format!("Git: branch={branch}, {state}.")
    });
    let tests = tests.map(|tests| format!("Tests: {}.", tests.words()));
    let parts: Vec<String> = git.into_iter().chain(tests).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

enum Tests {
    Passing,
    /// They passed, and that is not the last word: how long ago, or on other code.
    Passed(&'static str),
    PartPassed,
    Failing(u64),
    /// The last run failed, and the code is another since.
    Failed(u64),
    /// A run ended, and nobody can tell how.
    Unknown,
    Running,
    NotRun,
    /// They were run, on other code.
    NotRunHere,
}

impl Tests {
    fn words(&self) -> String {
        match self {
            Tests::Passing => "passing".into(),
            Tests::Passed(when) => format!("passed {when}"),
            Tests::PartPassed => "a part of them passed".into(),
            Tests::Failing(count) => format!("FAILING ({})", counted(*count, "failure", "failures")),
            Tests::Failed(count) => {
                format!("failed before the last changes ({})", counted(*count, "failure", "failures"))
            }
            Tests::Unknown => "ran without a result".into(),
            Tests::Running => "still running".into(),
            Tests::NotRun => "not run this session".into(),
            Tests::NotRunHere => "not run on this code".into(),
        }
    }
}

/// The last result, after a short wait for a run that is going on. `None` in a project that has no tests.
fn tests(picture: &Picture<'_>, source: &[&PathBuf], cx: &Context<'_>) -> Option<Tests> {
    if cx.facts.tests_are_running(picture.root(), PATIENCE) {
        return Some(Tests::Running);
    }
    let run = last_run(cx, picture.repository.as_ref());
    let said = run.as_ref().filter(|run| is_of_this_code(run, picture, source, cx));
    let tested = match said {
        Some(run) => by_result(run),
        None => work::tested(cx, picture.repository.as_ref()),
    };
    let failures = run.as_ref().map_or(0, |run| run.status.failures).max(1);
    Some(match (tested, run) {
        (Tested::Same, Some(run)) if run.status.age(cx.facts.now()) > TestStatus::STALE => {
            Tests::Passed("a while ago")
        }
        (Tested::Same, _) => Tests::Passing,
        (Tested::Failed, _) => Tests::Failing(failures),
        (Tested::Part(_), _) => Tests::PartPassed,
        (Tested::NoTests, _) => return None,
        (_, Some(run)) => match run.status.result {
            TestResult::Pass => Tests::Passed("before the last changes"),
            TestResult::Fail => Tests::Failed(failures),
            TestResult::None => Tests::Unknown,
        },
        (tested, None) => {
            if !has_some(picture.root(), source, cx) {
                return None;
            }
            if tested == Tested::Changed { Tests::NotRunHere } else { Tests::NotRun }
        }
    })
}

/// Whether a run is of the code that lies there, as far as times tell: nothing was written since, by an edit or by git. A commit writes
/// the index and no source. Where times do not tell, the code itself is looked at.
fn is_of_this_code(run: &LastRun, picture: &Picture<'_>, source: &[&PathBuf], cx: &Context<'_>) -> bool {
    let before = |path: &Path| cx.facts.modified(path).is_some_and(|at| at < run.status.at);
    run.status.result != TestResult::None
        && run.part.is_none()
        && source.iter().all(|path| before(path))
        && (before(&picture.root().join(".git/index"))
            || !cx.facts.source_written_since(picture.root(), run.status.at))
}

/// What its result says about the code that it is of.
fn by_result(run: &LastRun) -> Tested {
    if run.status.result == TestResult::Pass { Tested::Same } else { Tested::Failed }
}

/// Whether there is anything to run: by the project's own command, or by a runner for what was changed.
fn has_some(root: &Path, source: &[&PathBuf], cx: &Context<'_>) -> bool {
    cx.config.tests_command.is_some()
        || source.iter().any(|file| detect(root, file, &Disk(cx)).is_some())
        || has_tests(root, &Disk(cx))
}

/// What waits on the user's list of work: `project|global|…`, or one number.
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

/// Whether the work tree that lies elsewhere has main checked out, and all of this one's work on it.
fn is_merged(picture: &Picture<'_>, cx: &Context<'_>) -> bool {
    let Some(work) = picture.repository.as_ref().filter(|work| work.root != work.main_root) else {
        return false;
    };
    let Some(main) = cx.facts.repository(&work.main_root).and_then(|main| main.branch) else { return false };
    let branch = work.branch.as_deref().filter(|_| is_main(&main));
    branch.is_some_and(|branch| cx.facts.has_in_history(&work.main_root, &main, branch))
}

/// The step that fits the state of the work, and that no gate would refuse.
fn next(
    picture: &Picture<'_>,
    tests: Option<&Tests>,
    dirty: Option<usize>,
    has_source: bool,
    cx: &Context<'_>,
) -> Option<&'static str> {
    picture.repository.as_ref()?;
    let is_on =
        |id: &str| crate::find(id).is_some_and(|check| crate::level(check.meta, cx.config) != Level::Off);
    if picture.is_on_main() {
        return match (&picture.plan, picture.wants_plan(), dirty) {
            (None, true, _) => Some("create MASTER_PLAN.md before implementation."),
            (Some(_), true, _) => Some("create worktrees for the next phase, and go on there."),
            (_, _, Some(0)) => None,
            _ if is_on("shell/commit-on-main") => Some("create a worktree, and commit there."),
            _ => Some("review the changes and commit them."),
        };
    }
    let proof = || is_on("shell/evidence") && !picture.proof().is_some_and(|proof| proof.verified);
    match (tests, dirty) {
        (Some(Tests::Failing(_)), _) => Some("fix the failing tests."),
        (Some(Tests::Running), _) => Some("wait for the tests."),
        (
            Some(
                Tests::NotRun
                | Tests::NotRunHere
                | Tests::Passed(_)
                | Tests::Failed(_)
                | Tests::PartPassed
                | Tests::Unknown,
            ),
            _,
        ) if has_source => Some("run the tests."),
        (_, Some(0)) if is_merged(picture, cx) => Some("its work is on main: remove the worktree."),
        (_, Some(0)) => Some("merge to main when the work is done."),
        _ if proof() => Some("see that the changes work, and answer `verified`; then they can be committed."),
        _ => Some("review the changes and commit them."),
    }
}
