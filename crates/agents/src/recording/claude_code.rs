//! A transcript of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, subagents in `<session>/subagents`.

use std::path::PathBuf;

use model::Decision;
use serde_json::{Map, Value};

use super::{By, Pending, Reader, stamp, text};

/// Records that say nothing about calls. Those of requests have names with a common beginning.
const SKIPPED: &[&str] = &[
    "agent-name",
    "agent-setting",
    "ai-title",
    "atis-latch",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "result",
    "summary",
    "system",
    "tag",
    "task-summary",
    "tools-used",
    "worktree-state",
];

const OF_REQUESTS: &str = "api-request";

/// Whether the kind is known.
pub(super) fn record(reader: &mut Reader, kind: &str, record: &Map<String, Value>) -> bool {
    if let Some(session) = text(record, "sessionId")
        && session != reader.session
    {
        reader.flush(true);
        session.clone_into(&mut reader.session);
        reader.started = None;
        reader.mode = None;
    }
    if let Some(mode) = text(record, "permissionMode") {
        reader.mode = Some(mode.to_owned());
    }
    if reader.started.is_none() {
        reader.started = text(record, "cwd").map(PathBuf::from);
    }
    match kind {
        "assistant" => message(reader, record),
        "user" => results(reader, record),
        "attachment" => hook_said(reader, record),
        kind => return SKIPPED.contains(&kind) || kind.starts_with(OF_REQUESTS),
    }
    true
}

/// What the model has said: each call is a record of its own.
fn message(reader: &mut Reader, record: &Map<String, Value>) {
    let Some(message) = record.get("message").and_then(Value::as_object) else { return };
    // What hooks have said about a call may come after its result, but before the next message.
    let id = text(message, "id").unwrap_or_default();
    if id != reader.message {
        reader.flush(false);
        id.clone_into(&mut reader.message);
    }
    for part in message.get("content").and_then(Value::as_array).into_iter().flatten() {
        let Some(call) = part.as_object().filter(|part| text(part, "type") == Some("tool_use")) else {
            continue;
        };
        let (Some(id), Some(name)) = (text(call, "id"), text(call, "name")) else { continue };
        let input = call.get("input").cloned().unwrap_or_default();
        let mut payload = reader.payload(id, text(record, "cwd"), name, input);
        if let Some(agent) = text(record, "agentId") {
            payload.insert("agent_id".to_owned(), agent.into());
        }
        let branch = text(record, "gitBranch").filter(|branch| !branch.is_empty()).map(str::to_owned);
        reader.push(Pending {
            id: id.to_owned(),
            agent: "claude-code",
            payload,
            at: stamp(record),
            branch,
            before: Vec::new(),
            then: super::Then::default(),
            done: false,
        });
    }
}

fn results(reader: &mut Reader, record: &Map<String, Value>) {
    let content = record.get("message").and_then(|message| message.get("content"));
    let Some(parts) = content.and_then(Value::as_array) else { return };
    for part in parts {
        let Some(id) = part.get("tool_use_id").and_then(Value::as_str) else { continue };
        let Some(pending) = reader.pending(id) else { continue };
        pending.done = true;
        if let Some(result) = record.get("toolUseResult").and_then(Value::as_object) {
            let file = text(result, "filePath").map(PathBuf::from);
            // A file that is new has none, and says so.
            if let (Some(file), Some(before)) = (file, result.get("originalFile")) {
                pending.before.push((file, before.as_str().map(str::to_owned)));
            }
        }
        if let Some(decision) = record.get("permissionDecision").and_then(Value::as_object) {
            let accepted = text(decision, "decision") == Some("accept");
            let source = text(decision, "source").unwrap_or_default();
            let hook = source == "hook" || text(decision, "reasonType") == Some("hook");
            let by = match () {
                () if hook => By::Hook,
                () if source.starts_with("user") => By::User,
                () => By::Settings,
            };
            pending.then.client = Some((accepted, by));
        } else if let Some(kind) = record.get("toolDenialKind").and_then(Value::as_str) {
            let by = if kind.contains("hook") { By::Hook } else { By::User };
            pending.then.client = Some((false, by));
        }
    }
}

/// What a hook of ours has printed about a call.
fn hook_said(reader: &mut Reader, record: &Map<String, Value>) {
    let Some(said) = record.get("attachment").and_then(Value::as_object) else { return };
    if text(said, "hookEvent") != Some("PreToolUse") {
        return;
    }
    let ours = text(said, "command").is_none_or(|command| command.contains("plimsoll"));
    let (Some(id), true) = (text(said, "toolUseID"), ours) else { return };
    let printed = text(said, "stdout").and_then(|text| serde_json::from_str::<Value>(text).ok());
    let decision = printed.as_ref().and_then(|printed| {
        let word = printed.pointer("/hookSpecificOutput/permissionDecision")?.as_str()?;
        Decision::ALL.into_iter().find(|decision| decision.as_str() == word)
    });
    let blocked = text(said, "type") == Some("hook_blocking_error");
    let decision = decision.or_else(|| blocked.then_some(Decision::Deny)).unwrap_or_default();
    if let Some(pending) = reader.pending(id) {
        pending.then.hook = pending.then.hook.max(Some(decision));
    }
}
