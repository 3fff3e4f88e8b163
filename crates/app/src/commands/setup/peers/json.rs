//! JSON settings that others write, too: comments, order and foreign entries stay.

use jsonc_parser::cst::CstObject;
use serde_json::{Value as Json, json};

use super::super::edit;
use super::super::registration::{self, is_line_of_ours};
use super::Entry;

/// Groups of handlers per event, in Claude Code's form with a shell line, below `key` or at the root.
pub(super) fn groups(text: &str, key: Option<&str>, unit: u64, entries: &[Entry]) -> anyhow::Result<String> {
    let groups: Vec<(String, Json)> = entries
        .iter()
        .map(|entry| {
            let handler = json!({"type": "command", "command": entry.line, "timeout": entry.seconds * unit});
            (entry.event.to_owned(), json!({"hooks": [handler]}))
        })
        .collect();
    registration::rewrite_below(text, key, &groups)
}

/// Cursor's: a list of handlers per event below `hooks`, and a version.
pub(super) fn handlers(text: &str, entries: &[Entry]) -> anyhow::Result<String> {
    let (root, object) = edit::parse(text)?;
    let was_new = text.trim().is_empty();
    let present = object.object_value("hooks");
    let names: Vec<String> =
        present.iter().flat_map(CstObject::properties).filter_map(|p| p.decoded_name()).collect();
    let mut emptied = false;
    for name in names {
        let Some(hooks) = &present else { break };
        let Some(list) = hooks.array_value(&name) else { continue };
        let ours = |value: &Json| value["command"].as_str().is_some_and(is_line_of_ours);
        let elements = list.elements();
        let found = elements.iter().filter(|one| one.to_serde_value().is_some_and(|v| ours(&v)));
        let mut any = false;
        for one in found.cloned().collect::<Vec<_>>() {
            one.remove();
            any = true;
        }
        if any && list.elements().is_empty()
            && let Some(property) = hooks.get(&name)
        {
            property.remove();
            emptied = true;
        }
    }
    if entries.is_empty() {
        if emptied && present.as_ref().is_some_and(|hooks| hooks.properties().is_empty())
            && let Some(property) = object.get("hooks")
        {
            property.remove();
        }
        return Ok(root.to_string());
    }
    if was_new {
        object.append("version", edit::input(&json!(1)));
    }
    let hooks =
        object.object_value_or_create("hooks").ok_or_else(|| anyhow::anyhow!("`hooks` is not an object"))?;
    for entry in entries {
        let list = hooks
            .array_value_or_create(entry.event)
            .ok_or_else(|| anyhow::anyhow!("`hooks.{}` is not a list", entry.event))?;
        // A guard that cannot answer blocks.
        let closed = entry.event == "preToolUse";
        list.append(edit::input(&json!({"command": entry.line, "timeout": entry.seconds, "failClosed": closed})));
    }
    Ok(root.to_string())
}
