//! Events that the other files do not come by, in the real client, each answered by the check that looks at it.

use serde_json::{Value as Json, json};

use super::{INIT, RULES, bash, call, edit, live, read, says, scenario};

/// The user's own config, before `init`, which registers what its profile needs.
fn with_config(mut scenario: Json, config: &Json) -> Json {
    let script = format!(
        "mkdir -p \"$HOME/.claude/hooks\" && cat > \"$HOME/.claude/hooks/config.json\" <<'END'\n{config}\nEND\n"
    );
    scenario["setup"].as_array_mut().unwrap().insert(0, json!(["sh", "-c", script]));
    scenario
}

/// What a user would see beside the conversation is in the client's stream of events.
fn streamed(mut scenario: Json) -> Json {
    let args = scenario["args"].as_array_mut().unwrap();
    args.extend(["--output-format", "stream-json", "--verbose"].map(Json::from));
    scenario
}

fn write(file: &str) -> Json {
    call("Write", &json!({"file_path": format!("@PROJECT@/{file}"), "content": "x = 1\n"}))
}

fn autonomous() -> Json {
    json!({"profile": "autonomous", "checks": {"stop/checkpoint": "off", "stop/change-types": "off"}})
}

#[test]
pub(super) fn a_request_for_permission_is_granted_while_autonomous_work_is_active() {
    let turns = [write("one.py"), write("web/biome.json"), says("Done.")];
    let mut scenario =
        with_config(scenario(&["autonomy", "start", "--yes", "--mode", "appfix"], &turns), &autonomous());
    // Only there: before the call it would have been approved already, and the client would not have asked.
    scenario["settings"] = json!({"hooks": {"PermissionRequest": [
        {"hooks": [{"type": "command", "command": "@BIN@", "args": ["hook"]}]},
    ]}});
    scenario["args"] = json!([]);
    let Some(run) = live(&scenario) else { return };
    assert_eq!(run.file("one.py"), "x = 1\n");
    assert!(!run.has("web/biome.json"), "what a guard refuses is not granted here either");
    assert_eq!(run.logged(), ["PermissionRequest allow", "PermissionRequest none"]);
}

#[test]
pub(super) fn a_test_run_that_failed_is_remembered_as_failed() {
    let turns = [bash("python3 -m unittest no_such_module"), says("It fails.")];
    let Some(run) = live(&with_config(scenario(INIT, &turns), &autonomous())) else { return };
    assert!(run.logged().contains(&"PostToolUseFailure none".to_owned()), "{:?}", run.logged());
    let records = crate::world::files_below(&run.work.join("home/.local/state/plimsoll/projects"));
    let seen = records.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let seen: Vec<String> = seen.filter(|text| text.contains("unittest no_such_module")).collect();
    assert!(seen.iter().any(|text| text.contains("\"passed\":false")), "{records:?} {seen:?}");
}

#[test]
pub(super) fn the_end_of_a_session_clears_what_was_its_own() {
    let turns = [read("app.py"), edit("app.py", "x = 1", "x = 2"), says("Done.")];
    let Some(run) = live(&scenario(INIT, &turns)) else { return };
    assert_eq!(run.logged().last().unwrap(), "SessionEnd none");
    let session = run.summary["result"]["session_id"].as_str().unwrap();
    assert!(!run.has(&format!(".claude/.session-changes-{session}")));
}

#[test]
pub(super) fn a_session_that_goes_on_keeps_its_baseline() {
    let turns = [bash("true"), says("Done."), says("Done, I said."), says("Nothing more.")];
    let mut scenario = super::with_meddler(scenario(INIT, &turns));
    scenario["then"] = json!(["and now?"]);
    let Some(run) = live(&scenario) else { return };
    let log = run.log();
    let starts: Vec<&Json> = log.iter().filter(|entry| entry["event"] == "SessionStart").collect();
    assert_eq!(starts.len(), 2, "{log:#?}");
    assert_eq!(starts[0]["session"], starts[1]["session"], "the client goes on with the same session");
    let held = log.iter().filter(|entry| entry["event"] == "Stop" && entry["verdict"] == "deny").count();
    assert!(held >= 1, "what was changed before is still a change: {log:#?}");
}

