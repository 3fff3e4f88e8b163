//! The script that guards linter settings at a stop, and the one that approves.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::world::{RUFF, Ran, World, write};
use serde_json::{Value as Json, json};

/// An approval file of a process that does not exist: the numbers lie above every system's largest. It goes with the test.
pub(super) struct Guard {
    pub(super) pid: String,
    file: PathBuf,
}

impl Guard {
    pub(super) fn new() -> Self {
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
    let world = World::new().with_committed(".flake8", "old").with(RUFF, "abc").with(".flake8", "new");
    let guard = Guard::new();
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
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(1), "approve_configs: ../../etc/x is not a process id\n")
    );
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

// enforce_package_managers
