//! An agent that works alone on a busy, full or read-only machine: nothing is lost, nothing half written, and the agent goes on.

use std::io::Write;
use std::process::{Child, Stdio};

use serde_json::{Value as Json, json};

use crate::checkpoint::{FILE, autonomous, valid};
use crate::world::{World, json_lines};

const MANY: usize = 32;

/// Starts all, and only then gives each its input.
fn at_once(mut all: Vec<Child>, stdin: impl Fn(usize) -> String) {
    for (number, child) in all.iter_mut().enumerate() {
        child.stdin.take().unwrap().write_all(stdin(number).as_bytes()).unwrap();
    }
    for child in all {
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn tool_calls_at_once_are_all_recorded() {
    let world = autonomous();
    let hooks = (0..MANY).map(|_| world.hook_program(&[]).stdin(Stdio::piped()).spawn().unwrap()).collect();
    at_once(hooks, |number| {
        let call = json!({"tool_name": "Read", "tool_input": {"file_path": format!("src/{number}.py")}, "tool_response": {}});
        world.payload("PostToolUse", &call).to_string()
    });
    let mut seen: Vec<String> = json_lines(&world.path(".claude/tool-usage-log.jsonl"))
        .iter()
        .map(|line| line["sig"].as_str().unwrap().to_owned())
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), MANY);
}

#[test]
fn states_started_at_once_leave_a_whole_one() {
    let world = autonomous();
    let starts: Vec<Child> = (0..MANY)
        .map(|number| {
            world.program(&["autonomy", "start", "--yes", "--mode", &format!("m{number}")]).spawn().unwrap()
        })
        .collect();
    for mut child in starts {
        assert!(child.wait().unwrap().success());
    }
    let state: Json = serde_json::from_str(&world.read(".claude/autonomous-state.json")).unwrap();
    assert!(state["mode"].as_str().unwrap().starts_with('m'));
    let left: Vec<_> =
        std::fs::read_dir(world.path(".claude")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("plimsoll-")), "{left:?}");
}

