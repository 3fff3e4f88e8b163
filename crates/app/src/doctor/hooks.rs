//! DEP14 to DEP21: what is registered, and what is configured.

use serde_json::Value as Json;
use state::config::Layer;
use state::files;

use super::{Item, Need, Patient};
use crate::commands::setup::registration;

pub(super) fn examine(patient: &Patient<'_>) -> Vec<Item> {
    let mut items = vec![fixer_settings(patient)];
    let registered: Vec<String> = registration::registered(patient.machine, patient.project)
        .into_iter()
        .flat_map(|(_, events)| events)
        .collect();
    for (id, name, event) in [
        ("DEP15", "hook before edits", "PreToolUse"),
        ("DEP16", "hook before commands", "PreToolUse"),
        ("DEP17", "hook after edits", "PostToolUse"),
        ("DEP18", "hook at a stop", "Stop"),
    ] {
        let found = registered.iter().any(|known| known.starts_with(event));
        let note = if found {
            format!("{event} is registered")
        } else {
            format!("{event} is not registered: plimsoll init")
        };
        items.push(Item { id, name, need: Need::Required, found, pass: found, note });
    }
    items.extend(config(patient));
    items
}

/// Without this the fixer's own edits would call hooks, and so itself.
fn fixer_settings(patient: &Patient<'_>) -> Item {
    let file = patient.project.claude_dir().join("subprocess-settings.json");
    let text = files::read(&file).ok().flatten();
    let off = text.as_ref().map(|text| {
        let json: Json = serde_json::from_str(text).unwrap_or_default();
        json["disableAllHooks"] == true
    });
    let (found, pass, note) = match off {
        Some(true) => (true, true, "disableAllHooks is on".to_owned()),
        Some(false) => (
            true,
            false,
            format!("{}: disableAllHooks is not on; remove the file and it is written anew", file.display()),
        ),
        None => (false, true, "written when a model is first asked to mend something".to_owned()),
    };
    Item { id: "DEP14", name: "fixer without hooks", need: Need::Required, found, pass, note }
}

fn config(patient: &Patient<'_>) -> Vec<Item> {
    let file = patient.project.claude_dir().join("hooks/config.json");
    let found = files::is_file(&file);
    let note = if found {
        file.display().to_string()
    } else {
        "not there; the defaults hold: plimsoll init".to_owned()
    };
    let mut items =
        vec![Item { id: "DEP19", name: "config.json", need: Need::Optional, found, pass: true, note }];
    for (id, name, key) in [
        ("DEP20", "Python package manager", "package_managers.python"),
        ("DEP21", "JavaScript package manager", "package_managers.javascript"),
    ] {
        let found = patient.loaded.source(key) != Layer::Default;
        let note = format!("{key} = {}", patient.loaded.config.get(key));
        items.push(Item { id, name, need: Need::Advisory, found, pass: true, note });
    }
    items
}
