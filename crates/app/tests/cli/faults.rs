//! A machine that is full, read-only or without a home: a dangerous command is stopped all the same, and the reason for what could
//! not be written is said.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::world::{PROGRAM, Ran, World, write};

fn remove_all() -> Json {
    json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}})
}

fn edit(world: &World, file: &str) -> Json {
    json!({"tool_name": "Edit", "tool_input": {"file_path": world.name(file), "old_string": "a", "new_string": "b"}})
}

#[test]
fn on_a_full_disk_it_guards_and_says_what_is_not_written() {
    let world = World::new();
    fs::create_dir_all(world.state()).unwrap();
    let fill = "mount -t tmpfs -o size=16k none \"$STATE\" && head -c 65536 /dev/zero >\"$STATE/filler\" 2>/dev/null; ";
    let line = format!("{fill} exec \"$PROGRAM\" hook");
    let Some(ran) = world.in_a_namespace(&line, world.payload("PreToolUse", &remove_all()).to_string())
    else {
        return;
    };
    ran.is_denied();
    assert!(ran.stderr.contains("the log could not be written"), "{}", ran.stderr);
    // A half-written record would be worse than none.
    let line = format!("{fill} \"$PROGRAM\" approve --edit x.toml; code=$?; ls -A \"$STATE\"; exit $code");
    let ran = world.in_a_namespace(&line, "").unwrap();
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stderr.contains("No space left"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("overrides.json\n") && !ran.stdout.contains(".tmp"), "{}", ran.stdout);
}

#[test]
fn with_read_only_records_it_guards_and_the_agent_goes_on() {
    let world = World::new();
    fs::create_dir_all(world.state()).unwrap();
    let line = "mount -t tmpfs -o ro none \"$STATE\" && exec \"$PROGRAM\" hook";
    let Some(ran) = world.in_a_namespace(line, world.payload("PreToolUse", &remove_all()).to_string()) else {
        return;
    };
    ran.is_denied();
    let ran =
        world.in_a_namespace(line, world.payload("PreToolUse", &edit(&world, "a.txt")).to_string()).unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert!(ran.stderr.contains("the log could not be written"), "{}", ran.stderr);
}

#[test]
fn without_a_home_it_guards() {
    let world = World::new();
    let mut command = Command::new(PROGRAM);
    command.arg("hook").env_clear().env("PATH", "/usr/bin:/bin").env("TMPDIR", world.base().join("tmp"));
    command.current_dir(world.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = Ran::of(command, world.payload("PreToolUse", &remove_all()).to_string().as_bytes());
    ran.is_denied();
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_config_that_cannot_be_read_is_named_and_the_rest_holds() {
    let world = World::new();
    // A folder in its place cannot be read by anybody, root included.
    fs::create_dir_all(world.path(".claude/hooks/config.json")).unwrap();
    world.event("PreToolUse", &remove_all()).is_denied();
    let ran = world.event("SessionStart", &json!({"source": "startup"}));
    assert!(ran.json()["systemMessage"].as_str().unwrap().contains("config.json"), "{}", ran.stdout);
}

#[test]
fn a_file_of_fifty_megabytes_is_edited() {
    let world = World::new();
    let path = world.path("big.txt");
    fs::write(&path, "a line of text\n".repeat(3_500_000)).unwrap();
    world.event("PreToolUse", &edit(&world, "big.txt")).is_silent();
    world.event("PostToolUse", &edit(&world, "big.txt")).is_silent();
}

#[test]
fn a_log_of_a_gigabyte_is_moved_aside() {
    let world = World::new();
    fs::create_dir_all(world.state()).unwrap();
    // Sparse: it has the size without the bytes.
    File::create(world.state().join("log.jsonl")).unwrap().set_len(1 << 30).unwrap();
    world.event("PreToolUse", &remove_all()).is_denied();
    assert_eq!(world.log().len(), 1);
    assert_eq!(world.state().join("log.1.jsonl").metadata().unwrap().len(), 1 << 30);
    world.run(&["log"]).succeeds().says(&["rm -rf /"]);
}

#[test]
fn records_that_somebody_else_owns_are_named() {
    let world = World::new();
    let file = world.state().join("overrides.json");
    write(&file, "{}");
    fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
    // Root reads it anyway; for everybody else it is as if nothing had been allowed.
    world.event("PreToolUse", &edit(&world, ".ruff.toml")).is_denied();
    assert!(Path::new(&file).exists());
}
