//! Payload to event. Missing and unknown fields are fine; of several spellings the platform's own comes first.

use std::path::PathBuf;

use model::{
    AgentId, Body, Change, Command, Compaction, Event, EventName, FileEdit, Notification, Oddity, Outcome,
    PermissionMode, Prompt, SessionChange, SessionId, Stop, Subagent, Tool, ToolUse,
};
use serde_json::{Map, Value};

use crate::Defaults;
use crate::tools::{self, Kind, Table};

type Object = Map<String, Value>;

/// `tools` are the agent's own; `name` is given where the agent has other names for its events.
pub(crate) fn event(
    agent: AgentId,
    mut payload: Object,
    defaults: Defaults<'_>,
    table: Table,
    name: Option<EventName>,
) -> Event {
    let name = name.unwrap_or_else(|| match text(&payload, &["hook_event_name"]).or(defaults.event) {
        Some(name) => EventName::from(name),
        None => infer(&payload),
    });
    let session = text(&payload, &["session_id"]).or(defaults.session).unwrap_or_default();
    Event {
        agent,
        session: SessionId::new(session),
        cwd: text(&payload, &["cwd"]).map(PathBuf::from),
        transcript: text(&payload, &["transcript_path"]).map(PathBuf::from),
        prompt: text(&payload, &["prompt_id"]).map(str::to_owned),
        mode: mode(text(&payload, &["permission_mode"])),
        subagent: subagent(&payload),
        body: body(&name, &mut payload, table),
        name,
    }
}

/// The first of `keys` that holds a string.
fn text<'a>(object: &'a Object, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| object.get(*key)?.as_str())
}

fn owned(object: &Object, keys: &[&str]) -> String {
    text(object, keys).unwrap_or_default().to_owned()
}

/// Scripts of the older systems were fed payloads without an event name.
fn infer(payload: &Object) -> EventName {
    let has = |keys: &[&str]| keys.iter().any(|key| payload.contains_key(*key));
    if has(&["tool_name", "tool_input"]) {
        if has(&["tool_response", "tool_output"]) { EventName::PostToolUse } else { EventName::PreToolUse }
    } else if has(&["stop_hook_active", "response", "assistant_response"]) {
        EventName::Stop
    } else if has(&["prompt", "user_message"]) {
        EventName::UserPromptSubmit
    } else {
        EventName::Other(String::new())
    }
}

fn mode(text: Option<&str>) -> PermissionMode {
    match text {
        None | Some("default") => PermissionMode::Default,
        Some("acceptEdits") => PermissionMode::AcceptEdits,
        Some("plan") => PermissionMode::Plan,
        Some("auto") => PermissionMode::Auto,
        Some("dontAsk") => PermissionMode::DontAsk,
        Some("bypassPermissions") => PermissionMode::BypassPermissions,
        Some(other) => PermissionMode::Other(other.to_owned()),
    }
}

fn subagent(payload: &Object) -> Option<Subagent> {
    let kind = text(payload, &["agent_type", "subagent_type", "agent_name"]);
    let id = text(payload, &["agent_id"]);
    (kind.is_some() || id.is_some()).then(|| Subagent {
        id: id.unwrap_or_default().to_owned(),
        kind: kind.unwrap_or_default().to_owned(),
    })
}

fn body(name: &EventName, payload: &mut Object, table: Table) -> Body {
    match name {
        EventName::PreToolUse
        | EventName::PermissionRequest
        | EventName::PermissionDenied
        | EventName::PostToolUse
        | EventName::PostToolUseFailure => Body::Tool(tool_use(name, payload, table)),
        EventName::PostToolBatch => Body::Batch(batch(payload, table)),
        EventName::UserPromptSubmit | EventName::UserPromptExpansion => {
            Body::Prompt(Prompt { text: owned(payload, &["prompt", "message", "user_message"]) })
        }
        EventName::Setup | EventName::SessionStart | EventName::SessionEnd => {
            Body::Session(SessionChange { cause: owned(payload, &["source", "reason", "trigger"]) })
        }
        EventName::Stop | EventName::SubagentStop => Body::Stop(Stop {
            active: payload.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false),
            last_message: owned(payload, &["last_assistant_message", "assistant_response", "response"]),
        }),
        EventName::PreCompact | EventName::PostCompact => Body::Compaction(Compaction {
            trigger: owned(payload, &["trigger"]),
            text: owned(payload, &["custom_instructions", "compact_summary"]),
        }),
        EventName::Notification => Body::Notification(Notification {
            kind: owned(payload, &["notification_type"]),
            message: owned(payload, &["message"]),
        }),
        _ => Body::Other,
    }
}

fn batch(payload: &mut Object, table: Table) -> Vec<ToolUse> {
    let Some(Value::Array(calls)) = payload.remove("tool_calls") else { return Vec::new() };
    calls
        .into_iter()
        .filter_map(|call| match call {
            Value::Object(mut call) => Some(tool_use(&EventName::PostToolUse, &mut call, table)),
            _ => None,
        })
        .collect()
}

