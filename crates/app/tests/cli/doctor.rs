//! `plimsoll doctor`: what is wrong is named with what to do, what is only absent is not a fault.

use serde_json::{Value as Json, json};

use crate::world::{World, program};

const SETTINGS: &str = ".claude/settings.json";

fn items(world: &World) -> Vec<Json> {
    world.run(&["doctor", "--json"]).json()["items"].as_array().unwrap().clone()
}

/// The texts of a subject's items in one state.
fn said(items: &[Json], subject: &str, state: &str) -> String {
    let of = items.iter().filter(|item| item["subject"] == subject && item["state"] == state);
    of.map(|item| format!("{} {}", item["text"].as_str().unwrap(), item["todo"].as_str().unwrap()))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn after_init_nothing_is_wrong_and_the_trial_is_refused() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    world.run(&["doctor"]).succeeds().says(&[
        "Nothing is wrong.",
        "`rm -rf /` is refused, in",
        "bin/plimsoll answers SessionStart, ",
        "PreToolUse, PostToolUse, PostToolUseFailure",
        "asks for nothing that needs your consent",
    ]);
    let items = items(&world);
    assert!(items.iter().all(|item| item["state"] != "bad"), "{items:#?}");
    assert!(items.iter().any(|item| item["id"] == "DEP06"), "tools have the specification's numbers");
}

#[test]
fn a_project_without_hooks_is_told_so_and_can_be_mended() {
    let world = World::new().with_program_on_path();
    let before = world.snapshot();
    // Who has set nothing up has broken nothing.
    let ran = world
        .run(&["doctor"])
        .succeeds()
        .says(&["not registered in any settings file of Claude Code", "→ `plimsoll init`"]);
    assert!(!ran.stdout.contains("DEP"), "in words: {}", ran.stdout);
    assert_eq!(world.snapshot(), before, "who only looks makes nothing");
    // A config without hooks is something that was lost.
    let lost = World::new().with_program_on_path().with_config("{}\n");
    assert_eq!(lost.run(&["doctor"]).code, Some(1));
    let ran = lost.run(&["doctor", "--fix"]).succeeds().says(&["Nothing is wrong."]);
    assert!(!ran.stdout.contains("What it will do"), "a repair is no wizard: {}", ran.stdout);
    assert!(lost.has(SETTINGS));
    // And who has not set this up is not set up by a repair.
    world.run(&["doctor", "--fix"]).succeeds();
    assert_eq!(world.snapshot(), before);
}

/// No agent has wanted it, so it is not among what agents wanted.
#[test]
fn the_trial_call_is_not_in_the_log_and_nothing_else_passes_for_it() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    std::fs::create_dir_all(world.home().join(".codex")).unwrap();
    world.run(&["init", "--agent", "codex", "--yes"]).succeeds();
    world.run(&["doctor"]).succeeds().says(&["`rm -rf /` is refused", "Codex: `rm -rf /` is refused"]);
    assert!(!world.state().join("log.jsonl").exists() || world.log().is_empty(), "{:?}", world.log());
    let tried = world.with_variable("PLIMSOLL_TRIAL", "1");
    tried.tool("PreToolUse", "Bash", &json!({"command": "rm -rf ~"})).is_denied();
    tried.tool("PreToolUse", "Bash", &json!({"command": "ls"})).succeeds().says(&["allow"]);
    assert_eq!(tried.log().len(), 2, "{:?}", tried.log());
}

/// Comments go at the first `--fix`, also from a file that does not name us yet.
#[test]
fn comments_of_a_file_without_our_hooks_go_at_once() {
    let theirs = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    for config in [true, false] {
        let world = World::new().with_program_on_path().with(SETTINGS, theirs);
        let world = if config { world.with_config("{}\n") } else { world };
        assert_eq!(world.run(&["doctor"]).code, Some(1));
        world.run(&["doctor", "--fix"]).succeeds().says(&["Nothing is wrong."]);
        let text = world.read(SETTINGS);
        assert!(!text.contains("// mine") && text.contains("opus"), "{text}");
        assert_eq!(text.contains("PreToolUse"), config, "only what was lost is registered: {text}");
    }
}

