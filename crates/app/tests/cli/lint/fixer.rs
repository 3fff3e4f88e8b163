//! The model that fixes, what is looked at once, and what is advice only.

use super::{F841, WITH_A_MODEL, edited, ruff, world};
use crate::world::{World, program};
use serde_json::json;

#[test]
fn a_fixer_that_mends_leaves_nothing_to_say() {
    let script = format!("if grep -q 'x = 1' app.py; then echo '{F841}'; exit 1; else echo '[]'; fi");
    let claude =
        r#"printf '%s\n' "$@" > "$HOME/asked"; for f; do :; done; printf 'def f():\n    return 2\n' > "$f""#;
    let world = World::new().with_user_config(WITH_A_MODEL).trusting_tools();
    program(&world.path(".venv/bin/ruff"), &ruff(&script));
    program(&world.home().join(".local/bin/claude"), claude);
    let ran = edited(&world, "app.py", "def f():\n    x = 1\n");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(world.read("app.py"), "def f():\n    return 2\n");
    let asked = std::fs::read_to_string(world.home().join("asked")).unwrap();
    for part in [
        "-p\nYou are a code quality fixer.",
        "--settings\n",
        "--disallowedTools\n",
        "--max-turns\n10\n--model\nhaiku\n",
    ] {
        assert!(asked.contains(part), "«{part}» is not in {asked}");
    }
    assert!(asked.trim_end().ends_with(&world.name("app.py")), "{asked}");
    let settings = std::fs::read_to_string(world.state().join("fixer/settings.json")).unwrap();
    assert!(settings.contains("\"disableAllHooks\": true"), "{settings}");
    assert!(!world.has(".claude/subprocess-settings.json"), "nothing of ours is put into the project");
}

#[test]
fn what_goes_wrong_with_the_fixer_is_said() {
    for (claude, config, line) in [
        (None, WITH_A_MODEL, "[hook:error] claude binary not found, cannot delegate"),
        (Some("exit 3"), WITH_A_MODEL, "[hook:warning] subprocess failed (exit 3)"),
        (
            Some("sleep 60 & sleep 60"),
            r#"{"unconfigured": "all", "phases": {"subprocess_delegation": true}, "subprocess": {"timeout_override": 1}}"#,
            "[hook:warning] subprocess timed out (exit 124)",
        ),
    ] {
        let world = World::new().with_user_config(config).trusting_tools();
        program(&world.path(".venv/bin/ruff"), &ruff(&format!("echo '{F841}'; exit 1")));
        if let Some(script) = claude {
            program(&world.home().join(".local/bin/claude"), script);
        }
        let ran = edited(&world, "app.py", "def f():\n    x = 1\n");
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        // `boy_scout` answers for the whole file.
        let whole = config == WITH_A_MODEL;
        let first =
            if whole { "1 problem in this file:\n" } else { "1 problem in the lines you just changed:\n" };
        assert!(ran.stderr.starts_with(first), "{}", ran.stderr);
        assert!(ran.stderr.contains(line), "«{line}» is not in {}", ran.stderr);
    }
}

#[test]
fn the_same_text_with_the_same_configuration_is_looked_at_once() {
    let world = world(&[("ruff", &ruff("echo ran >> \"$HOME/ran\"; echo '[]'"))]);
    let runs = || std::fs::read_to_string(world.home().join("ran")).unwrap_or_default().lines().count();
    edited(&world, "app.py", "x = 1\n");
    edited(&world, "app.py", "x = 1\n");
    assert_eq!(runs(), 1);
    edited(&world, "app.py", "x = 2\n");
    assert_eq!(runs(), 2, "another text");
    world.write(".ruff.toml", "line-length = 100\n");
    edited(&world, "app.py", "x = 2\n");
    assert_eq!(runs(), 3, "another configuration");
    program(&world.path(".venv/bin/ruff"), &ruff("echo ran again >> \"$HOME/ran\"; echo '[]'"));
    edited(&world, "app.py", "x = 2\n");
    assert_eq!(runs(), 4, "another executable");
    // What could not be read is not remembered.
    program(&world.path(".venv/bin/ruff"), &ruff("echo broken >> \"$HOME/ran\"; echo oops"));
    edited(&world, "app.py", "x = 2\n");
    edited(&world, "app.py", "x = 2\n");
    assert_eq!(runs(), 6);
}

#[test]
fn a_component_without_a_linter_is_told_once_per_kind() {
    let world = world(&[]).with_config(r#"{"languages": {"typescript": true}}"#);
    let first = edited(&world, "App.vue", "<template/>\n");
    let line = "[hook:warning] No linter available for .vue files. Install semgrep for security scanning: plimsoll tools install semgrep";
    assert_eq!(first.json(), json!({"systemMessage": line}));
    edited(&world, "Other.vue", "<template/>\n").is_silent();
    assert!(edited(&world, "App.svelte", "<p/>\n").stdout.contains(".svelte"));
}

#[test]
fn an_old_config_is_named_at_the_old_address() {
    let world = world(&[]).with_config(r#"{"subprocess": {"timeout": 30}}"#);
    world.write("app.py", "x = 1\n");
    let payload = json!({"tool_input": {"file_path": world.name("app.py")}}).to_string();
    let project = world.name("");
    let world = world.with_variable("CLAUDE_PROJECT_DIR", project);
    let ran = world.run_with(&["compat", "multi_linter"], payload.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "{\"continue\":true}\n"));
    assert!(
        ran.stderr.starts_with("[hook:error] ") && ran.stderr.contains("subprocess.tiers"),
        "{}",
        ran.stderr
    );
    // Nothing that can be read is nothing to lint.
    let ran = world.run_with(&["compat", "multi_linter"], b"{broken");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("[hook:warning] the hook's input could not be read"), "{}", ran.stderr);
}

