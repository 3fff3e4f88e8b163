//! A rollout of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`, each line with a `payload`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{By, Pending, Reader, text};

/// What holds for the calls of a turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    id: String,
    model: String,
    cwd: Option<String>,
    branch: Option<String>,
}

const SKIPPED: &[&str] =
    &["compacted", "ghost_snapshot", "token_usage_record", "turn_aborted", "turn_ended", "world_state"];

/// How a result begins where a hook has refused the call.
const REFUSED: &str = "Command blocked by PreToolUse hook";

/// Input to a program that is running already. No hook is asked about it.
const UNASKED: &[&str] = &["write_stdin"];

/// Whether the kind is known.
pub(super) fn record(reader: &mut Reader, kind: &str, payload: &Map<String, Value>, at: Option<u64>) -> bool {
    match kind {
        "session_meta" => session(reader, payload),
        "turn_context" => turn(reader, payload),
        "response_item" => item(reader, payload, at),
        "event_msg" => happened(reader, payload),
        kind => return SKIPPED.contains(&kind),
    }
    true
}

fn session(reader: &mut Reader, payload: &Map<String, Value>) {
    reader.flush(true);
    text(payload, "id").unwrap_or_default().clone_into(&mut reader.session);
    reader.started = text(payload, "cwd").map(PathBuf::from);
    reader.turn = Turn {
        cwd: text(payload, "cwd").map(str::to_owned),
        branch: payload.get("git").and_then(|git| git.get("branch")?.as_str()).map(str::to_owned),
        ..Turn::default()
    };
}

fn turn(reader: &mut Reader, payload: &Map<String, Value>) {
    let word = |key: &str| text(payload, key).unwrap_or_default().to_owned();
    // What a hook is told: nobody is asked, or somebody is.
    let mode = if word("approval_policy") == "never" { "bypassPermissions" } else { "default" };
    reader.mode = Some(mode.to_owned());
    reader.turn.id = word("turn_id");
    reader.turn.model = word("model");
    if let Some(cwd) = text(payload, "cwd") {
        reader.turn.cwd = Some(cwd.to_owned());
    }
}

fn item(reader: &mut Reader, payload: &Map<String, Value>, at: Option<u64>) {
    let id = text(payload, "call_id").unwrap_or_default();
    match text(payload, "type").unwrap_or_default() {
        "function_call" => {
            let name = text(payload, "name").unwrap_or_default();
            let arguments = text(payload, "arguments").unwrap_or_default();
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
            if !UNASKED.contains(&name) {
                let (tool, input, folder) = call(name, arguments);
                push(reader, id, tool, input, folder.as_deref(), at);
            }
        }
        "local_shell_call" => {
            let action = payload.get("action").cloned().unwrap_or_default();
            let (tool, input, folder) = call("shell", action);
            push(reader, id, tool, input, folder.as_deref(), at);
        }
        "custom_tool_call" => {
            let name = text(payload, "name").unwrap_or_default();
            let input = json!({"command": text(payload, "input").unwrap_or_default()});
            push(reader, id, name, input, None, at);
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            let said = payload.get("output").map(|output| match output {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            let refused = said.is_some_and(|said| said.starts_with(REFUSED));
            if let Some(pending) = reader.pending(id) {
                pending.done = true;
                if refused {
                    pending.then.client = Some((false, By::Hook));
                }
            }
            reader.flush(false);
        }
        _ => {}
    }
}

/// Tool, input and folder as a hook is told.
fn call(name: &str, arguments: Value) -> (&str, Value, Option<String>) {
    let command = match arguments.get("cmd").or_else(|| arguments.get("command")) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Array(words)) => {
            Some(in_shell(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>()))
        }
        _ => None,
    };
    let folder = ["workdir", "working_directory"].iter().find_map(|key| arguments.get(*key)?.as_str());
    let folder = folder.map(str::to_owned);
    match (name, command) {
        ("exec_command" | "shell" | "shell_command" | "container.exec", Some(command)) => {
            // Before the patch had a tool of its own, it was a program.
            match command.strip_prefix("apply_patch ").map(str::trim_start) {
                Some(patch) if patch.starts_with("*** Begin Patch") => {
                    ("apply_patch", json!({ "command": patch }), folder)
                }
                _ => ("Bash", json!({ "command": command }), folder),
            }
        }
        _ => (name, arguments, None),
    }
}

/// The words of a call as one command; the text itself where they only start a shell with it.
fn in_shell(words: &[&str]) -> String {
    match words {
        [shell, "-c" | "-lc", text] if ["bash", "sh", "zsh"].iter().any(|name| shell.ends_with(name)) => {
            (*text).to_owned()
        }
        ["apply_patch", patch] => format!("apply_patch {patch}"),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn push(reader: &mut Reader, id: &str, tool: &str, input: Value, folder: Option<&str>, at: Option<u64>) {
    let base = reader.turn.cwd.clone();
    let cwd = match (folder, &base) {
        (Some(folder), Some(base)) => Some(Path::new(base).join(folder).to_string_lossy().into_owned()),
        (Some(folder), None) => Some(folder.to_owned()),
        (None, base) => base.clone(),
    };
    let mut payload = reader.payload(id, cwd.as_deref(), tool, input);
    payload.insert("turn_id".to_owned(), reader.turn.id.as_str().into());
    payload.insert("model".to_owned(), reader.turn.model.as_str().into());
    reader.push(Pending {
        id: id.to_owned(),
        agent: "codex",
        payload,
        at,
        branch: reader.turn.branch.clone(),
        before: Vec::new(),
        then: super::Then::default(),
        done: false,
    });
}

/// What has run, which is only said of what was let through.
fn happened(reader: &mut Reader, payload: &Map<String, Value>) {
    let Some(item) = payload.get("item").and_then(Value::as_object) else { return };
    let Some(pending) = text(item, "id").and_then(|id| reader.pending(id)) else { return };
    if text(item, "status") == Some("completed") {
        pending.then.client = Some((true, By::Settings));
    }
    for (file, change) in item.get("changes").and_then(Value::as_object).into_iter().flatten() {
        if change.get("type").and_then(Value::as_str) == Some("add") {
            pending.before.push((PathBuf::from(file), None));
        }
    }
}
