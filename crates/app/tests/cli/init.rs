//! `plimsoll init`: hooks in the settings, a config beside them, and nothing of the user's lost.

use serde_json::{Value as Json, json};

use crate::world::{EVENTS, PROGRAM, RUFF, World, text, write};

const SETTINGS: &str = ".claude/settings.json";
const CONFIG: &str = ".claude/hooks/config.json";

/// A user's settings: comments, another hook, odd spacing.
const THEIRS: &str = "\
{
    // chosen by me
    \"model\":   \"opus\",
    \"permissions\": { \"allow\": [\"Bash(ls:*)\"] },
    \"hooks\": {
        \"Stop\": [
            { \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] }  // mine too
        ]
    }
}
";

fn json(world: &World, file: &str) -> Json {
    let text = world.read(file);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}\n{text}"))
}

/// Every line of `old` is still there and in order, byte for byte but for the commas that a longer list needs.
#[track_caller]
fn keeps_the_lines_of(new: &str, old: &str) {
    let mut lines = new.lines();
    for line in old.lines() {
        let there = lines.any(|new| new.replace(',', "") == line.replace(',', ""));
        assert!(there, "«{line}» is gone, or moved:\n{new}");
    }
}

#[test]
fn a_fresh_project_gets_config_hooks_and_exclusions() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds().says(&["done; start the agent in this project"]);

    let settings = json(&world, SETTINGS);
    let events: Vec<_> = settings["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, EVENTS);
    for (event, seconds) in [("SessionStart", 60), ("PostToolUse", 660), ("Stop", 120)] {
        let expected = json!([{
            "type": "command",
            "command": "plimsoll",
            "args": ["hook", "--deadline", seconds.to_string()],
            "timeout": seconds,
        }]);
        assert_eq!(settings["hooks"][event].as_array().unwrap().len(), 1, "{event}");
        assert_eq!(settings["hooks"][event][0]["hooks"], expected, "{event}");
    }
    assert_eq!(settings["hooks"]["PreToolUse"][0].get("matcher"), None, "every tool is looked at");
    assert_eq!(settings["hooks"]["Stop"][0].get("matcher"), None);

    let config = json(&world, CONFIG);
    assert_eq!(config.get("profile"), None, "nobody was asked for one, and the user's own stands");
    assert!(world.read(SETTINGS).ends_with("}\n") && world.read(CONFIG).ends_with("}\n"));
    world.run(&["config", "check"]).succeeds();

    world.has_edited("app.py").is_silent();
    assert_eq!(world.git(&["status", "--porcelain", "--", ".claude/.session-changes-s1"]), "");
}

