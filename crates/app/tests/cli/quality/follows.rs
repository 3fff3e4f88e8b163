//! What follows from a command that fails is the configuration's to say.

use super::{CHECKS, config, edited, subagent_stops, trusted};
use crate::world::{Ran, World};
use serde_json::{Value as Json, json};

/// A world with this configuration, and these commands, which the user has trusted.
fn with(config: &Json, commands: &str) -> World {
    let world = World::new()
        .with("CLAUDE.md", &format!("---\ncommands:\n{commands}---\n"))
        .with(CHECKS, &config.to_string());
    world.run(&["trust", "--yes"]).succeeds();
    world
}

pub(super) fn notice(ran: &Ran) -> String {
    if ran.stdout.is_empty() {
        return String::new();
    }
    ran.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// What the documentation says about each kind of check, and its two examples of other choices.
#[test]
fn what_follows_from_a_failure_is_the_configurations_to_say() {
    for (entry, blocks) in [
        (json!({"blocking": false, "on_failure": "warn"}), false),
        (json!({"blocking": true, "on_failure": "block"}), true),
        // The strict example and the permissive one.
        (json!({"blocking": true}), true),
        (json!({"blocking": false}), false),
        // Without `blocking`, what is to be done says it.
        (json!({"on_failure": "block"}), true),
        (json!({"on_failure": "warn"}), false),
        (json!({"description": "d"}), true),
    ] {
        for name in ["check", "test", "build"] {
            let config = json!({
                "checks": {name: entry},
                "hooks": {"PostToolUse": {"enabled_tools": ["Write"], "checks": [name]}, "SubagentStop": {"checks": [name]}},
            });
            let world = with(&config, &format!("  {name}: \"echo broken; exit 1\"\n"));
            let input = json!({"file_path": world.name("app.py"), "content": "x = 2\n"});
            let ran = world.tool("PostToolUse", "Write", &input);
            assert_eq!(ran.code, Some(if blocks { 2 } else { 0 }), "{name} {entry}: {ran:#?}");
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains("broken"), "{name} {entry}: {ran:#?}");
            edited(&world).is_silent();
            let ran = subagent_stops(&world, "any", false);
            assert_eq!(ran.stdout.contains("\"block\""), blocks, "{name} {entry}: {ran:#?}");
        }
    }
}

#[test]
fn every_agent_of_the_documentation_is_meant() {
    for agent in ["rust-engineer", "code-reviewer", "ultrathink-debugger"] {
        subagent_stops(&trusted("true", "exit 1"), agent, false).is_blocked();
    }
}

#[test]
fn without_any_configuration_nothing_is_said() {
    let world = World::new().with("CLAUDE.md", "---\ncommands:\n  check: touch ran; exit 1\n---\n");
    edited(&world).is_silent();
    subagent_stops(&world, "rust-engineer", false).is_silent();
    assert!(!world.has("ran"));
}

#[test]
fn a_key_that_nobody_knows_costs_nothing_but_a_line() {
    let mut config = config();
    config["gatez"] = json!({"x": 1});
    let world = with(&config, "  check: \"echo untidy; exit 1\"\n  test: \"true\"\n");
    let ran = edited(&world);
    assert!(notice(&ran).contains("gatez is unknown"), "{ran:#?}");
    assert!(ran.stdout.contains("untidy"), "{ran:#?}");
}

