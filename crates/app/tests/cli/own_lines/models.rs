//! What a model or a fixer may do to lines that are not its own.

use super::writes;
use crate::world::{World, program};
use serde_json::json;

#[test]
fn a_fixer_that_breaks_what_is_there_is_undone_and_named() {
    let model = |script: &str| {
        let world = World::new()
            .with_user_config(
                r#"{"unconfigured": "all", "engine": "external", "phases": {"subprocess_delegation": true}}"#,
            )
            .with_committed("other.py", "x = 1\n")
            .trusting_tools();
        let found = r#"[{"code": "F841", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "m"}]"#;
        program(
            &world.path(".venv/bin/ruff"),
            &format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac"),
        );
        program(&world.home().join(".local/bin/claude"), script);
        let ran = writes(&world, "app.py", "a = 1\n");
        (world, ran)
    };
    for (script, line) in [
        (": > app.py", "the fixer emptied or deleted app.py; it was put back"),
        ("rm app.py", "the fixer emptied or deleted app.py; it was put back"),
        (
            "echo broken > other.py",
            "the fixer changed other.py, which was not the one to fix; it was put back",
        ),
        ("rm other.py", "the fixer changed other.py, which was not the one to fix; it was put back"),
        ("echo x > more.py", "the fixer made more.py, which was taken away again"),
    ] {
        let (world, ran) = model(script);
        assert!(ran.stderr.contains(line), "{script}: {ran:?}");
        assert_eq!(world.read("app.py"), "a = 1\n", "{script}");
        assert_eq!(world.read("other.py"), "x = 1\n", "{script}");
        assert!(!world.has("more.py"), "{script}");
    }
}

#[test]
fn no_model_is_started_unless_the_user_has_said_so() {
    let claude = "echo x >> \"$HOME/calls\"";
    let found =
        r#"[{"code": "F821", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "m"}]"#;
    let world = |user: &str, project: &str| {
        let world = World::new().with_user_config(user).with_config(project).trusting_tools();
        let ruff = format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac");
        program(&world.path(".venv/bin/ruff"), &ruff);
        program(&world.home().join(".local/bin/claude"), claude);
        world
    };
    let calls = |world: &World| {
        writes(world, "app.py", "a = b\n");
        std::fs::read_to_string(world.home().join("calls")).unwrap_or_default().lines().count()
    };
    let yes = r#"{"engine": "external", "phases": {"subprocess_delegation": true}}"#;
    assert_eq!(calls(&world(r#"{"engine": "external"}"#, "{}")), 0);
    assert_eq!(calls(&world(yes, "{}")), 1);
    let clone = world(r#"{"engine": "external"}"#, yes);
    assert_eq!(calls(&clone), 0, "a project's word counts after trust");
    clone.run(&["trust", "--yes"]).succeeds();
    assert_eq!(calls(&clone), 1);
    // Only this value of the variable holds it back.
    for (value, starts) in [("1", 0), ("0", 1), ("true", 1), ("", 1)] {
        let told = world(yes, "{}").with_variable("HOOK_SKIP_SUBPROCESS", value);
        assert_eq!(calls(&told), starts, "HOOK_SKIP_SUBPROCESS={value}");
    }
    let set_up = world(r#"{"engine": "external"}"#, "{}");
    set_up.run(&["init", "--yes"]).succeeds();
    assert_eq!(calls(&set_up), 0, "nobody has answered");
}

#[test]
fn a_model_that_fixes_leads_to_no_other() {
    let world = World::new()
        .with_user_config(r#"{"engine": "external", "phases": {"subprocess_delegation": true}}"#)
        .trusting_tools();
    let found =
        r#"[{"code": "F821", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "m"}]"#;
    program(
        &world.path(".venv/bin/ruff"),
        &format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac"),
    );
    let payload = world.payload(
        "PostToolUse",
        &json!({
            "tool_name": "Write", "tool_input": {"file_path": world.name("app.py"), "content": "a = b\n"},
        }),
    );
    world.write("payload.txt", &payload.to_string());
    let hook = env!("CARGO_BIN_EXE_plimsoll");
    for nested in [
        format!("'{hook}' hook"),
        // Without the mark in its environment it is known by the processes above it.
        format!("env -u PLIMSOLL_FIXER '{hook}' hook"),
    ] {
        let _ = std::fs::remove_file(world.home().join("calls"));
        let claude = format!(
            "echo x >> \"$HOME/calls\"; {nested} < '{}' >/dev/null 2>&1; true",
            world.name("payload.txt")
        );
        program(&world.home().join(".local/bin/claude"), &claude);
        writes(&world, "app.py", "a = b\n");
        let calls = std::fs::read_to_string(world.home().join("calls")).unwrap();
        assert_eq!(calls.lines().count(), 1, "{nested}");
    }
}