#[test]
fn the_hooks_are_those_of_the_profile_that_was_chosen() {
    for (profile, events, all_tools) in [
        ("standard", &[][..], false),
        ("strict", &["SubagentStart"], false),
        ("autonomous", &["PermissionRequest", "PostToolUseFailure", "SubagentStop"], true),
        ("observe", &["PermissionRequest", "PostToolUseFailure", "SubagentStart"], true),
    ] {
        let world = World::new().with_program_on_path();
        world.run(&["init", "--yes", "--profile", profile]).succeeds();
        let settings = json(&world, SETTINGS);
        for event in events {
            assert_eq!(settings["hooks"][event].as_array().map(Vec::len), Some(1), "{profile}: {event}");
        }
        assert!(settings["hooks"]["PreToolUse"][0].get("matcher").is_none(), "{profile}");
        assert_eq!(settings["hooks"]["PostToolUse"][0].get("matcher").is_none(), all_tools, "{profile}");
        // Once is enough.
        world.run(&["init", "--yes"]).succeeds().says(&["everything is in place already"]);
        assert_eq!(json(&world, SETTINGS), settings, "{profile}");
        // And back again.
        world.run(&["init", "--yes", "--profile", "standard"]).succeeds();
        let events: Vec<_> = json(&world, SETTINGS)["hooks"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(events, EVENTS, "{profile}");
    }
}

#[test]
fn what_the_local_file_says_is_registered_whatever_is_answered() {
    let world = World::new().with_program_on_path();
    world.write(".claude/hooks/config.local.json", r#"{"profile": "autonomous"}"#);
    world.run(&["trust", "--yes"]).succeeds();
    world.run(&["init", "--yes", "--profile", "standard"]).succeeds();
    assert!(json(&world, SETTINGS)["hooks"].get("PermissionRequest").is_some());
}

#[test]
fn what_is_registered_is_what_the_client_starts() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    let handler = &json(&world, SETTINGS)["hooks"]["PreToolUse"][0]["hooks"][0];
    let args: Vec<_> = handler["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let payload = world
        .payload("PreToolUse", &json!({"tool_name": "Write", "tool_input": {"file_path": ".ruff.toml"}}));
    world.run_with(&args, payload.to_string().as_bytes()).is_denied();
}

#[test]
fn the_clients_settings_keep_every_byte_that_is_not_ours() {
    let world = World::new().with(SETTINGS, THEIRS);
    world.run(&["init", "--yes"]).succeeds();
    let new = world.read(SETTINGS);
    keeps_the_lines_of(&new, THEIRS);
    assert_eq!(new.matches("say done").count(), 1, "{new}");
    assert_eq!(world.backups().iter().filter(|text| *text == THEIRS).count(), 1);
}

#[test]
fn a_second_run_changes_nothing() {
    let theirs = "{\n    \"model\":   \"opus\"\n}\n";
    let world = World::new().with(SETTINGS, theirs).with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    let before = world.snapshot();
    world.run(&["init", "--yes"]).succeeds().says(&["everything is in place already"]);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let world = World::new().with(SETTINGS, THEIRS);
    let before = world.snapshot();
    let ran = world.run(&["init", "--yes", "--dry-run"]).succeeds();
    let header = format!("+++ {}", world.name(SETTINGS));
    ran.says(&[&header, "+        \"SessionStart\": [", ".session-changes-*"]);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_dry_run_where_all_is_done_says_so() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    world.run(&["init", "--yes", "--dry-run"]).succeeds().says(&["nothing would change"]);
}

#[test]
fn in_the_users_own_settings_a_hook_that_cannot_run_blocks() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes", "--scope", "user"]).succeeds();
    assert!(!world.has(SETTINGS) && !world.has(CONFIG));
    let text = std::fs::read_to_string(world.home().join(SETTINGS)).unwrap();
    let settings: Json = serde_json::from_str(&text).unwrap();
    for (event, groups) in settings["hooks"].as_object().unwrap() {
        let handler = &groups[0]["hooks"][0];
        let program = handler["command"].as_str().unwrap();
        assert!(program.starts_with('/') && program.ends_with("/plimsoll"), "{event}: {program}");
        let on_failure = handler.get("onFailure").and_then(Json::as_str);
        assert_eq!(on_failure, (event == "PreToolUse").then_some("block"), "{event}");
    }
}

#[test]
fn in_shared_settings_too_it_blocks_unless_asked_not_to() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    let settings = json(&world, SETTINGS);
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    assert_eq!(world.read(SETTINGS).matches("onFailure").count(), 1);
    assert_eq!(world.read(SETTINGS).matches("disableAllHooks").count(), 1, "the way out for colleagues");
    world.run(&["init", "--yes", "--fail-open"]).succeeds();
    assert!(!world.read(SETTINGS).contains("onFailure") && !world.read(SETTINGS).contains("disableAllHooks"));
    let settings = json(&world, SETTINGS);
    assert_eq!(settings["hooks"]["PreToolUse"].as_array().unwrap().len(), 1, "the old entry went");
}

#[test]
fn shared_settings_name_the_program_by_its_path_only_where_path_does_not_know_it() {
    let world = World::new();
    let ran = world.run(&["init", "--yes"]).succeeds();
    assert!(ran.stderr.contains("plimsoll is not on your PATH"), "{}", ran.stderr);
    assert!(world.read(SETTINGS).contains(&format!("\"command\": \"{PROGRAM}\"")));

    let world = world.with_program_on_path();
    let ran = world.run(&["init", "--yes"]).succeeds();
    assert_eq!(ran.stderr, "");
    assert!(!world.read(SETTINGS).contains(PROGRAM), "the older entries are replaced");
}

#[test]
fn local_settings_are_the_users_alone() {
    let world = World::new();
    world.run(&["init", "--yes", "--scope", "local"]).succeeds();
    assert!(!world.has(SETTINGS));
    assert_eq!(json(&world, ".claude/settings.local.json")["hooks"].as_object().unwrap().len(), EVENTS.len());
    // Where the hooks are is where they stay.
    world.run(&["init", "--yes"]).succeeds().says(&["everything is in place already"]);
    assert!(!world.has(SETTINGS));
}

#[test]
fn broken_settings_are_named_and_nothing_is_touched() {
    for broken in ["{\"hooks\": ", "[1]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}"] {
        let world = World::new().with(SETTINGS, broken);
        let before = world.snapshot();
        let ran = world.run(&["init", "--yes"]);
        assert_eq!(ran.code, Some(78), "{broken}: {ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{broken}: {}", ran.stderr);
        assert!(ran.stderr.contains(&world.name(SETTINGS)), "{broken}: {}", ran.stderr);
        assert_eq!(world.snapshot(), before, "{broken}");
    }
}