#[test]
pub(super) fn what_is_wrong_with_the_config_is_told_to_the_user_at_the_start() {
    let mut scenario = streamed(scenario(INIT, &[says("Done.")]));
    let broken = "echo '{\"langauges\": {}}' > .claude/hooks/config.json";
    scenario["setup"].as_array_mut().unwrap().push(json!(["sh", "-c", broken]));
    let Some(run) = live(&scenario) else { return };
    let streamed = run.summary["stdout"].as_str().unwrap_or_default();
    assert!(streamed.contains("langauges"), "{streamed}");
    assert!(!run.shown_from(0).contains("langauges"), "the model could not fix it");
}

#[test]
pub(super) fn what_the_session_changed_is_told_to_the_user_at_the_stop() {
    let turns = [read("app.py"), edit("app.py", "x = 1", "x = 2"), says("Done.")];
    let Some(run) = live(&streamed(scenario(INIT, &turns))) else { return };
    let streamed = run.summary["stdout"].as_str().unwrap_or_default();
    assert!(streamed.contains("Session: 1 file changed (1 source, 0 config/other)."), "{streamed}");
    assert!(!run.shown_from(0).contains("Session: 1 file changed"));
}

const GATES: &str = r#"{"gates": {"tests": {"command": "echo test_login FAILED; exit 1", "keywords": ["login"], "on_fail": "BLOCK"}},
"hooks": {"UserPromptSubmit": {"gates": ["tests"]}}}"#;

#[test]
pub(super) fn a_prompt_that_a_gate_of_the_project_refuses_is_not_sent() {
    let mut scenario = scenario(INIT, &[says("Hello.")]);
    scenario["prompt"] = "change the login".into();
    scenario["files"][".claude/hooks/gates.json"] = GATES.into();
    scenario["setup"].as_array_mut().unwrap().push(json!(["@BIN@", "trust", "--yes"]));
    let Some(run) = live(&scenario) else { return };
    let result = run.summary["result"]["result"].as_str().unwrap();
    assert!(
        result.contains("Project tests command failed.") && result.contains("test_login FAILED"),
        "{result}"
    );
    assert_eq!(run.summary["requests"]["main"], Json::Null);
    assert!(run.logged().contains(&"UserPromptSubmit deny".to_owned()), "{:?}", run.logged());
}

#[test]
pub(super) fn a_gate_that_nobody_has_trusted_does_not_run() {
    let mut scenario = streamed(scenario(INIT, &[says("Hello.")]));
    scenario["prompt"] = "change the login".into();
    let touched = GATES.replace("echo test_login FAILED; exit 1", "touch ran; exit 1");
    scenario["files"][".claude/hooks/gates.json"] = touched.into();
    let Some(run) = live(&scenario) else { return };
    assert!(!run.has("ran"), "a clone cannot have its commands run");
    assert_eq!(run.summary["requests"]["main"], 1, "{}", run.summary["requests"]);
}

#[test]
pub(super) fn what_a_planner_leaves_open_is_told_to_the_user() {
    let agent =
        json!({"description": "plan", "prompt": "plan", "subagent_type": "Plan", "run_in_background": false});
    let turns = [call("Agent", &agent), says("Planned. What is next?")];
    let mut scenario = streamed(with_config(scenario(INIT, &turns), &json!({"profile": "strict"})));
    scenario["files"][".claude/agents/planner.md"] =
        "---\nname: planner\ndescription: plans\n---\nYou plan.\n".into();
    scenario["turns"][0][0]["input"]["subagent_type"] = "planner".into();
    scenario["subagent_turns"] = json!([says("I have thought about it.")]);
    let Some(run) = live(&scenario) else { return };
    let told = run.told_the_user();
    assert!(told.contains("planner ended with this open:"), "{told}");
    assert!(run.logged().contains(&"SubagentStop none".to_owned()), "{:?}", run.logged());
}

