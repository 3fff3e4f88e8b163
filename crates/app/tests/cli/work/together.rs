//! Two sessions and several subagents on one project at once: nothing is lost.

use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::now;
use crate::world::World;

const MANY: usize = 24;

/// Whether a process waits: of a hook that nobody has told anything yet, for its input.
fn waits(process: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap_or_default();
    // On other systems nothing tells.
    stat.is_empty() || stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
}

/// Starts one hook per payload, waits until all are there, and only then gives each its payload.
fn at_once(world: &World, payloads: &[Json]) {
    let mut hooks: Vec<Child> =
        payloads.iter().map(|_| world.hook_program(&[]).stdin(Stdio::piped()).spawn().unwrap()).collect();
    for hook in &hooks {
        while !waits(hook) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    for (hook, payload) in hooks.iter_mut().zip(payloads) {
        let mut stdin = hook.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, payload.to_string().as_bytes()).unwrap();
    }
    for hook in hooks {
        let done = hook.wait_with_output().unwrap();
        assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(0), ""));
    }
}

#[test]
fn no_strike_journal_line_or_finding_is_lost() {
    let world = World::strict().with_committed("MASTER_PLAN.md", "# Intent\n");
    world.sets_record(".test-status", &format!("fail|1|{}\n", now()));
    let mut payloads = Vec::new();
    for number in 0..MANY {
        let session = if number % 2 == 0 { "one" } else { "two" };
        let input =
            json!({"file_path": world.name(&format!("src/{number}.py")), "content": "# What it is for.\n"});
        for event in ["PreToolUse", "PostToolUse"] {
            payloads.push(
                world.payload(
                    event,
                    &json!({"session_id": session, "tool_name": "Write", "tool_input": input}),
                ),
            );
        }
        let agent =
            json!({"session_id": session, "agent_id": format!("a{number}"), "agent_type": "implementer"});
        payloads.push(world.payload("SubagentStop", &agent));
    }
    at_once(&world, &payloads);
    // Side by side they count once, and each session for itself.
    assert_eq!(world.record_without_time(".test-gate-strikes"), "1");
    for (session, rest) in [("one", 0), ("two", 1)] {
        let mut journal: Vec<String> =
            world.record(&format!(".session-changes-{session}")).lines().map(str::to_owned).collect();
        journal.sort();
        let mut expected: Vec<String> =
            (0..MANY).filter(|n| n % 2 == rest).map(|n| world.name(&format!("src/{n}.py"))).collect();
        expected.sort();
        assert_eq!(journal, expected, "{session}");
    }
    let findings = world.record(".agent-findings");
    assert_eq!(findings.lines().count(), MANY, "{findings}");
    assert!(findings.lines().all(|line| line.starts_with("implementer|")), "{findings}");
}

#[test]
fn findings_that_come_while_others_are_delivered_are_delivered_too() {
    let world = World::strict();
    let agent = |n: usize| {
        world.payload("SubagentStop", &json!({"agent_id": format!("a{n}"), "agent_type": "planner"}))
    };
    let prompt = |n: usize| {
        world.payload("UserPromptSubmit", &json!({"session_id": format!("p{n}"), "prompt": "go on"}))
    };
    let payloads: Vec<Json> = (0..MANY).map(|n| if n % 3 == 2 { prompt(n) } else { agent(n) }).collect();
    at_once(&world, &payloads);
    // Whatever was not delivered then is delivered now.
    world.event("UserPromptSubmit", &json!({"prompt": "go on"})).is_an_answer();
    assert!(!world.has_record(".agent-findings"));
    let audit = world.record(".audit-log");
    let subagents = (0..MANY).filter(|n| n % 3 != 2).count();
    assert_eq!(audit.lines().filter(|line| line.contains("|agent_planner|")).count(), subagents, "{audit}");
}

#[test]
fn a_session_that_ends_leaves_the_other_its_journal() {
    let world = World::strict();
    for session in ["one", "two"] {
        let input = json!({"file_path": world.name("src/a.py"), "content": "x"});
        world
            .event("PostToolUse", &json!({"session_id": session, "tool_name": "Write", "tool_input": input}));
    }
    world.event("SessionEnd", &json!({"session_id": "one", "reason": "other"})).is_silent();
    assert!(!world.has_record(".session-changes-one") && world.has_record(".session-changes-two"));
}
