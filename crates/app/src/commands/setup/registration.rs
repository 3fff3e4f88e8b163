//! Our hooks in a settings file: what they look like, finding them, putting them in, taking them out.

use std::path::PathBuf;

use jsonc_parser::cst::{CstArray, CstNode, CstObject};
use model::{Config, is_own_name};
use serde_json::{Map, Value as Json, json};
use state::{Machine, Project, files};

use super::{Scope, edit};

/// How the hooks are to be registered.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) config: &'a Config,
    /// What the client starts.
    pub(crate) program: String,
    /// A hook that cannot run, fails or takes too long lets the tool call pass, instead of blocking it.
    pub(crate) fail_open: bool,
    /// The file is shared: some who have it have no plimsoll, and must see what to do about it.
    pub(crate) shared: bool,
}

/// The client shows the words that it could not start. This is how a colleague learns what is missing, and the way out.
const NOTE: &str = "plimsoll guards this project: install it, or set \"disableAllHooks\": true in .claude/settings.local.json to work without it";

/// What the client waits for, in seconds. A fixer may run after an edit, so its longest tier must fit in.
pub(super) fn timeout(event: &str, config: &Config) -> u64 {
    match event {
        "PreToolUse" | "PermissionRequest" => 30,
        "PostToolUse" => {
            let tiers = [config.haiku_timeout, config.sonnet_timeout, config.opus_timeout];
            let longest = tiers.into_iter().chain(config.timeout_override).max().unwrap_or(0);
            longest + 60
        }
        "Stop" | "SubagentStop" => 120,
        _ => 60,
    }
}

/// The groups to register: event and entry.
fn groups(wanted: &Wanted<'_>) -> Vec<(String, Json)> {
    let wiring = checks::wiring(wanted.config);
    wiring
        .into_iter()
        .map(|(event, tools)| {
            let seconds = timeout(event.as_str(), wanted.config);
            let mut args = vec!["hook".to_owned(), "--deadline".into(), seconds.to_string()];
            let blocks = !wanted.fail_open && event == model::EventName::PreToolUse;
            if blocks && wanted.shared {
                args.extend(["--note".to_owned(), NOTE.to_owned()]);
            }
            let mut handler =
                json!({"type": "command", "command": wanted.program, "args": args, "timeout": seconds});
            if blocks {
                handler["onFailure"] = "block".into();
            }
            let mut group = Map::new();
            if let Some(matcher) = agents::matcher(&tools) {
                group.insert("matcher".into(), matcher.into());
            }
            group.insert("hooks".into(), json!([handler]));
            (event.as_str().to_owned(), Json::Object(group))
        })
        .collect()
}

/// The hooks of our plugin: every event that any profile answers, through the launcher that finds the installed program.
pub(crate) fn plugin_hooks() -> Json {
    let mut config = Config::default();
    // Observing looks at everything that some profile looks at.
    config.profile = model::config::Profile::Observe;
    let wanted = Wanted {
        config: &config,
        program: "${CLAUDE_PLUGIN_ROOT}/scripts/launch".into(),
        // The launcher is always there, and lets everything pass where plimsoll is not.
        fail_open: false,
        shared: false,
    };
    let mut hooks = Map::new();
    for (event, mut group) in groups(&wanted) {
        if let Some(args) = group["hooks"][0]["args"].as_array_mut() {
            args.insert(1, "--plugin".into());
        }
        hooks.insert(event, json!([group]));
    }
    json!({"description": "Plimsoll answers every event that it has something to say to", "hooks": hooks})
}

/// Whether the settings register us for an event of this tool: the plugin has nothing to add then.
pub(crate) fn is_registered(machine: &Machine, project: &Project, event: &str, tool: Option<&str>) -> bool {
    let entries = entries(machine, project);
    let mut all = entries.iter().flat_map(|(_, entries)| entries);
    all.any(|entry| entry.event == event && tool.is_none_or(|tool| covers(&entry.matcher, tool)))
}

/// Whether a matcher is for a tool: everything, a list of names, or, as ours have it, the beginning of names.
pub(crate) fn covers(matcher: &str, tool: &str) -> bool {
    is_for_all(matcher)
        || matcher.split(['|', ',']).map(str::trim).any(|name| match name.strip_suffix(".*") {
            Some(beginning) => tool.starts_with(beginning),
            None => tool == name,
        })
}

