//! The project's own commands after an edit and before a subagent ends.

mod follows;

use follows::notice;
use serde_json::{Value as Json, json};

use crate::world::{Ran, World, write};

const CHECKS: &str = ".claude/hooks/quality-checks.json";

/// The configuration of the design, with commands that leave a trace.
fn config() -> Json {
    json!({
        "checks": {
            "check": {"description": "d", "blocking": false, "on_failure": "warn"},
            "test": {"description": "d", "blocking": true, "on_failure": "block"},
            "build": {"description": "d", "blocking": false, "on_failure": "warn"},
        },
        "hooks": {
            "PostToolUse": {"enabled_tools": ["Edit", "Write", "mcp__serena__replace_symbol_body"], "checks": ["check"]},
            "SubagentStop": {"enabled_agents": ["rust-engineer", "code-reviewer", "ultrathink-debugger"], "checks": ["check", "test"]},
        },
    })
}

fn project(check: &str, test: &str) -> World {
    let front = format!("---\ncommands:\n  test: \"{test}\"\n  check: \"{check}\"\n---\n\n# Project\n");
    World::new().with("CLAUDE.md", &front).with(CHECKS, &config().to_string())
}

fn trusted(check: &str, test: &str) -> World {
    let world = project(check, test);
    world.run(&["trust", "--yes"]).succeeds();
    world
}

fn edited(world: &World) -> Ran {
    world.tool(
        "PostToolUse",
        "Edit",
        &json!({"file_path": world.name("app.py"), "old_string": "1", "new_string": "2"}),
    )
}

fn subagent_stops(world: &World, kind: &str, active: bool) -> Ran {
    world.event("SubagentStop", &json!({"agent_id": "a1", "agent_type": kind, "stop_hook_active": active}))
}

#[test]
fn success_says_nothing() {
    let world = trusted("true", "true");
    edited(&world).is_silent();
    subagent_stops(&world, "rust-engineer", false).is_silent();
}

#[test]
fn a_failure_that_does_not_block_is_context_with_the_output() {
    let world = trusted("echo E501 too long; exit 1", "true");
    let ran = edited(&world);
    assert_eq!(ran.code, Some(0));
    let text = ran.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert!(
        text.starts_with("⚠️ Project check command failed (non-blocking):\n")
            && text.contains("E501 too long"),
        "{text}"
    );
}

#[test]
fn a_failure_that_blocks_holds_the_subagent_with_the_output() {
    let world = trusted("true", "echo test_login FAILED; exit 1");
    let reason = subagent_stops(&world, "rust-engineer", false).is_blocked();
    assert!(reason.starts_with("Project test command failed. Fix errors before completing.\n"), "{reason}");
    assert!(reason.contains("test_login FAILED"), "{reason}");
    // Until it is settled, but not for ever.
    subagent_stops(&world, "rust-engineer", true).is_blocked();
    subagent_stops(&world, "rust-engineer", true).is_blocked();
    let ran = subagent_stops(&world, "rust-engineer", true);
    assert!(ran.json()["systemMessage"].as_str().unwrap().contains("finishes with this open"), "{ran:#?}");
    // A session that fixes it goes on at once.
    world.write("CLAUDE.md", "---\ncommands:\n  test: \"true\"\n  check: \"true\"\n---\n");
    world.run(&["trust", "--yes"]).succeeds();
    subagent_stops(&world, "rust-engineer", true).is_silent();
}

#[test]
fn only_the_named_tools_and_agents_count() {
    let world = trusted("exit 1", "exit 1");
    world
        .tool("PostToolUse", "MultiEdit", &json!({"file_path": world.name("app.py"), "edits": []}))
        .is_silent();
    world.tool("PostToolUse", "Bash", &json!({"command": "ls"})).is_silent();
    assert!(
        world
            .tool("PostToolUse", "mcp__serena__replace_symbol_body", &json!({}))
            .stdout
            .contains("check command failed")
    );
    subagent_stops(&world, "general-purpose", false).is_silent();
    subagent_stops(&world, "plugin:code-reviewer", false).is_blocked();
}