#[test]
fn a_script_of_somebody_else_that_is_not_there_is_named() {
    let line =
        |command: &str| json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
    for (command, missing) in [
        ("$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh --fast", true),
        ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh", false),
        (".claude/hooks/guard.sh", true),
        ("$CLAUDE_PROJECT_DIR/there.sh", false),
        ("$SOMEWHERE/guard.sh", false),
        ("guard", false),
    ] {
        let world = World::new().with("there.sh", "").with(SETTINGS, &line(command).to_string());
        let bad = said(&items(&world), "hooks", "bad");
        assert_eq!(bad.contains("guard.sh is not there, so that hook fails"), missing, "{command}: {bad}");
    }
}

#[test]
fn a_registration_of_an_older_version_is_found_and_can_be_mended() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    let mut settings: Json = serde_json::from_str(&world.read(SETTINGS)).unwrap();
    settings["hooks"]["PreToolUse"][0]["matcher"] = "Bash|Edit|Write|MultiEdit|NotebookEdit".into();
    world.write(SETTINGS, &settings.to_string());
    let bad = said(&items(&world), "hooks", "bad");
    assert!(
        bad.contains("PreToolUse is registered for Bash|Edit|Write|MultiEdit|NotebookEdit only, so every other tool is not looked at"),
        "{bad}"
    );
    world.run(&["doctor", "--fix"]).succeeds().says(&["Nothing is wrong."]);
    let settings: Json = serde_json::from_str(&world.read(SETTINGS)).unwrap();
    assert_eq!(settings["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
    assert!(settings["hooks"]["PreToolUse"][0].get("matcher").is_none());
}

#[test]
fn hooks_in_two_files_are_doubled_and_can_be_mended() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes", "--scope", "local"]).succeeds();
    let local = world.read(".claude/settings.local.json");
    world.write(SETTINGS, &local);
    let bad = said(&items(&world), "hooks", "bad");
    assert!(bad.starts_with("registered 2 times, in ") && bad.contains("PreToolUse"), "{bad}");
    assert_eq!(bad.lines().count(), 1, "each place is named once: {bad}");
    let ran = world.run(&["doctor", "--fix", "--json"]).succeeds();
    assert_eq!(ran.json()["good"], true, "stdout is kept for the JSON");
    assert!(ran.stderr.contains("settings.local.json"), "what was done is said beside it: {}", ran.stderr);
    assert!(!world.has(".claude/settings.local.json"), "`init` had made it");
}

#[test]
fn what_switches_hooks_off_or_breaks_a_file_is_named() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    let mut settings: Json = serde_json::from_str(&world.read(SETTINGS)).unwrap();
    settings["disableAllHooks"] = true.into();
    settings["hooks"]["PreToolUse"].as_array_mut().unwrap().push(json!({"hooks": [{"type": "magic"}]}));
    settings["hooks"]["Stop"]
        .as_array_mut()
        .unwrap()
        .push(json!({"hooks": [{"type": "command", "command": "say done"}]}));
    settings["hooks"]["Someday"] = json!([]);
    world.write(SETTINGS, &settings.to_string());
    let items = items(&world);
    let bad = said(&items, "hooks", "bad");
    assert!(
        bad.contains("disableAllHooks is true")
            && bad.contains("«magic» is not a type of hook; the client then runs no hook"),
        "{bad}"
    );
    let notes = said(&items, "hooks", "note");
    assert!(
        notes.contains("another program runs at the same time: say done")
            && notes.contains("the event Someday"),
        "{notes}"
    );
    world.write(SETTINGS, "{\"hooks\": ");
    assert!(said(&self::items(&world), "hooks", "bad").contains("no hook of this file runs"));
}

#[test]
fn a_program_that_is_gone_is_named() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    let settings =
        world.read(SETTINGS).replace("\"command\": \"plimsoll\"", "\"command\": \"/gone/plimsoll\"");
    world.write(SETTINGS, &settings);
    let items = items(&world);
    let bad = said(&items, "hooks", "bad");
    assert!(bad.contains("/gone/plimsoll is not there; it is to answer "), "{bad}");
    assert_eq!(bad.lines().count(), 1, "once for all events: {bad}");
    assert_eq!(said(&items, "hooks", "good"), "", "what is not there answers nothing");
    assert!(said(&items, "trial", "bad").contains("did not answer"), "{items:#?}");
}

