//! `plimsoll status`: what is in force here.

use serde_json::json;

use crate::world::{EVENTS, RUFF, World};

#[test]
fn a_project_that_is_not_set_up() {
    let world = World::new();
    let _plain = world.plain();
    insta::assert_snapshot!(world.run(&["status"]).succeeds().stdout, @r"
    [WORLD]/project
    profile   standard; [N] of [N] checks on
    branch    main
    hooks     not registered; run `plimsoll init`
    last day  0 hook calls: 0 denied, 0 asked, 0 allowed
    ");
}

#[test]
fn a_project_at_work() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    world.session_starts("s1");
    world.wants_to_edit(RUFF).is_denied();
    world.run(&["approve", "--yes", "--edit", RUFF, "--for", "1d"]).succeeds();
    let ran = world.run(&["status"]).succeeds();
    let _plain = world.plain();
    insta::assert_snapshot!(ran.stdout.replace(&EVENTS.join(", "), "[EVENTS]"), @r"
    [WORLD]/project
    profile   standard; [N] of [N] checks on
    branch    main
    session   s1
    hooks     [EVENTS] in [WORLD]/project/.claude/settings.json
    allowed   [WORLD]/project/.ruff.toml may be edited for [SECONDS] more
    last day  2 hook calls: 1 denied, 0 asked, 0 allowed
    ");
}

#[test]
fn every_check_is_listed_with_its_level() {
    let world = World::new().with_user_config(r#"{"checks": {"file/linter-config": "warn"}}"#);
    let ran = world.run(&["status", "--checks"]).succeeds();
    let line = ran.stdout.lines().find(|line| line.starts_with("file/linter-config ")).unwrap();
    assert_eq!(line.split_whitespace().nth(1), Some("warn"), "{line}");
    let listed = ran
        .stdout
        .lines()
        .filter(|line| {
            line.split_whitespace().next().is_some_and(|id| id.contains('/') && !id.starts_with('/'))
        })
        .count();
    let known = world.run(&["status", "--json"]).succeeds().json()["checks"].as_array().unwrap().len();
    assert_eq!(listed, known, "{}", ran.stdout);
}

#[test]
fn the_same_as_json() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    world.session_starts("s1");
    world.run(&["approve", "--yes", "--edit", RUFF]).succeeds();
    let json = world.run(&["status", "--json"]).succeeds().json();
    assert_eq!(json["project"], world.name("").trim_end_matches('/'));
    assert_eq!(json["enabled"], true);
    assert_eq!(json["profile"], "standard");
    assert_eq!(json["branch"], "main");
    assert_eq!(json["session"], "s1");
    let hooks = json!([{
        "file": world.name(".claude/settings.json"),
        "events": EVENTS,
    }]);
    assert_eq!(json["hooks"], hooks);
    assert_eq!(json["edits"][0]["path"], world.name(RUFF));
    assert!(json["checks"].as_array().unwrap().contains(&json!({"id": "file/linter-config", "level": "on"})));
    assert_eq!(json["problems"], json!([]));
    assert_eq!(json["log"], json!(world.state().join("log.jsonl")));
}

#[test]
fn problems_and_switches_are_named() {
    let world = World::new()
        .with_user_config(r#"{"hook_enabled": false, "checks": {"edit/journal": "off"}}"#)
        .with_config("{broken");
    let ran = world.run(&["status"]).succeeds().says(&["switched off by hook_enabled"]);
    assert!(ran.stderr.contains("config.json: is not JSON"), "{}", ran.stderr);
    let json = world.run(&["status", "--json"]).succeeds().json();
    assert_eq!(json["enabled"], false);
    assert!(json["checks"].as_array().unwrap().contains(&json!({"id": "edit/journal", "level": "off"})));
    assert_eq!(json["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn outside_a_repository() {
    let world = World::without_git();
    let json = world.run(&["status", "--json"]).succeeds().json();
    assert_eq!((&json["branch"], &json["session"], &json["hooks"]), (&json!(null), &json!(null), &json!([])));
}

#[test]
fn in_a_subfolder_of_the_repository_it_is_about_the_project_there() {
    let world = World::new().in_subfolder("packages/web");
    world.session_starts("s1");
    let json = world.run(&["status", "--json"]).succeeds().json();
    assert_eq!(json["session"], "s1");
}

/// Registered is not the same as run.
#[test]
fn hooks_that_do_not_run_are_not_shown_as_if_they_did() {
    let world = World::new().with_program_on_path();
    world.run(&["init", "--yes"]).succeeds();
    let ran = world.run(&["status"]).succeeds();
    assert!(!ran.stdout.contains("but "), "{}", ran.stdout);
    world.write(".claude/settings.local.json", "{\"disableAllHooks\": true}\n");
    world.run(&["status"]).succeeds().says(&["but no hook runs: disableAllHooks is true in"]);
    assert!(world.run(&["status", "--json"]).json()["hooks_switched_off_by"][0].is_string());
    world.remove(".claude/settings.local.json");
    let commented = format!("// mine\n{}", world.read(".claude/settings.json"));
    world.write(".claude/settings.json", &commented);
    world.run(&["status"]).succeeds().says(&["ignores every hook in it: `plimsoll doctor --fix`"]);
}
