//! `plimsoll trust`: a project's config may do what needs the user's word, once they gave it, and for exactly that.

use serde_json::json;

use crate::world::{RUFF, World};

const LOCAL: &str = ".claude/hooks/config.local.json";

fn asking_for_observation() -> World {
    World::new().with_config(r#"{"profile": "observe", "languages": {"python": false}}"#)
}

#[test]
fn a_project_that_asks_for_nothing_needs_nothing() {
    let ran = World::new().run(&["trust"]).succeeds();
    assert!(ran.stdout.ends_with("asks for nothing that needs trust\n"), "{}", ran.stdout);
}

#[test]
fn trust_lets_the_values_in_and_taking_it_back_keeps_them_out() {
    let world = asking_for_observation();
    world.wants_to_edit(RUFF).is_denied();
    world.run(&["trust", "--yes"]).succeeds().says(&["+ profile = \"observe\"", "trusted"]);
    world.wants_to_edit(RUFF).is_silent();
    world.run(&["trust", "revoke"]).succeeds().says(&["is no longer trusted"]);
    world.wants_to_edit(RUFF).is_denied();
}

#[test]
fn only_what_needs_trust_is_shown() {
    let world = asking_for_observation();
    let ran = world.run(&["trust", "show"]).succeeds();
    assert!(!ran.stdout.contains("languages"), "{}", ran.stdout);
    let _plain = world.plain();
    insta::assert_snapshot!(ran.stdout, @r#"
    [WORLD]/project
    + profile = "observe"
    "#);
}

#[test]
fn what_is_new_is_shown_against_what_was_trusted() {
    let world = asking_for_observation();
    world.run(&["trust", "--yes"]).succeeds();
    world.write(".claude/hooks/config.json", r#"{"profile": "observe", "hook_enabled": false}"#);
    world.wants_to_edit(RUFF).is_denied();
    let ran = world.run(&["trust", "show"]).succeeds();
    let _plain = world.plain();
    insta::assert_snapshot!(ran.stdout, @r#"
    [WORLD]/project
      profile = "observe"
    + hook_enabled = false
    "#);
    world.run(&["trust", "--yes"]).succeeds();
    world.run(&["trust", "show"]).succeeds().says(&["all of it is trusted"]);
}

#[test]
fn values_that_moved_in_the_file_are_the_same_values() {
    let world = World::new().with_config(r#"{"hook_enabled": false, "profile": "observe"}"#);
    world.run(&["trust", "--yes"]).succeeds();
    world.write(
        ".claude/hooks/config.json",
        "{\n  // now with words\n  \"profile\": \"observe\",\n  \"hook_enabled\": false\n}\n",
    );
    world.wants_to_edit(RUFF).is_silent();
}

#[test]
fn without_a_yes_nothing_is_trusted() {
    let world = asking_for_observation();
    let ran = world.run(&["trust"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.ends_with("nothing was changed\n"), "{}", ran.stdout);
    world.wants_to_edit(RUFF).is_denied();
}

#[test]
fn trust_of_one_project_is_not_trust_of_another() {
    let world = asking_for_observation();
    world.run(&["trust", "--yes"]).succeeds();
    let copy = world.base().join("copy");
    world.git(&["clone", "-q", ".", copy.to_str().unwrap()]);
    let config = world.read(".claude/hooks/config.json");
    let world = world.moved_to(copy).with_config(&config);
    world.wants_to_edit(RUFF).is_denied();
}

/// Both files set the same key, and both merge into it: trust must be about both.
#[test]
fn trust_covers_what_the_shared_file_says_where_the_local_one_says_something_too() {
    let world = World::new()
        .with_config(r#"{"checks": {"stop/config-guardian": "warn"}}"#)
        .with(LOCAL, r#"{"checks": {"file/own-state": "warn"}}"#);
    world.run(&["trust", "--yes"]).succeeds();
    // A pull brings another shared file.
    world.write(".claude/hooks/config.json", r#"{"checks": {"file/linter-config": "off"}}"#);
    world.wants_to_edit(RUFF).is_denied();
}

#[test]
fn everything_that_is_trusted_was_shown() {
    let world = World::new()
        .with_config(r#"{"checks": {"file/linter-config": "off"}}"#)
        .with(LOCAL, r#"{"checks": {"file/own-state": "warn"}}"#);
    world.run(&["trust", "--yes"]).succeeds().says(&["file/linter-config", "file/own-state"]);
}

#[test]
fn the_local_file_wins_over_a_trusted_shared_one() {
    let world =
        World::new().with_config(r#"{"hook_enabled": false}"#).with(LOCAL, r#"{"hook_enabled": true}"#);
    world.run(&["trust", "--yes"]).succeeds();
    world.wants_to_edit(RUFF).is_denied();
}

#[test]
fn in_a_subfolder_of_the_repository_it_is_about_the_config_there() {
    let world = World::new().in_subfolder("packages/web").with_config(r#"{"profile": "observe"}"#);
    world.write(RUFF, "line-length = 88\n");
    world.wants_to_edit(RUFF).is_denied();
    world.run(&["trust", "--yes"]).succeeds();
    world.wants_to_edit(RUFF).is_silent();
}

#[test]
fn a_record_that_cannot_be_written_is_an_error_in_one_line() {
    let world = asking_for_observation();
    crate::world::write(&world.base().join("a-file"), "");
    let broken = world.base().join("a-file/state");
    let ran = world.with_variable("PLIMSOLL_STATE_DIR", broken).run(&["trust", "--yes"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("plimsoll: the trust could not be recorded: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

/// A clone that brings its own profile, in the environment of a skill that works alone.
#[test]
fn approval_by_the_project_waits_for_the_user_and_then_still_ends_where_guards_begin() {
    let world = World::new().with_config(r#"{"profile": "autonomous"}"#).with_variable("GODO_ACTIVE", "true");
    let writes = |file: &str| {
        world.tool("PreToolUse", "Write", &json!({"file_path": file, "content": "ssh-ed25519 AAAA me\n"}));
        world.last_logged()["verdict"].as_str().unwrap().to_owned()
    };
    let (inside, keys) = (world.name("src/app.py"), world.home().join(".ssh/authorized_keys"));
    assert_eq!(writes(&inside), "none");
    world.run(&["trust", "show"]).succeeds().says(&["+ profile = \"autonomous\""]);
    world.run(&["trust", "--yes"]).succeeds();
    assert_eq!(writes(&inside), "allow");
    assert_eq!(writes(keys.to_str().unwrap()), "deny");
}
