//! JSON settings that others write, too: comments, order and foreign entries stay.

use jsonc_parser::cst::{CstObject, CstObjectProp};
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
pub(super) fn handlers(text: &str, entries: &[Entry], closed: bool) -> anyhow::Result<String> {
    let (root, object) = edit::parse(text)?;
    let present = object.object_value("hooks");
    if let Some(hooks) = &present {
        let emptied = remove_ours(hooks, entries, closed);
        if entries.is_empty()
            && emptied
            && hooks.properties().is_empty()
            && let Some(property) = object.get("hooks")
        {
            property.remove();
        }
    }
    if entries.is_empty() {
        return Ok(edit::printed(&root, text));
    }
    if text.trim().is_empty() {
        object.append("version", edit::input(&json!(1)));
    }
    let hooks =
        object.object_value_or_create("hooks").ok_or_else(|| anyhow::anyhow!("`hooks` is not an object"))?;
    for entry in entries {
        let list = hooks
            .array_value_or_create(entry.event)
            .ok_or_else(|| anyhow::anyhow!("`hooks.{}` is not a list", entry.event))?;
        let wanted = handler(entry, closed);
        if !list.elements().iter().any(|one| one.to_serde_value().as_ref() == Some(&wanted)) {
            list.append(edit::input(&wanted));
        }
    }
    Ok(edit::printed(&root, text))
}

/// `closed`: a guard that cannot answer blocks.
fn handler(entry: &Entry, closed: bool) -> Json {
    let closed = closed && entry.event == "preToolUse";
    json!({"command": entry.line, "timeout": entry.seconds, "failClosed": closed})
}

/// Takes our handlers out, except those that are exactly as wanted. Whether a list was left empty, and removed.
fn remove_ours(hooks: &CstObject, entries: &[Entry], closed: bool) -> bool {
    let mut emptied = false;
    for name in hooks.properties().iter().filter_map(CstObjectProp::decoded_name).collect::<Vec<_>>() {
        let Some(list) = hooks.array_value(&name) else { continue };
        let wanted = entries.iter().find(|entry| entry.event == name);
        let wanted = wanted.map(|entry| handler(entry, closed));
        let mut any = false;
        for one in list.elements() {
            let value = one.to_serde_value().unwrap_or_default();
            if value["command"].as_str().is_some_and(is_line_of_ours) && Some(&value) != wanted.as_ref() {
                one.remove();
                any = true;
            }
        }
        if any
            && wanted.is_none()
            && list.elements().is_empty()
            && let Some(property) = hooks.get(&name)
        {
            property.remove();
            emptied = true;
        }
    }
    emptied
}
