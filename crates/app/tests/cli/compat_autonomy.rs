//! `plimsoll compat`: the scripts for an agent that works alone and those of the quality checks at their old addresses.

use std::process::Command;

use serde_json::{Value as Json, json};

use crate::checkpoint::{FILE, valid};
use crate::world::{Ran, World, write};

const STATE: &str = ".claude/autonomous-state.json";

fn now() -> String {
    let done = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output().unwrap();
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// As a settings file starts it: no variable says where the project is.
fn script(world: &World, name: &str, payload: &Json) -> Ran {
    Ran::of(world.program(&["compat", name]), payload.to_string().as_bytes())
}

fn with_state(more: &Json) -> World {
    let mut state = json!({"iteration": 1, "started_at": now()});
    state.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    World::new().with(STATE, &state.to_string())
}

fn payload(world: &World, more: &Json) -> Json {
    let mut payload = json!({"cwd": world.path(""), "session_id": "s1"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

/// Every script that the two documents name is answered, with and without its ending.
#[test]
fn every_script_has_its_address() {
    let world = World::new();
    for name in [
        "auto-update.py",
        "session-init.py",
        "worktree-manager.py",
        "read-docs-reminder.py",
        "skill-continuation-reminder.py",
        "stop-validator.py",
        "read-docs-trigger.py",
        "auto-approve.py",
        "deploy-enforcer.py",
        "bash-version-tracker.py",
        "tool-usage-logger.py",
        "skill-reminder.py",
        "post-tool-use.sh",
        "subagent-stop.sh",
    ] {
        let ran = if name.starts_with("worktree") {
            world.run(&["compat", name, "list"])
        } else {
            script(&world, name, &payload(&world, &json!({})))
        };
        assert_eq!(ran.code, Some(0), "{name}: {ran:#?}");
        assert!(!ran.stderr.contains("unknown script"), "{name}: {ran:#?}");
    }
}

#[test]
fn input_that_cannot_be_read_passes() {
    let world = World::new();
    for name in ["auto-approve", "stop-validator", "read-docs-trigger", "tool-usage-logger", "subagent-stop"]
    {
        for text in ["", "not json", "[]"] {
            let ran = Ran::of(world.program(&["compat", name]), text.as_bytes());
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{name}: {ran:#?}");
        }
    }
}

// The document's own examples.

#[test]
fn auto_approve_with_and_without_a_state() {
    let world = with_state(&json!({}));
    let call = payload(&world, &json!({"tool_name": "Bash"}));
    let answer = script(&world, "auto-approve", &call).json();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "allow");
    let request = payload(&world, &json!({"tool_name": "Bash", "hook_event_name": "PermissionRequest"}));
    let answer = script(&world, "auto-approve", &request).json();
    assert_eq!(answer["hookSpecificOutput"]["decision"]["behavior"], "allow");
    world.remove(STATE);
    script(&world, "auto-approve", &call).is_silent();
    script(&world, "auto-approve", &request).is_silent();
    // Skills of an older make.
    world.write(".claude/godo-state.json", &json!({"iteration": 1, "started_at": now()}).to_string());
    let answer = script(&world, "auto-approve", &call).json();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], "Auto-approved by godo mode");
    world.remove(".claude/godo-state.json");
    let world = world.with_variable("APPFIX_ACTIVE", "true");
    let answer = script(&world, "auto-approve", &call).json();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], "Auto-approved by appfix mode");
}

