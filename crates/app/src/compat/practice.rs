//! The scripts below `practice/`, guards and gates: the native dialect, with the gates on.

use std::path::PathBuf;

use agents::Reply;
use model::config::Profile;
use model::{Decision, SessionId};
use serde_json::{Value as Json, json};
use state::config::{Loaded, Trust};
use state::{Machine, Project};

use super::Script;
use super::run::{Came, Run, trusting};
use crate::exit;
use crate::hook::Terms;
use crate::tasks::run_tests::Ran;
use crate::tasks::{run_tests, update};

macro_rules! scripts {
    ($($name:literal $event:literal [$($id:literal),* $(,)?] $doc:literal;)*) => {
        &[$(Script { name: $name, doc: $doc, run: |machine, _| practice(machine, $event, &[$($id),*]) }),*]
    };
}

/// Scripts that are a narrowed run of the hook and nothing else.
pub(super) static PLAIN: &[Script] = scripts! {
    "guard" "PreToolUse" [
        "shell/unreadable",
        "shell/destroy-files",
        "shell/destroy-disk",
        "shell/fork-bomb",
        "shell/open-permissions",
        "shell/halt",
        "shell/remote-code",
        "shell/destroy-data",
        "shell/temp-write",
        "shell/commit-on-main",
        "shell/force-push",
        "shell/discard-work",
        "shell/worktree-remove",
        "shell/evidence",
    ] "PreToolUse: nine checks of a command.";
    "auto-review" "PreToolUse" ["shell/review"] "PreToolUse: approves safe commands, says why others are risky.";
    "test-gate" "PreToolUse" ["file/test-gate"] "PreToolUse: source code written while tests are failing.";
    "mock-gate" "PreToolUse" ["file/mock-gate"] "PreToolUse: tests that mock the project's own code.";
    "branch-guard" "PreToolUse" ["file/branch-guard"] "PreToolUse: source code written on main or master.";
    "doc-gate" "PreToolUse" ["file/doc-gate"] "PreToolUse: source files without a header or a decision.";
    "plan-check" "PreToolUse" ["file/plan-check"] "PreToolUse: source code without a plan, or with one that is out of date.";
    "track" "PostToolUse" ["edit/journal", "edit/proof"] "PostToolUse: the journal of changed files; a proof that is void.";
    "code-review" "PostToolUse" ["edit/code-review"] "PostToolUse: the change, and where to have it reviewed.";
    "plan-validate" "PostToolUse" ["edit/plan-validate"] "PostToolUse: the form of the plan.";
    "practice/session-init" "SessionStart" ["session/context", "shell/second-opinion"] "SessionStart: where the work stands.";
    "prompt-submit" "UserPromptSubmit" ["prompt/context", "prompt/proof"] "UserPromptSubmit: what the words of a prompt call for.";
    "session-end" "SessionEnd" ["session/end"] "SessionEnd: clears what was the session's own.";
    "subagent-start" "SubagentStart" ["subagent/context"] "SubagentStart: where the work stands, by the kind of subagent.";
    "check-planner" "SubagentStop" ["subagent/planner"] "SubagentStop: six checks of what a planner leaves.";
    "check-implementer" "SubagentStop" ["subagent/implementer"] "SubagentStop: five checks of what an implementer leaves.";
    "check-guardian" "SubagentStop" ["subagent/guardian"] "SubagentStop: five checks of what a guardian leaves.";
    "surface" "Stop" ["stop/surface"] "Stop: the audit of decisions against the plan.";
    "session-summary" "Stop" ["stop/summary"] "Stop: what the session changed, and what comes next.";
    "notify" "Notification" ["session/notify"] "Notification: a notification on the desktop.";
};

