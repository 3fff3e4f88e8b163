//! Packs and allow lists of dcg. A pack matches text by regular expressions, so none becomes a rule; most have an equal among our checks,
//! which is named. Of an allow list what names one command becomes a rule.

use model::rule::Then;
use model::{Config, Decision};
use serde_json::{Value as Json, json};
use toml::{Table as Toml, Value};

use super::{Draft, Made};
use crate::imagined::{Table, shell_event};
use crate::{Context, Options, run};

/// The beginnings of ids of packs, and which checks of ours are about the same.
const EQUALS: &[(&str, &[&str])] = &[
    ("core.git", &["shell/discard-work", "shell/force-push"]),
    ("strict_git", &["shell/discard-work", "shell/force-push"]),
    ("core.filesystem", &["shell/destroy-files"]),
    ("system.disk", &["shell/destroy-disk"]),
    ("system.permissions", &["shell/open-permissions"]),
    ("system.services", &["shell/halt"]),
    ("database", &["shell/destroy-data"]),
    ("messaging", &["shell/destroy-data"]),
    ("backup", &["shell/destroy-cloud"]),
    ("cicd", &["shell/destroy-cloud"]),
    ("cloud", &["shell/destroy-cloud"]),
    ("containers", &["shell/destroy-cloud"]),
    ("dns", &["shell/destroy-cloud"]),
    ("infrastructure", &["shell/destroy-cloud"]),
    ("kubernetes", &["shell/destroy-cloud"]),
    ("platform", &["shell/destroy-cloud"]),
    ("storage", &["shell/destroy-cloud"]),
    ("secret_disclosure", &["shell/secret", "file/secret"]),
    ("package_managers", &["shell/package-manager", "shell/package-name"]),
    // What they look for is read as code wherever it stands.
    ("heredoc", &["shell/destroy-files"]),
];

/// The checks that are about what a pack, a category of packs, or one rule of a pack (`core.git:reset-hard`) is about.
fn equals(id: &str) -> Option<&'static [&'static str]> {
    let pack = id.split(':').next().unwrap_or(id);
    let is_it = |known: &str| {
        let below = |long: &str, short: &str| {
            long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        below(pack, known)
    };
    EQUALS.iter().find(|(known, _)| is_it(known)).map(|(_, checks)| *checks)
}

pub(super) fn read(text: &str) -> Result<Vec<Draft>, String> {
    let toml: Toml = toml::from_str(text).map_err(|error| format!("it is not TOML: {}", error.message()))?;
    let mut drafts = Vec::new();
    for (key, value) in &toml {
        match (key.as_str(), value) {
            ("packs", Value::Table(packs)) => read_packs(packs, &mut drafts),
            ("policy", Value::Table(policy)) => read_policy(policy, &mut drafts),
            ("allow", Value::Array(list)) => drafts.extend(list.iter().map(allowed)),
            _ => drafts.push(Draft::Cannot(format!("{key}: no rule says this"))),
        }
    }
    Ok(drafts)
}

fn texts(table: &Toml, key: &str) -> Vec<String> {
    let list = table.get(key).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn read_packs(packs: &Toml, drafts: &mut Vec<Draft>) {
    drafts.extend(texts(packs, "enabled").iter().map(|id| same(id, "is on")));
    drafts.extend(texts(packs, "disabled").iter().map(|id| weaker(id, "disabled")));
    let others = packs.keys().filter(|key| !["enabled", "disabled"].contains(&key.as_str()));
    drafts.extend(others.map(|key| Draft::Cannot(format!("packs.{key}: no rule says this"))));
}

fn read_policy(policy: &Toml, drafts: &mut Vec<Draft>) {
    for (key, value) in policy {
        let Some(table) = value.as_table().filter(|_| matches!(key.as_str(), "packs" | "rules")) else {
            drafts.push(Draft::Cannot(format!("policy.{key}: the profile says how strict checks are")));
            continue;
        };
        for (id, mode) in table {
            let mode = mode.as_str().unwrap_or_default();
            drafts.push(if mode == "deny" { same(id, "is denied") } else { weaker(id, mode) });
        }
    }
}

/// What our checks do by themselves.
fn same(id: &str, how: &str) -> Draft {
    match equals(id) {
        Some(checks) => Draft::Same(format!("{id} {how}: so are {}, without a rule", checks.join(" and "))),
        None => Draft::Cannot(format!("{id}: no check of ours is about the same")),
    }
}

/// A check of ours is about more than one pack, so that it is not turned down for one.
fn weaker(id: &str, how: &str) -> Draft {
    Draft::Cannot(match equals(id) {
        Some(checks) => {
            format!("{id} ({how}): {} would be off for more than this; see \"checks\"", checks.join(" and "))
        }
        None => format!("{id} ({how}): no check of ours is about the same"),
    })
}

/// An entry of an allow list.
fn allowed(entry: &Value) -> Draft {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    if let Some(id) = text("rule") {
        return weaker(id, "allowed");
    }
    if text("pattern").is_some() {
        return Draft::Cannot(format!(
            "allow {}: it matches text, which no rule does",
            text("pattern").unwrap_or_default()
        ));
    }
    let Some(command) = text("exact_command").or_else(|| text("command_prefix")) else {
        return Draft::Cannot("an entry of allow names no command".to_owned());
    };
    let conditions = ["expires_at", "ttl", "session", "context", "conditions", "paths", "environments"];
    if let Some(key) = conditions.into_iter().find(|key| entry.get(key).is_some()) {
        return Draft::Cannot(format!("allow {command}: {key}: no rule says this; see `plimsoll allow`"));
    }
    one_command(command, text("exact_command").is_some())
        .map_or_else(|why| Draft::Cannot(format!("allow {command}: {why}")), Draft::Rule)
}

fn one_command(command: &str, exact: bool) -> Result<Made, &'static str> {
    let (event, table, config) = (shell_event(command), Table::default(), Config::default());
    let reading = crate::read(&event, &table).ok_or("it is no command")?;
    let [call] = &reading.calls[..] else { return Err("it is more than one program with its words") };
    let words: Vec<&str> = call.argv.iter().map(|arg| arg.text.as_str()).collect();
    if words.iter().any(|word| !shell::text::is_known(word))
        || (shell::join(words.iter().copied()) != command && words.join(" ") != command)
    {
        return Err("it is more than one program with its words");
    }
    let (program, rest) = words.split_first().ok_or("it names no program")?;
    let mut wanted = serde_json::Map::from_iter([("program".to_owned(), json!(program))]);
    if !rest.is_empty() {
        wanted.insert("begins".into(), json!(rest));
    }
    if exact {
        wanted.insert("exact".into(), json!(true));
    }
    let mut keys = vec![("call", Json::Object(wanted))];
    // There it is an exception to what stops it; so it is here, where exceptions can be made.
    let verdict = run(&event, &Context::new(&config, &table), &Options::default()).verdict;
    let stopping = verdict.findings.iter().filter(|finding| finding.decision >= Decision::Ask);
    let mut stopping: Vec<&str> = stopping.map(|finding| finding.rule).collect();
    stopping.dedup();
    if stopping.iter().any(|id| super::super::may_be_overridden(id).is_err()) {
        return Err("what stops it here has no exceptions");
    }
    if !stopping.is_empty() {
        keys.push(("overrides", json!(stopping)));
    }
    Ok(Made {
        origin: format!("dcg allow {command}"),
        name: format!("allow {command}"),
        then: Some(Then::Allow),
        keys,
        fires: vec![json!(command)],
        none: vec![json!(format!("echo {}", shell::quote(command)))],
        ..Made::default()
    })
}
