//! `plimsoll compat <name>`: the answers of the scripts that Plimsoll takes the place of, at their old addresses, so that a
//! project can swap a script for `exec plimsoll compat <name>` and whatever calls it goes on.

mod autonomy;
mod linter;
mod practice;
mod project_lint;
mod run;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use agents::Reply;
use model::config::{PackageManager, Profile};
use model::{Config, Decision};
use run::{Came, Run};
use state::config::Loaded;
use state::written::Belief;
use state::{Approvals, Machine, person, session};

use crate::hook::{self, Terms};
use crate::{exit, failure};

/// One script.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    pub name: &'static str,
    pub doc: &'static str,
    run: fn(&Machine, &[String]) -> Reply,
}

/// Every script that is answered, in the order of the reference page.
pub fn scripts() -> impl Iterator<Item = &'static Script> {
    [LINTER_SYSTEM, practice::PLAIN, practice::OTHERS].into_iter().flatten()
}

static LINTER_SYSTEM: &[Script] = &[
    Script {
        name: "protect_linter_configs",
        doc: "PreToolUse: refuses edits of linter configs, hooks and settings.",
        run: protect_linter_configs,
    },
    Script {
        name: "multi_linter",
        doc: "PostToolUse: formats and lints an edited file, and has a model fix what is left.",
        run: linter::multi_linter,
    },
    Script {
        name: "lint",
        doc: "PostToolUse: the project's own linter on an edited file; after three failures in a row it only advises.",
        run: project_lint::lint,
    },
    Script {
        name: "stop_config_guardian",
        doc: "Stop: holds a stop when protected files were changed and not approved.",
        run: stop_config_guardian,
    },
    Script {
        name: "llm-review",
        doc: "PreToolUse: asks reviewers about a command that `auto-review` could not classify.",
        run: llm_review,
    },
    Script {
        name: "deploy-enforcer",
        doc: "PreToolUse: keeps deployments of autonomous work with the coordinator, and production with the plan.",
        run: deploy_enforcer,
    },
    Script {
        name: "autonomy/session-init",
        doc: "SessionStart: the session's snapshot and owner, old states and work trees, hooks that run twice.",
        run: autonomy::session_init,
    },
    Script {
        name: "auto-update",
        doc: "SessionStart: looks for a newer version of the harness's checkout.",
        run: autonomy::auto_update,
    },
    Script {
        name: "read-docs-reminder",
        doc: "SessionStart: which documents to read first.",
        run: autonomy::read_docs_reminder,
    },
    Script {
        name: "read-docs-trigger",
        doc: "UserPromptSubmit: the same where the prompt asks for it.",
        run: autonomy::read_docs_trigger,
    },
    Script {
        name: "skill-reminder",
        doc: "UserPromptSubmit: names the skills that a prompt could use.",
        run: autonomy::skill_reminder,
    },
    Script {
        name: "auto-approve",
        doc: "PreToolUse, PermissionRequest: approves tool calls while autonomous work is active.",
        run: autonomy::auto_approve,
    },
    Script {
        name: "skill-continuation-reminder",
        doc: "PostToolUse: keeps autonomous work going after a skill.",
        run: autonomy::skill_continuation,
    },
    Script {
        name: "bash-version-tracker",
        doc: "PostToolUse: takes back what was verified before the version changed.",
        run: autonomy::version_tracker,
    },
    Script {
        name: "tool-usage-logger",
        doc: "PostToolUse: a line for each tool call.",
        run: autonomy::usage_logger,
    },
    Script {
        name: "stop-validator",
        doc: "Stop: exit code 2 without a completion checkpoint that holds.",
        run: autonomy::stop_validator,
    },
    Script {
        name: "worktree-manager",
        doc: "`create|cleanup|merge|list|path|is-worktree|gc`: the work trees of agents.",
        run: autonomy::worktree_manager,
    },
    Script {
        name: "post-tool-use",
        doc: "PostToolUse: the project's own commands after an edit.",
        run: autonomy::post_tool_use,
    },
    Script {
        name: "subagent-stop",
        doc: "SubagentStop: the project's own commands before a subagent ends.",
        run: autonomy::subagent_stop,
    },
    Script {
        name: "enforce_package_managers",
        doc: "PreToolUse: refuses package managers other than uv and bun, and names the command to use instead.",
        run: enforce_package_managers,
    },
    Script {
        name: "test_hook",
        doc: "`<file>`: runs `multi_linter` on a file and shows what it answers; `--self-test`: `plimsoll selftest`.",
        run: linter::test_hook,
    },
    Script {
        name: "approve_configs",
        doc: "`<pid> <file>…`: records the user's approval for the process that `stop_config_guardian` was started by.",
        run: approve_configs,
    },
];

pub(crate) fn main(machine: &Machine, words: &[OsString]) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let name = words.first().map_or("", String::as_str);
    if matches!(name, "" | "--help" | "-h") {
        return crate::cli::main(machine);
    }
    // That one is for a user in a terminal, and no hook.
    if find(name).is_some_and(|script| script.name == "test_hook") {
        return hook::write(&linter::test_hook(machine, &words[1..]));
    }
    failure::quiet_panics();
    // Most scripts are not guards; one that is says more when it knows its event.
    let limit = std::time::Duration::from_secs(Terms::default().deadline);
    state::last_word::prepare(model::LastWord::SILENCE, limit, &state::log::file(machine));
    state::Lock::in_a_hook();
    let reply = if let Some(script) = find(name) {
        (script.run)(machine, &words[1..])
    } else {
        let names: Vec<_> = scripts().map(|script| script.name).collect();
        let stderr = format!("plimsoll: unknown script {name}; known: {}\n", names.join(", "));
        Reply { stderr, exit: exit::BLOCKED, ..Reply::default() }
    };
    hook::write(&reply)
}

