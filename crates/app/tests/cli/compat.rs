//! `plimsoll compat`: the linter system's scripts at their old addresses, answering as they did.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value as Json, json};

use crate::world::{RUFF, Ran, World, text, write};

impl World {
    /// A script as a project's settings start it.
    fn script(&self, name: &str, payload: &str) -> Ran {
        let mut command = self.program(&["compat", name]);
        command.env("CLAUDE_PROJECT_DIR", self.path(""));
        Ran::of(command, payload.as_bytes())
    }

    fn protect(&self, file: &str) -> Ran {
        self.script("protect_linter_configs", &json!({"tool_input": {"file_path": file}}).to_string())
    }
}

// protect_linter_configs

#[test]
fn an_ordinary_file_is_approved() {
    let world = World::new();
    for file in ["app.py", "/somewhere/else.py", "biome.json.bak", "src/.claude-hooks/x.sh"] {
        world.protect(file).is_approved();
    }
}

#[test]
fn a_missing_path_is_approved() {
    let world = World::new();
    for payload in [
        "{}",
        r#"{"tool_input":{}}"#,
        r#"{"tool_input":{"file_path":null}}"#,
        r#"{"tool_input":{"file_path":""}}"#,
    ] {
        world.script("protect_linter_configs", payload).is_approved();
    }
}

#[test]
fn unreadable_input_is_approved_with_a_warning() {
    let world = World::new();
    for payload in ["not json", "", "[]"] {
        let ran = world.script("protect_linter_configs", payload);
        ran.is_approved();
        assert!(ran.stderr.starts_with("[hook:warning] "), "{}", ran.stderr);
    }
}

#[test]
fn each_of_the_fourteen_is_blocked_at_any_depth() {
    let world = World::new();
    for file in [
        ".markdownlint.jsonc",
        ".markdownlint-cli2.jsonc",
        ".shellcheckrc",
        ".yamllint",
        ".hadolint.yaml",
        ".jscpd.json",
        ".flake8",
        "taplo.toml",
        ".ruff.toml",
        "ty.toml",
        "biome.json",
        ".oxlintrc.json",
        ".semgrep.yml",
        "knip.json",
    ] {
        for path in [file.to_owned(), format!("/a/b/c/{file}"), format!("packages/x/{file}")] {
            let reason = world.protect(&path).is_blocked();
            assert!(
                reason.starts_with(&format!("Protected linter config file ({file}). ")),
                "{path}: {reason}"
            );
        }
    }
}

#[test]
fn the_text_for_a_linter_config_is_the_scripts() {
    let reason = World::new().protect(RUFF).is_blocked();
    assert_eq!(reason, "Protected linter config file (.ruff.toml). Fix the code, not the rules.");
}

#[test]
fn the_text_for_hooks_and_settings_is_the_scripts() {
    let world = World::new();
    for (file, base) in [
        (".claude/hooks/multi_linter.sh", "multi_linter.sh"),
        (".claude/settings.json", "settings.json"),
        (".claude/settings.local.json", "settings.local.json"),
        (".claude/subprocess-settings.json", "subprocess-settings.json"),
        ("/home/me/project/.claude/hooks/config.json", "config.json"),
    ] {
        let reason = world.protect(file).is_blocked();
        let expected =
            format!("Protected Claude Code config ({base}). Hook scripts and settings are immutable.");
        assert_eq!(reason, expected, "{file}");
    }
}

