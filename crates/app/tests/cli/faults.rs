//! A machine that is full, read-only or without a home: a dangerous command is stopped all the same, and the reason for what could
//! not be written is said.

#[cfg(target_os = "linux")]
pub(crate) mod random;

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
    let said = ran.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(said.contains(world.state().to_str().unwrap()) && said.contains("the disk is full"), "{said}");
    assert!(said.contains("Free some space there, or name another place in PLIMSOLL_STATE_DIR."), "{said}");
    // A half-written record would be worse than none.
    let line =
        format!("{fill} \"$PROGRAM\" approve --yes --edit x.toml; code=$?; ls -A \"$STATE\"; exit $code");
    let ran = world.in_a_namespace(&line, "").unwrap();
    assert_eq!(ran.code, Some(69), "{}", ran.stdout);
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
    let said = ran.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(said.contains(world.state().to_str().unwrap()) && said.contains("read-only"), "{said}");
    // The user has been told in this session; what remembers that lies elsewhere.
    let ran =
        world.in_a_namespace(line, world.payload("PreToolUse", &edit(&world, "a.txt")).to_string()).unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert!(ran.stderr.contains("the log could not be written"), "{}", ran.stderr);
}

/// Every kind of event says it: in its answer where that can carry words for the user, else on stderr.
#[test]
fn an_event_without_words_for_the_user_says_it_on_stderr() {
    let world = World::new();
    fs::create_dir_all(world.state()).unwrap();
    let line = "mount -t tmpfs -o ro none \"$STATE\" && exec \"$PROGRAM\" hook";
    let end = world.payload("SessionEnd", &json!({"reason": "other"}));
    let Some(ran) = world.in_a_namespace(line, end.to_string()) else { return };
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert!(ran.stderr.contains("Plimsoll cannot write"), "{}", ran.stderr);
    for event in ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop"] {
        // Nothing at all can be written, so that nothing is remembered either.
        let everywhere = format!("mount -t tmpfs -o ro none \"$TMPDIR\" && {line}");
        let ran = world
            .in_a_namespace(&everywhere, world.payload(event, &json!({"prompt": "x"})).to_string())
            .unwrap();
        assert_eq!(ran.code, Some(0), "{event}: {ran:#?}");
        let said = ran.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert_eq!(said.matches("Plimsoll cannot write").count(), 1, "{event}: {ran:#?}");
    }
}

#[test]
fn a_line_that_does_not_fit_is_not_left_half_written() {
    let world = World::new();
    fs::create_dir_all(world.state()).unwrap();
    // The log has a page to itself, of which a few bytes are left.
    let fill = "mount -t tmpfs -o size=16k none \"$STATE\" && yes '{}' | head -c 4050 >\"$STATE/log.jsonl\"; \
                head -c 65536 /dev/zero >\"$STATE/filler\" 2>/dev/null; ";
    let line = format!("{fill} \"$PROGRAM\" hook >/dev/null; wc -c <\"$STATE/log.jsonl\"");
    let Some(ran) = world.in_a_namespace(&line, world.payload("PreToolUse", &remove_all()).to_string())
    else {
        return;
    };
    assert!(ran.stderr.contains("the log could not be written"), "{ran:#?}");
    assert_eq!(ran.stdout.trim(), "4050", "{ran:#?}");
}

#[test]
fn without_a_home_it_guards() {
    let world = World::new();
    let mut command = Command::new(PROGRAM);
    command.arg("hook").env_clear().env("PATH", "/usr/bin:/bin").env("TMPDIR", world.base().join("tmp"));
    // Whoever runs this has a home, which the program would find; `private` has a user without one.
    command.env("XDG_STATE_HOME", world.state());
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
fn a_log_of_a_gigabyte_is_put_away() {
    let world = World::new();
    fs::create_dir_all(world.state()).unwrap();
    // Sparse: it has the size without the bytes.
    File::create(world.state().join("log.jsonl")).unwrap().set_len(1 << 30).unwrap();
    world.event("PreToolUse", &remove_all()).is_denied();
    assert_eq!(world.log().len(), 1);
    // It is more than all that is kept of it.
    let names = fs::read_dir(world.state()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!names.into_iter().any(|name| name.to_string_lossy().starts_with("log-")));
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

/// Seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

/// The same as if the clock were set back by a day now: what was written lies a day ahead.
const DAY: u64 = 86_400;

#[test]
fn after_the_clock_was_set_back_no_allowance_outlives_its_time() {
    let world = World::new();
    world.run(&["approve", "--yes", "--edit", ".ruff.toml", "--for", "10m"]).succeeds();
    world.event("PreToolUse", &edit(&world, ".ruff.toml")).is_silent();
    let file = world.state().join("overrides.json");
    let mut all: Json = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    for allowance in all.as_object_mut().unwrap().values_mut() {
        for key in ["from", "until"] {
            allowance[key] = (allowance[key].as_u64().unwrap() + DAY).into();
        }
    }
    write(&file, &all.to_string());
    world.event("PreToolUse", &edit(&world, ".ruff.toml")).is_denied();
    // A new word of the user counts again.
    world.run(&["approve", "--yes", "--edit", ".ruff.toml", "--for", "10m"]).succeeds();
    world.event("PreToolUse", &edit(&world, ".ruff.toml")).is_silent();
}

#[test]
fn after_the_clock_was_set_back_autonomous_work_is_not_approved() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    let call =
        json!({"tool_name": "Write", "tool_input": {"file_path": world.name("new.txt"), "content": "x"}});
    let state = |at: u64| json!({"iteration": 1, "started_at": model::time::rfc3339(at)}).to_string();
    world.write_ours(".claude/autonomous-state.json", &state(now()));
    let ran = world.event("PreToolUse", &call);
    assert!(ran.stdout.contains("\"permissionDecision\":\"allow\""), "{}", ran.stdout);
    world.write_ours(".claude/autonomous-state.json", &state(now() + DAY));
    world.event("PreToolUse", &call).is_silent();
}

#[test]
fn after_the_clock_was_set_back_a_committed_change_still_holds_the_stop() {
    let world = World::new();
    world.session_starts("s1");
    let all = crate::world::files_below(&world.state());
    let baselines = all
        .into_iter()
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("\"taken_at\"")));
    for file in baselines {
        let mut baseline: Json = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        baseline["taken_at"] = (now() + DAY).into();
        write(&file, &baseline.to_string());
    }
    world.write(".ruff.toml", "line-length = 300\n");
    world.commit("quietly");
    let ran = world.session_stops("s1");
    assert!(
        ran.stdout.contains("\"decision\":\"block\"") && ran.stdout.contains(".ruff.toml"),
        "{}",
        ran.stdout
    );
}