/// Whether a matcher is for every tool.
pub(crate) fn is_for_all(matcher: &str) -> bool {
    matches!(matcher, "" | "*" | ".*")
}

/// Whether a handler is ours: `plimsoll hook`, in exec form or as a shell line.
pub(crate) fn is_ours(handler: &Json) -> bool {
    let command = handler["command"].as_str().unwrap_or_default();
    let named = |word: &str| {
        let name = word.trim_matches(['"', '\'']).rsplit(['/', '\\']).next().unwrap_or_default();
        is_own_name(name)
    };
    if let Some(args) = handler["args"].as_array() {
        return named(command) && args.first().is_some_and(|first| first == "hook");
    }
    is_line_of_ours(command)
}

/// The same for a line that a shell reads. The program may be quoted, with blanks in its path.
pub(crate) fn is_line_of_ours(line: &str) -> bool {
    let line = line.trim_start();
    let quoted = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (program, rest) = match quoted {
        Some(quote) => line[1..].split_once(quote).unwrap_or((line, "")),
        None => line.split_once(char::is_whitespace).unwrap_or((line, "")),
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    is_own_name(name) && rest.split_whitespace().next() == Some("hook")
}

/// Whether the client reads such a settings file at all. Observed in 2.1.325: one comment or comma too many, and it runs no hook of
/// the file, without a word.
pub(crate) fn is_read_by_client(text: &str) -> bool {
    let text = text.strip_prefix(edit::MARK).unwrap_or(text);
    text.trim().is_empty() || serde_json::from_str::<Json>(text).is_ok()
}

/// A settings file's text with exactly the wanted hooks of ours in it.
pub(crate) fn register(text: &str, wanted: &Wanted<'_>) -> anyhow::Result<String> {
    rewrite(text, &groups(wanted))
}

/// A settings file's text without our hooks.
pub(crate) fn unregister(text: &str) -> anyhow::Result<String> {
    if text.trim().is_empty() { Ok(text.to_owned()) } else { rewrite(text, &[]) }
}

fn rewrite(text: &str, groups: &[(String, Json)]) -> anyhow::Result<String> {
    rewrite_below(text, Some("hooks"), groups)
}

/// The same where the groups stand below another key, or at the root.
pub(super) fn rewrite_below(
    text: &str,
    key: Option<&str>,
    groups: &[(String, Json)],
) -> anyhow::Result<String> {
    let (root, object) = edit::parse(text)?;
    let present = match key {
        Some(key) => object.object_value(key),
        None => Some(object.clone()),
    };
    let names: Vec<String> =
        present.iter().flat_map(CstObject::properties).filter_map(|p| p.decoded_name()).collect();
    if let Some(hooks) = &present {
        // What is empty without our hooks goes with them; what was empty before is somebody else's.
        let mut emptied = false;
        for name in names {
            let wanted = groups.iter().find(|(event, _)| *event == name).map(|(_, group)| group);
            let Some(list) = hooks.array_value(&name).filter(|list| !list.elements().is_empty()) else {
                continue;
            };
            remove_ours(&list.elements(), wanted);
            if list.elements().is_empty()
                && wanted.is_none()
                && let Some(property) = hooks.get(&name)
            {
                property.remove();
                emptied = true;
            }
        }
        if groups.is_empty()
            && emptied
            && hooks.properties().is_empty()
            && let Some(property) = key.and_then(|key| object.get(key))
        {
            property.remove();
        }
    }
    if !groups.is_empty() {
        let hooks = match key {
            Some(key) => object
                .object_value_or_create(key)
                .ok_or_else(|| anyhow::anyhow!("`{key}` is not an object"))?,
            None => object.clone(),
        };
        for (event, group) in groups {
            let list = hooks
                .array_value_or_create(event)
                .ok_or_else(|| anyhow::anyhow!("`hooks.{event}` is not a list"))?;
            let there =
                list.elements().iter().any(|element| element.to_serde_value().as_ref() == Some(group));
            if !there {
                list.append(edit::input(group));
            }
        }
    }
    Ok(edit::printed(&root, text))
}

/// Takes our handlers out of a list of groups, except a group that is exactly as wanted.
fn remove_ours(groups: &[CstNode], wanted: Option<&Json>) {
    let mut stayed = false;
    for group in groups {
        let value = group.to_serde_value().unwrap_or_default();
        if !stayed && wanted == Some(&value) {
            stayed = true;
            continue;
        }
        let handlers = value["hooks"].as_array().cloned().unwrap_or_default();
        let ours = handlers.iter().filter(|handler| is_ours(handler)).count();
        if ours == 0 {
            continue;
        }
        if ours == handlers.len() {
            group.clone().remove();
            continue;
        }
        // Somebody put another handler beside ours: only ours goes.
        let list = group.as_object().and_then(|object| object.array_value("hooks"));
        for handler in list.iter().flat_map(CstArray::elements) {
            if handler.to_serde_value().is_some_and(|handler| is_ours(&handler)) {
                handler.remove();
            }
        }
    }
}

/// Where our hooks are registered: the file, and the events.
pub(crate) fn registered(machine: &Machine, project: &Project) -> Vec<(PathBuf, Vec<String>)> {
    let events = |entries: Vec<Entry>| {
        let mut events: Vec<String> = entries.into_iter().map(|entry| entry.event).collect();
        events.dedup();
        events
    };
    entries(machine, project).into_iter().map(|(file, entries)| (file, events(entries))).collect()
}

/// Settings files that switch every hook off.
pub(crate) fn switched_off(machine: &Machine, project: &Project) -> Vec<PathBuf> {
    let says_so = |file: &PathBuf| {
        let settings = files::read(file).ok().flatten().and_then(|text| state::config::parse(&text).ok());
        settings.is_some_and(|settings| settings.get("disableAllHooks") == Some(&true.into()))
    };
    Scope::ALL.into_iter().filter_map(|scope| scope.file(machine, project)).filter(says_so).collect()
}

/// One registration of ours.
struct Entry {
    event: String,
    matcher: String,
}

fn entries(machine: &Machine, project: &Project) -> Vec<(PathBuf, Vec<Entry>)> {
    let mut found: Vec<(PathBuf, Vec<Entry>)> = Vec::new();
    for scope in Scope::ALL {
        let Some(file) = scope.file(machine, project) else { continue };
        let Some(settings) =
            files::read(&file).ok().flatten().and_then(|text| state::config::parse(&text).ok())
        else {
            continue;
        };
        let Some(hooks) = settings.get("hooks").and_then(Json::as_object) else { continue };
        let ours = |group: &&Json| group["hooks"].as_array().into_iter().flatten().any(is_ours);
        let entries: Vec<Entry> = hooks
            .iter()
            .flat_map(|(event, groups)| {
                let groups = groups.as_array().into_iter().flatten().filter(ours);
                groups.map(|group| Entry {
                    event: event.clone(),
                    matcher: group["matcher"].as_str().unwrap_or_default().to_owned(),
                })
            })
            .collect();
        if !entries.is_empty() && !found.iter().any(|(known, _)| *known == file) {
            found.push((file, entries));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(config: &Config) -> Wanted<'_> {
        Wanted { config, program: "/opt/plimsoll".into(), fail_open: false, shared: false }
    }

    #[test]
    fn a_new_file_gets_one_group_per_event() {
        let text = register("", &wanted(&Config::default())).unwrap();
        let json: Json = serde_json::from_str(&text).unwrap();
        let pre = &json["hooks"]["PreToolUse"];
        assert_eq!(pre.as_array().unwrap().len(), 1);
        assert_eq!(pre[0].get("matcher"), None, "every tool is looked at");
        assert_eq!(
            json["hooks"]["PostToolUse"][0]["matcher"],
            "Edit|Write|MultiEdit|NotebookEdit|Bash|mcp__.*|Read|NotebookRead|LSP|Grep|Glob|LS|WebFetch|WebSearch",
            "after a call what can have changed something, and what the model is about to read"
        );
        assert_eq!(pre[0]["hooks"][0]["args"], json!(["hook", "--deadline", "30"]));
        assert_eq!(pre[0]["hooks"][0]["onFailure"], "block");
        assert_eq!(json["hooks"]["Stop"][0]["hooks"][0].get("onFailure"), None, "a stop cannot fail closed");
        assert_eq!(json["hooks"]["PostToolUse"][0]["hooks"][0]["timeout"], 660);
        assert!(json["hooks"]["Stop"][0].get("matcher").is_none());
        assert!(json["hooks"].get("WorktreeCreate").is_none());
    }

    #[test]
    fn a_shared_file_says_what_to_do_without_plimsoll() {
        let config = Config::default();
        let pre = |wanted: &Wanted<'_>| {
            let json: Json = serde_json::from_str(&register("", wanted).unwrap()).unwrap();
            json["hooks"]["PreToolUse"][0]["hooks"][0].clone()
        };
        let shared = pre(&Wanted { shared: true, ..wanted(&config) });
        assert_eq!(shared["onFailure"], "block");
        assert!(shared["args"][4].as_str().unwrap().contains("disableAllHooks"), "{shared}");
        let open = pre(&Wanted { shared: true, fail_open: true, ..wanted(&config) });
        assert!(open.get("onFailure").is_none() && open["args"].as_array().unwrap().len() == 3, "{open}");
    }

    #[test]
    fn registering_twice_changes_nothing_and_unregistering_gives_the_old_text() {
        let old = "{\n  // mine\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]\n      }\n    ]\n  }\n}\n";
        let config = Config::default();
        let once = register(old, &wanted(&config)).unwrap();
        assert!(once.contains("// mine") && once.contains("say done"), "{once}");
        assert_eq!(register(&once, &wanted(&config)).unwrap(), once);
        assert_eq!(unregister(&once).unwrap(), old);
        assert_eq!(unregister(old).unwrap(), old);
    }

    #[test]
    fn what_was_empty_before_is_not_ours_to_remove() {
        for text in ["{\"hooks\": {}}\n", "{\"hooks\": {\"Stop\": []}}\n"] {
            assert_eq!(unregister(text).unwrap(), text);
        }
    }

    #[test]
    fn an_older_registration_is_replaced_and_neighbours_stay() {
        let old = r#"{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [
            {"type": "command", "command": "/old/plimsoll", "args": ["hook"]},
            {"type": "command", "command": "other"}]}],
            "Notification": [{"hooks": [{"type": "command", "command": "plimsoll hook"}]}]}}"#;
        let config = Config::default();
        let text = register(old, &wanted(&config)).unwrap();
        let json: Json = serde_json::from_str(&text).unwrap();
        let pre = json["hooks"]["PreToolUse"].as_array().unwrap();
        assert_eq!(pre.len(), 2, "{text}");
        assert_eq!(pre[0]["hooks"], json!([{"type": "command", "command": "other"}]));
        assert_eq!(pre[1]["hooks"][0]["onFailure"], "block");
        assert!(json["hooks"].get("Notification").is_none(), "{text}");
    }

    #[test]
    fn a_matcher_is_for_all_tools_or_for_those_that_it_names() {
        for (matcher, tool, is_for) in [
            ("", "Read", true),
            ("*", "mcp__x__y", true),
            ("Bash|Edit", "Edit", true),
            ("Bash|Edit", "Read", false),
            ("Bash, Read", "Read", true),
            ("Bash|mcp__.*", "mcp__x__y", true),
            ("Bash|mcp__.*", "Read", false),
        ] {
            assert_eq!(covers(matcher, tool), is_for, "{matcher} {tool}");
        }
    }

    #[test]
    fn a_file_of_windows_keeps_its_mark_and_its_line_ends() {
        let old = "\u{feff}{\r\n  \"model\": \"opus\"\r\n}\r\n";
        let config = Config::default();
        let new = register(old, &wanted(&config)).unwrap();
        assert!(new.starts_with(edit::MARK) && is_read_by_client(&new), "{new:?}");
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count(), "{new:?}");
        assert_eq!(unregister(old).unwrap(), old);
    }

    #[test]
    fn only_our_own_handlers_are_ours() {
        for (handler, ours) in [
            (json!({"command": "/a b/plimsoll", "args": ["hook"]}), true),
            (json!({"command": "plimsoll.exe", "args": ["hook", "--deadline", "30"]}), true),
            (json!({"command": "\"/a/plimsoll\" hook"}), true),
            (json!({"command": r"C:\Users\me\plimsoll.exe", "args": ["hook"]}), true),
            (json!({"command": r"C:\Users\me\plimsoll.exe hook --agent codex"}), true),
            (json!({"command": "\"C:\\Program Files\\plimsoll.exe\" hook --agent codex"}), true),
            (json!({"command": r"C:\plimsoll\other.exe hook"}), false),
            (json!({"command": "/opt/plimsoll-linux-x64", "args": ["hook"]}), true),
            (json!({"command": "plimsoller hook"}), false),
            (json!({"command": "plimsoll", "args": ["status"]}), false),
            (json!({"command": "echo plimsoll hook"}), false),
            (json!({"command": "not-plimsoll hook"}), false),
        ] {
            assert_eq!(is_ours(&handler), ours, "{handler}");
        }
    }
}
