//! The registrations in every settings file that the client reads: ours, others', and what would switch them off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::EventName;
use serde_json::Value as Json;
use state::files;

use super::super::setup::{Scope, registration};
use super::{Item, State, Visit};

const SUBJECT: &str = "hooks";

/// Kinds of handlers that the client knows. Another one, under an event that it guards, makes it drop the whole file.
const KINDS: &[&str] = &["command", "http", "mcp_tool", "prompt", "agent"];

/// Every settings file that the client would read here, the most personal last.
pub(super) fn settings_files(visit: &Visit<'_>) -> Vec<PathBuf> {
    let managed = [
        "/etc/claude-code/managed-settings.json",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
    ];
    let own = Scope::ALL.into_iter().filter_map(|scope| scope.file(visit.machine, visit.project));
    let mut all: Vec<PathBuf> = managed.iter().map(PathBuf::from).chain(own).collect();
    all.retain(|path| files::exists(path));
    all.dedup();
    all
}

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    // By event: the files that register us.
    let mut ours: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in settings_files(visit) {
        match files::read(&file)
            .map_err(|error| error.to_string())
            .and_then(|text| state::config::parse(&text.unwrap_or_default()).map_err(|error| error.clone()))
        {
            Ok(settings) => one_file(&file, &Json::Object(settings), visit, &mut ours, &mut items),
            Err(error) => items.push(
                Item::new(SUBJECT, State::Bad, format!("{}: {error}", file.display()))
                    .todo("no hook of this file runs; mend its JSON"),
            ),
        }
    }
    registered(visit, &ours, &mut items);
    items
}

fn one_file(
    file: &Path,
    settings: &Json,
    visit: &Visit<'_>,
    ours: &mut BTreeMap<String, Vec<PathBuf>>,
    items: &mut Vec<Item>,
) {
    let name = file.display();
    if settings["disableAllHooks"] == true {
        items.push(
            Item::new(
                SUBJECT,
                State::Bad,
                format!("{name}: disableAllHooks is true, so no hook runs at all"),
            )
            .todo("take it out, unless you mean it"),
        );
    }
    for (event, groups) in settings["hooks"].as_object().into_iter().flatten() {
        let known = EventName::ALL.iter().any(|known| known.as_str() == event);
        if !known {
            items.push(Item::new(
                SUBJECT,
                State::Note,
                format!("{name}: this version does not know the event {event}"),
            ));
        }
        let Some(groups) = groups.as_array() else {
            items.push(invalid(file, event, "it is not a list"));
            continue;
        };
        for group in groups {
            let Some(handlers) = group["hooks"].as_array() else {
                items.push(invalid(file, event, "an entry has no list `hooks`"));
                continue;
            };
            for handler in handlers {
                if registration::is_ours(handler) {
                    ours.entry(event.clone()).or_default().push(file.to_owned());
                    items.extend(resolves(file, event, handler, visit));
                } else {
                    items.extend(foreign(file, event, group, handler));
                }
            }
        }
    }
}

/// Something that the client does not accept.
fn invalid(file: &Path, event: &str, what: &str) -> Item {
    let whole = matches!(event, "PreToolUse" | "PermissionRequest");
    let follows =
        if whole { "the client then runs no hook of this file" } else { "the client drops the entry" };
    Item::new(SUBJECT, State::Bad, format!("{}: hooks.{event}: {what}; {follows}", file.display()))
}

/// Whether the program that an entry of ours names can be started.
fn resolves(file: &Path, event: &str, handler: &Json, visit: &Visit<'_>) -> Option<Item> {
    let command = handler["command"].as_str().unwrap_or_default();
    let program = if handler["args"].is_array() {
        command
    } else {
        command.split_whitespace().next().unwrap_or_default()
    };
    let program = program.trim_matches(['"', '\'']);
    let there = if program.contains('/') {
        files::is_file(Path::new(program))
    } else {
        visit.machine.find_program(program).is_some()
    };
    (!there).then(|| {
        Item::new(SUBJECT, State::Bad, format!("{}: hooks.{event}: {program} is not there", file.display()))
            .todo("install it, or run `plimsoll init` again")
            .mends()
    })
}

/// An entry of somebody else.
fn foreign(file: &Path, event: &str, group: &Json, handler: &Json) -> Option<Item> {
    let kind = handler["type"].as_str().unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Some(invalid(file, event, &format!("«{kind}» is no type of hook")));
    }
    if kind == "command" && !handler["command"].is_string() {
        return Some(invalid(file, event, "a command hook has no `command`"));
    }
    // They run beside ours: whichever rewrites last wins, and a denial of either counts.
    let races = matches!(event, "PreToolUse" | "PermissionRequest" | "PostToolUse" | "Stop");
    races.then(|| {
        let what = handler["command"].as_str().or(handler["url"].as_str()).unwrap_or(kind);
        let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty()).unwrap_or("everything");
        let short: String = what.chars().take(60).collect();
        Item::new(
            SUBJECT,
            State::Note,
            format!(
                "{}: hooks.{event} on {matcher}: another program runs at the same time: {short}",
                file.display()
            ),
        )
    })
}

fn registered(visit: &Visit<'_>, ours: &BTreeMap<String, Vec<PathBuf>>, items: &mut Vec<Item>) {
    let wanted = checks::wiring(&visit.loaded.config);
    let missing: Vec<&str> =
        wanted.iter().map(|(event, _)| event.as_str()).filter(|event| !ours.contains_key(*event)).collect();
    if ours.is_empty() {
        items.push(
            Item::new(SUBJECT, State::Bad, "not registered in any settings file")
                .todo("run `plimsoll init`")
                .mends(),
        );
        return;
    }
    let mut by_file: BTreeMap<&Path, Vec<&str>> = BTreeMap::new();
    for (event, list) in ours {
        by_file.entry(&list[0]).or_default().push(event);
        if list.len() > 1 {
            let names: Vec<String> = list.iter().map(|file| file.display().to_string()).collect();
            items.push(
                Item::new(
                    SUBJECT,
                    State::Bad,
                    format!("{event} is registered {} times: {}", list.len(), names.join(", ")),
                )
                .todo("`plimsoll uninstall` in one of the scopes; each call is answered twice until then")
                .mends(),
            );
        }
    }
    for (file, events) in by_file {
        items.push(Item::new(SUBJECT, State::Good, format!("{} in {}", events.join(", "), file.display())));
    }
    if !missing.is_empty() {
        items.push(
            Item::new(
                SUBJECT,
                State::Bad,
                format!("not registered, although a check of this profile wants it: {}", missing.join(", ")),
            )
            .todo("run `plimsoll init` again")
            .mends(),
        );
    }
}
