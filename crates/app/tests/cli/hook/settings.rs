//! What settings and the places of our records do to a hook, and what its log holds.

use crate::world::{RUFF, SESSION, World, write};
use serde_json::json;

#[test]
fn the_user_can_switch_everything_off() {
    let world = World::new().with_user_config(r#"{"hook_enabled": false}"#);
    world.wants_to_edit(RUFF).is_silent();
    world.write(RUFF, "line-length = 300\n");
    world.session_stops(SESSION).is_silent();
}

#[test]
fn a_cloned_project_cannot_switch_anything_off() {
    for config in [
        r#"{"hook_enabled": false}"#,
        r#"{"profile": "observe"}"#,
        r#"{"protected_files": ["other.toml"], "protect_siblings": false}"#,
        r#"{"checks": {"file/linter-config": "off"}}"#,
        r#"{"checks": {"file/linter-config": "warn"}}"#,
    ] {
        World::new().with_config(config).wants_to_edit(RUFF).is_denied();
        World::new().with(".claude/hooks/config.local.json", config).wants_to_edit(RUFF).is_denied();
    }
}

#[test]
fn observing_says_nothing_and_logs_what_it_would_have_said() {
    let world = World::new().with_user_config(r#"{"profile": "observe"}"#);
    world.wants_to_edit(RUFF).is_silent();
    let logged = world.last_logged();
    assert_eq!((&logged["verdict"], &logged["observed"]), (&json!("deny"), &json!(true)), "{logged}");
    assert_eq!(logged["rules"], json!(["file/linter-config"]));

    world.write(RUFF, "line-length = 300\n");
    world.session_stops(SESSION).is_silent();
    let logged = world.last_logged();
    assert_eq!((&logged["verdict"], &logged["observed"]), (&json!("deny"), &json!(true)), "{logged}");
}

#[test]
fn a_warning_is_context_and_does_not_stop_the_agent() {
    let world = World::new().with_user_config(r#"{"checks": {"file/linter-config": "warn"}}"#);
    let ran = world.wants_to_edit(RUFF);
    let answer = &ran.json()["hookSpecificOutput"];
    assert_eq!(answer.get("permissionDecision"), None, "{answer}");
    let context = answer["additionalContext"].as_str().unwrap();
    let beginning = "[hook:warning] file/linter-config: Protected linter config file (.ruff.toml).";
    assert!(context.starts_with(beginning), "{context}");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_project_that_uses_uv_refuses_pip_and_says_what_to_use() {
    let world = World::new().with_programs_too(&["uv"]);
    let install = |world: &World| {
        let input = json!({"command": "cd src && pip install -q x"});
        let payload = world.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_input": input}));
        world.hook(&["--only", "shell/package-manager"], payload.to_string())
    };
    install(&world).is_silent();
    world.write("uv.lock", "version = 1\n");
    let reason = install(&world).is_denied();
    assert_eq!(
        reason,
        "[hook:block] pip not allowed. Use: cd src && uv add -q x\nOnly the user can let it through, with: plimsoll allow 'cd src && pip install -q x' --once"
    );
    assert_eq!(world.last_logged()["rules"], json!(["shell/package-manager"]));

    let world = world.with_config(r#"{"package_managers": {"python": "uv:warn"}}"#);
    let ran = install(&world);
    let answer = &ran.json()["hookSpecificOutput"];
    assert_eq!(answer.get("permissionDecision"), None, "{answer}");
    assert_eq!(answer["additionalContext"], "[hook:advisory] pip detected. Prefer: cd src && uv add -q x");
}

#[test]
fn a_broken_config_is_named_at_the_start_and_protection_stays() {
    let world = World::new()
        .with_config("{\"profile\": \"strict\",, }")
        .with_user_config(r#"{"hook_enabeld": false}"#);
    let ran = world.event("SessionStart", &json!({"source": "startup"}));
    let json = ran.json();
    let message = json["systemMessage"].as_str().unwrap();
    for part in [
        &world.name(".claude/hooks/config.json"),
        "is not JSON",
        "hook_enabeld is unknown",
        "did you mean hook_enabled?",
    ] {
        assert!(message.contains(part), "«{part}» is not in\n{message}");
    }
    // The agent could not fix it, so it is not told.
    assert!(!json["hookSpecificOutput"].to_string().contains("config.json"), "{json}");
    world.wants_to_edit(RUFF).is_denied();
}

#[test]
fn what_waits_for_trust_is_named_at_the_start() {
    let world = World::new().with_config(r#"{"hook_enabled": false}"#);
    let message =
        world.event("SessionStart", &json!({"source": "startup"})).json()["systemMessage"].to_string();
    assert!(message.contains("hook_enabled = false") && message.contains("plimsoll trust"), "{message}");
}

#[test]
fn checks_that_no_guard_is_among_do_not_wait_for_trust() {
    let kept = |config: &str| {
        let world = World::new().with_config(config);
        assert_eq!(world.event("PreCompact", &json!({"trigger": "auto"})).code, Some(0));
        world.has(".claude/.preserved-context")
    };
    assert!(kept("{}"));
    assert!(!kept(r#"{"checks": {"session/compaction": "off"}}"#));
    assert!(
        !kept(r#"{"checks": {"session/compaction": "off", "file/own-state": "off"}}"#),
        "only the guard waits"
    );
}

#[test]
fn without_a_variable_the_project_is_the_repository_around_the_agent() {
    let world = World::new().with("src/a.py", "").with_variable("CLAUDE_PROJECT_DIR", "");
    let edit = json!({"cwd": world.path("src"), "tool_name": "Edit", "tool_input": {"file_path": "a.py"}});
    world.event("PostToolUse", &edit).is_silent();
    assert_eq!(world.read(".claude/.session-changes-s1"), format!("{}\n", world.name("src/a.py")));
}

// When we cannot write.

#[test]
fn a_state_folder_that_cannot_be_written_does_not_open_the_guard() {
    let world = World::new();
    write(&world.base().join("a-file"), "");
    let broken = world.base().join("a-file/state");
    let world = world.with_variable("PLIMSOLL_STATE_DIR", broken);

    let ran = world.wants_to_edit(RUFF);
    ran.is_denied();
    assert!(ran.stderr.starts_with("plimsoll: the log could not be written: "), "{}", ran.stderr);

    let ran = world.event("SessionStart", &json!({"source": "startup"}));
    ran.is_an_answer();
    assert!(ran.stderr.contains("could not be written"), "{}", ran.stderr);

    world.write(RUFF, "line-length = 300\n");
    world.session_stops(SESSION).is_blocked();
}

#[test]
fn a_journal_that_cannot_be_written_is_in_the_log() {
    let world = World::new().with(".claude", "a file in its place");
    world.has_edited("app.py").is_silent();
    let logged = world.last_logged();
    assert!(
        logged["failures"][0].as_str().unwrap().starts_with("could not record the changed file"),
        "{logged}"
    );
}

// The log.

#[test]
fn every_call_is_logged_with_its_verdict() {
    let world = World::new();
    world.wants_to_edit(&world.name("app.py")).is_silent();
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    let logged = world.log();
    assert_eq!(logged.len(), 2);
    for (entry, verdict, rules) in
        [(&logged[0], "none", json!([])), (&logged[1], "deny", json!(["file/linter-config"]))]
    {
        assert_eq!(entry["verdict"], verdict);
        assert_eq!(entry["rules"], rules);
        assert_eq!(entry["session"], SESSION);
        assert_eq!((&entry["event"], &entry["tool"]), (&json!("PreToolUse"), &json!("Edit")));
        assert_eq!(entry["project"], world.name("").trim_end_matches('/'));
        assert!(
            entry["micros"].as_u64().is_some() && entry["time"].as_str().unwrap().ends_with('Z'),
            "{entry}"
        );
    }
    assert_eq!(logged[1]["subject"], world.name(RUFF));
}

#[track_caller]
fn is_not_in_the_log(secret: &str, command: &str) {
    let world = World::new();
    assert!(command.contains(secret));
    world.tool("PreToolUse", "Bash", &json!({"command": command}));
    let subject = world.last_logged()["subject"].as_str().unwrap().to_owned();
    assert!(!subject.contains(secret) && subject.contains("***"), "«{command}» was logged as «{subject}»");
}

#[test]
fn secrets_do_not_reach_the_log() {
    for command in [
        "DB_PASSWORD=hunter2secret psql -h db",
        "mysql --password hunter2secret -e x",
        "tool --token=hunter2secret",
        "curl -H 'Authorization: Bearer hunter2secret' http://127.0.0.1",
        "curl -H 'Authorization: Basic hunter2secret' http://127.0.0.1",
        "git clone https://me:hunter2secret@127.0.0.1/r.git",
        "export X=ghp_hunter2secret0123456789",
    ] {
        is_not_in_the_log("hunter2secret", command);
    }
}

#[test]
fn a_password_after_curls_user_option_does_not_reach_the_log() {
    is_not_in_the_log("hunter2secret", "curl -u me:hunter2secret http://127.0.0.1");
}

#[test]
fn a_key_in_a_header_of_its_own_does_not_reach_the_log() {
    is_not_in_the_log("hunter2secret", "curl -H 'X-Api-Key: hunter2secret' http://127.0.0.1");
}

#[test]
fn a_key_in_json_with_a_space_does_not_reach_the_log() {
    is_not_in_the_log("hunter2secret", r#"curl -d '{"api_key": "hunter2secret"}' http://127.0.0.1"#);
}

#[test]
fn a_quoted_password_of_two_words_does_not_reach_the_log() {
    is_not_in_the_log("secret2", r#"DB_PASSWORD="hunter1 secret2" psql -h db"#);
}
