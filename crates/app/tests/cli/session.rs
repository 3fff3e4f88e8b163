//! The beginning of a session: who else is there, which hooks run twice, what there is to read and to update.

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, program, text, write};

fn starts(world: &World, session: &str, source: &str) -> Ran {
    world.event("SessionStart", &json!({"session_id": session, "source": source}))
}

fn said(ran: &Ran) -> String {
    if ran.stdout.is_empty() {
        String::new()
    } else {
        ran.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn a_second_living_session_is_named_and_a_dead_one_is_not() {
    let world = World::new();
    let mut sleeper = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let world = world.with_variable("CLAUDE_PID", sleeper.id().to_string());
    assert_eq!(said(&starts(&world, "s1", "startup")), "");
    let owner: Json = serde_json::from_str(&world.read(".claude/session-owner.json")).unwrap();
    assert_eq!((&owner["session_id"], &owner["pid"]), (&json!("s1"), &json!(sleeper.id())));
    // The same client with a new session is not a second one.
    assert_eq!(said(&starts(&world, "s2", "clear")), "");
    let world = world.with_variable("CLAUDE_PID", std::process::id().to_string());
    assert!(said(&starts(&world, "s3", "startup")).contains("another session (s2, process"));
    let world = world.with_variable("CLAUDE_PID", sleeper.id().to_string());
    starts(&world, "s4", "startup");
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    let world = world.with_variable("CLAUDE_PID", std::process::id().to_string());
    assert_eq!(said(&starts(&world, "s5", "startup")), "");
}

fn hooks(command: &str) -> String {
    json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

#[test]
fn hooks_that_the_project_repeats_are_named_however_they_are_written() {
    let world = World::new();
    write(&world.home().join(".claude/hooks/stop-validator.py"), "");
    write(&world.home().join(".claude/settings.json"), &hooks("python3 ~/.claude/hooks/stop-validator.py"));
    assert_eq!(said(&starts(&world, "s1", "startup")), "");
    for file in [".claude/settings.json", ".claude/settings.local.json"] {
        for command in
            ["python3 \"$HOME/.claude/hooks/stop-validator.py\"", "HOMEDIR/.claude/hooks/stop-validator.py"]
        {
            let world = World::new();
            write(&world.home().join(".claude/hooks/stop-validator.py"), "");
            write(
                &world.home().join(".claude/settings.json"),
                &hooks("python3 ~/.claude/hooks/stop-validator.py"),
            );
            world.write(file, &hooks(&command.replace("HOMEDIR", &text(&world.home()))));
            let expected = format!(
                "[session-init] Warning: {file} duplicates 1 global hook(s): stop-validator.py. Remove from project settings to prevent \
                 double execution."
            );
            assert!(said(&starts(&world, "s1", "startup")).contains(&expected), "{file}: {command}");
        }
    }
}

#[test]
fn hooks_that_name_nothing_are_said() {
    let world = World::new();
    world.write(".claude/settings.json", &hooks("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gone.sh"));
    assert!(
        said(&starts(&world, "s1", "startup"))
            .contains(".claude/hooks/gone.sh (Stop in .claude/settings.json)")
    );
}

#[test]
fn hooks_that_cannot_run_are_said_all_of_them() {
    let world = World::new();
    world.write(".claude/hooks/plain.sh", "#!/bin/sh\n");
    program(&world.path(".claude/hooks/fine.sh"), "");
    let entry = |name: String| json!({"type": "command", "command": format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/{name}")});
    let mut all: Vec<Json> = (1..=7).map(|n| entry(format!("gone{n}.sh"))).collect();
    all.push(entry("plain.sh".into()));
    all.push(entry("fine.sh".into()));
    // What an interpreter is given need not be executable.
    all.push(json!({"type": "command", "command": "bash \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/plain.sh"}));
    world.write(".claude/settings.json", &json!({"hooks": {"Stop": [{"hooks": all}]}}).to_string());
    let text = said(&starts(&world, "s1", "startup"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("that is not there: ") && lines[0].contains("gone5.sh"), "{text}");
    assert!(lines[0].ends_with(" and 2 more") && !lines[0].contains("gone6"), "{text}");
    assert!(
        lines[1].contains("that is not executable: ") && lines[1].matches("plain.sh").count() == 1,
        "{text}"
    );
    // The client runs no hook of a file that it cannot read.
    world.write(".claude/settings.json", "{\"hooks\": ");
    let text = said(&starts(&world, "s2", "startup"));
    assert!(text.contains(".claude/settings.json: ") && text.contains("runs no hook of this file"), "{text}");
}

/// The left column of the documentation's table of what belongs into a project's settings.
#[test]
fn what_belongs_into_a_projects_settings_is_not_warned_of() {
    let world = World::new();
    program(&world.home().join(".claude/hooks/stop-validator.py"), "");
    write(&world.home().join(".claude/settings.json"), &hooks("~/.claude/hooks/stop-validator.py"));
    program(&world.path(".claude/hooks/own.sh"), "");
    let own: Json = serde_json::from_str(&hooks("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/own.sh")).unwrap();
    for settings in [
        json!({"env": {"NODE_ENV": "development"}}),
        json!({"disabledMcpjsonServers": ["x"], "enabledMcpjsonServers": ["y"]}),
        json!({"alwaysThinkingEnabled": true}),
        json!({"permissions": {"allow": ["Bash(ls:*)"], "deny": []}}),
        own.clone(),
        json!({"env": {"A": "b"}, "permissions": {"allow": []}, "hooks": own["hooks"], "hooks_note": "x"}),
    ] {
        world.write(".claude/settings.json", &settings.to_string());
        assert_eq!(said(&starts(&world, "s1", "startup")), "", "{settings}");
    }
}

#[test]
fn registered_twice_a_call_counts_once() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    let ours = |seconds: u32| {
        let handler = json!({"type": "command", "command": crate::world::PROGRAM, "args": ["hook", "--deadline", seconds.to_string()]});
        json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string()
    };
    write(&world.home().join(".claude/settings.json"), &ours(30));
    let read = json!({"file_path": world.name("app.py")});
    let lines = |world: &World| crate::world::json_lines(&world.path(".claude/tool-usage-log.jsonl")).len();
    starts(&world, "s1", "startup");
    world.tool("PostToolUse", "Read", &read);
    world.tool("PostToolUse", "Read", &read);
    assert_eq!(lines(&world), 2, "registered once, every call is one");
    world.write(".claude/settings.json", &ours(60));
    starts(&world, "s1", "resume");
    world.tool("PostToolUse", "Read", &read);
    world.tool("PostToolUse", "Read", &read);
    assert_eq!(lines(&world), 3, "the same call by two processes");
    // A guard always speaks.
    for _ in 0..2 {
        world.wants_to_edit(&world.name(".ruff.toml")).is_denied();
    }
}

#[test]
fn the_documents_that_are_there_are_to_be_read() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    let context = |source: &str| {
        let ran = starts(&world, "s1", source);
        if ran.stdout.is_empty() {
            String::new()
        } else {
            ran.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
        }
    };
    assert!(!context("startup").contains("MANDATORY"));
    world.write("CLAUDE.md", "x");
    for source in ["startup", "resume", "clear"] {
        assert!(context(source).contains("MANDATORY: Before executing ANY user request"), "{source}");
    }
    assert!(context("compact").contains("CONTEXT COMPACTION DETECTED"));
    for field in ["prompt", "message", "user_message"] {
        let ran = world.event("UserPromptSubmit", &json!({field: "please READ THE DOCS first"}));
        assert!(ran.stdout.contains("Read docs/index.md to understand"), "{field}: {ran:#?}");
    }
}

#[test]
fn after_a_compaction_the_whole_text_is_said() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    for name in ["docs/index.md", "CLAUDE.md", ".claude/MEMORIES.md", "docs/TECHNICAL_OVERVIEW.md"] {
        world.write(name, "x");
    }
    let text = starts(&world, "s1", "compact").json()["hookSpecificOutput"]["additionalContext"].clone();
    let expected = "\
⚠️ CONTEXT COMPACTION DETECTED - CRITICAL INSTRUCTION ⚠️

You have just experienced context compaction. Your memory of this project is now INCOMPLETE.

STOP. Do NOT respond to the user yet.

You MUST read these files FIRST using the Read tool:
1. CLAUDE.md - coding standards (REQUIRED)
2. .claude/MEMORIES.md - session context (REQUIRED)
3. docs/index.md - documentation hub (REQUIRED)
4. docs/TECHNICAL_OVERVIEW.md - architecture (if exists)

This is NOT optional. Do NOT skip this step. Do NOT summarize from memory.
The compacted summary is insufficient - you need the actual file contents.

Read the docs NOW before doing anything else.";
    assert!(text.as_str().unwrap().contains(expected), "{text}");
}

#[test]
fn the_trigger_says_all_four_steps() {
    let world = World::new();
    let ran = world.event("UserPromptSubmit", &json!({"prompt": "read the docs, then fix the login"}));
    let text = ran.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    for line in [
        "Before starting this task, you MUST:",
        "1. Read docs/index.md to understand the documentation structure",
        "2. Follow links to the most relevant docs for this specific request",
        "3. Read as deeply as logical - the documentation is up-to-date and authoritative",
        "4. Apply the patterns and conventions documented there",
        "Do NOT skip this step. Do NOT rely on memory. Actually READ the current docs.",
    ] {
        assert!(text.lines().any(|said| said == line), "«{line}» is not in\n{text}");
    }
}

#[test]
fn skills_are_suggested_only_where_the_user_wants_that() {
    let skill = "---\nname: tables\ndescription: Use when the user mentions \"tanstack\".\n---\n";
    let ask = |world: &World| {
        write(&world.home().join(".claude/skills/tables/SKILL.md"), skill);
        world.event("UserPromptSubmit", &json!({"prompt": "build a TanStack table"})).stdout
    };
    for profile in ["standard", "strict", "autonomous"] {
        let world = World::new().with_user_config(&format!(r#"{{"profile": "{profile}"}}"#));
        assert!(!ask(&world).contains("/tables"), "{profile}");
    }
    let world = World::new().with_user_config(r#"{"checks": {"prompt/skill-reminder": "on"}}"#);
    let text = ask(&world);
    assert!(text.contains("Consider using the Skill tool to invoke /tables"), "{text}");
}

#[test]
fn hooks_that_an_enabled_plugin_repeats_are_named() {
    let world = World::new();
    let root = world.home().join(".claude/plugins/cache/market/one/1.2.3");
    write(&root.join("hooks/hooks.json"), &hooks("python3 ~/.claude/hooks/a.py"));
    let manifest = json!({"name": "one", "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/gone.sh"}]}]}});
    write(&root.join(".claude-plugin/plugin.json"), &manifest.to_string());
    program(&world.home().join(".claude/hooks/a.py"), "");
    let mut settings: Json = serde_json::from_str(&hooks("~/.claude/hooks/a.py")).unwrap();
    let file = world.home().join(".claude/settings.json");
    write(&file, &settings.to_string());
    assert_eq!(said(&starts(&world, "s1", "startup")), "", "it is not enabled");
    settings["enabledPlugins"] = json!({"one@market": true});
    write(&file, &settings.to_string());
    let text = said(&starts(&world, "s2", "startup"));
    assert!(text.contains("the plugin one@market duplicates 1 global hook(s): a.py. Remove them from the settings, or disable the plugin,"), "{text}");
    assert!(
        text.contains(&format!("{} (PreToolUse in the plugin one@market)", text_of(&root, "gone.sh"))),
        "{text}"
    );
    world.write(".claude/settings.local.json", &json!({"enabledPlugins": {"one@market": false}}).to_string());
    assert_eq!(said(&starts(&world, "s3", "startup")), "", "switched off for this project");
}

fn text_of(root: &std::path::Path, name: &str) -> String {
    text(&root.join(name))
}

// Updates of the checkout that the hooks come from.

/// A remote with a checkout of it, whose hooks the user's are.
fn with_checkout(world: &World) -> std::path::PathBuf {
    let (remote, checkout) = (world.base().join("remote"), world.base().join("checkout"));
    let (remote_text, checkout_text) = (text(&remote), text(&checkout));
    std::fs::create_dir_all(remote.join("config/hooks")).unwrap();
    write(&remote.join("config/hooks/a.py"), "1\n");
    write(&remote.join("config/settings.json"), "{}\n");
    for args in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "one"]] {
        world.git(&[&["-C", remote_text.as_str()][..], args].concat());
    }
    world.git(&["clone", "-q", &remote_text, &checkout_text]);
    let claude = world.home().join(".claude");
    std::fs::create_dir_all(&claude).unwrap();
    std::os::unix::fs::symlink(checkout.join("config/hooks"), claude.join("hooks")).unwrap();
    std::os::unix::fs::symlink(checkout.join("config/settings.json"), claude.join("settings.json")).unwrap();
    remote
}