fn tool_use(event: &EventName, payload: &mut Object, table: Table) -> ToolUse {
    let name = owned(payload, &["tool_name"]);
    let kind = tools::kind(table, &name);
    let (input, odd) = match payload.remove("tool_input") {
        Some(Value::Object(input)) => {
            let odd = oddity(kind, &name, &input);
            (input, odd)
        }
        // A tool without arguments.
        Some(Value::Null) if !matches!(kind, Some(Kind::Shell | Kind::PowerShell | Kind::Edit)) => {
            (Object::new(), None)
        }
        Some(_) => (Object::new(), Some(Oddity::NotAnObject)),
        None => (Object::new(), None),
    };
    let response = payload.remove("tool_response").or_else(|| payload.remove("tool_output"));
    let outcome = match event {
        EventName::PostToolUseFailure => Outcome::Failed { error: owned(payload, &["error"]) },
        EventName::PostToolUse => Outcome::Done(response.unwrap_or(Value::Null)),
        _ => Outcome::Pending,
    };
    let (mut tool, known) = tool(kind, &name, &input);
    if let (Tool::Shell(command), Outcome::Done(response)) = (&mut tool, &outcome)
        && goes_on(response)
    {
        command.awaited = false;
    }
    // The client takes another answer for what is read. Of an edit the model has only a line, and knows the rest.
    let replaceable = matches!(outcome, Outcome::Done(_)) && !matches!(kind, Some(Kind::Edit | Kind::Patch));
    let id = text(payload, &["tool_use_id"]).map(str::to_owned);
    ToolUse { id, known, tool, name, input, outcome, replaceable, odd }
}

/// Of a command that was cut short, or goes on in the background, the answer is not the end.
fn goes_on(response: &Value) -> bool {
    response["interrupted"] == Value::Bool(true) || response["backgroundTaskId"].is_string()
}

/// What makes an input one that no honest client sends, and that the tool may read otherwise than we do. A server's tool may
/// call and form its arguments as it likes.
fn oddity(kind: Option<Kind>, name: &str, input: &Object) -> Option<Oddity> {
    const TEXTS: &[&str] = &["command", "file_path", "notebook_path"];
    let ours = kind.is_some() || name.is_empty();
    for (key, value) in input.iter().filter(|(key, _)| TEXTS.contains(&key.as_str())) {
        match value {
            Value::String(text) if text.contains('\0') => {
                return Some(if key == "command" { Oddity::CommandWithNul } else { Oddity::PathWithNul });
            }
            Value::String(_) => {}
            _ if !ours => {}
            Value::Array(words) if kind == Some(Kind::Patch) && words.iter().all(Value::is_string) => {}
            _ if key == "command" => return Some(Oddity::CommandNotText),
            _ => return Some(Oddity::PathNotText),
        }
    }
    if !ours && input.iter().any(|(key, value)| has_nul(key, value)) {
        return Some(Oddity::PathWithNul);
    }
    let there = match kind {
        Some(Kind::Shell | Kind::PowerShell) => tools::has_command(input),
        Some(Kind::Edit) => tools::has_path(input),
        _ => return None,
    };
    (!there).then_some(Oddity::Incomplete)
}

/// A NUL in a text that is not content: some read up to it, and others beyond.
fn has_nul(key: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.contains('\0') && !matches!(key, "content" | "contents" | "data" | "text" | "body")
        }
        Value::Array(list) => list.iter().any(|value| has_nul(key, value)),
        Value::Object(object) => object.iter().any(|(key, value)| has_nul(key, value)),
        _ => false,
    }
}

fn tool(kind: Option<Kind>, name: &str, input: &Object) -> (Tool, bool) {
    let path = || text(input, &["file_path", "notebook_path"]).map(PathBuf::from);
    // Scripts of the older systems were fed payloads without a name, and a tool of a later client that writes a file says so by
    // its fields.
    let unnamed = || match (path(), text(input, &["command"])) {
        (Some(path), _) if name.is_empty() => {
            Some(Tool::Edit(FileEdit { path, change: tools::change(input).unwrap_or(Change::Unknown) }))
        }
        (Some(path), _) if !name.starts_with("mcp__") => {
            tools::change(input).map(|change| Tool::Edit(FileEdit { path, change }))
        }
        (None, Some(command)) if name.is_empty() => Some(Tool::Shell(Command::new(command))),
        _ => None,
    };
    let tool = if kind.is_none() { unnamed() } else { None };
    let tool = tool.unwrap_or_else(|| tools::tool(kind, name, input));
    // The older scripts took a payload without a name for what it looked like.
    let known = name.is_empty() || kind.is_some() && !matches!(tool, Tool::Foreign(_));
    (tool, known)
}
