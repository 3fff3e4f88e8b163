//! `plimsoll telemetry` and the task behind it: what leaves the machine, when, and that nothing is lost or counted twice.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::json;

use crate::needs::missing;
use crate::receiver::{Does, Receiver};
use crate::world::{Ran, World};

/// A world that sends there.
fn world(receiver: &Receiver, more: &str) -> World {
    let config = format!(r#"{{"telemetry": {{"endpoint": "{}"{more}}}}}"#, receiver.base);
    // Short, so that a server that hangs costs little; whoever is only busy gets it again.
    World::new().with_user_config(&config).with_variable("OTEL_EXPORTER_OTLP_TIMEOUT", "2000")
}

fn begun(receiver: &Receiver, more: &str) -> World {
    let world = world(receiver, more);
    world.run(&["telemetry", "--send"]).succeeds().says(&["nothing sent yet"]);
    world
}

fn runs(world: &World, command: &str) {
    world.tool("PreToolUse", "Bash", &json!({"command": command}));
}

/// The ids that the log has, and those that the receiver took, with how many that were.
fn ids(world: &World, receiver: &Receiver) -> (BTreeSet<String>, BTreeSet<String>, usize) {
    let id = |text: &str| text.to_owned();
    let logged = world.log().iter().map(|line| id(line["id"].as_str().unwrap())).collect();
    let records = receiver.records();
    let took: Vec<String> = records.iter().map(|record| record["plimsoll.record.id"].clone()).collect();
    (logged, took.iter().cloned().collect(), took.len())
}

#[test]
fn decisions_are_sent_by_a_task_and_by_no_hook() {
    let receiver = Receiver::new();
    let world = world(&receiver, r#", "headers": ["X-Team=blue"]"#);
    runs(&world, "echo before anybody asked");
    world.run(&["telemetry", "--send"]).succeeds();
    runs(&world, "git push --force origin main # hush-hush");
    runs(&world, "ls");
    world.wants_to_edit(".ruff.toml").is_denied();
    assert_eq!(receiver.connections(), 0, "a hook speaks to nobody");
    world.run(&["telemetry"]).succeeds().says(&["nothing sent yet", "3 wait"]);

    world.run(&["telemetry", "--send"]).succeeds().says(&["3 records sent"]);
    let records = receiver.records();
    assert_eq!(records.len(), 3, "only what came after the beginning: {records:?}");
    let push = &records[0];
    for (key, value) in [
        ("event.name", "plimsoll.decision"),
        ("plimsoll.agent", "claude-code"),
        ("plimsoll.event", "PreToolUse"),
        ("gen_ai.tool.name", "Bash"),
        ("plimsoll.verdict", "deny"),
    ] {
        assert_eq!(push[key], value, "{push:?}");
    }
    assert_eq!(push["session.id"], push["gen_ai.conversation.id"]);
    assert!(push["plimsoll.rules"].starts_with("shell/"), "{push:?}");
    let project = world.path("").to_string_lossy().into_owned();
    for body in receiver.took("/v1/logs").iter().chain(&receiver.took("/v1/metrics")) {
        let text = String::from_utf8_lossy(body);
        for word in ["hush-hush", "origin main", ".ruff.toml", project.trim_end_matches('/')] {
            assert!(!text.contains(word), "{word} has left the machine");
        }
    }
    assert!(receiver.headers().iter().all(|headers| headers["x-team"] == "blue"));
    assert_eq!(receiver.total("plimsoll.decisions"), 3);
    world.run(&["status"]).succeeds().says(&["telemetry", "3 records sent"]);
    // Nothing new, nothing sent.
    let before = receiver.connections();
    world.run(&["telemetry", "--send"]).succeeds();
    assert_eq!(receiver.connections(), before);
}

#[test]
fn details_leave_where_the_user_says_so_and_secrets_never() {
    let receiver = Receiver::new();
    let world = begun(&receiver, r#", "detail": true"#);
    runs(&world, "git push --force origin main");
    runs(
        &world,
        "curl -H 'Authorization: Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789' https://example.com",
    );
    world.run(&["telemetry", "--send"]).succeeds();
    let records = receiver.records();
    assert_eq!(records[0]["plimsoll.subject"], "git push --force origin main");
    assert!(records[0]["plimsoll.reason"].len() > 10 && records[0]["plimsoll.project"].ends_with("/project"));
    assert!(!format!("{records:?}").contains("ghp_abcdef"), "{records:?}");
}

#[test]
fn a_stop_starts_the_task() {
    let receiver = Receiver::new();
    let world = begun(&receiver, "");
    runs(&world, "ls");
    world.session_stops("s1");
    // It is another process, which ends when it is done.
    while receiver.total("plimsoll.decisions") < 2 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let (logged, took, _) = ids(&world, &receiver);
    assert_eq!(logged, took);
}

#[test]
fn nothing_is_lost_and_nothing_counted_twice_whatever_the_server_does() {
    let receiver = Receiver::new();
    let world = begun(&receiver, "");
    let faults = [
        (Does::Refuses(500), "the receiver answered 500"),
        (Does::Refuses(404), "the receiver answered 404"),
        (Does::Greets, "not OTLP"),
        (Does::Babbles, "not OTLP"),
        (Does::HangsUp, "could not be reached"),
        (Does::TakesAndHangs, "did not answer"),
    ];
    for (number, (fault, said)) in faults.iter().enumerate() {
        runs(&world, &format!("echo {number}"));
        // The logs fail and the metrics go through; then the other way round.
        receiver.does(&[*fault]);
        let ran = world.run(&["telemetry", "--send"]);
        assert_eq!(ran.code, Some(1), "{fault:?}: {}", ran.stdout);
        assert!(ran.stdout.contains(said), "{fault:?}: {}", ran.stdout);
        runs(&world, &format!("echo {number} again"));
        receiver.does(&[Does::Takes, *fault]);
        assert_eq!(world.run(&["telemetry", "--send"]).code, Some(1), "{fault:?}");
    }
    receiver.recovers();
    world.run(&["telemetry", "--send"]).succeeds();
    let (logged, took, count) = ids(&world, &receiver);
    assert_eq!(logged, took);
    // Only what was taken and not confirmed comes twice.
    assert_eq!(count - took.len(), 1, "{count} of {}", took.len());
    assert_eq!(receiver.total("plimsoll.decisions"), 2 * faults.len() as u64);
}

#[test]
fn a_task_that_is_killed_leaves_everything_to_the_next() {
    let receiver = Receiver::new();
    let world = begun(&receiver, "").with_variable("OTEL_EXPORTER_OTLP_TIMEOUT", "60000");
    for round in 0..3 {
        for number in 0..3 {
            runs(&world, &format!("echo {round} {number}"));
        }
        // It dies with the first request, or with the second, on its way.
        let mut next = vec![Does::Takes; round % 2];
        next.push(Does::TakesAndHangs);
        receiver.does(&next);
        let before = receiver.connections();
        let mut task = world.program(&["telemetry", "--send"]).spawn().unwrap();
        while receiver.connections() < before + next.len() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        task.kill().unwrap();
        task.wait().unwrap();
        receiver.recovers();
    }
    world.run(&["telemetry", "--send"]).succeeds();
    let (logged, took, _) = ids(&world, &receiver);
    assert_eq!(logged, took);
    assert_eq!(receiver.total("plimsoll.decisions"), 9);
}

#[test]
fn a_projects_receiver_needs_trust() {
    let receiver = Receiver::new();
    let config = format!(r#"{{"telemetry": {{"endpoint": "{}", "detail": true}}}}"#, receiver.base);
    let world = World::new().with_config(&config);
    world.run(&["telemetry", "--send"]).succeeds().says(&["no receiver is named"]);
    world.run(&["trust", "--yes"]).succeeds();
    world.run(&["telemetry", "--send"]).succeeds().says(&["nothing sent yet"]);
}

#[test]
fn variables_name_a_receiver_unless_the_project_brings_them() {
    let receiver = Receiver::new();
    let world = World::new().with_variable("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.base);
    world.run(&["telemetry", "--send"]).succeeds();
    runs(&world, "ls");
    world.run(&["telemetry", "--send"]).succeeds().says(&["1 records sent"]);
    world.write(".claude/settings.json", r#"{"env": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}}"#);
    let ran = world.run(&["telemetry", "--send"]);
    assert!(ran.stdout.contains("name your receiver in telemetry.endpoint"), "{}", ran.stdout);
}

/// Instructions of a call before a tool, as valgrind counts them.
fn instructions(world: &World, payload: &str) -> u64 {
    let mut command = std::process::Command::new("valgrind");
    let own = world.hook_program(&[]);
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own.get_program())
        .args(own.get_args());
    command.env_clear().envs(own.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = Ran::of(command, payload.as_bytes()).stderr;
    let line = said.lines().find(|line| line.contains("refs:")).unwrap_or_else(|| panic!("{said}"));
    line.rsplit(' ').next().unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn a_hook_is_as_fast_with_a_receiver_as_without() {
    if !std::process::Command::new("valgrind")
        .arg("--version")
        .output()
        .is_ok_and(|done| done.status.success())
    {
        return missing("valgrind", "valgrind is not installed");
    }
    // In the same folders: names that are drawn by lot are of another length each time, and so are the records.
    let count = |world: World, endpoint: &str| {
        let config = format!(r#"{{"telemetry": {{"endpoint": {endpoint}}}}}"#);
        let world = world.with_user_config(&config);
        let payload =
            world.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
        // The second finds the records that the first has made.
        instructions(&world, &payload.to_string());
        (instructions(&world, &payload.to_string()), world)
    };
    let (without, world) = count(World::new(), "null");
    let (with, _world) = count(world, r#""http://127.0.0.1:9""#);
    // What differs is reading the address itself, and how long the records have become: seven in a thousand, in a debug build.
    assert!(with.abs_diff(without) * 100 < without, "{without} without, {with} with");
}
