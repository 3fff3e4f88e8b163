//! Evidence, approvals and journals: `file/own-state`.

use model::config::Profile;
use model::{Change, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::file::Target;
use crate::{Check, Context, own};

static META: Meta = Meta {
    id: "file/own-state",
    summary: "an edit of Plimsoll's evidence, approvals or journals, or of the program itself",
    docs: "\
Refuses edits of the records that gates rely on: test and proof status, strikes, journals, approvals, trust and the log, in
the project's `.claude/` and in Plimsoll's own state directory. Only the binary writes them, from what it saw itself. The same
holds for the program, wherever it is installed, and for the tools that it has installed for itself; clearing those away is a question
to the user. Known are files, not spellings: links, hard links and letter case change nothing.

The agent's own files there are never touched by this rule: `completion-checkpoint.json`, `web-smoke/**`, `MEMORIES.md`,
`MASTER_PLAN.md`. Writing `autonomous-state.json` (or an
older name of it) is a question to the user, unless their own configuration says
`\"profile\": \"autonomous\"`.
",
    cases: include_str!("own_state.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// Names in `.claude/`, with what to do instead of writing them.
const FILES: &[(&str, &str)] = &[
    (".test-status", "It records what a test run really gave: run the tests."),
    (".proof-status", "The user sets it when they have seen the work."),
    (".test-gate-strikes", "It falls when the tests pass."),
    (".mock-gate-strikes", "It falls at the end of the session."),
    (".test-runner.lock", "It belongs to the running tests."),
    (".test-runner.last-run", "It belongs to the running tests."),
    (".llm-review-cache", "It holds what reviewers said."),
    (".update-status", "It is written by the update check."),
    (".update-check.lock", "It is written by the update check."),
    (".plan-drift", "It is computed from the plan and the code."),
    (".agent-findings", "It holds what checks of subagents found."),
    (".preserved-context", "It is written before a compaction."),
    (".audit-log", "It is the record of what happened."),
    (".statusline-cache", "It is computed."),
    (".subagent-tracker", "It is written when subagents start and stop."),
    ("session-snapshot.json", "It is what the session began with."),
    ("session-owner.json", "It says who works here."),
    ("tool-usage-log.jsonl", "It is the record of tool calls."),
    ("tool-usage-log.1.jsonl", "It is the record of tool calls."),
    ("worktree-state.json", "`plimsoll worktree` keeps it."),
    ("toolkit-update-state.json", "`plimsoll update` keeps it."),
];

/// Names in `.claude/` that are evidence, or that switch autonomous work on.
pub(crate) fn evidence() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name).chain(model::AUTONOMY_STATES.iter().copied())
}

/// The same for names that end in a session's id.
const PREFIXES: &[(&str, &str)] = &[
    (".session-changes-", "It is the journal of this session's edits."),
    (".prompt-count-", "It counts the session's prompts."),
];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(target) = Target::of(event, cx) else { return };
    let name = target.name();
    if target.paths().any(|path| own::is_executable(path, cx.facts)) {
        if !cx.may_edit(META.id, &target.real) {
            let what = format!("This would change or remove Plimsoll itself ({name}).");
            out.deny(META.id, what, "Without it nothing here is guarded.").instead =
                Some(instead_of_program(&target));
        }
        return;
    }
    // It is called after us, wherever it is; for other files nothing is looked up.
    let named = target.paths().any(|path| path.to_string_lossy().contains("plimsoll"));
    if named && target.within(cx, cx.facts.cache_dir()) {
        if target.edit.change == Change::Removed {
            out.ask(
                META.id,
                format!("{name} holds tools that Plimsoll uses."),
                "It would check less until they are installed again.",
            );
        } else {
            out.deny(META.id, format!("{name} is one of Plimsoll's own files."), "It runs what lies there.");
        }
        return;
    }
    if target.within(cx, cx.facts.state_dir())
        || target.named(cx, |name| name.starts_with("stop_hook_approved_"))
    {
        let what = format!("{name} is Plimsoll's own record.");
        out.deny(META.id, what, "Only Plimsoll writes it; the user settles things with `plimsoll approve`.");
        return;
    }
    for rest in target.below(cx, ".claude") {
        if model::AUTONOMY_STATES.contains(&rest.as_str()) {
            if cx.facts.personal_profile() != Profile::Autonomous {
                let what = format!("{name} switches autonomous work on.");
                out.ask(META.id, what, "The user decides.");
            }
            return;
        }
        if let Some(instead) = instead(&rest, &target.edit.change) {
            let what = format!("{name} is evidence that gates rely on.");
            out.deny(META.id, what, "Only Plimsoll writes it, from what it saw itself.").instead =
                Some(instead.to_owned());
            return;
        }
    }
}

fn instead_of_program(target: &Target<'_>) -> String {
    format!(
        "Leave it as it is. If the user wants another version or none, they can run their installer or `plimsoll uninstall`, or allow the change with: plimsoll approve --edit {}",
        shell::quote(&target.written.to_string_lossy())
    )
}

fn instead(rest: &str, change: &Change) -> Option<&'static str> {
    // Memories are shown to every later session, so nobody puts words into them, and nobody takes their folder away.
    let memory = ["manifest.json", "utility.jsonl", "core-assertions.jsonl"];
    let gone = *change == Change::Removed;
    if rest == "memory"
        || rest.starts_with("memory/")
            && (gone || rest.contains("/events/evt_") || memory.iter().any(|name| rest.ends_with(name)))
    {
        return Some("A valid report adds to it; `plimsoll memory forget` removes from it.");
    }
    let exact = FILES.iter().find(|(file, _)| *file == rest);
    exact
        .or_else(|| PREFIXES.iter().find(|(prefix, _)| rest.starts_with(prefix)))
        .map(|(_, instead)| *instead)
}