/// Those that do something besides.
pub(super) static OTHERS: &[Script] = &[
    Script {
        name: "test-runner",
        doc: "PostToolUse: runs the project's tests to their end and says what they gave.",
        run: test_runner,
    },
    Script {
        name: "forward-motion",
        doc: "Stop: an answer that ends with a bare \"done\"; exit code 2.",
        run: forward_motion,
    },
    Script {
        name: "compact-preserve",
        doc: "PreCompact: keeps the state of the work, and says how to summarise.",
        run: compact_preserve,
    },
    Script {
        name: "update-check",
        doc: "SessionStart: brings the checkout in `update.checkout`, or `~/.claude`, forward where that is safe.",
        run: update_check,
    },
];

fn run<'a>(machine: &'a Machine, event: &'static str, only: &[&str]) -> Run<'a> {
    let adjust = |loaded: &mut Loaded| loaded.config.profile = Profile::Strict;
    Run::new(machine, event, Terms { adjust, ..trusting(only) })
}

fn practice(machine: &Machine, event: &'static str, only: &[&str]) -> Reply {
    let run = run(machine, event, only);
    run.reply(run.of_stdin())
}

/// The original ran asynchronously by its registration, and so does this: it waits for the tests and says what they gave.
fn test_runner(machine: &Machine, _: &[String]) -> Reply {
    let bytes = state::files::read_stdin(agents::LARGEST).unwrap_or_default();
    let payload: Json = serde_json::from_slice(&bytes).unwrap_or_default();
    let Some(file) = payload["tool_input"]["file_path"].as_str() else { return Reply::default() };
    let cwd = payload["cwd"].as_str().map_or_else(|| machine.cwd(), PathBuf::from);
    let project = Project::find(machine, &cwd);
    let file = model::path::absolute(file.as_ref(), &cwd, machine.home().as_deref());
    if !model::source::is_source(&file) {
        return Reply::default();
    }
    match run_tests::run_tests(
        machine,
        &project,
        &SessionId::default(),
        &project.root,
        &file,
        Trust::Everything,
    ) {
        Ok(Ran::Tested(tested)) => {
            Reply { stdout: json!({"systemMessage": tested.report()}).to_string(), ..Reply::default() }
        }
        Ok(Ran::Nothing | Ran::Waits(_)) => Reply::default(),
        Err(error) => Reply { stderr: format!("{error:#}\n"), ..Reply::default() },
    }
}

/// The original said it by its exit code.
fn forward_motion(machine: &Machine, _: &[String]) -> Reply {
    let run = run(machine, "Stop", &["stop/forward-motion"]);
    match run.of_stdin() {
        Came::Settled(answered) if answered.settled.verdict.decision >= Decision::Ask => {
            let stderr = format!("{}\n", answered.settled.verdict.reason());
            Reply { stderr, exit: exit::BLOCKED, ..Reply::default() }
        }
        other => run.reply(other),
    }
}

/// The original answered in JSON.
fn compact_preserve(machine: &Machine, _: &[String]) -> Reply {
    let run = run(machine, "PreCompact", &["session/compaction"]);
    let came = run.of_stdin();
    let Came::Settled(answered) = &came else { return run.unsettled(came) };
    let text = answered.settled.verdict.text(agents::CONTEXT_LIMIT);
    if text.is_empty() {
        return run.unsettled(came);
    }
    Reply { stdout: json!({"additionalContext": text}).to_string(), ..Reply::default() }
}

fn update_check(machine: &Machine, _: &[String]) -> Reply {
    // What is on stdin says nothing that is needed.
    let _ = state::files::read_stdin(agents::LARGEST);
    let project = Project::find(machine, &machine.cwd());
    let config = state::config::load(machine, &project, checks::role, Trust::Everything).config;
    // The original lived in that folder, and so did its checkout.
    let named = update::named(machine, &project, &config).or_else(|| Some(machine.home()?.join(".claude")));
    // No repository, no network, nothing new: the original was silent, and so is this.
    if let Some(root) = named.and_then(|dir| state::update::checkout(machine, Some(&dir)))
        && !state::update::is_off(machine, Some(&root))
    {
        let _ = state::update::write_status(machine, &project, &root, state::update::Way::Safe);
    }
    Reply::default()
}
