//! The scripts of the autonomy system and of the quality checks.

use agents::Reply;
use model::Level;
use model::config::Profile;
use serde_json::Value as Json;
use state::Machine;
use state::config::{Loaded, Trust};
use state::written::Belief;

use crate::{exit, hook};

/// One of them as a narrowed hook run. The originals let an unreadable payload pass, and so does this, with a line on stderr.
fn answer(machine: &Machine, event: &'static str, only: &[&str], adjust: fn(&mut Loaded)) -> Reply {
    let args = hook::Args {
        only: Some(only.iter().map(|&id| id.to_owned()).collect()),
        event: Some(event.into()),
        trust: Trust::Everything,
        belief: Belief::Everything,
        adjust,
        ..hook::Args::default()
    };
    let bytes = match state::files::read_stdin(agents::LARGEST) {
        Ok(bytes) => bytes,
        Err(error) => return passed(&error.to_string()),
    };
    match agents::read(&bytes) {
        Ok(_) => hook::answer(machine, &args, &bytes),
        Err(bad) => passed(&bad.to_string()),
    }
}

fn passed(why: &str) -> Reply {
    let stderr = format!("[hook:warning] plimsoll could not read the hook's input: {why}\n");
    Reply { stderr, ..Reply::default() }
}

fn autonomous(loaded: &mut Loaded) {
    loaded.config.profile = Profile::Autonomous;
}

/// A script that printed plain text: what the agent and what the user would read.
fn plain(reply: Reply) -> Reply {
    let Ok(json) = serde_json::from_str::<Json>(&reply.stdout) else { return reply };
    let texts = [&json["hookSpecificOutput"]["additionalContext"], &json["systemMessage"]];
    let lines: Vec<&str> = texts.into_iter().filter_map(Json::as_str).collect();
    let stdout = if lines.is_empty() { String::new() } else { format!("{}\n", lines.join("\n")) };
    Reply { stdout, ..reply }
}

/// A script that blocked by a decision on stdout, where a hook of ours uses the exit code.
fn by_decision(reply: Reply) -> Reply {
    if reply.exit != exit::BLOCKED {
        return reply;
    }
    let block = serde_json::json!({"decision": "block", "reason": reply.stderr.trim_end()});
    Reply { stdout: format!("{block}\n"), ..Reply::default() }
}

/// A script that blocked with exit code 2 and its reason on stderr.
fn by_exit_code(reply: Reply) -> Reply {
    let Ok(json) = serde_json::from_str::<Json>(&reply.stdout) else { return reply };
    let said = json["systemMessage"].as_str().map_or_else(String::new, |text| format!("{text}\n"));
    if json["decision"] == "block" {
        let reason = json["reason"].as_str().unwrap_or_default();
        return Reply { stderr: format!("{reason}\n{said}"), exit: exit::BLOCKED, ..Reply::default() };
    }
    Reply { stderr: said, ..Reply::default() }
}

pub(super) fn auto_approve(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PreToolUse", &["autonomy/auto-approve"], autonomous)
}

pub(super) fn session_init(machine: &Machine, _: &[String]) -> Reply {
    let only = ["session/snapshot", "session/owner", "session/settings-overlap"];
    plain(answer(machine, "SessionStart", &only, autonomous))
}

pub(super) fn auto_update(machine: &Machine, _: &[String]) -> Reply {
    plain(answer(machine, "SessionStart", &["session/update"], autonomous))
}

pub(super) fn read_docs_reminder(machine: &Machine, _: &[String]) -> Reply {
    plain(answer(machine, "SessionStart", &["session/read-docs"], autonomous))
}

pub(super) fn read_docs_trigger(machine: &Machine, _: &[String]) -> Reply {
    plain(answer(machine, "UserPromptSubmit", &["prompt/read-docs"], autonomous))
}

pub(super) fn skill_reminder(machine: &Machine, _: &[String]) -> Reply {
    let on = |loaded: &mut Loaded| {
        loaded.config.checks.insert("prompt/skill-reminder".into(), Level::On);
    };
    plain(answer(machine, "UserPromptSubmit", &["prompt/skill-reminder"], on))
}

pub(super) fn stop_validator(machine: &Machine, _: &[String]) -> Reply {
    by_exit_code(answer(machine, "Stop", &["stop/checkpoint", "stop/change-types"], autonomous))
}

pub(super) fn skill_continuation(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PostToolUse", &["autonomy/skill-continuation"], autonomous)
}

pub(super) fn version_tracker(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PostToolUse", &["autonomy/version-tracker", "autonomy/runs"], autonomous)
}

pub(super) fn usage_logger(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "PostToolUse", &["autonomy/usage-log"], autonomous)
}

/// Not a hook: it takes the words of `plimsoll worktree`, and that prints.
pub(super) fn worktree_manager(machine: &Machine, words: &[String]) -> Reply {
    Reply { exit: crate::cli::forward(machine, "worktree", words), ..Reply::default() }
}

pub(super) fn post_tool_use(machine: &Machine, _: &[String]) -> Reply {
    by_decision(answer(machine, "PostToolUse", &["quality/commands"], |_| {}))
}

pub(super) fn subagent_stop(machine: &Machine, _: &[String]) -> Reply {
    answer(machine, "SubagentStop", &["quality/commands"], |_| {})
}