#[test]
fn advice_at_the_end_of_a_subagent_is_told_later() {
    let world = trusted("echo untidy; exit 1", "true");
    subagent_stops(&world, "rust-engineer", false).is_silent();
    let ran = world.tool("PostToolUse", "Bash", &json!({"command": "ls"}));
    assert!(ran.stdout.contains("untidy"), "{ran:#?}");
}

#[test]
fn commands_of_a_clone_wait_for_trust_and_a_change_asks_again() {
    let world = project("touch ran; exit 1", "true");
    let ran = edited(&world);
    assert!(
        ran.json()["systemMessage"].as_str().unwrap().contains("you have not trusted them yet"),
        "{ran:#?}"
    );
    assert!(!world.has("ran"));
    world.run(&["trust", "show"]).succeeds().says(&["+ command check in", "touch ran; exit 1"]);
    world.run(&["quality", "run"]).fails_saying(&["not trusted yet"]);
    world.run(&["trust", "--yes"]).succeeds();
    edited(&world);
    assert!(world.has("ran"));
    world.write("CLAUDE.md", "---\ncommands:\n  check: touch other\n---\n");
    edited(&world);
    assert!(!world.has("other"));
    world.run(&["trust", "show"]).succeeds().says(&["- command check", "+ command check", "touch other"]);
}

#[test]
fn rules_in_the_text_are_not_run() {
    let world = World::new()
        .with(CHECKS, &config().to_string())
        .with("CLAUDE.md", "# P\n\n---\ncommands:\n  check: touch ran\n---\n");
    world.run(&["trust", "--yes"]);
    edited(&world).is_silent();
    assert!(!world.has("ran"));
}

#[test]
fn what_passed_on_this_code_does_not_run_again() {
    let world = trusted("echo x >> .claude/count", "true");
    let count = |world: &World| world.read(".claude/count").lines().count();
    edited(&world).is_silent();
    edited(&world).is_silent();
    assert_eq!(count(&world), 1);
    world.write("app.py", "x = 9\n");
    edited(&world).is_silent();
    assert_eq!(count(&world), 2);
}