#[test]
fn a_guard_that_does_not_guard_is_found_by_the_trial() {
    let world = World::new().with_program_on_path().with_user_config(r#"{"hook_enabled": false}"#);
    world.run(&["init", "--yes"]).succeeds();
    assert!(said(&items(&world), "trial", "bad").contains("hook_enabled is false"));
}

/// Settings as `init` writes them, and one more entry.
fn with_entry(world: &World, event: &str, group: Json) {
    world.run(&["init", "--yes"]).succeeds();
    let mut settings: Json = serde_json::from_str(&world.read(SETTINGS)).unwrap();
    let groups = settings["hooks"][event].as_array_mut();
    match groups {
        Some(groups) => groups.push(group),
        None => settings["hooks"][event] = json!([group]),
    }
    world.write(SETTINGS, &settings.to_string());
}

#[test]
fn an_entry_that_makes_the_client_drop_the_file_takes_ours_along() {
    let world = World::new().with_program_on_path();
    with_entry(&world, "PreToolUse", json!({"matcher": 5, "hooks": []}));
    let bad = said(&items(&world), "hooks", "bad");
    assert!(
        bad.contains("hooks.PreToolUse: a `matcher` is not text; the client then runs no hook of this file"),
        "{bad}"
    );
    assert!(bad.contains("so ours do not run either"), "{bad}");

    // Elsewhere only the entry is dropped.
    let world = World::new().with_program_on_path();
    with_entry(&world, "Notification", json!({"hooks": [{"type": "command"}]}));
    let bad = said(&items(&world), "hooks", "bad");
    assert!(bad.contains("a command hook has no `command`; the client drops the entry"), "{bad}");
    assert!(!bad.contains("so ours do not run"), "{bad}");
}

#[test]
fn a_program_that_runs_beside_ours_is_named_with_what_follows() {
    let world = World::new().with_program_on_path();
    let group = json!({"matcher": "Edit", "hooks": [{"type": "command", "command": "format-it"}]});
    with_entry(&world, "PostToolUse", group);
    let notes = said(&items(&world), "hooks", "note");
    assert!(
        notes.contains("hooks.PostToolUse on Edit: another program runs at the same time: format-it"),
        "{notes}"
    );
    assert!(notes.contains("the one that is finished last"), "{notes}");
    world.run(&["doctor"]).succeeds();
}

#[test]
fn only_managed_hooks_means_that_nothing_guards() {
    let world = World::new().with_program_on_path().with(SETTINGS, r#"{"allowManagedHooksOnly": true}"#);
    let bad = said(&items(&world), "hooks", "bad");
    assert!(bad.contains("allowManagedHooksOnly is true, so no hook of a user or a project runs"), "{bad}");
}

#[test]
fn the_plugin_is_a_registration_too() {
    let world = World::new().with_program_on_path();
    let on = |on: bool| json!({"enabledPlugins": {"plimsoll@somewhere": on}}).to_string();
    world.write(SETTINGS, &on(true));
    let good = said(&items(&world), "hooks", "good");
    assert!(good.contains("by the plugin plimsoll@somewhere"), "{good}");
    world.write(SETTINGS, &on(false));
    assert!(
        said(&items(&world), "hooks", "note").contains("not registered in any settings file of Claude Code")
    );
}

/// A client of this version on PATH.
fn with_client(version: &str) -> World {
    let world = World::new().with_program_on_path();
    program(&world.base().join("bin/claude"), &format!("echo '{version} (Claude Code)'"));
    world.run(&["init", "--yes"]).succeeds();
    world
}

#[test]
fn what_a_client_does_not_know_is_said_and_what_leaves_us_unguarded_is_wrong() {
    let items_of = |version: &str| items(&with_client(version));
    let old = items_of("2.1.100");
    assert!(
        said(&old, "client", "bad")
            .contains("hooks with `args`, as `plimsoll init` registers them, are not started")
    );
    assert!(said(&old, "client", "note").contains("`onFailure` is ignored"));
    let known = items_of("2.1.325");
    assert_eq!(
        (said(&known, "client", "bad"), said(&known, "client", "note")),
        (String::new(), String::new())
    );
    assert!(said(&known, "client", "good").starts_with("2.1.325, "));
    assert!(said(&items_of("9.0.0"), "client", "note").contains("newer than 2.1.325"));
}

#[test]
fn a_config_that_cannot_be_read_is_wrong_and_what_waits_for_trust_is_not() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    world.write(".claude/hooks/config.json", r#"{"checks": {"file/linter-config": "off"}}"#);
    let waiting = items(&world);
    assert!(
        said(&waiting, "trust", "note").contains("`plimsoll trust` shows it and asks you"),
        "{waiting:#?}"
    );
    world.run(&["doctor"]).succeeds();
    world.run(&["trust", "--yes"]).succeeds();
    assert!(said(&items(&world), "trust", "good").contains("1 value of this project has your consent"));
    world.write(".claude/hooks/config.json", "{broken");
    assert!(said(&items(&world), "configuration", "bad").contains("is not JSON"));
    world.remove(".claude/hooks/config.json");
    std::fs::create_dir(world.path(".claude/hooks/config.json")).unwrap();
    assert!(said(&items(&world), "configuration", "bad").contains("cannot be read"));
}

#[test]
fn tools_have_their_versions() {
    let world = World::new().with_program_on_path();
    program(&world.base().join("tools/shellcheck"), "echo 'version: 0.11.0'");
    let good = said(&items(&world), "tools", "good");
    assert!(good.contains("shellcheck: 0.11.0, "), "{good}");
}

#[test]
fn settings_that_the_client_does_not_read_are_named_by_init_and_doctor() {
    for text in ["{\n  // mine\n  \"model\": \"opus\"\n}\n", "{\"model\": \"opus\",}\n"] {
        let world = World::new().with_program_on_path().with(SETTINGS, text);
        let ran = world.run(&["init", "--yes"]).succeeds();
        assert!(ran.stderr.contains("ignores every hook in it"), "{}", ran.stderr);
        let bad = said(&items(&world), "hooks", "bad");
        assert!(bad.contains("it has comments, or a comma after the last entry"), "{bad}");
        assert!(bad.contains("so ours do not run either"), "{bad}");
    }
}

/// A script in front of the program, as npm makes one, and the cache that npx empties.
#[test]
fn launchers_and_caches_are_named_and_the_program_itself_is_registered() {
    let world = World::new();
    let launcher = world.base().join("launcher/plimsoll");
    program(&launcher, &format!("exec {} \"$@\"", crate::world::PROGRAM));
    let path = format!("{}:/usr/bin:/bin", launcher.parent().unwrap().display());
    let world = world.with_variable("PATH", path);
    let ran = world.run(&["init", "--yes"]).succeeds();
    assert!(ran.stderr.contains("through another program"), "{}", ran.stderr);
    let settings: Json = serde_json::from_str(&world.read(SETTINGS)).unwrap();
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"], crate::world::PROGRAM);
    world.run(&["doctor"]).says(&["is a launcher"]);

    let cached = world.base().join("home/.npm/_npx/3f/plimsoll");
    std::fs::create_dir_all(cached.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(crate::world::PROGRAM, &cached).unwrap();
    let text = world.read(SETTINGS).replace(crate::world::PROGRAM, cached.to_str().unwrap());
    world.write(SETTINGS, &text);
    let bad = said(&items(&world), "hooks", "bad");
    assert!(bad.contains("lies in a cache of npx"), "{bad}");
}

#[test]
fn a_look_leaves_an_empty_home_empty() {
    let home = tempfile::tempdir().unwrap();
    let world = World::new()
        .with_variable("HOME", home.path().to_str().unwrap())
        .with_variable("PLIMSOLL_STATE_DIR", "");
    world.run(&["doctor"]).succeeds();
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn linters_that_are_switched_off_are_not_laid_to_the_profile() {
    let world = World::new().with_program_on_path().with("a.py", "x = 1\n");
    world.run(&["init", "--yes"]).succeeds();
    world.write(".claude/hooks/config.json", r#"{"checks": {"edit/lint": "off"}}"#);
    world.run(&["trust", "--yes"]).succeeds();
    world.run(&["doctor"]).says(&["not run: the settings switch `edit/lint` off"]);
}
