//! The registrations in every settings file that the client reads: ours, others', and what would switch them off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::EventName;
use serde_json::Value as Json;
use state::config::Unparsed;
use state::{files, native};

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

/// An entry of ours.
struct Ours {
    event: String,
    /// What it is about; empty for everything.
    matcher: String,
    /// As it is written.
    program: String,
    file: PathBuf,
}

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let mut ours = Vec::new();
    let mut plugin = None;
    for file in settings_files(visit) {
        let text = files::read(&file).map(Option::unwrap_or_default);
        let is_read = text.as_ref().is_ok_and(|text| registration::is_read_by_client(text));
        match text.map_err(Unparsed::Unread).and_then(|text| state::config::parse(&text)) {
            Ok(settings) => {
                let settings = Json::Object(settings);
                if !is_read {
                    let what = "it has comments, or a comma after the last entry";
                    items.push(
                        Item::new(SUBJECT, State::Bad, format!("{}: {what}; {WHOLE}", file.display()))
                            .todo("`plimsoll doctor --fix` takes them out and keeps a copy")
                            .fixes(),
                    );
                }
                one_file(visit, &file, &settings, is_read, &mut ours, &mut items);
                plugin = plugin.or_else(|| enabled_plugin(&file, &settings));
            }
            Err(error) => items.push(
                Item::new(SUBJECT, State::Bad, format!("{}: {error}", file.display()))
                    .todo("no hook of this file runs; fix its JSON"),
            ),
        }
    }
    if ours.is_empty()
        && let Some(plugin) = plugin
    {
        items.push(Item::new(SUBJECT, State::Good, plugin));
        return items;
    }
    items.extend(programs(&ours, visit));
    registered(visit, &ours, &mut items);
    items
}

/// Our plugin, where a settings file has it switched on.
fn enabled_plugin(file: &Path, settings: &Json) -> Option<String> {
    let plugins = settings["enabledPlugins"].as_object()?;
    let (name, _) =
        plugins.iter().find(|(name, on)| **on == true && name.split('@').next() == Some("plimsoll"))?;
    Some(format!("by the plugin {name}, which {} switches on", file.display()))
}

fn one_file(
    visit: &Visit<'_>,
    file: &Path,
    settings: &Json,
    is_read: bool,
    ours: &mut Vec<Ours>,
    items: &mut Vec<Item>,
) {
    let name = file.display();
    let switched_off = [
        ("disableAllHooks", "so no hook runs at all"),
        ("allowManagedHooksOnly", "so no hook of a user or a project runs"),
    ];
    for (key, follows) in switched_off.into_iter().filter(|(key, _)| settings[*key] == true) {
        items.push(
            Item::new(SUBJECT, State::Bad, format!("{name}: {key} is true, {follows}"))
                .todo("take it out, unless you mean it"),
        );
    }
    let mut found = Vec::new();
    let faults = items.len();
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
            if !(group["matcher"].is_null() || group["matcher"].is_string()) {
                items.push(invalid(file, event, "a `matcher` is not text"));
            }
            let Some(handlers) = group["hooks"].as_array() else {
                items.push(invalid(file, event, "an entry has no list `hooks`"));
                continue;
            };
            for handler in handlers {
                if registration::is_ours(handler) {
                    found.push(entry(file, event, group, handler));
                } else {
                    items.extend(foreign(visit, file, event, group, handler));
                }
            }
        }
    }
    // What is registered there and does not run must not look as if it did.
    let dropped = !is_read || items[faults..].iter().any(|item| item.text.ends_with(WHOLE));
    if !found.is_empty() && dropped {
        items.push(
            Item::new(SUBJECT, State::Bad, format!("{name}: so ours do not run either"))
                .todo("fix what is named above"),
        );
    }
    ours.extend(found);
}

fn entry(file: &Path, event: &str, group: &Json, handler: &Json) -> Ours {
    let command = handler["command"].as_str().unwrap_or_default();
    let program = if handler["args"].is_array() {
        command
    } else {
        command.split_whitespace().next().unwrap_or_default()
    };
    Ours {
        event: event.to_owned(),
        matcher: group["matcher"].as_str().unwrap_or_default().to_owned(),
        program: program.trim_matches(['"', '\'']).to_owned(),
        file: file.to_owned(),
    }
}