fn publish(world: &World, remote: &std::path::Path, file: &str, content: &str) {
    write(&remote.join(file), content);
    let remote = text(remote);
    world.git(&["-C", &remote, "add", "-A"]);
    world.git(&["-C", &remote, "commit", "-qm", "more"]);
}

fn update_state(world: &World) -> Json {
    let file = world.home().join(".claude/toolkit-update-state.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn an_update_is_looked_for_taken_in_and_written_down() {
    let world = World::new();
    world.run(&["update"]).fails_saying(&["is not a link into a git checkout"]);
    let remote = with_checkout(&world);
    world.run(&["update", "--check"]).succeeds().says(&["is up to date"]);
    assert_eq!(update_state(&world)["last_check_result"], "up_to_date");
    publish(&world, &remote, "config/hooks/a.py", "2\n");
    world.run(&["update", "--check"]).succeeds().says(&["can go from"]);
    // Looking fetches nothing.
    assert!(!world.base().join("checkout/.git/FETCH_HEAD").exists());
    let hash = update_state(&world)["settings_hash_at_session_start"].clone();
    assert!(hash.as_str().unwrap().starts_with("sha256:"), "{hash}");
    assert_eq!(std::fs::read_to_string(world.home().join(".claude/hooks/a.py")).unwrap(), "1\n");
    world.run(&["update"]).succeeds().says(&["updated from"]);
    assert_eq!(std::fs::read_to_string(world.home().join(".claude/hooks/a.py")).unwrap(), "2\n");
    let state = update_state(&world);
    assert_eq!(
        (&state["last_check_result"], &state["pending_restart_reason"]),
        (&json!("updated"), &Json::Null)
    );
    assert_eq!(state["update_history"][0]["settings_changed"], false);
    // Changes of the user's own stay.
    publish(&world, &remote, "config/hooks/a.py", "3\n");
    write(&world.base().join("checkout/config/hooks/a.py"), "mine\n");
    world.run(&["update"]).fails_saying(&["has changes of its own"]);
    assert_eq!(std::fs::read_to_string(world.home().join(".claude/hooks/a.py")).unwrap(), "mine\n");
}

#[test]
fn changed_settings_ask_for_a_new_start_and_the_notice_clears_itself() {
    let world = World::new();
    let remote = with_checkout(&world);
    publish(&world, &remote, "config/settings.json", "{\"env\": {}}\n");
    world.run(&["update"]).succeeds().says(&["start the client anew"]);
    assert_eq!(update_state(&world)["pending_restart_reason"], "settings.json changed in this update");
    assert!(said(&starts(&world, "s1", "resume")).contains("TOOLKIT UPDATED - RESTART REQUIRED"));
    assert!(
        said(&starts(&world, "s1", "compact"))
            .contains("ACTION REQUIRED: Exit this session and start a new one.")
    );
    starts(&world, "s2", "startup");
    let settings = text(&world.home().join(".claude/settings.json"));
    let hash = world.sh(&format!("sha256sum < '{settings}' | cut -c1-16")).stdout;
    let expected = format!("sha256:{}", hash.trim());
    assert_eq!(update_state(&world)["settings_hash_at_session_start"], expected.as_str());
    assert_eq!(said(&starts(&world, "s2", "resume")), "");
}

#[test]
fn a_session_that_starts_waits_for_nothing_and_hears_of_it_later() {
    let world = World::new();
    let remote = with_checkout(&world);
    publish(&world, &remote, "config/hooks/a.py", "2\n");
    let off = World::new().with_variable("CLAUDE_TOOLKIT_AUTO_UPDATE", "false");
    with_checkout(&off);
    starts(&off, "s1", "startup");
    assert!(!starts(&world, "s1", "startup").stdout.contains("updated from"));
    let waited = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        world.event("UserPromptSubmit", &json!({"prompt": "go"})).stdout.contains("updated from")
    });
    assert!(waited, "the update is said with a later answer");
    assert!(!off.home().join(".claude/toolkit-update-state.json").exists());
}

