//! Autonomous work: what its state on disk means for commands.

use std::process::Command;

use serde_json::json;

use crate::world::{Ran, World};

fn autonomous() -> World {
    World::new().with_user_config(r#"{"profile": "autonomous"}"#)
}

fn now() -> String {
    let done = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output().unwrap();
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn wants_to_run(world: &World, command: &str) -> Ran {
    world.tool("PreToolUse", "Bash", &json!({"command": command}))
}

const STATE: &str = ".claude/autonomous-state.json";

#[test]
fn a_subagent_does_not_deploy() {
    let state = json!({"iteration": 1, "started_at": now(), "coordinator": false});
    let world = autonomous().with(STATE, &state.to_string());
    let reason = wants_to_run(&world, "gh workflow run deploy.yml").is_denied();
    assert!(reason.contains("only the coordinator"), "{reason}");
    assert_eq!(world.last_logged()["rules"], json!(["shell/deploy"]));
    wants_to_run(&world, "echo gh workflow run deploy.yml").is_an_answer();
    assert_eq!(world.last_logged()["verdict"], "allow");
}

#[test]
fn production_waits_for_the_plan() {
    let command = "gh workflow run deploy.yml -f environment=production";
    let mut state = json!({"iteration": 1, "started_at": now()});
    let world = autonomous().with(STATE, &state.to_string());
    assert!(wants_to_run(&world, command).is_denied().contains("the plan allows it explicitly"));
    state["allowed_prompts"] = json!([{"tool": "Bash", "prompt": "deploy to production"}]);
    world.write(STATE, &state.to_string());
    wants_to_run(&world, command);
    assert_ne!(world.last_logged()["verdict"], "deny");
}

#[test]
fn an_old_state_is_no_state_and_the_variable_stands_in_for_one() {
    let command = "vercel --prod";
    let old = json!({"iteration": 1, "started_at": "2020-01-01T00:00:00Z", "coordinator": false});
    let world = autonomous().with(STATE, &old.to_string());
    wants_to_run(&world, command);
    assert_ne!(world.last_logged()["verdict"], "deny");
    wants_to_run(&world.with_variable("GODO_ACTIVE", "true"), command).is_denied();
}
