//! Effects of a run, applied once, after the answer is known.

mod bookkeeping;

use std::io;
use std::path::Path;

use model::state_files::{Proof, Record, Strikes, TestResult};
use model::{Effect, Event, SessionId, Task};

use crate::{
    Machine, Project, append_line, atomic, beneath, exclude, mail, open_changes, private, review, session,
    session_changes, task, written,
};

/// Whether something comes to lie in the project's own folder.
fn leaves_a_file(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::FileChanged(_)
            | Effect::Patched(_)
            | Effect::Audit { .. }
            | Effect::MakeDir(_)
            | Effect::Record(..)
            | Effect::Bookkeeping(_)
    )
}

/// A record in the folder of another repository is kept out of its list of changes too.
fn in_another(project: &Project, name: &str) -> io::Result<()> {
    let file = Path::new(name);
    if let Some(root) = file.parent().and_then(Path::parent).filter(|_| file.is_absolute()) {
        exclude::ensure_in(project, root);
    }
    Ok(())
}

/// Applies all of them. What fails is returned for the log; the others are still applied.
pub fn apply(machine: &Machine, project: &Project, event: &Event, effects: &[Effect]) -> Vec<String> {
    let mut failures = Vec::new();
    if effects.iter().any(leaves_a_file) {
        exclude::ensure(project);
    }
    for effect in effects {
        let done = match effect {
            Effect::FileChanged(path) | Effect::Patched(path) => {
                let name = format!(".session-changes-{}", event.session.as_str());
                // A second time where it stays after the session's end: what it changed is no other's work.
                append_line(&session_changes::edits_file(project, &event.session), &path.to_string_lossy())
                    .and_then(|()| {
                        written::append(machine, &project.claude_dir().join(name), &path.to_string_lossy())
                    })
            }
            Effect::Audit { event, detail } => {
                let line = format!(
                    "{}|{event}|{}",
                    model::time::rfc3339(machine.now()),
                    model::redact_all(detail).replace('\n', " ")
                );
                written::append(machine, &project.claude_dir().join(".audit-log"), &line)
            }
            Effect::NamedRestores(commands) => session::name_restores(project, &event.session, commands),
            Effect::LeftOpen(paths) => open_changes::note(project, &event.session, paths),
            Effect::MakeDir(dir) => beneath::create_dir(&project.root, dir),
            Effect::Said(what) => {
                atomic::write(&session::said_file(machine, project, &event.session, what), b"")
            }
            Effect::SaidText(what, text) => {
                let file = session::said_file(machine, project, &event.session, what);
                atomic::write(&file, text.as_bytes())
            }
            Effect::Noted(what, text) => {
                let file = session::said_file(machine, project, &event.session, what);
                atomic::write_cache(&file, text.as_bytes())
            }
            Effect::PackageManagerLog { action, tools, command } => {
                let time = model::time::rfc3339(machine.now());
                let gap = if tools.is_empty() { "" } else { " " };
                let start: String = model::redact(command).chars().take(80).collect();
                let line = format!("{time} | {action} | {tools}{gap}| | {start}");
                private::append_shared(
                    Path::new(&format!("/tmp/.pm_enforcement_{}.log", machine.guard_pid())),
                    &line,
                )
            }
            Effect::Baseline(watch) => session::take_baseline(machine, project, &event.session, watch),
            Effect::Reviewed(question, conclusion) => {
                review::remember(machine, project, &event.session, question, conclusion)
            }
            Effect::ForgetReviews => review::forget(machine, project, &event.session),
            Effect::Adopt(file) => written::adopt(machine, file, &event.session)
                .and_then(|()| crate::autonomy::keep_adopted(project, &event.session, file)),
            Effect::Record(name, change) => in_another(project, name)
                .and_then(|()| crate::records::change(machine, project, name, change))
                .and_then(|()| proved(machine, project, name, change)),
            Effect::TestsBegin(root, call) => {
                crate::evidence::begin(machine, project, &event.session, root, call)
            }
            // Each run grants a warned write, also one in the same second as the last.
            Effect::TestsEnd(seen) => {
                exclude::ensure_in(project, &seen.root);
                crate::evidence::end(machine, project, &event.session, seen).and_then(|()| {
                    // One that nobody can tell the end of grants nothing.
                    if seen.result == TestResult::None {
                        return Ok(());
                    }
                    crate::strikes::clear(machine, project, &event.session, Strikes::TESTS)
                })
            }
            Effect::Strike { gate, about, before, .. } => {
                let call = event.tool_use().and_then(|use_| use_.id.as_deref());
                crate::strikes::add(machine, project, &event.session, gate, *about, *before, call)
            }
            Effect::ClearStrikes(gate) => crate::strikes::clear(machine, project, &event.session, gate),
            Effect::EndSession => end_session(machine, project, &event.session),
            Effect::ForgetTests => crate::evidence::forget(machine, &project.root),
            Effect::Notify { title, text, urgency } => {
                crate::notify::show(machine, title, &model::redact_all(text), *urgency)
            }
            // Nobody waits for it: a list may be somewhere in the network, and the end of a session is short.
            Effect::Todo(words) => {
                let task = Task { name: "todo", args: words.clone() };
                task::start(machine, project, &event.session, &task)
            }
            Effect::Bookkeeping(entry) => bookkeeping::apply(machine, project, event, entry),
            Effect::Start(task) => task::start(machine, project, &event.session, task),
            Effect::Mail(mail) => mail::post(machine, project, &event.session, mail),
            Effect::Delivered(list) => mail::remove(project, &event.session, list),
            Effect::Permit(asked) => crate::person::permit(machine, project, event, asked),
            Effect::Allowed(id) => {
                let call = event.call().filter(|_| event.session.is_known());
                crate::allowances::spend(machine, id, call.as_deref())
            }
            Effect::Held { by, held } => session::note_held(project, &event.session, by, held),
        };
        if let Err(error) = done {
            failures.push(format!("could not record {}: {error}", name(effect)));
        }
    }
    failures
}

