//! Effects of a run, applied once, after the answer is known.

use model::{Effect, Event};

use crate::{Machine, Project, append_line, session};

/// Applies all of them. What fails is returned for the log; the others are still applied.
pub fn apply(machine: &Machine, project: &Project, event: &Event, effects: &[Effect]) -> Vec<String> {
    let mut failures = Vec::new();
    for effect in effects {
        let done = match effect {
            Effect::FileChanged(path) => {
                let name = format!(".session-changes-{}", event.session.as_str());
                append_line(&project.claude_dir().join(name), &path.to_string_lossy())
            }
            Effect::Audit { event, detail } => {
                let line =
                    format!("{}|{event}|{}", model::time::rfc3339(machine.now()), detail.replace('\n', " "));
                append_line(&project.claude_dir().join(".audit-log"), &line)
            }
            Effect::NamedRestores(commands) => session::name_restores(project, &event.session, commands),
            Effect::MakeDir(dir) => crate::files::create_dir(dir),
            Effect::Baseline(watch) => session::take_baseline(machine, project, &event.session, watch),
        };
        if let Err(error) = done {
            failures.push(format!("could not record {}: {error}", name(effect)));
        }
    }
    failures
}

fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::FileChanged(_) => "the changed file",
        Effect::Audit { .. } => "the audit line",
        Effect::NamedRestores(_) => "the commands that take changes back",
        Effect::MakeDir(_) => "the directory",
        Effect::Baseline(_) => "the session's baseline",
    }
}
