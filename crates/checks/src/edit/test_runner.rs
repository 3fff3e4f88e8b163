//! Tests after each change: `edit/test-runner`.

use model::{Change, Effect, Event, EventName, Findings, Levels, Meta, On, Role, Task, source};

use crate::file::Target;
use crate::{Check, Context, shell};

static META: Meta = Meta {
    id: "edit/test-runner",
    summary: "the project's tests, run in the background after source has changed",
    docs: "\
Runs the project's tests when source or a test has changed, without keeping the agent waiting: pytest or unittest, vitest, jest, `bun test` or
`npm test`, `cargo test` or nextest, `go test`, or `tests.command`. Two seconds of quiet come first, ten between two runs; a change in
between is tested afterwards, and a run that a newer change has overtaken is ended with everything that it started.

What the runner really gave is recorded in `.claude/.test-status` (`pass|0|time`, `fail|count|time`; `none|0|time` when there was nothing to
run or no end), together with a hash of the code that was tested, and told to the agent and the user by the next hook that can. Without a
runner there is no file.
",
    cases: include_str!("test_runner.toml"),
    on: &[On::edits(EventName::PostToolUse), On::shell(EventName::PostToolUse)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    for edit in shell::edits(event, cx).iter() {
        let Some((root, file)) = tested(edit, cx) else { continue };
        out.effects.push(Effect::Start(Task { name: "tests", args: vec![root, file] }));
        // One run tests everything.
        return;
    }
}

/// The work tree whose tests the change calls for, and the file.
fn tested(edit: &Event, cx: &Context<'_>) -> Option<(String, String)> {
    let change = edit.edit()?;
    if !source::is_source(&change.path) || change.change == Change::Removed {
        return None;
    }
    let file = Target::of(edit, cx)?.written;
    let project = cx.facts.project();
    let around = cx.facts.repository(file.parent()?);
    let root = match around {
        _ if file.starts_with(project)
            && around.as_ref().is_none_or(|found| project.starts_with(&found.root)) =>
        {
            project.to_owned()
        }
        // Another work tree of the same repository has tests and evidence of its own.
        Some(found) if cx.facts.repository(project).is_some_and(|ours| ours.main_root == found.main_root) => {
            found.root
        }
        _ => return None,
    };
    let below = file.strip_prefix(&root).ok()?;
    let ours = below.iter().any(|part| part == ".claude");
    let marked = source::is_skippable(below) && !source::is_test(below);
    (!ours && !marked && !source::is_foreign(below))
        .then(|| (root.to_string_lossy().into_owned(), file.to_string_lossy().into_owned()))
}