#[test]
fn a_broken_config_is_named_and_nothing_is_touched() {
    let world = World::new().with_config("{\"profile\": ");
    let before = world.snapshot();
    let ran = world.run(&["init", "--yes"]);
    assert_eq!(ran.code, Some(78), "{ran:?}");
    assert!(ran.stderr.lines().count() == 1 && ran.stderr.contains(&world.name(CONFIG)), "{}", ran.stderr);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_rerun_keeps_what_it_does_not_know() {
    let theirs = "{\n  // ours since 2024\n  \"_comment\": \"x\",\n  \"my_tool\": {\"a\": [1,2]},\n  \"profile\": \"strict\"\n}\n";
    let world = World::new().with_config(theirs);
    world.run(&["init", "--yes"]).succeeds();
    assert_eq!(world.read(CONFIG), theirs);
    world.run(&["init", "--yes", "--profile", "standard"]).succeeds();
    assert_eq!(world.read(CONFIG), theirs.replace("strict", "standard"));
}

#[test]
fn typescript_is_on_where_it_is_used() {
    for (file, on) in [
        ("web/src/app.ts", true),
        ("index.js", true),
        ("style.css", true),
        ("node_modules/x/a.ts", false),
        ("main.rs", false),
    ] {
        let world = World::new().with(file, "");
        world.run(&["init", "--yes"]).succeeds();
        assert_eq!(json(&world, CONFIG)["languages"]["typescript"]["enabled"], on, "{file}");
    }
}

#[test]
fn a_newcomers_project_is_spared_the_taste_of_linters_it_has_not_set_up() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    // What is built in counts on every road, so that nothing has to be written.
    for key in ["unconfigured", "formatting", "boy_scout", "phases"] {
        assert_eq!(json(&world, CONFIG)[key], Json::Null, "{key}");
    }
    let world = World::new();
    world.run(&["init", "--yes", "--strict-configs"]).succeeds();
    let config = json(&world, CONFIG);
    assert_eq!((&config["unconfigured"], &config["formatting"]), (&"all".into(), &"all".into()));
    assert_eq!(config["boy_scout"], true);
    assert_eq!(config["phases"], Json::Null, "a second model is only started by a yes");
}

#[test]
fn a_profile_that_loosens_is_trusted_because_the_user_chose_it() {
    let world = World::new();
    world.run(&["init", "--yes", "--profile", "observe"]).succeeds();
    world.wants_to_edit(".ruff.toml").is_silent();
    world.run(&["init", "--yes", "--profile", "nonsense"]).is_misused();
}