#[test]
fn a_file_switches_updates_off_and_the_users_own_word_does_not_ask_it() {
    let world = World::new();
    let remote = with_checkout(&world);
    publish(&world, &remote, "config/hooks/a.py", "2\n");
    write(&world.home().join(".claude/.disable-auto-update"), "");
    // In the foreground, where it can be seen that nothing happens.
    world.run(&["task", "update", world.name("").trim_end_matches('/'), "s1"]).succeeds();
    assert!(!world.home().join(".claude/toolkit-update-state.json").exists());
    world.run(&["update"]).succeeds().says(&["updated from"]);
}

#[test]
fn a_checkout_is_found_by_a_single_file_that_is_a_link_into_it() {
    let world = World::new();
    let remote = with_checkout(&world);
    let hooks = world.home().join(".claude/hooks");
    std::fs::remove_file(&hooks).unwrap();
    std::fs::create_dir(&hooks).unwrap();
    std::os::unix::fs::symlink(world.base().join("checkout/config/hooks/a.py"), hooks.join("a.py")).unwrap();
    publish(&world, &remote, "config/hooks/a.py", "2\n");
    world.run(&["update"]).succeeds().says(&["updated from"]);
    assert_eq!(std::fs::read_to_string(hooks.join("a.py")).unwrap(), "2\n");
}