#[test]
fn a_check_that_should_hold_and_has_no_command_is_named_once() {
    // In the original, what was not run counted as passed.
    let world = with(&config(), "  check: \"true\"\n");
    edited(&world).is_silent();
    let ran = subagent_stops(&world, "rust-engineer", false);
    assert!(
        notice(&ran).contains("test is to hold the agent, but has no command and is not run"),
        "{ran:#?}"
    );
    subagent_stops(&world, "rust-engineer", false).is_silent();
    let shown = world.run(&["quality", "show"]).succeeds();
    assert!(shown.stderr.contains("test is to hold the agent"), "{shown:#?}");
    assert!(
        !shown.stderr.contains("check is to hold") && !shown.stderr.contains("build is to hold"),
        "{shown:#?}"
    );
    // The same in the later form.
    let gates =
        json!({"gates": {"plan": {"on_fail": "STOP"}}, "hooks": {"SubagentStop": {"gates": ["plan"]}}});
    let world = World::new().with(".claude/gates.json", &gates.to_string());
    assert!(notice(&subagent_stops(&world, "any", false)).contains("plan is to hold the agent"));
}

#[test]
fn what_can_never_run_is_named() {
    let world = World::new().with(CHECKS, &json!({"checks": {"a": {"blocking": true}, "b": {}}}).to_string());
    assert!(notice(&edited(&world)).contains("no hook names any of the checks (a, b), so none of them runs"));
    let config = json!({
        "checks": {"a": {"blocking": false}},
        "hooks": {"PostToolUse": {"enabled_tools": ["Read", "Edit", "mcp__x__*", "*", "Multi*", "Glob*"], "checks": ["a"]}},
    });
    let world = with(&config, "  a: \"true\"\n");
    let said = notice(&edited(&world));
    assert!(said.contains("nothing runs after Read, only after Edit, Write,"), "{said}");
    assert!(said.contains("nothing runs after Glob*,"), "{said}");
    assert_eq!(said.matches("nothing runs after").count(), 2, "{said}");
}

#[test]
fn a_gate_that_stops_ends_the_run_and_one_that_blocks_on_success_says_so() {
    let gate = |entry: Json, event: &str| {
        let gates = json!({"gates": {"g": entry}, "hooks": {event: {"gates": ["g"]}}});
        let world = World::new().with(".claude/gates.json", &gates.to_string());
        world.run(&["trust", "--yes"]).succeeds();
        world
    };
    for event in ["PostToolUse", "SubagentStop", "Stop"] {
        let answer = |world: &World| match event {
            "PostToolUse" => edited(world),
            "SubagentStop" => subagent_stops(world, "any", false),
            _ => world.session_stops("s1"),
        };
        let world = gate(json!({"command": "echo no plan; exit 1", "on_fail": "STOP"}), event);
        // Every time: the client does not go on, so there is no loop to break.
        for _ in 0..5 {
            let ran = answer(&world);
            let json = ran.json();
            assert_eq!((ran.code, &json["continue"]), (Some(0), &json!(false)), "{event}: {ran:#?}");
            assert_eq!(
                json["stopReason"],
                "Project g command failed. The work stops here.\n`echo no plan; exit 1`\nno plan",
                "{event}"
            );
            assert_eq!(json.get("decision"), None, "{event}: {ran:#?}");
        }
        let ran = answer(&gate(json!({"command": "echo found", "on_pass": "BLOCK"}), event));
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            said.contains("Project g command passed. Its gate blocks on that") && said.contains("found"),
            "{event}: {ran:#?}"
        );
        assert!(!said.contains("failed"), "{event}: {ran:#?}");
        let ran = answer(&gate(json!({"command": "true", "on_pass": "STOP"}), event));
        assert_eq!(ran.json()["continue"], false, "{event}: {ran:#?}");
    }
}

#[test]
fn what_runs_when_and_what_follows_is_shown() {
    let shown = trusted("true", "cargo test").run(&["quality", "show"]).succeeds().stdout;
    let words = |name: &str| -> String {
        let line =
            shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {shown}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        words("check"),
        "check warns after Edit, Write, mcp__serena__replace_symbol_body; before rust-engineer, code-reviewer, ultrathink-debugger ends true"
    );
    assert_eq!(
        words("test"),
        "test blocks before rust-engineer, code-reviewer, ultrathink-debugger ends cargo test"
    );
    assert_eq!(words("build"), "build warns never no command");
}
