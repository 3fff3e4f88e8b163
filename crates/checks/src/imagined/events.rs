//! What happens in a made-up world.

use model::{
    AgentId, Body, Change, Event, EventName, FileEdit, Notification, Outcome, PermissionMode, Prompt,
    Replacement, SessionChange, SessionId, Stop, Tool, ToolUse,
};

use super::PROJECT;
use super::values::json;
use toml::{Table as Toml, Value};

pub(super) fn event<'a>(text: &impl Fn(&str) -> Option<&'a str>, flag: &impl Fn(&str) -> bool) -> Event {
    let name = EventName::from(text("event").unwrap_or("PreToolUse"));
    let body = match (&name, text("command"), text("file")) {
        (_, Some(command), _) => Body::Tool(ToolUse::shell(command)),
        (_, _, Some(file)) => Body::Tool(edit_use(file, text, flag)),
        (EventName::Stop | EventName::SubagentStop, ..) => Body::Stop(Stop {
            active: flag("active"),
            last_message: text("message").unwrap_or_default().into(),
        }),
        (EventName::Notification, ..) => Body::Notification(Notification {
            kind: text("kind").unwrap_or_default().into(),
            message: text("message").unwrap_or_default().into(),
        }),
        (EventName::UserPromptSubmit, ..) => {
            Body::Prompt(Prompt { text: text("prompt").unwrap_or_default().into() })
        }
        _ if text("tool").or(text("read")).or(text("search")).is_some() => return other_event(&name, text),
        _ => Body::Session(SessionChange { cause: text("source").unwrap_or("startup").into() }),
    };
    with_body(name, body)
}

fn with_body(name: EventName, body: Body) -> Event {
    Event {
        agent: AgentId("claude-code"),
        name,
        session: SessionId::new("s1"),
        cwd: Some(PROJECT.into()),
        transcript: None,
        prompt: None,
        mode: PermissionMode::Default,
        subagent: None,
        body,
    }
}

/// `output = "…"` or in a tool's own shape, `error = "…"`: how the call went. `repeat` says how often the text comes.
pub(super) fn outcome(toml: &Toml, event: &mut Event) {
    let Body::Tool(use_) = &mut event.body else { return };
    if let Some(output) = toml.get("output") {
        use_.outcome = Outcome::Done(match output {
            Value::String(text) => {
                let times = toml.get("repeat").and_then(Value::as_integer).unwrap_or(1);
                let text = text.repeat(usize::try_from(times).unwrap_or(1));
                if use_.name == "Bash" {
                    serde_json::json!({"stdout": text, "stderr": ""})
                } else {
                    text.into()
                }
            }
            other => json(other),
        });
        use_.replaceable = !matches!(use_.tool, Tool::Edit(_) | Tool::Patch(_));
    } else if let Some(error) = toml.get("error").and_then(Value::as_str) {
        use_.outcome = Outcome::Failed { error: error.to_owned() };
    }
}

/// A shell call.
pub fn shell_event(command: &str) -> Event {
    with_body(EventName::PreToolUse, Body::Tool(ToolUse::shell(command)))
}

fn edit_use<'a>(
    file: &str,
    text: &impl Fn(&str) -> Option<&'a str>,
    flag: &impl Fn(&str) -> bool,
) -> ToolUse {
    let change = match (text("content"), text("old"), text("new")) {
        (Some(content), ..) => Change::Write { content: content.into() },
        (_, Some(old), Some(new)) => {
            Change::Replace(vec![Replacement { old: old.into(), new: new.into(), all: flag("all") }])
        }
        _ => Change::Unknown,
    };
    let name = text("tool").unwrap_or(if matches!(change, Change::Write { .. }) { "Write" } else { "Edit" });
    ToolUse {
        id: None,
        name: name.into(),
        known: true,
        tool: Tool::Edit(FileEdit { path: file.into(), change }),
        input: serde_json::Map::new(),
        outcome: Outcome::Pending,
        replaceable: false,
        odd: None,
    }
}

/// A call that neither edits nor runs anything.
fn other_event<'a>(name: &EventName, text: &impl Fn(&str) -> Option<&'a str>) -> Event {
    let (tool, input) = match (text("read"), text("search")) {
        (Some(path), _) => ("Read", serde_json::json!({"file_path": path})),
        (_, Some(pattern)) => ("Grep", serde_json::json!({"pattern": pattern})),
        _ => ("", serde_json::json!({})),
    };
    tool_event(name, Some(text("tool").unwrap_or(tool)), input)
}

/// A call of any tool, read as the agent would send it.
pub fn tool_event(name: &EventName, tool: Option<&str>, input: serde_json::Value) -> Event {
    let mut payload = serde_json::Map::new();
    payload.insert("hook_event_name".into(), name.as_str().into());
    payload.insert("tool_name".into(), tool.unwrap_or_default().into());
    payload.insert("tool_input".into(), input);
    let event = agents::detect(&payload).parse(payload, agents::Defaults::default());
    with_body(name.clone(), event.body)
}
