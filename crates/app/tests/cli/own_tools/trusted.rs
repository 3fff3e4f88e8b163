//! What runs once the user trusts it, and what needs no trust.

use std::collections::BTreeSet;

use super::{ALL, leaves, left, marks, settled};
use crate::world::{World, program};
use serde_json::{Value as Json, json};

#[test]
fn trust_shows_what_would_run_and_lets_it_run_until_it_is_taken_back() {
    let world = World::new()
        .without_stand_ins()
        .with(".flake8", "")
        .with_user_config(ALL)
        .with("web/app.ts", "let a = 1;\n");
    world.write("web/eslint.config.js", "");
    let mark = leaves(&world, "flake8");
    program(&world.path(".venv/bin/flake8"), &mark);
    program(&world.path("web/node_modules/.bin/eslint"), "echo '[]'");
    let edit = json!({"file_path": world.name("app.py"), "content": "x = 1\n"});
    world.tool("PostToolUse", "Write", &edit);
    let shown = world.run(&["trust", "show"]).succeeds();
    shown.says(&[
        "these would run once you trust this project's own tools:",
        "+ .venv/bin/flake8 (is part of the project)",
        "+ web/node_modules/.bin/eslint (is part of the project)",
    ]);
    assert_eq!(world.run(&["trust"]).code, Some(1), "nobody said yes");
    world.tool("PostToolUse", "Write", &edit);
    assert_eq!(left(&world), BTreeSet::new());
    world.run(&["trust", "--yes"]).succeeds().says(&["trusted"]);
    let ran = || {
        let before = left(&world).len();
        world.write("app.py", "x = 1\n");
        world.event(
            "PostToolUse",
            &json!({"session_id": format!("s{before}"), "tool_name": "Write", "tool_input": edit}),
        );
        world.run(&["check", "--thorough", "app.py"]);
        settled(&world);
        let now = !left(&world).is_empty();
        let _ = std::fs::remove_dir_all(marks(&world));
        now
    };
    assert!(ran(), "trusted");
    world.run(&["trust", "show"]).succeeds().says(&["this project's own tools may run"]);
    world.run(&["trust", "revoke"]).succeeds();
    assert!(!ran(), "revoked");
    world.run(&["check", "--thorough", "--trust-project", "app.py"]);
    assert_eq!(left(&world).len(), 1, "for one run");
    let _ = std::fs::remove_dir_all(marks(&world));
    assert!(!ran(), "and no longer");
}

