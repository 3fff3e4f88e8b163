//! A world that is told instead of looked up: `Table` answers `Facts` from data, and events are made from a few words. The cases of
//! users' rules (`plimsoll rules test`) are judged in it, and in tests those of the checks, so that no case touches the disk.

mod answers;
mod events;
mod given;
mod table;
mod values;

use model::{Config, Event, EventName, PermissionMode, Subagent};

use toml::{Table as Toml, Value};

use events::{event, outcome};
pub use events::{shell_event, tool_event};
pub use table::Table;
pub(crate) use values::json;

/// Where it all happens.
pub const PROJECT: &str = "/home/me/project";
const HOME: &str = "/home/me";

/// What happens, the world it happens in, its settings, and what to call it.
type Happening = (Event, Table, Config, String);

/// The same keys by themselves, without what is expected: for the cases of rules.
pub(crate) fn from_table(toml: &Toml) -> Result<Happening, String> {
    const KEYS: &[&str] = &[
        "event", "tool", "file", "content", "old", "new", "all", "command", "mode", "given", "prompt",
        "read", "search", "agent", "input",
    ];
    if let Some(key) = toml.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key {key}"));
    }
    let mut toml = toml.clone();
    if toml.contains_key("prompt") && !toml.contains_key("event") {
        toml.insert("event".into(), Value::String(EventName::UserPromptSubmit.as_str().into()));
    }
    happening(&toml)
}

pub(crate) fn happening(toml: &Toml) -> Result<Happening, String> {
    let text = |key: &str| toml.get(key).and_then(Value::as_str);
    let flag = |key: &str| toml.get(key).and_then(Value::as_bool).unwrap_or(false);
    let empty = Toml::new();
    let given = toml.get("given").and_then(Value::as_table).unwrap_or(&empty);
    let (table, config) = Table::given(given)?;
    let mut event = match toml.get("input") {
        Some(input) => {
            tool_event(&EventName::from(text("event").unwrap_or("PreToolUse")), text("tool"), json(input))
        }
        None => event(&text, &flag),
    };
    outcome(toml, &mut event);
    if let Some(kind) = text("agent") {
        event.subagent = Some(Subagent { id: "a1".into(), kind: kind.into() });
    }
    match text("mode") {
        None => {}
        Some("auto") => event.mode = PermissionMode::Auto,
        Some("plan") => event.mode = PermissionMode::Plan,
        Some("bypassPermissions") => event.mode = PermissionMode::BypassPermissions,
        Some(other) => return Err(format!("mode {other} is not known here")),
    }
    let name = event.tool_use().map_or("", |use_| &use_.name);
    let title = match (text("command"), text("file"), toml.get("input")) {
        (.., Some(input)) => format!("{name} {}", json(input)),
        (Some(command), ..) => command.to_owned(),
        (_, Some(file), _) => format!("{name} {file}"),
        _ => event.name.to_string(),
    };
    Ok((event, table, config, title))
}
