//! Source code on the branch that everybody shares: `file/branch-guard`.

use model::state_files::PLAN;
use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use crate::work::Code;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/branch-guard",
    summary: "source code written on main or master",
    docs: "\
Refuses to write source files while `main` or `master` is checked out, in the repository that the file lies in: also in a folder that does
not exist yet, in a linked work tree, and through a shell command. Free are the plan, files that are not source, configuration, generated
files, the agent's own folder, and the end of a merge.
",
    cases: include_str!("branch_guard.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(code) = Code::of(event, cx).filter(|code| code.target.name() != PLAN) else { return };
    let Some(repository) = &code.repository else { return };
    let Some(branch) = repository.branch.as_deref().filter(|name| matches!(*name, "main" | "master")) else {
        return;
    };
    if repository.merging {
        return;
    }
    let what = format!("Cannot write source code on {branch} ({}).", code.name());
    let way = if repository.unborn {
        "git switch -c feature/name".to_owned()
    } else {
        format!("git worktree add .worktrees/feature-name -b feature-name {branch}")
    };
    out.deny(META.id, what, "Main is sacred: everybody builds on it.").instead =
        Some(format!("Work on a branch of its own: {way}"));
}
