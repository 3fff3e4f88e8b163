//! Types of Python without a tool for them: the checker that is linked in.

use serde_json::json;

use crate::world::{Ran, World, program};

/// An unused variable and a wrong type.
const BOTH: &str = "def f(x: int) -> str:\n    y = 1\n    return x\n";
const WRONG: &str = "app.py:3:12 invalid-return-type Return type does not match returned value: expected `str`, found `int` (ty (built in))";

fn world() -> World {
    World::new()
        .without_stand_ins()
        .with_user_config(r#"{"unconfigured": "all"}"#)
        .with_variable("HOOK_SKIP_SUBPROCESS", "1")
}

fn edited(world: &World, text: &str) -> Ran {
    world.write("app.py", text);
    world.tool("PostToolUse", "Write", &json!({"file_path": world.name("app.py"), "content": text}))
}

#[test]
fn an_edit_that_waits_hears_both() {
    let world = world().with_config(r#"{"pace": "thorough"}"#);
    let ran = edited(&world, BOTH);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("app.py:2:5 F841"), "{}", ran.stderr);
    assert!(ran.stderr.contains(WRONG), "{}", ran.stderr);
}

#[test]
fn a_fast_edit_hears_of_types_later_and_the_stop_is_held() {
    let world = world();
    let ran = edited(&world, BOTH);
    assert!(ran.stderr.contains("F841") && !ran.stderr.contains("(ty"), "{}", ran.stderr);
    let held = world.session_stops("s1").json();
    let reason = held["reason"].as_str().unwrap();
    assert!(reason.contains(WRONG), "{reason}");
    world.write("app.py", "x = 1\n");
    world.session_stops("s1").is_let_go();
}

#[test]
fn the_tool_itself_is_asked_where_there_is_one() {
    let world = world().with_config(r#"{"pace": "thorough"}"#).trusting_tools();
    program(&world.path(".venv/bin/ty"), "echo '[]'");
    let ran = edited(&world, BOTH);
    assert!(ran.stderr.contains("F841") && !ran.stderr.contains("(ty"), "{}", ran.stderr);
    let world = world.with_config(r#"{"pace": "thorough", "engine": "embedded"}"#);
    assert!(edited(&world, BOTH).stderr.contains(WRONG));
}

#[test]
fn what_the_checker_cannot_do_is_said_and_hides_nothing() {
    let world = world().with_config(r#"{"pace": "thorough"}"#).with("ty.toml", "rules = [\n");
    let ran = edited(&world, BOTH);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("app.py:2:5 F841"), "{}", ran.stderr);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("could not read the output of ty (built in)"), "{said}");
}

#[test]
fn a_tree_is_checked_and_the_list_names_the_checker() {
    let world = world().with("app.py", BOTH).with("other.py", "import app\n\nx: int = app.f(1)\n");
    let ran = world.run(&["check"]);
    assert_eq!(ran.code, Some(1));
    for part in ["F841", "3:12 invalid-return-type", "3:10 invalid-assignment"] {
        assert!(ran.stdout.contains(part), "{part} is not in {}", ran.stdout);
    }
    let tools = world.run(&["tools", "list", "--json"]).json();
    let ty = tools["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "ty").unwrap();
    assert_eq!(ty["embedded"], true);
}
