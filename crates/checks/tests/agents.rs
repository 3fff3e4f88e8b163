//! The corpora through every agent's own form of payload: the same command is the same event for us, and so gets the same verdict; and what
//! is refused or asked about is refused or asked about in every agent.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads its files, and fails where it cannot"
)]

use std::path::Path;

use agents::{Agent, ClaudeCode, DIALECTS, Defaults, dialect, read};
use checks::cases::Table;
use checks::{Context, Options, run};
use model::{AgentId, Body, Config, Decision, Event, PermissionMode, SessionId};
use serde_json::{Value, json};

const PROJECT: &str = "/home/me/project";

fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [root.join("cases/evasions.jsonl"), root.join("../app/tests/corpus/commands.jsonl")];
    let texts = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    let commands: Vec<String> = texts
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|line| {
            let row: Value = serde_json::from_str(&line).ok()?;
            row["command"].as_str().map(str::to_owned)
        })
        .collect();
    assert!(commands.len() > 8000, "{}", commands.len());
    commands
}

/// What an event is judged by; names of sessions and tools are not.
fn judged(mut event: Event) -> Event {
    event.agent = AgentId("any");
    event.session = SessionId::new("s");
    event.transcript = None;
    event.prompt = None;
    event.mode = PermissionMode::Default;
    event.subagent = None;
    if let Body::Tool(use_) = &mut event.body {
        use_.id = None;
        use_.name = "any".into();
        use_.input = serde_json::Map::new();
        if let model::Tool::Shell(command) = &mut use_.tool {
            // Where it stands in the input is the agent's business; that it can be replaced is not.
            assert!(command.at.is_some());
            command.at = None;
        }
    }
    event
}

fn claude(command: &str) -> Event {
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": PROJECT, "tool_name": "Bash",
        "tool_input": {"command": command},
    });
    let Value::Object(payload) = payload else { unreachable!() };
    ClaudeCode.parse(payload, Defaults::default())
}

#[test]
fn every_command_is_the_same_event_in_every_agent() {
    for command in corpus() {
        let wanted = judged(claude(&command));
        for dialect in DIALECTS {
            let input = read(dialect.in_sample(&command, PROJECT).as_bytes()).unwrap();
            let event = dialect.parse(input.payload, Defaults::default());
            assert_eq!(judged(event), wanted, "{}: {command}", dialect.name);
        }
    }
}

/// Each agent gets another part of the corpora, so that all of it is judged once.
#[test]
fn every_verdict_is_lowered_and_never_weakened() {
    let (config, table) = (Config::default(), Table::default());
    let cx = Context::new(&config, &table);
    let (mut refused, mut passed) = (0, 0);
    for (at, command) in corpus().iter().enumerate() {
        let dialect = DIALECTS[at % DIALECTS.len()];
        let input = read(dialect.in_sample(command, PROJECT).as_bytes()).unwrap();
        let mut event = dialect.parse(input.payload, Defaults::default());
        event.mode = PermissionMode::Default;
        let verdict = run(&event, &cx, &Options::default()).verdict;
        let reference = run(&claude(command), &cx, &Options::default()).verdict;
        assert_eq!(
            (verdict.decision, &verdict.command),
            (reference.decision, &reference.command),
            "{command}"
        );
        let reply = dialect.render(&event, &verdict).reply;
        let rewritten = verdict.command.is_some() && verdict.decision < Decision::Ask;
        if verdict.decision >= Decision::Ask {
            refused += 1;
            assert!(dialect::refuses(&reply), "{}: {command}: {reply:?}", dialect.name);
        } else if !rewritten {
            passed += 1;
            assert!(!dialect::refuses(&reply), "{}: {command}: {reply:?}", dialect.name);
        }
    }
    assert!(refused > 1000 && passed > 1000, "{refused} {passed}");
}