/// How an entry that guards is answered for with the rest of its file.
const WHOLE: &str = "the client then runs no hook of this file";

/// Something that the client does not accept.
fn invalid(file: &Path, event: &str, what: &str) -> Item {
    let whole = matches!(event, "PreToolUse" | "PermissionRequest");
    let follows = if whole { WHOLE } else { "the client drops the entry" };
    Item::new(SUBJECT, State::Bad, format!("{}: hooks.{event}: {what}; {follows}", file.display()))
}

/// Where the program of an entry is, if it can be started.
fn resolved(program: &str, visit: &Visit<'_>) -> Option<PathBuf> {
    if program.contains('/') {
        Some(PathBuf::from(program)).filter(|path| files::is_file(path))
    } else {
        visit.machine.find_program(program)
    }
}

/// Programs that our entries name and that are not there, each once.
fn programs(ours: &[Ours], visit: &Visit<'_>) -> Vec<Item> {
    let mut missing: BTreeMap<(&Path, &str), Vec<&str>> = BTreeMap::new();
    for entry in ours.iter().filter(|entry| resolved(&entry.program, visit).is_none()) {
        missing.entry((&entry.file, &entry.program)).or_default().push(&entry.event);
    }
    let item = |((file, program), events): ((&Path, &str), Vec<&str>)| {
        let text =
            format!("{}: {program} is not there; it is to answer {}", file.display(), events.join(", "));
        Item::new(SUBJECT, State::Bad, text).todo("`plimsoll init`, or install it there").fixes()
    };
    missing.into_iter().map(item).collect()
}

/// A registered program that is not the native one, or not there for long.
fn detour(path: &Path, file: &Path) -> Option<Item> {
    let file = file.display();
    if native::is_npx_cache(path) {
        let text = format!("{file}: {} lies in a cache of npx, which npm clears", path.display());
        return Some(
            Item::new(SUBJECT, State::Bad, text)
                .todo("`npm install --global plimsoll`, then `plimsoll init`"),
        );
    }
    if native::is_program(path) {
        return None;
    }
    let text = format!(
        "{file}: {} is a launcher: each call takes a hundred times as long as it must",
        path.display()
    );
    Some(Item::new(SUBJECT, State::Note, text).todo("`plimsoll init` registers the program itself"))
}

/// An entry of somebody else.
fn foreign(visit: &Visit<'_>, file: &Path, event: &str, group: &Json, handler: &Json) -> Option<Item> {
    let kind = handler["type"].as_str().unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Some(invalid(file, event, &format!("«{kind}» is not a type of hook")));
    }
    if kind == "command" && !handler["command"].is_string() {
        return Some(invalid(file, event, "a command hook has no `command`"));
    }
    if let Some(script) = absent(visit, handler) {
        let text = format!(
            "{}: hooks.{event}: {script} is not there, so that hook fails at each call",
            file.display()
        );
        return Some(Item::new(SUBJECT, State::Bad, text).todo("put the file back, or take the entry out"));
    }
    // They run beside ours: whichever rewrites last wins, and a denial of either counts.
    let races = matches!(event, "PreToolUse" | "PermissionRequest" | "PostToolUse" | "Stop");
    races.then(|| {
        let what = handler["command"].as_str().or(handler["url"].as_str()).unwrap_or(kind);
        let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty()).unwrap_or("everything");
        let short: String = model::redact(what).chars().take(60).collect();
        Item::new(
            SUBJECT,
            State::Note,
            format!(
                "{}: hooks.{event} on {matcher}: another program runs at the same time: {short}",
                file.display()
            ),
        )
        .todo("a refusal of either counts; of two changes to one call, the one that is finished last")
    })
}

/// The file that a command of somebody else starts and that is not there. Only what a path names for certain: a word with a slash in
/// the place of the program, the project's folder filled in.
fn absent(visit: &Visit<'_>, handler: &Json) -> Option<String> {
    let line = handler["command"].as_str()?;
    let first = if handler["args"].is_array() { line } else { line.split_whitespace().next()? };
    let root = visit.project.root.to_string_lossy();
    let word = first.trim_matches(['"', '\'']);
    let word = word.replace("${CLAUDE_PROJECT_DIR}", &root).replace("$CLAUDE_PROJECT_DIR", &root);
    let word = match (word.strip_prefix("~/"), visit.machine.told_home()) {
        (Some(below), Some(home)) => home.join(below).to_string_lossy().into_owned(),
        _ => word,
    };
    let plain = |c: char| c.is_alphanumeric() || "/._-+@: ".contains(c);
    if !word.contains('/') || !word.chars().all(plain) || first.matches(['"', '\'']).count() % 2 != 0 {
        return None;
    }
    let path = visit.project.root.join(&word);
    (!files::exists(&path)).then_some(word)
}