#[test]
fn reports_of_many_sessions_at_once_are_all_remembered() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    // Every session has a folder of its own, and all of them one remote.
    let clones: Vec<World> = (0..MANY)
        .map(|number| {
            let clone = World::new()
                .with_user_config(r#"{"profile": "autonomous"}"#)
                .with_variable("HOME", world.home());
            clone.git(&["remote", "add", "origin", "https://example.invalid/o/r.git"]);
            let mut report = valid();
            report["reflection"]["key_insight"] =
                format!("Lesson number {number} of many, which is long enough to be told from the others")
                    .into();
            report["self_report"]["code_changes_made"] = false.into();
            clone.write(FILE, &report.to_string());
            clone
        })
        .collect();
    crate::world::write(&world.home().join(".claude/hooks/config.json"), r#"{"profile": "autonomous"}"#);
    let hooks =
        clones.iter().map(|clone| clone.hook_program(&[]).stdin(Stdio::piped()).spawn().unwrap()).collect();
    at_once(hooks, |number| clones[number].payload("Stop", &json!({"stop_hook_active": false})).to_string());
    let stored = clones[0].run(&["memory", "export"]).succeeds().stdout;
    assert_eq!(stored.lines().count(), MANY);
    for number in 0..MANY {
        assert!(stored.contains(&format!("Lesson number {number} of many")), "{number}");
    }
}

/// A session with work and a report that holds. The home is about to go, so the profile is the project's, and the user's trust in
/// it lies elsewhere.
fn with_a_report() -> World {
    let world = World::new().with_config(r#"{"profile": "autonomous"}"#);
    let state = world.base().join("state").to_string_lossy().into_owned();
    let world = world.with_variable("PLIMSOLL_STATE_DIR", &state);
    world.run(&["trust", "--yes"]).succeeds();
    world.event("SessionStart", &json!({"source": "startup"}));
    world.write("app.py", "x = 2\n");
    world.write(FILE, &valid().to_string());
    world
}

#[test]
fn with_a_read_only_home_the_stop_goes_through_and_the_reason_is_logged() {
    let world = with_a_report();
    let stop = world.payload("Stop", &json!({"stop_hook_active": false})).to_string();
    let line = "mount -t tmpfs -o ro none \"$HOME\" && exec \"$PROGRAM\" hook";
    let Some(ran) = world.in_a_namespace(line, &stop) else { return };
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(!ran.stdout.contains("block"), "{ran:#?}");
    let said = ran.json()["systemMessage"].as_str().unwrap().to_owned();
    let place = world.home().join(".claude");
    assert!(said.contains(place.to_str().unwrap()) && said.contains("read-only"), "{said}");
    assert!(said.contains("Make that folder writable."), "{said}");
    let failures = world.last_logged()["failures"].to_string();
    assert!(failures.contains("could not record the memory") && failures.contains("Read-only"), "{failures}");
    let line = "mount -t tmpfs -o ro none \"$HOME\" && exec \"$PROGRAM\" autonomy start --yes --user";
    let ran = world.in_a_namespace(line, "").unwrap();
    assert_eq!(ran.code, Some(69), "{ran:#?}");
    assert!(ran.stderr.contains("the state could not be written"), "{ran:#?}");
}

/// How often it was held cannot be counted there, so once is enough.
#[test]
fn with_read_only_records_a_failing_command_holds_a_subagent_once() {
    let config = json!({"checks": {"test": {"command": "echo broken; exit 1", "blocking": true}}, "hooks": {"SubagentStop": {"checks": ["test"]}}});
    let world = World::new().with(".claude/quality-checks.json", &config.to_string());
    world.run(&["trust", "--yes"]).succeeds();
    let line = "mount -o bind \"$STATE\" \"$STATE\" && mount -o remount,bind,ro \"$STATE\" && exec \"$PROGRAM\" hook";
    let stop = |active: bool| {
        let more = json!({"agent_id": "a1", "agent_type": "any", "stop_hook_active": active});
        world.in_a_namespace(line, world.payload("SubagentStop", &more).to_string())
    };
    let Some(first) = stop(false) else { return };
    assert!(first.is_blocked().contains("broken"));
    let second = stop(true).unwrap();
    assert_eq!(second.code, Some(0), "{second:#?}");
    let answer = second.json();
    assert!(answer.get("decision").is_none(), "{answer}");
    let said = answer["systemMessage"].as_str().unwrap();
    assert!(
        said.contains("(how often could not be recorded) and finishes with this open")
            && said.contains("broken"),
        "{said}"
    );
}

#[test]
fn on_a_full_disk_no_half_memory_is_left() {
    let world = with_a_report();
    let stop = world.payload("Stop", &json!({"stop_hook_active": false})).to_string();
    let fill = "mount -t tmpfs -o size=16k none \"$HOME\" && head -c 65536 /dev/zero >\"$HOME/filler\" 2>/dev/null; ";
    let line = format!(
        "{fill} \"$PROGRAM\" hook; code=$?; find \"$HOME\" -type f -size +0 ! -name filler; exit $code"
    );
    let Some(ran) = world.in_a_namespace(&line, &stop) else { return };
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    // One line of answer, and no file: neither a block nor a half memory.
    assert_eq!(ran.stdout.lines().count(), 1, "{ran:#?}");
    let answer = ran.json();
    let said = answer["systemMessage"].as_str().unwrap();
    assert!(answer.get("decision").is_none(), "{answer}");
    let place = world.home().join(".claude");
    assert!(said.contains(place.to_str().unwrap()) && said.contains("the disk is full"), "{said}");
    assert!(said.contains("Free some space there."), "{said}");
    let failures = world.last_logged()["failures"].to_string();
    assert!(
        failures.contains("could not record the memory") && failures.contains("No space left"),
        "{failures}"
    );
}
