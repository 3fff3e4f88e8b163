//! `plimsoll explain`: an answer shown before anyone asks for it, and nothing changed by looking.

use serde_json::json;

use crate::world::{RUFF, World};

#[test]
fn an_edit_is_judged_check_by_check() {
    let world = World::new();
    let ran = world.run(&["explain", "--edit", RUFF, "--all"]).succeeds();
    let _plain = world.plain();
    // What is off in this profile is said to be so, each in a line of its own.
    let (off, ran): (Vec<&str>, Vec<&str>) = ran.stdout.lines().partition(|line| line.contains(" off  "));
    assert!(off.iter().any(|line| line.contains("file/branch-guard")), "{off:?}");
    insta::assert_snapshot!(ran.join("\n"), @r"
    PreToolUse [WORLD]/project/.ruff.toml
    effects
      writes       [WORLD]/project/.ruff.toml
    checks
      rules/own              none [MICROS]
      shell/destroy-files    none [MICROS]
      file/own-state         none [MICROS]
      file/agent-settings    none [MICROS]
      file/linter-config     deny [MICROS]
          Protected linter config file (.ruff.toml). Fix the code, not the rules. Leave it as it is. If the user wants this change, they can allow it for a while with: plimsoll approve --edit [WORLD]/project/.ruff.toml
      file/persistence       none [MICROS]
      file/planted           none [MICROS]
      file/secret            none [MICROS]
      result/repeats         none [MICROS]
    verdict: deny
    ");
}

#[test]
fn a_harmless_edit_has_no_verdict() {
    World::new()
        .run(&["explain", "--edit", "app.py"])
        .succeeds()
        .says(&["verdict: none: the hook says nothing"]);
}

#[test]
fn the_same_as_json() {
    let world = World::new();
    let json = world.run(&["explain", "--edit", RUFF, "--json"]).succeeds().json();
    assert_eq!((&json["event"], &json["verdict"]), (&json!("PreToolUse"), &json!("deny")));
    assert_eq!(json["rules"], json!(["file/linter-config"]));
    assert!(json["reason"].as_str().unwrap().contains("Fix the code, not the rules."), "{json:#}");
    let checks: Vec<_> =
        json["checks"].as_array().unwrap().iter().map(|c| (&c["check"], &c["answer"])).collect();
    let checks: Vec<_> = checks.into_iter().filter(|(_, answer)| *answer != "off").collect();
    let expected = [
        ("rules/own", "none"),
        ("shell/destroy-files", "none"),
        ("file/own-state", "none"),
        ("file/agent-settings", "none"),
        ("file/linter-config", "deny"),
        ("file/persistence", "none"),
        ("file/planted", "none"),
        ("file/secret", "none"),
        ("result/repeats", "none"),
    ];
    assert_eq!(checks.len(), expected.len());
    for ((check, answer), (id, word)) in checks.into_iter().zip(expected) {
        assert_eq!((check.as_str(), answer.as_str()), (Some(id), Some(word)));
    }
}

#[test]
fn a_call_of_any_tool_is_judged_with_what_it_would_do() {
    let world = World::new();
    let call = |tool: &str, input: &str| world.run(&["explain", "--tool", tool, "--input", input, "--json"]);
    let json = call("mcp__fs__write_file", r#"{"path": ".ruff.toml", "content": "x"}"#).succeeds().json();
    assert_eq!((&json["verdict"], &json["rules"][0]), (&json!("deny"), &json!("file/linter-config")));
    assert_eq!(json["effects"], json!([{"kind": "writes", "what": ".ruff.toml"}]));
    let json = call("mcp__box__run", r#"{"steps": [{"cmd": "rm -rf ~"}]}"#).succeeds().json();
    assert_eq!((&json["verdict"], &json["calls"][0]["argv"][0]), (&json!("deny"), &json!("rm")));
    world
        .run(&["explain", "--tool", "Read", "--input", r#"{"file_path": "~/.ssh/id_rsa"}"#])
        .succeeds()
        .says(&["reads        ~/.ssh/id_rsa", "which holds secrets", "verdict: deny"]);
    let input = br#"{"file_path": "app.py"}"#;
    world.run_with(&["explain", "--tool", "Read", "--input", "-"], input).succeeds().says(&["verdict: none"]);
    world.run(&["explain", "--tool", "Read", "--input", "[]"]).fails_saying(&["must be a JSON object"]);
    world.run(&["explain", "--tool", "Read", "--input", "x"]).fails_saying(&["not JSON"]);
}

#[test]
fn a_command_is_judged_as_a_call_of_bash() {
    let json = World::new().run(&["explain", "--json", "git status"]).succeeds().json();
    assert_eq!(
        (&json["event"], &json["subject"], &json["verdict"]),
        (&json!("PreToolUse"), &json!("git status"), &json!("allow"))
    );
}

#[test]
fn a_recorded_payload_is_judged_as_it_came() {
    let world = World::new().with(RUFF, "line-length = 300\n");
    let payload = world.payload("Stop", &json!({"stop_hook_active": false})).to_string();
    world.write("payload.json", &payload);
    for ran in
        [world.run(&["explain", "payload.json"]), world.run_with(&["explain", "-"], payload.as_bytes())]
    {
        ran.succeeds().says(&["Stop", "stop/config-guardian", "deny", "  - .ruff.toml (modified)"]);
    }
}

#[test]
fn a_check_is_described() {
    let ran = World::new().run(&["explain", "file/own-state"]).succeeds();
    assert!(ran.stdout.starts_with("file/own-state: an edit of Plimsoll's evidence"), "{}", ran.stdout);
    assert!(ran.stdout.lines().count() > 4, "{}", ran.stdout);
}

#[test]
fn a_check_is_described_as_json_too() {
    let json = World::new().run(&["explain", "file/own-state", "--json"]).succeeds().json();
    assert!(json.to_string().contains("file/own-state"), "{json}");
}

#[test]
fn looking_changes_nothing() {
    let world = World::new().with(RUFF, "line-length = 300\n");
    let start = world.payload("SessionStart", &json!({"source": "startup"})).to_string();
    let edited = world
        .payload("PostToolUse", &json!({"tool_name": "Edit", "tool_input": {"file_path": "app.py"}}))
        .to_string();
    let before = world.snapshot();
    world.run(&["explain", "--edit", RUFF]).succeeds();
    for payload in [start, edited] {
        world.run_with(&["explain", "-"], payload.as_bytes()).succeeds();
    }
    assert_eq!(world.snapshot(), before);
}

#[test]
fn switched_off_it_still_says_what_it_would_say() {
    let world = World::new().with_user_config(r#"{"hook_enabled": false}"#);
    world.run(&["explain", "--edit", RUFF]).succeeds().says(&["hook_enabled is false", "verdict: deny"]);
}

#[test]
fn a_check_that_is_off_is_shown_as_off() {
    let world = World::new().with_user_config(r#"{"checks": {"file/linter-config": "off"}}"#);
    let json = world.run(&["explain", "--edit", RUFF, "--json"]).succeeds().json();
    let checks = json["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["check"] == "file/linter-config").unwrap();
    assert_eq!((&check["answer"], &json["verdict"]), (&json!("off"), &json!("none")));
}

#[test]
fn input_that_is_no_payload_is_an_error_in_one_line() {
    let world = World::new();
    world.run_with(&["explain", "-"], b"nonsense").fails_saying(&["not JSON"]);
    world.run_with(&["explain", "-"], b"[]").fails_saying(&["not an object"]);
    world.run(&["explain", "-"]).fails_saying(&["no input"]);
    world.write("payload.json", "{");
    world.run(&["explain", "payload.json"]).fails_saying(&["not JSON"]);
    std::fs::create_dir(world.path("folder")).unwrap();
    world.run(&["explain", "--edit", "folder"]).fails_saying(&[&world.name("folder"), "could not be read"]);
}

#[test]
fn a_payload_file_that_is_not_there_is_not_judged_as_a_command() {
    let ran = World::new().run(&["explain", "no-such-payload.json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

#[test]
fn something_to_explain_must_be_named() {
    World::new().run(&["explain"]).is_misused();
    World::new().run(&["explain", "ls", "--edit", RUFF]).is_misused();
}

#[test]
fn a_command_is_shown_in_sections() {
    let ran = World::new().run(&["explain", "cat a.txt | tee b.txt && rm -rf build"]).succeeds().says(&[
        "structure",
        "  pipeline",
        "    cat a.txt",
        "  and then",
        "programs",
        "  runs  rm -rf build",
        "effects",
        "reads        a.txt",
        "writes       b.txt",
        "deletes      build",
        "checks with nothing to say",
        "verdict: none",
    ]);
    assert!(ran.stdout.lines().count() < 30, "{}", ran.stdout);
}

#[test]
fn a_simple_command_is_explained_in_a_few_lines() {
    let ran = World::new().run(&["explain", "git reset --hard"]).succeeds();
    let ran =
        ran.says(&["^^^", "discards     every uncommitted change", "shell/discard-work", "verdict: deny"]);
    assert!(!ran.stdout.contains("structure") && ran.stdout.lines().count() < 16, "{}", ran.stdout);
    let all = World::new().run(&["explain", "--all", "git reset --hard"]).succeeds();
    assert!(all.stdout.lines().count() > ran.stdout.lines().count(), "{}", all.stdout);
}

#[test]
fn effects_and_structure_are_there_for_programs_too() {
    let json = World::new()
        .run(&["explain", "--json", "curl -d @x.json https://example.com | psql app"])
        .succeeds()
        .json();
    let kinds: Vec<_> =
        json["effects"].as_array().unwrap().iter().filter_map(|e| e["kind"].as_str()).collect();
    assert_eq!(kinds, ["sends", "fetches", "changes"], "{json:#}");
    assert_eq!(json["structure"][0]["text"], "pipeline");
}

#[test]
fn the_beginning_of_a_checks_name_is_a_hint_and_an_edit_shows_what_was_said() {
    let world = World::new();
    world.run(&["explain", "shell/force"]).fails_saying(&["did you mean shell/force-push?"]);
    let ran = world.run(&["explain", "--edit", "a.py"]).succeeds();
    assert!(
        ran.stdout.contains("with nothing to say") && !ran.stdout.contains("file/own-state"),
        "{}",
        ran.stdout
    );
    world.run(&["explain", "--edit", "a.py", "--all"]).succeeds().says(&["file/own-state"]);
}