/// Where one event is registered in several files.
fn doubled(files: &BTreeMap<&str, Vec<&Path>>, items: &mut Vec<Item>) {
    let mut doubled: BTreeMap<&[&Path], Vec<&str>> = BTreeMap::new();
    for (event, list) in files.iter().filter(|(_, list)| list.len() > 1) {
        doubled.entry(list).or_default().push(event);
    }
    for (list, events) in doubled {
        let names: Vec<String> = list.iter().map(|file| file.display().to_string()).collect();
        items.push(
            Item::new(
                SUBJECT,
                State::Bad,
                format!("registered {} times, in {}: {}", list.len(), names.join(" and "), events.join(", ")),
            )
            .todo("`plimsoll uninstall --scope project|local|user` takes one of them out; until then each call is answered twice")
            .fixes(),
        );
    }
}

fn registered(visit: &Visit<'_>, ours: &[Ours], items: &mut Vec<Item>) {
    if ours.is_empty() {
        // Who has set nothing up has broken nothing; a config without hooks is something that was lost.
        let config = state::config::Layer::Project.file(visit.machine, visit.project);
        let lost = config.is_some_and(|file| files::exists(&file));
        let state = if lost { State::Bad } else { State::Note };
        let text = "not registered in any settings file of Claude Code: it is not guarded here";
        let item = Item::new(SUBJECT, state, text).todo("`plimsoll init`");
        // Nobody who has not set this up is set up by a repair.
        items.push(if lost { item.fixes() } else { item });
        return;
    }
    // By event: the files that register us. By these: the events, so that each place is named once.
    let mut files: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for entry in ours {
        files.entry(&entry.event).or_default().push(&entry.file);
    }
    doubled(&files, items);
    // What is registered for too few tools is named below.
    let mut places: BTreeMap<(&Path, &str), Vec<&str>> = BTreeMap::new();
    for entry in ours {
        let events = places.entry((&entry.file, &entry.program)).or_default();
        if !events.contains(&&*entry.event) {
            events.push(&entry.event);
        }
    }
    for ((file, program), events) in places {
        if let Some(path) = resolved(program, visit) {
            items.extend(detour(&path, file));
            let text = format!("{}: {} answers {}", file.display(), path.display(), events.join(", "));
            items.push(Item::new(SUBJECT, State::Good, text));
        }
    }
    let wanted = checks::wiring(&visit.loaded.config);
    for (event, tools) in &wanted {
        let matchers: Vec<&str> = ours
            .iter()
            .filter(|entry| entry.event == event.as_str())
            .map(|entry| entry.matcher.as_str())
            .collect();
        if matchers.is_empty() || matchers.iter().any(|matcher| registration::is_for_all(matcher)) {
            continue;
        }
        // An older version registered itself for fewer.
        let unseen = match agents::matcher(tools) {
            None => vec!["every other tool".to_owned()],
            Some(names) => {
                let covered = |name: &str| matchers.iter().any(|matcher| registration::covers(matcher, name));
                names.split('|').filter(|name| !covered(name)).map(str::to_owned).collect()
            }
        };
        if !unseen.is_empty() {
            let text = format!(
                "{event} is registered for {} only, so {} is not looked at",
                matchers.join("|"),
                unseen.join(", ")
            );
            items.push(Item::new(SUBJECT, State::Bad, text).todo("`plimsoll init`").fixes());
        }
    }
    let missing: Vec<&str> =
        wanted.iter().map(|(event, _)| event.as_str()).filter(|event| !files.contains_key(event)).collect();
    if !missing.is_empty() {
        items.push(
            Item::new(
                SUBJECT,
                State::Bad,
                format!("not registered, although a check of this profile wants it: {}", missing.join(", ")),
            )
            .todo("`plimsoll init`")
            .fixes(),
        );
    }
}
