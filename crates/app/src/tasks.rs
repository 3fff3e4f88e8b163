//! Work that goes on when a hook has answered. A hook asks for it with `Effect::Start`; this is the other end.

mod churn;
pub(crate) mod run_tests;
mod telemetry;
pub(crate) mod update;

use std::ffi::OsString;

use model::{AgentId, Body, Event, EventName, Linted, PermissionMode, SessionId, TestsSeen};
use state::{Machine, Project, log};

use crate::exit;

/// What a task is given.
pub(crate) struct Work<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) project: Project,
    pub(crate) session: SessionId,
}

/// Does it; an error goes into the log, there is nobody else to tell.
type Run = fn(&Work<'_>, args: &[String]) -> anyhow::Result<()>;

/// By name, as `Effect::Start` says it.
static TASKS: &[(&str, Run)] = &[
    ("churn", churn::run),
    ("lint-late", crate::lint::later::task),
    ("lint-scan", crate::lint::scan::task),
    ("telemetry", telemetry::run),
    ("tests", run_tests::run),
    ("todo", todo),
    ("update", update::run),
];

/// `plimsoll task <name> <project> <session> <args…>`. Not for people, so it is not in the help.
pub(crate) fn main(machine: &Machine, words: &[OsString]) -> u8 {
    crate::failure::quiet_panics();
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let [name, root, session, args @ ..] = words.as_slice() else { return exit::FAILED };
    let Some((_, run)) = TASKS.iter().find(|(known, _)| known == name) else { return exit::FAILED };
    let work = Work { machine, project: Project::at(machine, root.into()), session: SessionId::new(session) };
    let failure = match crate::failure::caught(|| run(&work, args)) {
        Ok(Ok(())) => return exit::OK,
        Ok(Err(error)) => format!("{error:#}"),
        Err(trouble) => trouble.to_string(),
    };
    note(&work, name, failure);
    exit::FAILED
}

fn todo(work: &Work<'_>, args: &[String]) -> anyhow::Result<()> {
    Ok(state::todo::tell(work.machine, &work.project, &work.session, args)?)
}

/// The line of the log for what went wrong.
fn note(work: &Work<'_>, name: &str, failure: String) {
    record(work, name, &Seen::default(), vec![failure]);
}

/// What a task has seen that belongs in the log.
#[derive(Default)]
pub(crate) struct Seen<'a> {
    pub(crate) tests: Option<&'a TestsSeen>,
    pub(crate) lint: Option<&'a Linted>,
}

/// A line of the log about work in the background.
pub(crate) fn record(work: &Work<'_>, name: &str, seen: &Seen<'_>, failures: Vec<String>) {
    let event = Event {
        agent: AgentId("plimsoll"),
        name: EventName::Other(format!("task {name}")),
        session: work.session.clone(),
        cwd: Some(work.project.root.clone()),
        transcript: None,
        prompt: None,
        mode: PermissionMode::Default,
        subagent: None,
        body: Body::Other,
    };
    let root = work.project.root.to_string_lossy();
    let mut entry = log::Entry::new(&event, &root);
    entry.micros = work.machine.micros();
    entry.tests = seen.tests;
    entry.lint = seen.lint;
    entry.failures = failures;
    // A log that cannot be written has nowhere to say so.
    let _ = log::append(work.machine, &entry, None);
}
