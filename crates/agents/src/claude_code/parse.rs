//! Payload to event. Missing and unknown fields are fine; of several spellings the platform's own comes first.

use std::path::PathBuf;

use model::{
    AgentId, Body, Change, Compaction, Event, EventName, FileEdit, Notification, Oddity, Outcome,
    PermissionMode, Prompt, Replacement, SessionChange, SessionId, Stop, Subagent, Tool, ToolUse,
};
use serde_json::{Map, Value};

use crate::Defaults;

type Object = Map<String, Value>;

pub(super) fn event(agent: AgentId, mut payload: Object, defaults: Defaults<'_>) -> Event {
    let name = match text(&payload, &["hook_event_name"]).or(defaults.event) {
        Some(name) => EventName::from(name),
        None => infer(&payload),
    };
    let session = text(&payload, &["session_id"]).or(defaults.session).unwrap_or_default();
    Event {
        agent,
        session: SessionId::new(session),
        cwd: text(&payload, &["cwd"]).map(PathBuf::from),
        transcript: text(&payload, &["transcript_path"]).map(PathBuf::from),
        mode: mode(text(&payload, &["permission_mode"])),
        subagent: subagent(&payload),
        body: body(&name, &mut payload),
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

fn body(name: &EventName, payload: &mut Object) -> Body {
    match name {
        EventName::PreToolUse
        | EventName::PermissionRequest
        | EventName::PermissionDenied
        | EventName::PostToolUse
        | EventName::PostToolUseFailure => Body::Tool(tool_use(name, payload)),
        EventName::PostToolBatch => Body::Batch(batch(payload)),
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

fn batch(payload: &mut Object) -> Vec<ToolUse> {
    let Some(Value::Array(calls)) = payload.remove("tool_calls") else { return Vec::new() };
    calls
        .into_iter()
        .filter_map(|call| match call {
            Value::Object(mut call) => Some(tool_use(&EventName::PostToolUse, &mut call)),
            _ => None,
        })
        .collect()
}

fn tool_use(event: &EventName, payload: &mut Object) -> ToolUse {
    let name = owned(payload, &["tool_name"]);
    let (input, odd) = match payload.remove("tool_input") {
        Some(Value::Object(input)) => {
            let odd = oddity(&name, &input);
            (input, odd)
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
    ToolUse {
        id: text(payload, &["tool_use_id"]).map(str::to_owned),
        tool: tool(&name, &input),
        name,
        input,
        outcome,
        odd,
    }
}

/// What makes an input one that no honest client sends, and that the tool may read otherwise than we do.
fn oddity(name: &str, input: &Object) -> Option<Oddity> {
    const TEXTS: &[&str] = &["command", "file_path", "notebook_path"];
    for (key, value) in input.iter().filter(|(key, _)| TEXTS.contains(&key.as_str())) {
        match value {
            Value::String(text) if text.contains('\0') => {
                return Some(if key == "command" { Oddity::CommandWithNul } else { Oddity::PathWithNul });
            }
            Value::String(_) => {}
            _ if key == "command" => return Some(Oddity::CommandNotText),
            _ => return Some(Oddity::PathNotText),
        }
    }
    let needed = match name {
        "Bash" => "command",
        "Edit" | "Write" | "MultiEdit" => "file_path",
        "NotebookEdit" => "notebook_path",
        _ => return None,
    };
    let there = input.contains_key(needed) || (needed == "notebook_path" && input.contains_key("file_path"));
    (!there).then_some(Oddity::Incomplete)
}

fn tool(name: &str, input: &Object) -> Tool {
    let path = text(input, &["file_path", "notebook_path"]).map(PathBuf::from);
    match (name, path) {
        ("Bash", _) => Tool::Shell { command: owned(input, &["command"]) },
        ("Read", Some(path)) => Tool::Read { path },
        ("Grep" | "Glob", _) => Tool::Search { pattern: owned(input, &["pattern"]) },
        ("Agent" | "Task", _) => Tool::Agent { kind: owned(input, &["subagent_type"]) },
        ("Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "", Some(path)) => {
            Tool::Edit(FileEdit { path, change: change(input) })
        }
        // A tool of a later client that writes a file says so by its fields.
        (_, Some(path)) if !matches!(change(input), Change::Unknown) => {
            Tool::Edit(FileEdit { path, change: change(input) })
        }
        ("", None) if input.contains_key("command") => Tool::Shell { command: owned(input, &["command"]) },
        _ => Tool::Other,
    }
}

fn change(input: &Object) -> Change {
    if let Some(content) = text(input, &["content"]) {
        return Change::Write { content: content.to_owned() };
    }
    if let Some(Value::Array(edits)) = input.get("edits") {
        return Change::Replace(edits.iter().filter_map(Value::as_object).filter_map(replacement).collect());
    }
    if let Some(part) = replacement(input) {
        return Change::Replace(vec![part]);
    }
    match text(input, &["new_source"]) {
        Some(source) => Change::Cell { source: source.to_owned() },
        None => Change::Unknown,
    }
}

fn replacement(object: &Object) -> Option<Replacement> {
    Some(Replacement {
        old: text(object, &["old_string"])?.to_owned(),
        new: text(object, &["new_string"])?.to_owned(),
        all: object.get("replace_all").and_then(Value::as_bool).unwrap_or(false),
    })
}
