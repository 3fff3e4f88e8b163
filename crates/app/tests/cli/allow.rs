//! `plimsoll allow`: what the user lets an agent run for a while. By what it is recognised is in `checks::allowed`.

use serde_json::json;

use crate::world::{RUFF, Ran, SESSION, World};

const COMMAND: &str = "git reset --hard";

fn wants_to_run(world: &World, command: &str) -> Ran {
    world.tool("PreToolUse", "Bash", &json!({"command": command}))
}

/// It is neither refused nor asked about; what is said besides does not matter here.
fn passes(ran: &Ran) {
    ran.is_an_answer();
    assert!(!ran.stdout.contains("permissionDecision"), "{ran:?}");
}

#[test]
fn the_command_that_a_refusal_names_lets_it_through_once() {
    let world = World::new();
    let reason = wants_to_run(&world, COMMAND).is_denied();
    let named = reason.rsplit_once("with: ").expect("a command is named").1;
    assert_eq!(named, "plimsoll allow 'git reset --hard' --once");
    world.sh(named).succeeds();
    passes(&wants_to_run(&world, "timeout 5 git reset --hard"));
    wants_to_run(&world, COMMAND).is_denied();
    let used: Vec<_> =
        world.log().into_iter().filter(|entry| entry.to_string().contains("allowed by the user")).collect();
    assert_eq!(used.len(), 1, "each use is logged");
}

#[test]
fn it_works_from_a_subfolder_where_the_agent_is() {
    let world = World::new().with("packages/web/a.py", "");
    let inner = world.name("packages/web");
    let more = json!({"cwd": inner, "tool_name": "Bash", "tool_input": {"command": COMMAND}});
    let reason = world.event("PreToolUse", &more).is_denied();
    let named = reason.rsplit_once("with: ").expect("a command is named").1.to_owned();
    assert!(named.contains("--in"), "{named}");
    world.sh(&named).succeeds();
    wants_to_run(&world, COMMAND).is_denied();
    passes(&world.event("PreToolUse", &more));
}

#[test]
fn for_a_time_for_a_session_and_for_a_project() {
    let world = World::new();
    world.run(&["allow", "--yes", COMMAND, "--for", "10m"]).succeeds();
    passes(&wants_to_run(&world, COMMAND));
    passes(&wants_to_run(&world, COMMAND));
    world.run(&["status"]).says(&["git reset --hard", "s more"]);
    world.run(&["allow", "--revoke", COMMAND]).says(&["1 taken back"]);
    wants_to_run(&world, COMMAND).is_denied();

    world.session_starts(SESSION);
    world.run(&["allow", "--yes", COMMAND, "--session"]).succeeds();
    passes(&wants_to_run(&world, COMMAND));
    let mut other =
        world.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": COMMAND}}));
    other["session_id"] = "another".into();
    world.hook(&[], other.to_string()).is_denied();
    world.run(&["allow", "--revoke"]).succeeds();

    world.run(&["allow", "--yes", COMMAND, "--project"]).succeeds();
    passes(&world.hook(&[], other.to_string()));
    let listed = world.run(&["allow", "--list", "--json"]).json();
    assert_eq!(listed["commands"][0]["command"], COMMAND);
}

#[test]
fn what_keeps_the_guard_itself_cannot_be_allowed() {
    let world = World::new();
    world
        .run(&["allow", "--yes", "plimsoll uninstall"])
        .fails_saying(&["shell/self-protection", "stays in force"]);
    world.run(&["allow", "--yes", "echo '"]).fails_saying(&["cannot be read"]);
    world.run(&["allow", "--yes", "ls"]).says(&["nothing refuses"]);
    world.run(&["allow", "--yes", COMMAND, "--for", "9d"]).fails_saying(&["out of range"]);
}

#[test]
fn a_file_is_let_through_by_the_same_word() {
    let world = World::new();
    world.wants_to_edit(RUFF).is_denied();
    world.run(&["allow", "--yes", "--edit", RUFF]).succeeds();
    world.wants_to_edit(RUFF).is_silent();
    world.run(&["allow", "--list"]).says(&[RUFF]);
}

#[test]
fn an_agent_is_asked_about_it() {
    let world = World::new();
    wants_to_run(&world, "plimsoll allow 'git reset --hard' --once").is_asked();
    passes(&wants_to_run(&world, "plimsoll allow --list"));
}