#[test]
fn trust_of_a_project_is_not_trust_of_a_repository_within_it() {
    let world = World::new()
        .without_stand_ins()
        .with_user_config(r#"{"engine": "external", "pace": "thorough", "unconfigured": "all"}"#)
        .trusting_tools();
    let inner = |name: &str| world.path(name);
    world.git(&["init", "-q", "vendor/other"]);
    world.git(&["worktree", "add", "-q", "-b", "side", "trees/side"]);
    for (folder, mark, runs) in
        [("vendor/other", "clone", false), ("trees/side", "tree", true), ("sub", "sub", true)]
    {
        program(&inner(&format!("{folder}/.venv/bin/vulture")), &leaves(&world, mark));
        let file = format!("{folder}/app.py");
        world.write(&file, "x = 1\n");
        let edit = json!({"file_path": world.name(&file), "content": "x = 1\n"});
        let _ = world.tool("PostToolUse", "Write", &edit);
        settled(&world);
        assert_eq!(left(&world).contains(mark), runs, "{folder}");
    }
}

#[test]
fn a_tool_elsewhere_that_runs_no_code_of_the_project_needs_no_trust() {
    let world = World::new()
        .without_stand_ins()
        .with_user_config(r#"{"engine": "external", "pace": "thorough", "unconfigured": "all"}"#);
    let tools = world.base().join("tools");
    program(
        &tools.join("vulture"),
        &format!("{}; env > '{}/env'", leaves(&world, "vulture"), world.base().display()),
    );
    let path =
        std::env::join_paths([world.path("node_modules/.bin"), tools, "/usr/bin".into(), "/bin".into()])
            .unwrap();
    let world = world.with_variable("PATH", path).with_variable("PYTHONPATH", "/opt/lib:lib");
    let edit = json!({"file_path": world.name("app.py"), "content": "x = 1\n"});
    world.tool("PostToolUse", "Write", &edit);
    assert_eq!(left(&world).into_iter().collect::<Vec<_>>(), ["vulture"]);
    let env = std::fs::read_to_string(world.base().join("env")).unwrap();
    assert!(!env.contains("node_modules/.bin"), "{env}");
    assert!(env.contains("PYTHONPATH=/opt/lib\n"), "{env}");
}

#[test]
fn init_asks_and_yes_is_no_answer() {
    let world = World::new().without_stand_ins().with(".flake8", "").with_user_config(ALL);
    program(&world.path(".venv/bin/flake8"), &leaves(&world, "flake8"));
    let ran = world.run(&["init", "--yes"]).succeeds();
    assert!(ran.stdout.contains("+ .venv/bin/flake8"), "{}", ran.stdout);
    assert!(
        !std::fs::read_to_string(world.state().join("trust.json"))
            .is_ok_and(|text| text.contains("tools of"))
    );
    assert_eq!(left(&world), BTreeSet::new());
}

#[test]
fn the_fixers_settings_are_ours_until_the_project_has_the_users_word_for_its_own() {
    const THEIRS: &str = r#"{"hooks": {"SessionStart": []}}"#;
    let world = World::new()
        .with(".claude/subprocess-settings.json", THEIRS)
        .with_user_config(r#"{"unconfigured": "all", "phases": {"subprocess_delegation": true}}"#);
    let found =
        r#"[{"code": "F841", "filename": "app.py", "location": {"row": 2, "column": 5}, "message": "m"}]"#;
    let ruff = format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac");
    program(&world.base().join("tools/ruff"), &ruff);
    let script = r#"while [ $# -gt 0 ]; do case "$1" in --settings) cp "$2" "$HOME/settings"; echo "$2" > "$HOME/name";; --strict-mcp-config) touch "$HOME/strict";; esac; shift; done"#;
    program(&world.home().join(".local/bin/claude"), script);
    let used = |how: &str| -> Json {
        world.write("app.py", "def f():\n    x = 1\n");
        let edit = json!({"file_path": world.name("app.py"), "content": "def f():\n    x = 1\n"});
        match how {
            "hook" => drop(world.tool("PostToolUse", "Write", &edit)),
            _ => {
                let payload =
                    world.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": edit}));
                world.run_with(&["compat", "multi_linter"], payload.to_string().as_bytes());
            }
        }
        let text = std::fs::read_to_string(world.home().join("settings")).unwrap();
        std::fs::remove_file(world.home().join("settings")).unwrap();
        assert!(world.home().join("strict").exists());
        let name = std::fs::read_to_string(world.home().join("name")).unwrap();
        assert!(!name.starts_with(&world.name("")), "{name}");
        serde_json::from_str(&text).unwrap()
    };
    for how in ["hook", "compat"] {
        assert_eq!(used(how)["disableAllHooks"], true, "{how}");
    }
    assert_eq!(world.read(".claude/subprocess-settings.json"), THEIRS);
    world.run(&["trust", "--yes"]).succeeds().says(&["+ {\"hooks\": {\"SessionStart\": []}}"]);
    for how in ["hook", "compat"] {
        assert_eq!(used(how), serde_json::from_str::<Json>(THEIRS).unwrap(), "{how}");
    }
    world.write(".claude/subprocess-settings.json", r#"{"hooks": {"SessionStart": [1]}}"#);
    assert_eq!(used("hook")["disableAllHooks"], true, "another content");
    world.remove(".claude/subprocess-settings.json");
    assert_eq!(used("hook")["disableAllHooks"], true);
    assert!(!world.has(".claude/subprocess-settings.json"), "nothing of ours is put into the project");
}
