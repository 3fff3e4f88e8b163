//! The scripts for an agent that works alone, and those of the quality checks.

use agents::Reply;
use model::config::Profile;
use model::{Decision, Level};
use state::Machine;
use state::config::Loaded;

use super::run::{Answered, Came, Run, trusting};
use crate::exit;
use crate::hook::Terms;

/// How one of them answers.
type Form = fn(&Run<'_>, &Answered) -> Reply;

/// One of them as a narrowed hook run. The originals let an unreadable payload pass, and so does this, with a line on stderr.
fn answer(
    machine: &Machine,
    event: &'static str,
    only: &[&str],
    adjust: fn(&mut Loaded),
    form: Form,
) -> Reply {
    let run = Run::new(machine, event, Terms { adjust, ..trusting(only) });
    match run.of_stdin() {
        Came::Settled(answered) => form(&run, &answered),
        Came::Unreadable(bad, _) => {
            let stderr = format!("[hook:warning] plimsoll could not read the hook's input: {bad}\n");
            Reply { stderr, ..Reply::default() }
        }
        other => run.unsettled(other),
    }
}

/// As a hook answers.
fn native(run: &Run<'_>, answered: &Answered) -> Reply {
    run.rendered(answered)
}

fn autonomous(loaded: &mut Loaded) {
    loaded.config.profile = Profile::Autonomous;
}

/// A script that printed plain text: what the agent and what the user would read.
fn plain(run: &Run<'_>, answered: &Answered) -> Reply {
    let reply = run.rendered(answered);
    let verdict = &answered.settled.verdict;
    let context = verdict.text(agents::CONTEXT_LIMIT);
    let texts =
        Some(context).filter(|text| !text.is_empty()).into_iter().chain(verdict.notices.iter().cloned());
    let stdout = texts.map(|text| format!("{text}\n")).collect();
    Reply { stdout, ..reply }
}

/// A script that blocked by a decision on stdout, where a hook of ours uses the exit code.
fn by_decision(run: &Run<'_>, answered: &Answered) -> Reply {
    let reply = run.rendered(answered);
    if reply.exit != exit::BLOCKED {
        return reply;
    }
    let block = serde_json::json!({"decision": "block", "reason": reply.stderr.trim_end()});
    Reply { stdout: format!("{block}\n"), ..Reply::default() }
}

/// A script that blocked with exit code 2 and its reason on stderr. Advice and notices come after it.
pub(super) fn by_exit_code(run: &Run<'_>, answered: &Answered) -> Reply {
    let stderr = run.rendered(answered).stderr;
    let verdict = &answered.settled.verdict;
    let said: String =
        verdict.context.iter().chain(&verdict.notices).map(|text| format!("{text}\n")).collect();
    if verdict.decision >= Decision::Ask {
        let stderr = format!("{}\n{said}{stderr}", verdict.reason());
        return Reply { stderr, exit: exit::BLOCKED, ..Reply::default() };
    }
    Reply { stderr: format!("{said}{stderr}"), ..Reply::default() }
}

pub(super) fn auto_approve(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PreToolUse", &["autonomy/auto-approve"], autonomous, native)
}

pub(super) fn session_init(machine: &Machine, _: &[String]) -> Reply {
    let only = ["session/snapshot", "session/owner", "session/settings-overlap"];
    answer(machine, "SessionStart", &only, autonomous, plain)
}

pub(super) fn auto_update(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "SessionStart", &["session/update"], autonomous, plain)
}

pub(super) fn read_docs_reminder(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "SessionStart", &["session/read-docs"], autonomous, plain)
}

pub(super) fn read_docs_trigger(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "UserPromptSubmit", &["prompt/read-docs"], autonomous, plain)
}

pub(super) fn skill_reminder(machine: &Machine, _: &[String]) -> Reply {
    let on = |loaded: &mut Loaded| {
        loaded.config.checks.insert("prompt/skill-reminder".into(), Level::On);
    };
    answer(machine, "UserPromptSubmit", &["prompt/skill-reminder"], on, plain)
}

pub(super) fn stop_validator(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "Stop", &["stop/checkpoint", "stop/change-types"], autonomous, by_exit_code)
}

pub(super) fn skill_continuation(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PostToolUse", &["autonomy/skill-continuation"], autonomous, native)
}

pub(super) fn version_tracker(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PostToolUse", &["autonomy/version-tracker", "autonomy/runs"], autonomous, native)
}

pub(super) fn usage_logger(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PostToolUse", &["autonomy/usage-log"], autonomous, native)
}

/// Not a hook: it takes the words of `plimsoll worktree`, and that prints.
pub(super) fn worktree_manager(machine: &Machine, words: &[String]) -> Reply {
    Reply { exit: crate::cli::forward(machine, "worktree", words), ..Reply::default() }
}

pub(super) fn post_tool_use(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PostToolUse", &["quality/commands"], |_| {}, by_decision)
}

pub(super) fn subagent_stop(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "SubagentStop", &["quality/commands"], |_| {}, native)
}