#[test]
fn what_waited_for_trust_still_waits() {
    let world = World::new().with_config(r#"{"hook_enabled": false}"#);
    let ran = world.run(&["init", "--yes"]).succeeds();
    assert!(ran.stderr.contains("hook_enabled needs your consent"), "{}", ran.stderr);
    world.wants_to_edit(".ruff.toml").is_denied();
}

#[test]
fn settings_that_are_a_link_stay_one() {
    let world = World::new();
    let real = world.base().join("dotfiles/settings.json");
    write(&real, THEIRS);
    std::fs::create_dir_all(world.home().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&real, world.home().join(SETTINGS)).unwrap();
    world.run(&["init", "--yes", "--scope", "user"]).succeeds();
    assert!(world.home().join(SETTINGS).symlink_metadata().unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("PreToolUse"));
}

#[test]
fn hooks_that_the_client_will_not_run_are_pointed_out() {
    let world = World::new().with(SETTINGS, "{\"disableAllHooks\": true}\n");
    let ran = world.run(&["init", "--yes"]).succeeds();
    assert!(ran.stderr.contains("has disableAllHooks: no hook will run"), "{}", ran.stderr);
}

#[test]
fn a_project_without_git_is_set_up_where_the_user_is() {
    let world = World::without_git();
    world.run(&["init", "--yes"]).succeeds();
    assert!(world.has(SETTINGS) && world.has(CONFIG) && !world.has(".git"));
}

/// The client reads `.claude/` of the folder that it was started in, and so must the set-up.
#[test]
fn a_folder_of_a_repository_that_has_its_own_settings_is_set_up_itself() {
    let world = World::new().in_subfolder("packages/web").with(SETTINGS, "{}\n");
    world.run(&["init", "--yes"]).succeeds();
    assert!(world.read(SETTINGS).contains("PreToolUse"), "{}", world.read(SETTINGS));
}

#[test]
fn a_folder_of_a_repository_is_set_up_if_the_user_says_so() {
    let world = World::new().in_subfolder("packages/web");
    world.run(&["init", "--yes"]).succeeds();
    assert!(!world.has(SETTINGS), "the repository is the project");
    world.run(&["init", "--yes", "--here"]).succeeds();
    assert!(world.has(SETTINGS) && world.has(CONFIG));
    world.run(&["init", "--yes"]).succeeds().says(&["everything is in place already"]);
    world.has_edited("a.py").is_silent();
    assert_eq!(world.git(&["status", "--porcelain", "--", ".claude/.session-changes-s1"]), "");
    world.run(&["uninstall", "--yes"]).succeeds();
    assert!(!world.has(SETTINGS) && !world.has(CONFIG), "what was not there before is not there after");
}

#[test]
fn without_a_home_there_are_no_settings_of_the_user() {
    let world = World::new().with_variable("HOME", "");
    let ran = world.run(&["init", "--yes", "--scope", "user"]);
    assert_eq!(ran.code, Some(69), "{ran:?}");
    assert_eq!(ran.stderr, "plimsoll: there is no home directory for the user's settings\n");
}

#[test]
fn nobody_behind_stdin_is_no_yes() {
    let world = World::new();
    let before = world.snapshot();
    let ran = world.run(&["init"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("nothing was written") && ran.stderr.contains("init --yes"), "{ran:?}");
    assert_eq!(world.snapshot(), before);
}

/// The client runs no hook of a file with comments, so that nothing is done yet.
#[test]
fn comments_in_the_settings_are_no_success() {
    let world = World::new().with(SETTINGS, THEIRS).with_program_on_path();
    let ran = world.run(&["init", "--yes"]).succeeds();
    assert!(
        ran.stderr.contains("not active") && ran.stderr.contains("plimsoll doctor --fix"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("done"), "{}", ran.stdout);
    world.run(&["doctor", "--fix"]);
    let settings = json(&world, SETTINGS);
    assert_eq!(settings["model"], "opus", "plain JSON by now, with what was theirs");
    assert_eq!(settings["hooks"]["PreToolUse"].as_array().map(Vec::len), Some(1));
    world.run(&["uninstall", "--yes"]).succeeds();
    assert_eq!(world.read(SETTINGS), THEIRS);
}

/// What else may be set is said in the file itself, which every reader of JSON takes.
#[test]
fn the_config_has_comments_and_is_plain_json() {
    let world = World::new();
    world.run(&["init", "--yes", "--profile", "guards"]).succeeds();
    let config = json(&world, CONFIG);
    assert_eq!(config["profile"], "guards");
    assert!(config["_comment"].to_string().contains("boy_scout"), "{config}");
    world.run(&["config", "check"]).succeeds();
}

#[test]
fn guards_leave_linters_alone_and_stop_what_would_do_harm() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes", "--profile", "guards"]).succeeds();
    let ran = world.run(&["status", "--checks"]).succeeds();
    for (check, level) in
        [("edit/lint", "off"), ("stop/lint", "off"), ("shell/destroy-files", "on"), ("stop/summary", "on")]
    {
        let row = ran.stdout.lines().find(|line| line.starts_with(check)).unwrap();
        assert_eq!(row.split_whitespace().nth(1), Some(level), "{row}");
    }
    world.wants_to_edit(RUFF).is_denied();
}

#[test]
fn files_of_the_user_keep_their_mode() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new().with(SETTINGS, THEIRS);
    std::fs::set_permissions(world.path(SETTINGS), std::fs::Permissions::from_mode(0o600)).unwrap();
    world.run(&["init", "--yes"]).succeeds();
    assert_eq!(
        world.path(SETTINGS).metadata().unwrap().permissions().mode() & 0o777,
        0o600,
        "{}",
        text(&world.path(SETTINGS))
    );
}

#[test]
fn strict_configurations_are_written_where_there_are_none() {
    let world = World::new().with("run.sh", "true\n");
    world.run(&["init", "--yes"]).succeeds();
    assert!(!world.has(".shellcheckrc"), "nobody asked for them");
    world.run(&["init", "--yes", "--strict-configs"]).succeeds();
    assert!(world.read(".shellcheckrc").contains("enable=all"));
    assert_eq!(world.read(RUFF), "line-length = 88\n", "what is there stays");
    assert!(!world.has(".yamllint"), "there is no YAML here");
}

/// What holds in all projects is set up for all projects, and goes without a trace.
#[test]
fn in_the_users_scope_the_profile_is_the_users_too() {
    let world = World::new().with_program_on_path();
    let before = world.snapshot();
    world
        .run(&["init", "--yes", "--scope", "user", "--profile", "guards"])
        .succeeds()
        .says(&["~/.claude/hooks/config.json: what is on in all your projects"]);
    let config = std::fs::read_to_string(world.home().join(CONFIG)).unwrap();
    assert!(config.contains("\"profile\": \"guards\"") && !config.contains("\"languages\""), "{config}");
    assert!(!world.has(CONFIG), "nothing for this project alone");
    world.run(&["uninstall", "--yes", "--all"]).succeeds();
    assert!(!world.home().join(CONFIG).exists());
    assert_eq!(world.snapshot(), before);
}
