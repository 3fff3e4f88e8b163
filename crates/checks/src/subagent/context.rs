//! What a subagent is told when it starts: `subagent/context`.

use model::state_files::TestResult;
use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use super::Kind;
use crate::work::counted;
use crate::work::picture::Picture;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "subagent/context",
    summary: "where the work stands, told to each subagent by its kind",
    docs: "\
Tells every subagent the branch, uncommitted files, worktrees and the plan. An implementer is told to make a worktree first where there is none, the state
of the tests, and how the work is verified; a guardian when the plan may be updated, and failing tests; a planner what research there is. Light
ones (`Bash`, `Explore`) get the first line only.
",
    cases: include_str!("context.toml"),
    on: &[On::event(EventName::SubagentStart)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let picture = Picture::of(event, cx);
    let name = event.subagent.as_ref().map_or("", |agent| agent.kind.as_str());
    let mut lines = vec![first_line(&picture)];
    let failing = picture.test_status().filter(|status| status.result == TestResult::Fail);
    let failing = failing.map(|status| counted(status.failures, "failure", "failures"));
    match Kind::of(name) {
        Kind::Planner => {
            lines.push("Role: planner. Write MASTER_PLAN.md with the user's intent, phases with a status, requirements (REQ-) and decisions (DEC-); write no code.".into());
            lines.extend(picture.research());
        }
        Kind::Implementer => {
            if picture.repository.as_ref().is_some_and(|repository| {
                repository.worktrees.is_empty() && repository.root == repository.main_root
            }) {
                lines.push("CRITICAL FIRST ACTION: there is no worktree. Create one before you write anything: git worktree add .worktrees/feature-name -b feature-name".into());
            }
            lines.push("Role: implementer. Tests first, real implementations instead of mocks, @decision on files of 50 lines or more.".into());
            lines
                .extend(failing.map(|count| {
                    format!("WARNING: tests are failing ({count}). Fix them before you go on.")
                }));
            lines.extend(picture.research());
            lines.push("VERIFICATION: when it works, show the user how (what to run, what to look at) and let them confirm it. Only they set the proof of work; a commit needs it.".into());
        }
        Kind::Guardian => {
            lines.push("Role: guardian. Update MASTER_PLAN.md only when a phase is completed; commit and merge only with passing tests and the user's proof.".into());
            lines.extend(
                failing
                    .map(|count| format!("CRITICAL: tests are failing ({count}). Do not commit or merge.")),
            );
        }
        Kind::Light => {}
        Kind::Other if !name.is_empty() => lines.push(format!("Agent type: {name}")),
        Kind::Other => {}
    }
    out.context.push(lines.join("\n"));
}

fn first_line(picture: &Picture<'_>) -> String {
    let mut parts = vec![format!("Context: {}", picture.branch().unwrap_or("no branch"))];
    parts.extend(picture.uncommitted().map(|count| format!("{count} dirty")));
    if let Some(repository) = &picture.repository {
        parts.push(counted(repository.worktrees.len() as u64, "worktree", "worktrees"));
    }
    let active =
        picture.plan.as_ref().map(|plan| plan.active().map_or("exists", |phase| phase.title.as_str()));
    parts.push(format!("Plan: {}", active.unwrap_or("not found")));
    parts.join(" | ")
}