#[test]
fn a_command_that_does_not_end_is_ended_and_said() {
    let world =
        trusted("sleep 100000 & echo $! > .claude/child; echo waiting for the database; wait", "true");
    let payload = world.payload(
        "PostToolUse",
        &json!({"tool_name": "Edit", "tool_input": {"file_path": world.name("app.py")}}),
    );
    let ran = world.hook(&["--deadline", "1"], payload.to_string());
    // What it printed says where it hangs, so that comes first.
    let text = ran.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert!(text.contains("waiting for the database\n[it did not end within 1 s and was stopped]"), "{text}");
    // What it started goes too, at its next turn on a processor; where nobody collects it, it stays as a zombie.
    let stat = format!("/proc/{}/stat", world.read(".claude/child").trim());
    while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The lint service has formatted the file before the project's own check looks at it.
#[test]
fn a_file_is_formatted_before_a_check_counts_as_failed() {
    let world = trusted("grep -qx 'x = 2' app.py", "true").with_user_config(r#"{"formatting": "all"}"#);
    let tool = world.base().join("tools/ruff");
    crate::world::program(
        &tool,
        "case \"$1 $2\" in 'format '*) sed 's/ *= */ = /';; 'check --fix') cat;; *) echo '[]';; esac",
    );
    world.write("app.py", "x=2\n");
    edited(&world).formatted("app.py", "ruff");
    assert_eq!(world.read("app.py"), "x = 2\n");
}

#[test]
fn a_broken_configuration_is_said_once_and_blocks_nothing() {
    let world = World::new().with(CHECKS, "{broken");
    assert!(edited(&world).json()["systemMessage"].as_str().unwrap().contains("is not JSON"));
    edited(&world).is_silent();
    // Each of several, also where they are equally long.
    let hooks = json!({"PostToolUse": {"gates": ["aa", "bb"]}});
    world.write(CHECKS, &json!({"hooks": hooks}).to_string());
    let said = edited(&world).json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(said.contains("unknown check or gate aa") && said.contains("unknown check or gate bb"), "{said}");
    World::new()
        .with("CLAUDE.md", "---\ncommands:\n  check: exit 1\n---\n")
        .run(&["quality", "run"])
        .fails_saying(&["there is no quality-checks.json"]);
}

#[test]
fn the_later_form_is_read_too() {
    let world = World::new();
    let gates = json!({
        "gates": {
            "check": {"command": "echo format >> .claude/order; exit 1", "on_fail": "lint"},
            "lint": {"command": "echo lint >> .claude/order", "on_pass": "CONTINUE"},
            "last": {"command": "echo last >> .claude/order; echo no; exit 1", "on_fail": "STOP"},
            "tests": {"command": "echo asked; exit 1", "keywords": ["test"], "on_fail": "CONTINUE"},
        },
        "hooks": {
            "PostToolUse": {"enabled_tools": ["Edit"], "gates": ["check", "last", "nowhere"]},
            "UserPromptSubmit": {"gates": ["tests"]},
        },
    });
    world.write(".claude/gates.json", &gates.to_string());
    world.run(&["trust", "--yes"]).succeeds();
    let ran = edited(&world);
    let answer = ran.json();
    assert_eq!((ran.code, &answer["continue"]), (Some(0), &json!(false)), "{ran:#?}");
    let why = answer["stopReason"].as_str().unwrap();
    assert!(
        why.starts_with("Project last command failed. The work stops here.\n") && why.ends_with("\nno"),
        "{why}"
    );
    assert_eq!(world.read(".claude/order"), "format\nlint\nlast\n", "the gate that is named comes next");
    let prompt = |text: &str| world.event("UserPromptSubmit", &json!({"prompt": text}));
    assert!(!prompt("the latest news").stdout.contains("asked"));
    assert!(prompt("run the test please").stdout.contains("asked"));
}

#[test]
fn a_plugins_own_file_is_read() {
    let world = World::new();
    let plugin = world.base().join("plugin-x");
    write(&plugin.join("hooks/quality-checks.json"), &config().to_string());
    let world = world
        .with("CLAUDE.md", "---\ncommands: {check: 'echo from plugin; exit 1'}\n---\n")
        .with_variable("CLAUDE_PLUGIN_ROOT", plugin);
    world.run(&["trust", "--yes"]).succeeds();
    assert!(edited(&world).stdout.contains("from plugin"));
}

/// As the client lays out what it has installed.
fn install_plugin(world: &World, name: &str, files: &[(&str, Json)]) -> std::path::PathBuf {
    let root = world.home().join(format!(".claude/plugins/cache/market/{name}/1.0.0"));
    for (file, json) in files {
        write(&root.join(file), &json.to_string());
    }
    let list = world.home().join(".claude/plugins/installed_plugins.json");
    let mut all: Json = std::fs::read_to_string(&list)
        .map_or_else(|_| json!({"version": 2, "plugins": {}}), |text| serde_json::from_str(&text).unwrap());
    all["plugins"][format!("{name}@market")] = json!([{"scope": "user", "installPath": root}]);
    write(&list, &all.to_string());
    let enabled = all["plugins"].as_object().unwrap().keys().map(|id| (id.clone(), json!(true)));
    let settings = json!({"enabledPlugins": enabled.collect::<serde_json::Map<_, _>>()});
    write(&world.home().join(".claude/settings.json"), &settings.to_string());
    root
}

#[test]
fn a_gate_of_another_plugin_runs_in_its_folder() {
    let world = World::new();
    let gates =
        json!({"gates": {"rules": {"command": "echo from $(basename \"$PWD\"); cat broken-rule; exit 1"}}});
    let root = install_plugin(&world, "rules-plugin", &[("hooks/gates.json", gates)]);
    write(&root.join("broken-rule"), "rule 7\n");
    let own = json!({
        "gates": {"rules": {"plugin": "rules-plugin", "gate": "rules"}, "gone": {"plugin": "nowhere", "gate": "x"}},
        "hooks": {"SubagentStop": {"gates": ["gone", "rules"]}},
    });
    world.write(".claude/gates.json", &own.to_string());
    // What a plugin brings is run on the user's word too.
    let ran = subagent_stops(&world, "any", false);
    let said = ran.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(said.contains("gates.gone: the plugin nowhere is not installed or not enabled"), "{said}");
    world.run(&["trust", "show"]).succeeds().says(&["+ command of gate rules of the plugin rules-plugin"]);
    world.run(&["trust", "--yes"]).succeeds();
    let reason = subagent_stops(&world, "any", false).is_blocked();
    assert!(reason.contains("from 1.0.0\nrule 7"), "{reason}");
    // What the project says of the outcome counts first.
    let own = own.to_string().replace(r#""gate":"rules""#, r#""gate":"rules","on_fail":"CONTINUE""#);
    world.write(".claude/gates.json", &own);
    subagent_stops(&world, "any", false).is_silent();
}

#[test]
fn gates_of_plugins_that_refer_to_each_other() {
    let world = World::new();
    let other = |plugin: &str, gate: &str| json!({"plugin": plugin, "gate": gate});
    install_plugin(
        &world,
        "a",
        &[(
            "gates.json",
            json!({"gates": {"x": other("b", "y"), "own": other("a", "real"), "real": {"command": "echo real; exit 1"}}}),
        )],
    );
    install_plugin(&world, "b", &[("gates.json", json!({"gates": {"y": other("a", "x")}}))]);
    let own = json!({
        "gates": {"circle": other("a", "x"), "self": other("a", "own"), "absent": other("b", "z"), "both": {"plugin": "a", "gate": "real", "command": "true"}, "half": {"plugin": "a"}},
        "hooks": {"SubagentStop": {"gates": ["self", "circle", "half"]}},
    });
    world.write(".claude/gates.json", &own.to_string());
    world.run(&["trust", "--yes"]).succeeds();
    assert!(subagent_stops(&world, "any", false).is_blocked().contains("real"));
    let shown = world.run(&["quality", "show"]).succeeds().stderr;
    for problem in [
        "gates.circle: gates of plugins refer to each other in a circle",
        "gates.absent: the plugin b has no gate z",
        "gates.both: either a command or the gate of a plugin, not both",
        "gates.half: plugin and gate belong together",
    ] {
        assert!(shown.contains(problem), "{problem}: {shown}");
    }
    assert!(!shown.contains("unknown check or gate"), "said once, where it is: {shown}");
}

#[test]
fn by_hand() {
    let world = trusted("true", "echo broken; exit 1");
    world.run(&["quality", "show"]).succeeds().says(&["echo broken; exit 1"]);
    world.run(&["quality", "run", "check"]).succeeds().says(&["check: passed: true"]);
    let ran = world.run(&["quality", "run"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stdout.contains("build: no command, skipped")
            && ran.stdout.contains("test: failed")
            && ran.stdout.contains("broken"),
        "{}",
        ran.stdout
    );
    world
        .run(&["quality", "run", "nothing"])
        .fails_saying(&["nothing has no command; known: build, check, test"]);
}

fn edited_in(world: &World, dir: &str) -> Ran {
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": world.name("app.py")}});
    let mut payload = world.payload("PostToolUse", &edit);
    payload["cwd"] = json!(world.name(dir));
    world.hook(&[], payload.to_string())
}

#[test]
fn each_command_is_trusted_by_itself() {
    let world = trusted("touch root-ran", "true");
    world.write("sub/CLAUDE.md", "---\ncommands:\n  check: touch sub-ran\n---\n");
    let said = notice(&edited_in(&world, "sub"));
    let sub = world.name("sub");
    assert!(
        said.contains(&format!(
            "the commands of {sub} were not run, because you have not trusted them yet; run `plimsoll trust` in {sub}"
        )),
        "{said}"
    );
    let shown = |world: &World| world.run(&["trust", "show"]).succeeds().stdout;
    let in_sub = World::standing_in;
    let sub_path = world.path("sub");
    let world = in_sub(world, sub_path);
    world.run(&["trust", "--yes"]).succeeds().says(&["+ command check in", "touch sub-ran"]);
    assert!(shown(&world).contains("all of it is trusted"), "{}", shown(&world));
    let root = world.path("");
    let world = world.standing_in(root);
    // Trusting here has taken nothing back there.
    assert!(shown(&world).contains("all of it is trusted"), "{}", shown(&world));
    edited_in(&world, "").is_silent();
    edited_in(&world, "sub").is_silent();
    assert!(world.has("root-ran") && world.has("sub/sub-ran"));
    // A command that is gone leaves the others trusted; one that changes asks again, and so does the old one after it.
    world.write("CLAUDE.md", "---\ncommands:\n  check: touch root-ran\n---\n");
    world.write("app.py", "x = 3\n");
    world.remove("root-ran");
    edited_in(&world, "").is_silent();
    assert!(world.has("root-ran"));
    world.write("CLAUDE.md", "---\ncommands:\n  check: touch other\n---\n");
    assert!(notice(&edited_in(&world, "")).contains("you have not trusted them yet"));
    assert!(!world.has("other"));
    world.run(&["trust", "--yes"]).succeeds();
    world.write("CLAUDE.md", "---\ncommands:\n  check: touch root-ran\n---\n");
    let ran = world.run(&["quality", "run"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("not trusted yet"), "{ran:#?}");
}

/// What fails on the commit that the session began with is not its fault, and nothing runs to find that out before it has failed.
#[test]
fn what_failed_before_the_session_too_does_not_hold_it() {
    let world = trusted("true", "sh test.sh");
    let log = world.base().join("runs");
    world.write(
        "test.sh",
        &format!("echo run >> '{}'\ncat bugs.txt\necho took 0.$$ s in $PWD\nexit 1\n", log.display()),
    );
    world.write("bugs.txt", "one bug\n");
    world.commit("a project whose tests fail");
    let runs = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    world.event("SessionStart", &json!({"source": "startup"})).is_an_answer();
    world.write("app.py", "x = 2\n");
    assert_eq!(runs(), 0, "no command runs before it is asked for");
    for expected in [2, 3] {
        let ran = subagent_stops(&world, "rust-engineer", false);
        assert!(!ran.stdout.contains("\"block\""), "{ran:#?}");
        assert_eq!(runs(), expected, "once more on the commit, and then it is known");
    }
    let told = world.event("UserPromptSubmit", &json!({"prompt": "and?"})).stdout;
    assert!(told.contains("Project test command failed before too, so it does not block"), "{told}");
    assert!(told.contains("one bug"), "{told}");
    // The checkout is gone.
    assert_eq!(world.git(&["worktree", "list"]).lines().count(), 1);
    world.write("bugs.txt", "one bug\nanother\n");
    let reason = subagent_stops(&world, "rust-engineer", false).is_blocked();
    assert!(reason.contains("another"), "{reason}");
}

#[test]
fn what_passed_before_the_session_holds_it() {
    let world = trusted("true", "grep -q 1 app.py || { echo broken; exit 1; }");
    world.commit("a project whose tests pass");
    world.event("SessionStart", &json!({"source": "startup"})).is_an_answer();
    world.write("app.py", "x = 2\n");
    for _ in 0..2 {
        let reason = subagent_stops(&world, "rust-engineer", false).is_blocked();
        assert!(reason.contains("broken"), "{reason}");
    }
}

/// The script of old says it in JSON and ends well; a failure before the session is not an excuse there.
#[test]
fn the_old_address_answers_as_it_did() {
    let world = project("echo no; exit 1", "exit 1");
    let mut config = config();
    config["checks"]["check"]["blocking"] = true.into();
    world.write(CHECKS, &config.to_string());
    world.commit("a project whose check fails");
    world.event("SessionStart", &json!({"source": "startup"})).is_an_answer();
    let payload = world.payload(
        "PostToolUse",
        &json!({"tool_name": "Write", "tool_input": {"file_path": world.name("app.py"), "content": "x = 2\n"}}),
    );
    let mut script = world.program(&["compat", "post-tool-use"]);
    script.env("CLAUDE_PROJECT_DIR", world.path(""));
    let ran = Ran::of(script, payload.to_string().as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:#?}");
    let json = ran.json();
    assert_eq!(json["decision"], "block");
    assert!(json["reason"].as_str().unwrap().starts_with("Project check command failed."), "{json}");
    assert_eq!(json.as_object().unwrap().len(), 2, "{json}");
}
