//! Files that are ours alone: registrations in a folder of such files, and bridges.

use serde_json::{Map, Value as Json, json};

use super::Entry;

/// In every bridge.
const MARK: &str = "Plimsoll's bridge for ";

pub(super) fn groups(entries: &[Entry]) -> anyhow::Result<String> {
    let hooks: Map<String, Json> = entries
        .iter()
        .map(|entry| {
            let handler = json!({"type": "command", "command": entry.line, "timeout": entry.seconds});
            (entry.event.to_owned(), json!([{"hooks": [handler]}]))
        })
        .collect();
    Ok(format!("{:#}\n", json!({"hooks": hooks})))
}

pub(super) fn copilot(entries: &[Entry]) -> anyhow::Result<String> {
    let hooks: Map<String, Json> = entries
        .iter()
        .map(|entry| {
            let handler = json!({"type": "command", "bash": entry.line, "timeoutSec": entry.seconds});
            (entry.event.to_owned(), json!([handler]))
        })
        .collect();
    Ok(format!("{:#}\n", json!({"version": 1, "hooks": hooks})))
}

/// A bridge that starts this program.
pub(super) fn bridge(code: &str, agent: &str, program: &str) -> String {
    let program = json!(program).to_string();
    code.replace("\"@PROGRAM@\"", &program)
        .replace("@AGENT@", agent)
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
}

/// Nothing is left of a file that is ours.
pub(super) fn without(text: &str) -> String {
    if is_ours(text) || text.contains(" hook --agent ") { String::new() } else { text.to_owned() }
}

pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}