#[test]
fn five_updates_are_remembered_the_newest_first() {
    let world = World::new();
    let remote = with_checkout(&world);
    for number in 0..7 {
        publish(&world, &remote, "config/hooks/a.py", &format!("{number} of seven\n"));
        world.run(&["update"]).succeeds();
    }
    let state = update_state(&world);
    // Every field that the documentation names.
    let at = state["last_check_timestamp"].as_str().unwrap();
    assert!(at.len() == 20 && at.ends_with('Z'), "{at}");
    let head = world.git(&["-C", &text(&remote), "rev-parse", "HEAD"]);
    assert!(head.starts_with(state["remote_commit_at_check"].as_str().unwrap()), "{state:#}");
    let history = state["update_history"].as_array().unwrap();
    assert_eq!(history.len(), 5);
    assert_eq!(history[0]["to_commit"], state["local_commit_at_check"]);
    assert_eq!(history[0]["from_commit"], history[1]["to_commit"]);
}

#[test]
fn a_remote_that_cannot_be_asked_is_noted_and_disturbs_nobody() {
    let world = World::new();
    let remote = with_checkout(&world);
    std::fs::rename(&remote, world.base().join("gone")).unwrap();
    world.run(&["update"]).fails_saying(&["could not be asked"]);
    assert_eq!(update_state(&world)["last_check_result"], "check_failed");
    assert_eq!(said(&starts(&world, "s1", "startup")), "");
}