/// With its ending or without. Two systems have a `session-init`: one in Python, and one for the shell, which has the name where
/// the ending does not say.
fn find(file: &str) -> Option<&'static Script> {
    let (system, name) = match file.strip_suffix(".py") {
        Some(name) => ("autonomy", name),
        None => ("practice", file.strip_suffix(".sh").unwrap_or(file)),
    };
    let of = |name: &str| scripts().find(|script| script.name == name);
    of(name).or_else(|| of(&format!("{system}/{name}")))
}

/// What review leaves undecided goes to the reviewers; what review itself says, it says at its own address. Unlike the others it
/// heeds trust: an address that a project names by itself would be sent the user's key.
fn llm_review(machine: &Machine, _: &[String]) -> Reply {
    let bytes = match state::files::read_stdin(agents::LARGEST) {
        Ok(bytes) => bytes,
        Err(error) => {
            return before_a_tool(machine, &[], |_| {})
                .unsettled(Came::Failed(failure::Trouble::Unread(error)));
        }
    };
    // Whoever registers it wants the reviewers' word to count.
    let only = |id: &str| {
        before_a_tool(machine, &[id], |loaded| {
            loaded.config.profile = Profile::Strict;
            loaded.personal_profile = Profile::Strict;
        })
    };
    match only("shell/review").of(&bytes) {
        Came::Settled(answered) if answered.settled.verdict.decision != Decision::None => Reply::default(),
        _ => {
            let reviewers = only("shell/second-opinion");
            reviewers.reply(reviewers.of(&bytes))
        }
    }
}

fn deploy_enforcer(machine: &Machine, _: &[String]) -> Reply {
    let run = before_a_tool(machine, &["shell/deploy"], |loaded| loaded.config.profile = Profile::Autonomous);
    run.reply(run.of_stdin())
}

/// A narrowed run of `PreToolUse` in the native dialect, with no more trust than a hook has. The state of autonomous work is what skills of
/// that system write, so the files count as they are.
fn before_a_tool<'a>(machine: &'a Machine, only: &[&str], adjust: fn(&mut Loaded)) -> Run<'a> {
    Run::new(machine, "PreToolUse", Terms { belief: Belief::Everything, adjust, ..Terms::only(only) })
}

fn protect_linter_configs(machine: &Machine, _: &[String]) -> Reply {
    let only = ["file/own-state", "file/agent-settings", "file/linter-config"];
    // The original refuses the first config as it does any other.
    let adjust = |loaded: &mut Loaded| loaded.config.profile = Profile::Strict;
    let run = run::legacy(machine, "PreToolUse", Terms { adjust, ..Terms::only(&only) });
    run.reply(run.of_stdin())
}

fn stop_config_guardian(machine: &Machine, _: &[String]) -> Reply {
    let pid = machine.guard_pid();
    let approvals = Approvals::Pid(pid);
    let run = run::legacy(machine, "Stop", Terms { approvals, ..Terms::only(&["stop/config-guardian"]) });
    let came = run.of_stdin();
    // An approval that did not help was for other contents; it is used up.
    if let Came::Settled(answered) = &came
        && answered.settled.verdict.decision >= Decision::Ask
    {
        let _ = state::files::remove(&Approvals::pid_file(pid));
    }
    run.reply(came)
}

fn enforce_package_managers(machine: &Machine, _: &[String]) -> Reply {
    let terms = Terms { adjust: documented_managers, ..Terms::only(&["shell/package-manager"]) };
    let run = run::legacy(machine, "PreToolUse", terms);
    run.reply(run.of_stdin())
}

/// What no file says is as the script's document has it: both are enforced, and its lists of subcommands are allowed.
fn documented_managers(loaded: &mut Loaded) {
    let Config { python_manager, javascript_manager, .. } = &mut loaded.config;
    let managers = [
        ("package_managers.python", python_manager, "uv"),
        ("package_managers.javascript", javascript_manager, "bun"),
    ];
    for (key, manager, tool) in managers {
        if !loaded.sources.iter().any(|(known, _)| *known == key) {
            *manager = PackageManager::Enforce(tool.into());
        }
    }
}

fn approve_configs(machine: &Machine, words: &[String]) -> Reply {
    let fail = |text: &str| Reply { stderr: format!("{text}\n"), exit: exit::FAILED, ..Reply::default() };
    let Some((pid, files)) = words.split_first().filter(|(_, files)| !files.is_empty()) else {
        return fail("usage: approve_configs <pid> <file>...");
    };
    let Ok(pid) = pid.parse::<u32>() else {
        return fail(&format!("approve_configs: {pid} is not a process id"));
    };
    // Where the client's hooks come here, its user is asked about this; where only the scripts are registered, it is as it was.
    let all: Vec<String> =
        ["compat", "approve_configs"].into_iter().map(str::to_owned).chain(words.iter().cloned()).collect();
    if person::client_above(machine).is_some() && !person::use_permit(machine, &all, &machine.cwd()) {
        return fail(&format!("approve_configs: {}", crate::person::refusal("approve")));
    }
    let here = machine.cwd();
    let mut hashes = BTreeMap::new();
    for file in files {
        let path = here.join(Path::new(file));
        if state::files::is_file(&path) {
            hashes.insert(file.clone(), session::content_hash(&path));
        }
    }
    let file = Approvals::pid_file(pid);
    match session::write_shared_approvals(machine, &file, &hashes) {
        Ok(()) => Reply { stdout: format!("Guard file created: {}\n", file.display()), ..Reply::default() },
        Err(error) => fail(&format!("approve_configs: {} could not be written: {error}", file.display())),
    }
}