#[test]
fn the_nearest_state_counts_from_a_subdirectory_and_one_that_expired_does_not() {
    let world = with_state(&json!({}));
    world.write("a/b/x.py", "");
    let call = json!({"cwd": world.path("a/b"), "tool_name": "Edit", "tool_input": {"file_path": world.name("a/b/x.py")}});
    assert!(script(&world, "auto-approve", &call).stdout.contains("allow"));
    world.write(STATE, r#"{"iteration": 1, "started_at": "2020-01-01T00:00:00Z"}"#);
    script(&world, "auto-approve", &call).is_silent();
    world.write(STATE, &json!({"started_at": "2020-01-01T00:00:00Z", "last_activity_at": now()}).to_string());
    assert!(script(&world, "auto-approve", &call).stdout.contains("allow"));
    for broken in ["{", "[]", "{\"iteration\": 1}", "{\"started_at\": \"soon\"}"] {
        world.write(STATE, broken);
        world.write(".claude/appfix-state.json", broken);
        script(&world, "auto-approve", &call).is_silent();
    }
}

#[test]
fn a_personal_state_is_for_its_session_and_project() {
    let world = World::new();
    let file = world.home().join(STATE);
    let approves = |world: &World| {
        script(world, "auto-approve", &payload(world, &json!({"tool_name": "Bash"}))).stdout.contains("allow")
    };
    write(&file, &json!({"started_at": now()}).to_string());
    assert!(approves(&world));
    write(&file, &json!({"started_at": now(), "session_id": "other"}).to_string());
    assert!(!approves(&world));
    write(
        &file,
        &json!({"started_at": now(), "session_id": "s1", "origin_project": world.path("")}).to_string(),
    );
    assert!(approves(&world));
    write(
        &file,
        &json!({"started_at": now(), "session_id": "s1", "origin_project": "/elsewhere"}).to_string(),
    );
    assert!(!approves(&world));
}

#[test]
fn deploy_enforcer_refuses_a_subagents_deployment() {
    let world = with_state(&json!({"coordinator": false}));
    let call =
        |command: &str| payload(&world, &json!({"tool_name": "Bash", "tool_input": {"command": command}}));
    script(&world, "deploy-enforcer", &call("gh workflow run deploy.yml")).is_denied();
    script(&world, "deploy-enforcer", &call("echo gh workflow run deploy.yml")).is_silent();
    script(&world, "deploy-enforcer", &call("ls")).is_silent();
    let world = with_state(&json!({}));
    let production = payload(
        &world,
        &json!({"tool_name": "Bash", "tool_input": {"command": "gh workflow run d.yml -f environment=production"}}),
    );
    script(&world, "deploy-enforcer", &production).is_denied();
}

#[test]
fn stop_validator_speaks_by_its_exit_code() {
    let world = World::new();
    let stop = payload(&world, &json!({"stop_hook_active": false}));
    script(&world, "autonomy/session-init", &payload(&world, &json!({"source": "startup"}))).is_silent();
    script(&world, "stop-validator", &stop).is_silent();
    world.write("app.py", "x = 2\n");
    let ran = script(&world, "stop-validator", &stop);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:#?}");
    assert!(
        ran.stderr.starts_with("BLOCKED: Cannot stop without valid completion checkpoint.\n"),
        "{}",
        ran.stderr
    );
    world.write(FILE, &valid().to_string());
    script(&world, "stop-validator", &stop).is_silent();
    // A second look says the same: it is idempotent.
    script(&world, "stop-validator", &stop).is_silent();
    let mut report = valid();
    report["self_report"]["is_job_complete"] = false.into();
    world.write(FILE, &report.to_string());
    assert_eq!(script(&world, "stop-validator", &stop).code, Some(2));
}

#[test]
fn session_init_says_in_a_line_what_is_registered_twice() {
    let world = World::new();
    let hooks = |script: &str| {
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": format!("python3 {script}")}]}]}})
            .to_string()
    };
    write(&world.home().join(".claude/hooks/stop-validator.py"), "");
    write(&world.home().join(".claude/settings.json"), &hooks("~/.claude/hooks/stop-validator.py"));
    world.write(".claude/settings.json", &hooks("$HOME/.claude/hooks/stop-validator.py"));
    let ran = script(&world, "autonomy/session-init", &payload(&world, &json!({"source": "startup"})));
    assert_eq!(
        ran.stdout,
        "[session-init] Warning: .claude/settings.json duplicates 1 global hook(s): stop-validator.py. Remove from project settings to \
         prevent double execution.\n"
    );
    assert!(world.has(".claude/session-snapshot.json") && world.has(".claude/session-owner.json"));
}

#[test]
fn reading_is_asked_for_in_plain_text() {
    let world = World::new();
    for (name, text) in [
        ("docs/index.md", "x"),
        ("CLAUDE.md", "x"),
        (".claude/MEMORIES.md", "x"),
        ("docs/TECHNICAL_OVERVIEW.md", "x"),
    ] {
        world.write(name, text);
    }
    let start = script(&world, "read-docs-reminder", &payload(&world, &json!({"source": "startup"}))).stdout;
    let expected = "MANDATORY: Before executing ANY user request, you MUST use the Read tool to read these files IN ORDER: (1) docs/index.md - \
                    project documentation hub with architecture links (2) CLAUDE.md - coding standards you MUST follow (3) \
                    .claude/MEMORIES.md - prior session context (4) docs/TECHNICAL_OVERVIEW.md - architecture and system design (if \
                    exists). DO NOT skip this step. DO NOT summarize from memory. Actually READ the files. The user expects informed \
                    responses based on current project state, not generic assistance.\n";
    assert_eq!(start, expected);
    let compact =
        script(&world, "read-docs-reminder", &payload(&world, &json!({"source": "compact"}))).stdout;
    assert!(compact.contains("1. CLAUDE.md - coding standards (REQUIRED)\n2. .claude/MEMORIES.md - session context (REQUIRED)\n3. docs/index.md - documentation hub (REQUIRED)\n4. docs/TECHNICAL_OVERVIEW.md - architecture (if exists)\n"), "{compact}");
    let ask = |text: &str| script(&world, "read-docs-trigger", &json!({"message": text})).stdout;
    assert!(
        ask("Read the docs and go")
            .starts_with("Before starting this task, you MUST:\n\n1. Read docs/index.md")
    );
    assert_eq!(ask("go"), "");
}

#[test]
fn after_a_tool() {
    let world = with_state(&json!({"mode": "appfix"}));
    let skill = payload(
        &world,
        &json!({"tool_name": "Skill", "tool_input": {"skill": "heavy"}, "tool_response": {}}),
    );
    let text = script(&world, "skill-continuation-reminder", &skill).json()["hookSpecificOutput"]["additionalContext"].clone();
    assert_eq!(
        text,
        "You are in autonomous REPAIR mode. The skill completed. Continue your current task. If a sub-problem needs a different approach, \
         adapt inline — you may use techniques from any skill without switching modes."
    );
    script(&world, "tool-usage-logger", &skill).is_silent();
    assert!(world.read(".claude/tool-usage-log.jsonl").contains("\"sig\":\"heavy\""));
    world.write(FILE, &json!({"self_report": {"web_testing_done": true}}).to_string());
    let commit = payload(
        &world,
        &json!({"tool_name": "Bash", "tool_input": {"command": "git commit -m x"}, "tool_output": "ok"}),
    );
    assert!(script(&world, "bash-version-tracker", &commit).stdout.contains("web_testing_done"));
    world.remove(STATE);
    script(&world, "skill-continuation-reminder", &skill).is_silent();
}

#[test]
fn skills_on_disk_are_suggested() {
    let world = World::new();
    let skill = world.home().join(".claude/skills/nextjs-tanstack-stack/SKILL.md");
    write(
        &skill,
        "---\nname: nextjs-tanstack-stack\ndescription: Use when the user mentions \"tanstack\" or \"app router\".\n---\n",
    );
    let ask =
        |text: &str| script(&world, "skill-reminder", &json!({"prompt": text, "cwd": world.path("")})).stdout;
    assert_eq!(
        ask("build a TanStack table"),
        "Consider using the Skill tool to invoke /nextjs-tanstack-stack\n"
    );
    assert_eq!(ask("build a table"), "");
}

#[test]
fn the_work_trees_of_the_manager() {
    let world = World::new();
    let ran = world.run(&["compat", "worktree-manager", "create", "agent-123"]).succeeds();
    assert!(ran.stdout.trim_end().ends_with("claude-worktrees/agent-123"), "{}", ran.stdout);
    world
        .run(&["compat", "worktree-manager", "path", "agent-123"])
        .succeeds()
        .says(&["claude-worktrees/agent-123"]);
    world.run(&["compat", "worktree-manager", "gc", "8", "--dry-run"]).succeeds();
    assert_eq!(world.run(&["compat", "worktree-manager", "merge", "nobody"]).code, Some(2));
    world.run(&["compat", "worktree-manager", "cleanup", "agent-123"]).succeeds();
}

#[test]
fn the_projects_commands_without_a_question_of_trust() {
    let world = World::new()
        .with("CLAUDE.md", "---\ncommands:\n  test: \"echo broken; exit 1\"\n  check: \"true\"\n---\n");
    let checks = json!({
        "checks": {"check": {"blocking": false}, "test": {"blocking": true}},
        "hooks": {
            "PostToolUse": {"enabled_tools": ["Edit"], "checks": ["check"]},
            "SubagentStop": {"enabled_agents": ["rust-engineer"], "checks": ["check", "test"]},
        },
    });
    world.write(".claude/hooks/quality-checks.json", &checks.to_string());
    let edit = payload(
        &world,
        &json!({"tool_name": "Edit", "tool_input": {"file_path": "app.py"}, "tool_response": {}}),
    );
    script(&world, "post-tool-use", &edit).is_silent();
    for field in ["agent_type", "agent_name", "subagent_type"] {
        let stop = payload(&world, &json!({field: "rust-engineer"}));
        let reason = script(&world, "subagent-stop", &stop).is_blocked();
        assert!(
            reason.starts_with("Project test command failed. Fix errors before completing.")
                && reason.contains("broken"),
            "{reason}"
        );
    }
}