#[test]
fn the_text_for_the_fixers_settings_is_the_scripts() {
    let world = World::new().with_config(r#"{"subprocess": {"settings_file": "~/fixer/no-hooks.json"}}"#);
    write(&world.home().join("fixer/no-hooks.json"), "{}");
    for file in ["~/fixer/no-hooks.json".to_owned(), text(&world.home().join("fixer/no-hooks.json"))] {
        let reason = world.protect(&file).is_blocked();
        let expected = "Protected subprocess settings file (no-hooks.json). This file controls subprocess recursion safety.";
        assert_eq!(reason, expected, "{file}");
    }
}

#[test]
fn the_projects_own_list_counts_without_trust() {
    let world = World::new().with_config(r#"{"protected_files": ["mine.toml"], "protect_siblings": false}"#);
    world.protect("mine.toml").is_blocked();
    world.protect(RUFF).is_approved();
}

#[test]
fn a_list_that_is_empty_or_malformed_means_the_fourteen() {
    for config in [r#"{"protected_files": []}"#, r#"{"protected_files": 3}"#, "{broken"] {
        World::new().with_config(config).protect(RUFF).is_blocked();
    }
}

#[test]
fn a_notebook_has_a_path_of_its_own_name() {
    let payload =
        json!({"tool_name": "NotebookEdit", "tool_input": {"notebook_path": ".claude/hooks/n.ipynb"}});
    World::new().script("protect_linter_configs", &payload.to_string()).is_blocked();
}

#[test]
fn a_name_with_quotes_is_still_one_answer() {
    let world = World::new();
    let reason = world.protect(".claude/hooks/a\"b\\c.sh").is_blocked();
    assert!(reason.contains("(a\"b\\c.sh)"), "{reason}");
}

// stop_config_guardian and approve_configs

/// An approval file of a process that does not exist: the numbers lie above every system's largest. It goes with the test.
struct Guard {
    pid: String,
    file: PathBuf,
}

impl Guard {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = 2_000_000_000 + std::process::id() * 64 + NEXT.fetch_add(1, Ordering::Relaxed);
        Self { pid: number.to_string(), file: format!("/tmp/stop_hook_approved_{number}.json").into() }
    }

    fn json(&self) -> Json {
        serde_json::from_str(&std::fs::read_to_string(&self.file).unwrap()).unwrap()
    }

    fn approves(&self, world: &World, files: &[&str]) -> Ran {
        world.run(&[&["compat", "approve_configs", &self.pid], files].concat())
    }

    fn stop(&self, world: &World) -> Ran {
        self.stop_with(world, "{}")
    }

    fn stop_with(&self, world: &World, payload: &str) -> Ran {
        let mut command = world.program(&["compat", "stop_config_guardian"]);
        command.env("CLAUDE_PROJECT_DIR", world.path("")).env("HOOK_GUARD_PID", &self.pid);
        Ran::of(command, payload.as_bytes())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

#[test]
fn a_stop_with_nothing_changed_is_approved() {
    Guard::new().stop(&World::new().with("app.py", "x = 2\n")).is_approved();
}

#[test]
fn a_stop_outside_a_repository_is_approved() {
    Guard::new().stop(&World::without_git().with(RUFF, "x")).is_approved();
}

#[test]
fn a_changed_config_is_blocked_with_the_three_ways_out() {
    let (world, guard) = (World::new().with(RUFF, "line-length = 300\n"), Guard::new());
    let ran = guard.stop(&world);
    let reason = ran.is_blocked();
    let keep = format!("approve_configs {} .ruff.toml", guard.pid);
    for part in ["AskUserQuestion", &keep, "git checkout -- .ruff.toml", "git diff"] {
        assert!(reason.contains(part), "«{part}» is not in\n{reason}");
    }
    assert_eq!(ran.json()["systemMessage"], "Linter config files modified:\n  - .ruff.toml");
}

#[test]
fn a_project_with_the_script_goes_on_using_it() {
    let world =
        World::new().with_committed(".claude/hooks/approve_configs.sh", "#!/bin/sh\n").with(RUFF, "x");
    let guard = Guard::new();
    let reason = guard.stop(&world).is_blocked();
    let keep = format!(".claude/hooks/approve_configs.sh {} .ruff.toml", guard.pid);
    assert!(reason.contains(&keep), "{reason}");
}

#[test]
fn the_second_stop_is_approved() {
    let world = World::new().with(RUFF, "line-length = 300\n");
    Guard::new().stop_with(&world, r#"{"stop_hook_active": true}"#).is_approved();
}

#[test]
fn an_approval_is_a_file_of_hashes() {
    let (world, guard) = (World::new().with(RUFF, "abc"), Guard::new());
    let ran = guard.approves(&world, &[RUFF, "not-there.toml"]).succeeds();
    assert_eq!(ran.stdout, format!("Guard file created: {}\n", guard.file.display()));
    let json = guard.json();
    let time = json["approved_at"].as_str().unwrap();
    assert!(time.len() == 20 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
    // A file that is not there is left out.
    let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(json["files"], json!({".ruff.toml": abc}));
    assert_eq!(json.as_object().unwrap().len(), 2);
}

#[test]
fn an_approval_is_honoured_as_long_as_the_content_stays() {
    let (world, guard) = (World::new().with(RUFF, "line-length = 300\n"), Guard::new());
    guard.stop(&world).is_blocked();
    guard.approves(&world, &[RUFF]).succeeds();
    guard.stop(&world).is_approved();
    guard.stop(&world).is_approved();

    world.write(RUFF, "line-length = 400\n");
    guard.stop(&world).is_blocked();
    assert!(!guard.file.exists(), "an approval of other contents is used up");
}

#[test]
fn an_approval_by_the_original_script_is_honoured() {
    let (world, guard) = (World::new().with(RUFF, "abc"), Guard::new());
    let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    write(&guard.file, &json!({"approved_at": "2026-01-04T19:48:11Z", "files": {RUFF: abc}}).to_string());
    guard.stop(&world).is_approved();
}

#[test]
fn every_changed_file_must_be_approved() {
    let (world, guard) = (World::new().with(RUFF, "abc").with(".flake8", "new"), Guard::new());
    guard.approves(&world, &[RUFF]).succeeds();
    let reason = guard.stop(&world).is_blocked();
    assert!(reason.contains(".flake8"), "{reason}");
    assert!(!guard.file.exists());
}

#[test]
fn an_approval_of_another_process_does_not_count() {
    let (world, guard, other) = (World::new().with(RUFF, "abc"), Guard::new(), Guard::new());
    other.approves(&world, &[RUFF]).succeeds();
    guard.stop(&world).is_blocked();
    assert!(other.file.exists());
}

#[test]
fn without_the_variable_the_process_is_the_parent() {
    let world = World::new().with(RUFF, "abc");
    let reason = world.script("stop_config_guardian", "{}").is_blocked();
    assert!(reason.contains(&format!("approve_configs {} .ruff.toml", std::process::id())), "{reason}");
}

#[test]
fn approving_nothing_is_a_wrong_call() {
    let world = World::new();
    for args in [&["compat", "approve_configs"][..], &["compat", "approve_configs", "2147483647"]] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        assert!(ran.stderr.to_lowercase().starts_with("usage: "), "{}", ran.stderr);
    }
    let ran = world.run(&["compat", "approve_configs", "../../etc/x", RUFF]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), "approve_configs: ../../etc/x is no process id\n"));
}

// The spelling.

#[test]
fn an_answer_is_a_line_in_the_scripts_spelling() {
    let world = World::new();
    assert_eq!(world.protect("app.py").stdout, "{\"decision\": \"approve\"}\n");
    assert_eq!(world.script("protect_linter_configs", "no json").stdout, "{\"decision\": \"approve\"}\n");
    let expected = r#"{"decision": "block", "reason": "Protected linter config file (.ruff.toml). Fix the code, not the rules."}"#;
    assert_eq!(world.protect(RUFF).stdout, format!("{expected}\n"));
}

// The addresses.

#[test]
fn a_script_may_be_called_by_its_file_name() {
    World::new().script("protect_linter_configs.sh", r#"{"tool_input":{"file_path":"a.py"}}"#).is_approved();
}

#[test]
fn an_unknown_script_is_named_with_the_known_ones() {
    let ran = World::new().run(&["compat", "no_such_script"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr.contains("no_such_script") && ran.stderr.contains("stop_config_guardian"),
        "{}",
        ran.stderr
    );
}
