//! `plimsoll doctor`: what is wrong is named with what to do, what is only absent is no fault.

use serde_json::{Value as Json, json};

use crate::world::World;

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
        "SessionStart",
    ]);
    let items = items(&world);
    assert!(items.iter().all(|item| item["state"] != "bad"), "{items:#?}");
    assert!(items.iter().any(|item| item["id"] == "DEP06"), "tools have the specification's numbers");
}

#[test]
fn a_project_without_hooks_is_wrong_and_can_be_mended() {
    let world = World::new().with_program_on_path();
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("not registered in any settings file"), "{}", ran.stdout);
    world.run(&["doctor", "--fix"]).succeeds().says(&["Nothing is wrong."]);
    assert!(world.has(SETTINGS));
}

#[test]
fn hooks_in_two_files_are_doubled_and_can_be_mended() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes", "--scope", "local"]).succeeds();
    let local = world.read(".claude/settings.local.json");
    world.write(SETTINGS, &local);
    assert!(said(&items(&world), "hooks", "bad").contains("PreToolUse is registered 2 times"));
    world.run(&["doctor", "--fix"]).succeeds();
    assert!(!world.read(".claude/settings.local.json").contains("plimsoll"));
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
            && bad.contains("«magic» is no type of hook; the client then runs no hook"),
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
    assert!(said(&items, "hooks", "bad").contains("/gone/plimsoll is not there"), "{items:#?}");
    assert!(said(&items, "trial", "bad").contains("did not answer"), "{items:#?}");
}

#[test]
fn a_guard_that_does_not_guard_is_found_by_the_trial() {
    let world = World::new().with_program_on_path().with_user_config(r#"{"hook_enabled": false}"#);
    world.run(&["init", "--yes"]).succeeds();
    assert!(said(&items(&world), "trial", "bad").contains("hook_enabled is false"));
}