#[test]
fn the_projects_linter_only_advises_after_three_failures_in_a_row() {
    let world = world(&[(
        "ruff",
        &ruff(&format!("grep -q 'x = 1' app.py || {{ echo '[]'; exit 0; }}; echo '{F841}'; exit 1")),
    )]);
    let project = world.name("");
    let world = world.with_variable("CLAUDE_PROJECT_DIR", project);
    let lint = |text: &str| {
        world.write("app.py", text);
        let payload = world.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": {"file_path": world.name("app.py"), "content": text}}));
        world.run_with(&["compat", "lint"], payload.to_string().as_bytes())
    };
    for _ in 0..3 {
        assert_eq!(lint("def f():\n    x = 1\n").code, Some(2));
    }
    assert!(world.read(".claude/.lint-breaker").starts_with("open|3|"));
    let advice = lint("def f():\n    x = 1\n");
    assert_eq!(advice.code, Some(0), "{}", advice.stderr);
    assert!(
        advice.stdout.contains("only advises for now") && advice.stdout.contains("F841"),
        "{}",
        advice.stdout
    );
    assert_eq!(lint("x = 2\n").code, Some(0));
    assert!(world.read(".claude/.lint-breaker").starts_with("closed|0|"));
    assert_eq!(lint("def f():\n    x = 1\n").code, Some(2), "it blocks again");
}

#[test]
fn the_projects_own_rule_lints_what_nobody_else_knows() {
    let world = world(&[]).with("Makefile", "lint:\n\t@echo bad style in notes.xyz; exit 1\n");
    let project = world.name("");
    let world = world.with_variable("CLAUDE_PROJECT_DIR", project);
    world.write("notes.xyz", "x\n");
    let payload = world.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": {"file_path": world.name("notes.xyz"), "content": "x\n"}}));
    let ran = world.run_with(&["compat", "lint"], payload.to_string().as_bytes());
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("[hook] make lint failed\nbad style in notes.xyz\n"), "{}", ran.stderr);
    // A clone's rules are not run by the hook itself.
    world.hook(&[], payload.to_string()).is_silent();
}

#[test]
fn what_the_fixer_took_is_in_the_timing_log() {
    let world = World::new().with_user_config(WITH_A_MODEL).trusting_tools();
    program(&world.path(".venv/bin/ruff"), &ruff(&format!("echo '{F841}'; exit 1")));
    program(&world.home().join(".local/bin/claude"), ":");
    let log = world.base().join("logs/timing.log");
    let world = world.with_variable("HOOK_TIMING_LOG_FILE", &log);
    edited(&world, "app.py", "def f():\n    x = 1\n");
    let text = std::fs::read_to_string(log).unwrap();
    for part in [
        "phase=delegate_start",
        "count=1 codes=F841",
        "phase=verify_start",
        "remaining_count=1 remaining_codes=F841",
    ] {
        assert!(text.contains(part), "«{part}» is not in {text}");
    }
}

#[test]
fn a_linter_of_whole_projects_runs_at_the_stop_once_for_all_files() {
    let tsgo = "echo ran >> \"$HOME/ran\"; grep -l wrong *.ts | sed 's/$/(1,1): error TS2322: wrong type/'; grep -q wrong *.ts && exit 2; exit 0";
    let world = world(&[])
        .with_user_config(r#"{"languages": {"typescript": {"enabled": true, "tsgo": true}}}"#)
        .with("tsconfig.json", "{}\n")
        .with("never_edited.ts", "wrong\n");
    program(&world.path("node_modules/.bin/tsgo"), tsgo);
    program(
        &world.path("node_modules/.bin/biome"),
        "case \"$1\" in lint) echo '{\"diagnostics\": []}';; *) cat;; esac",
    );
    let runs = || std::fs::read_to_string(world.home().join("ran")).unwrap_or_default().lines().count();
    for name in ["a.ts", "b.ts"] {
        edited(&world, name, "wrong\n").is_silent();
    }
    assert_eq!(runs(), 0, "an edit does not wait for it");
    let held = world.session_stops("s1").json();
    let reason = held["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("2 problems are open in files of this session:")
            && reason.contains("a.ts:1:1 TS2322 wrong type (tsgo)"),
        "{reason}"
    );
    assert_eq!(runs(), 1);
    for name in ["a.ts", "b.ts"] {
        edited(&world, name, "right\n").is_silent();
    }
    for _ in 0..2 {
        let ran = world.session_stops("s1");
        assert!(!ran.stdout.contains("\"block\""), "{}", ran.stdout);
    }
    assert_eq!(runs(), 2, "settled, it is not run again");
}
