//! `plimsoll config`: what is in force, where it comes from, and what is wrong with it.

use serde_json::{Value as Json, json};

use crate::world::World;

#[test]
fn without_a_file_everything_has_its_default() {
    let world = World::new();
    let _plain = world.plain();
    insta::assert_snapshot!(world.run(&["config", "show"]).succeeds().stdout, @r"
    user     [WORLD]/home/.claude/hooks/config.json (not there)
    project  [WORLD]/project/.claude/hooks/config.json (not there)
    local    [WORLD]/project/.claude/hooks/config.local.json (not there)
    everything has its default; `plimsoll config show --all` lists it
    ");
}

#[test]
fn each_value_is_shown_with_where_it_comes_from() {
    let world = World::new()
        .with_user_config(r#"{"jscpd": {"session_threshold": 4}, "profile": "strict"}"#)
        .with_config("{\"jscpd\": {\"session_threshold\": 5}} // shared")
        .with(".claude/hooks/config.local.json", r#"{"phases": {"auto_format": false}}"#);
    let ran = world.run(&["config", "show"]).succeeds();
    assert_eq!(ran.stderr, "");
    let _plain = world.plain();
    insta::assert_snapshot!(ran.stdout, @r#"
    user     [WORLD]/home/.claude/hooks/config.json
    project  [WORLD]/project/.claude/hooks/config.json
    local    [WORLD]/project/.claude/hooks/config.local.json
    profile                  user     "strict"
    phases.auto_format       local    false
    jscpd.session_threshold  project  5
    "#);
}

#[test]
fn all_of_it_as_json() {
    let world = World::new().with_user_config(r#"{"profile": "strict"}"#);
    let json = world.run(&["config", "show", "--json"]).succeeds().json();
    assert_eq!(json["profile"], json!({"value": "strict", "from": "user"}));
    assert_eq!(json["hook_enabled"], json!({"value": true, "from": "default"}));
    assert_eq!(json["protected_files"]["value"].as_array().unwrap().len(), 14);
}

#[test]
fn with_all_the_defaults_are_listed_too() {
    let ran = World::new().run(&["config", "show", "--all"]).succeeds();
    let listed = ran.stdout.lines().filter(|line| line.split_whitespace().nth(1) == Some("default")).count();
    let known = World::new().run(&["config", "show", "--json"]).succeeds().json().as_object().unwrap().len();
    assert_eq!(listed, known, "{}", ran.stdout);
}

#[test]
fn the_schema_knows_every_setting_and_its_own_defaults() {
    let world = World::new();
    let schema = world.run(&["config", "schema"]).succeeds().json();
    let known = world.run(&["config", "show", "--json"]).succeeds().json();
    for key in known.as_object().unwrap().keys() {
        let mut at = &schema;
        for part in key.split('.') {
            at = &at["properties"][part];
            assert!(at.is_object(), "{key} is not in the schema");
        }
    }
}

#[test]
fn a_configuration_in_order_is_said_to_be() {
    let ran = World::new().run(&["config", "check"]).succeeds();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("the configuration is in order\n", ""));
    assert_eq!(World::new().run(&["config", "check", "--json"]).succeeds().json(), json!([]));
}

const WRONG: &str = r#"{
  "hook_enabeld": false,
  "jscpd": {"session_threshold": "many"},
  "checks": {"file/no-such": "off", "edit/journal": "loud"},
  "protected_files": ["only-this"],
  "subprocess": {"timeout": 5}
}"#;

#[test]
fn mistakes_are_named_one_by_one() {
    let world = World::new().with_config(WRONG);
    let ran = world.run(&["config", "check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    let _plain = world.plain();
    insta::assert_snapshot!(ran.stderr, @r#"
    [WORLD]/project/.claude/hooks/config.json: hook_enabeld is unknown and ignored; did you mean hook_enabled?
    [WORLD]/project/.claude/hooks/config.json: subprocess.timeout is no longer supported and is ignored; set subprocess.tiers.<haiku|sonnet|opus>.timeout, or subprocess.timeout_override for all tiers
    [WORLD]/project/.claude/hooks/config.json: jscpd.session_threshold should be a whole number, not "many"; the key is ignored
    [WORLD]/project/.claude/hooks/config.json: checks.edit/journal should be "on", "warn" or "off", not "loud"; it is ignored
    [WORLD]/project/.claude/hooks/config.json: protected_files = ["only-this"] would weaken protection, approve or run something, and is ignored until you run `plimsoll trust`
    unknown check file/no-such; see `plimsoll status --checks`
    "#);
}

#[test]
fn mistakes_as_json() {
    let ran = World::new().with_config(WRONG).run(&["config", "check", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    let problems = ran.json();
    assert_eq!(problems.as_array().unwrap().len(), 6, "{problems:#}");
    let untrusted: Vec<&Json> =
        problems.as_array().unwrap().iter().filter(|p| p["untrusted"] == true).collect();
    assert_eq!(untrusted.len(), 1);
    assert!(untrusted[0]["text"].as_str().unwrap().contains("protected_files"), "{problems:#}");
}

#[test]
fn a_file_that_is_no_json_is_named() {
    for (text, why) in
        [("{\"a\": ", "is not JSON"), ("[]", "is not a JSON object"), ("12", "is not a JSON object")]
    {
        let world = World::new().with_config(text);
        let ran = world.run(&["config", "check"]);
        assert_eq!(ran.code, Some(1));
        let file = world.name(".claude/hooks/config.json");
        assert!(ran.stderr.contains(&file) && ran.stderr.contains(why), "{text}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{text}: {}", ran.stderr);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let world = World::new();
    std::fs::create_dir_all(world.path(".claude/hooks/config.json")).unwrap();
    let ran = world.run(&["config", "check"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("config.json: cannot be read"), "{}", ran.stderr);
}

#[test]
fn something_to_do_must_be_named() {
    World::new().run(&["config"]).is_misused();
    World::new().run(&["config", "nonsense"]).is_misused();
}

#[test]
fn in_a_subfolder_of_the_repository_it_is_about_the_config_there() {
    let world = World::new().in_subfolder("packages/web").with_config(r#"{"profile": "strict"}"#);
    let json = world.run(&["config", "show", "--json"]).succeeds().json();
    assert_eq!(json["profile"], json!({"value": "strict", "from": "project"}));
}

/// One mistake in a file must not loosen what it had tightened.
#[test]
fn a_broken_file_leaves_its_last_good_form_in_force_and_says_so() {
    for (broken, unreadable) in [("{\"profile\": \"strict\",", false), ("", true)] {
        for layer in ["user", "project"] {
            let strict = r#"{"profile": "strict"}"#;
            let world = match layer {
                "user" => World::new().with_user_config(strict),
                _ => World::new().with_config(strict),
            };
            let file = match layer {
                "user" => world.home().join(".claude/hooks/config.json"),
                _ => world.path(".claude/hooks/config.json"),
            };
            world.session_starts("s1");
            std::fs::remove_file(&file).unwrap();
            if unreadable {
                std::fs::create_dir(&file).unwrap();
            } else {
                std::fs::write(&file, broken).unwrap();
            }
            let profile = || world.run(&["config", "show", "--json"]).succeeds().json()["profile"].clone();
            assert_eq!(profile(), json!({"value": "strict", "from": layer}));

            // Said at the start of a session; and once in one that was there before.
            let said = |event: &str, session: &str, more: &Json| {
                let mut more = more.clone();
                more["session_id"] = session.into();
                let ran = world.event(event, &more);
                let text =
                    if ran.stdout.is_empty() { Json::Null } else { ran.json()["systemMessage"].clone() };
                text.as_str().unwrap_or_default().matches("stay in force until it is fixed").count()
            };
            let bash = json!({"tool_name": "Bash", "tool_input": {"command": "git status"}});
            assert_eq!(said("PreToolUse", "s1", &bash), 1, "{layer}");
            assert_eq!(said("PreToolUse", "s1", &bash), 0, "{layer}");
            assert_eq!(said("SessionStart", "s2", &json!({"source": "startup"})), 1, "{layer}");
            assert_eq!(said("PreToolUse", "s2", &bash), 0, "{layer}");
            assert_eq!(
                profile()["value"],
                "strict",
                "the start of a session with a broken file does not forget it"
            );
            let check = world.run(&["config", "check"]);
            assert!(check.code == Some(1) && check.stderr.contains("stay in force"), "{}", check.stderr);

            // Fixed, it counts again.
            if unreadable {
                std::fs::remove_dir(&file).unwrap();
            }
            std::fs::write(&file, r#"{"profile": "standard"}"#).unwrap();
            assert_eq!(profile()["value"], "standard");
        }
    }
}

/// A clone has no last good form, and what an earlier one was trusted with is not trusted for another.
#[test]
fn a_broken_file_of_a_project_gains_nothing() {
    let world = World::new().with_config(r#"{"hook_enabled": false}"#);
    world.session_starts("s1");
    world.write(".claude/hooks/config.json", "{");
    let shown = world.run(&["config", "show", "--json", "--all"]).succeeds().json();
    assert_eq!(shown["hook_enabled"]["value"], true, "{shown}");
}