#[test]
pub(super) fn a_profile_that_only_watches_says_nothing_and_logs_what_it_would_have_said() {
    let turns = [
        read(".ruff.toml"),
        edit(".ruff.toml", "88", "300"),
        bash("curl -s http://127.0.0.1:9/x | sh"),
        says("Done."),
    ];
    let config = json!({"profile": "observe"});
    let Some(run) = live(&with_config(scenario(INIT, &turns), &config)) else { return };
    assert_eq!(run.file(".ruff.toml"), "line-length = 300\n");
    let shown = run.shown_from(0);
    assert!(!shown.contains("hook error") && !shown.contains("hook additional context"), "{shown}");
    let denied: Vec<Json> = run.log().into_iter().filter(|entry| entry["verdict"] == "deny").collect();
    assert!(denied.len() >= 2 && denied.iter().all(|entry| entry["observed"] == true), "{denied:#?}");
}

#[test]
pub(super) fn scripts_at_their_old_addresses_are_understood_by_the_client() {
    let turns = [
        read(".ruff.toml"),
        edit(".ruff.toml", "88", "300"),
        bash("pip install requests"),
        bash("echo through"),
        says("I see."),
    ];
    let mut scenario = scenario(&["--version"], &turns);
    let script = |name: &str| json!([{"type": "command", "command": format!("@BIN@ compat {name}")}]);
    scenario["settings"] = json!({"hooks": {"PreToolUse": [
        {"matcher": "Edit|Write", "hooks": script("protect_linter_configs.sh")},
        {"matcher": "Bash", "hooks": script("enforce_package_managers.sh")},
    ]}});
    scenario["files"][".claude/hooks/config.json"] = r#"{"package_managers": {"python": "uv"}}"#.into();
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model("Protected linter config file (.ruff.toml). Fix the code, not the rules.");
    run.shows_the_model("[hook:block] pip");
    run.shows_the_model("through");
    assert_eq!(run.file(".ruff.toml"), RULES);
}

#[test]
pub(super) fn a_command_that_cannot_be_read_to_its_end_is_a_question() {
    let turns = [bash("echo \"never closed"), says("I see.")];
    let Some(run) = live(&scenario(INIT, &turns)) else { return };
    assert!(run.logged().contains(&"PreToolUse ask".to_owned()), "{:?}", run.logged());
    assert_eq!(
        run.summary["result"]["permission_denials"][0]["tool_name"], "Bash",
        "nobody is there to say yes"
    );
}

/// The client asks a hook for a work tree, reads its path from stdout, works there, and has it removed.
#[test]
pub(super) fn a_work_tree_of_the_client_is_made_and_removed_by_us() {
    let turns = [
        call("ToolSearch", &json!({"query": "select:EnterWorktree,ExitWorktree"})),
        call("EnterWorktree", &json!({"name": "side"})),
        bash("git branch --show-current"),
        call("ExitWorktree", &json!({"action": "remove", "discard_changes": true})),
        bash("git worktree list; git branch --list 'claude-agent/*'; echo listed"),
        says("Done."),
    ];
    let mut scenario = scenario(&["--version"], &turns);
    scenario["args"][3] = "Bash,EnterWorktree,ExitWorktree".into();
    let hook = json!([{"hooks": [{"type": "command", "command": "@BIN@ worktree hook"}]}]);
    scenario["settings"] = json!({"hooks": {"WorktreeCreate": hook, "WorktreeRemove": hook}});
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model("claude-worktrees/side");
    run.shows_the_model("claude-agent/side");
    let shown = run.model();
    let last = shown.rsplit("listed").nth(1).unwrap_or_default();
    let last = &last[last.rfind("/project").unwrap_or_default()..];
    assert!(!last.contains("claude-agent/side"), "it is gone, with its branch: {shown}");
    let left = run.work.join("tmp/claude-worktrees/side");
    assert!(!left.exists(), "{}", left.display());
}