/// What is one session's alone goes with it, and what is another's stays.
fn end_session(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<()> {
    let strikes = crate::strikes::clear_all(machine, project, session);
    let mut roots = std::iter::once(project.root.clone()).chain(
        crate::git::Repository::find(&project.root).into_iter().flat_map(|found| found.facts().worktrees),
    );
    let tests = roots.try_for_each(|root| crate::turn::cancel(machine, &root, session));
    strikes.and(tests).and(review::forget(machine, project, session))
}

/// The user's word is about the code as it is now.
fn proved(machine: &Machine, project: &Project, name: &str, change: &Record) -> io::Result<()> {
    let file = project.claude_dir().join(name);
    let Record::Write(text) = change else { return Ok(()) };
    let proof = Proof::parse(text).filter(|proof| proof.verified && name.ends_with(Proof::FILE));
    match (proof, file.parent().and_then(Path::parent)) {
        (Some(proof), Some(root)) => crate::evidence::prove(machine, root, proof.at),
        _ => Ok(()),
    }
}

fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::FileChanged(_) | Effect::Patched(_) => "the changed file",
        Effect::Audit { .. } => "the audit line",
        Effect::NamedRestores(_) => "the commands that take changes back",
        Effect::LeftOpen(_) => "which changes the user has not decided about",
        Effect::MakeDir(_) => "the directory",
        Effect::Said(_) | Effect::SaidText(..) | Effect::Noted(..) => "what was said",
        Effect::PackageManagerLog { .. } => "the line about package managers",
        Effect::Baseline(_) => "the session's baseline",
        Effect::Reviewed(..) => "the second opinion",
        Effect::Bookkeeping(effect) => effect.name(),
        Effect::ForgetReviews => "that earlier opinions are void",
        Effect::Adopt(_) => "that autonomous work is allowed",
        Effect::Record(..) => "a state file",
        Effect::TestsBegin(..) => "what the tests are run on",
        Effect::TestsEnd(_) => "how the tests ended",
        Effect::ForgetTests => "that the tests are to be run again",
        Effect::Strike { .. } => "the strike",
        Effect::ClearStrikes(_) => "that there are no strikes any more",
        Effect::EndSession => "the end of the session",
        Effect::Notify { .. } => "the notification",
        Effect::Todo(_) => "the list of work",
        Effect::Start(_) => "the work to go on with",
        Effect::Mail(_) => "the text for later",
        Effect::Delivered(_) => "what was delivered",
        Effect::Permit(_) => "that the user was asked",
        Effect::Allowed(_) => "that an allowance was used",
        Effect::Held { .. } => "that the stop was held",
    }
}
