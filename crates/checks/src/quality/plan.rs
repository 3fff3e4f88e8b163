//! What is configured: `quality-checks.json` and the later `gates.json`, in one form. A mistake costs only the entry that it is in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::{Body, Event};
use serde_json::{Map, Value as Json};
use thiserror::Error;

/// A file of settings: as JSON, or what is wrong with it.
pub type Parsed = Result<Map<String, Json>, String>;

/// A plugin that a gate may refer to.
#[derive(Clone, Debug)]
pub struct Plugin {
    pub root: PathBuf,
    /// Its `gates.json`, where it has one.
    pub gates: Option<Parsed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Continue,
    Block,
    Stop,
    /// That gate is next.
    Gate(String),
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Action::Continue => f.write_str("warns"),
            Action::Block => f.write_str("blocks"),
            Action::Stop => f.write_str("ends the run"),
            Action::Gate(next) => write!(f, "warns, then {next}"),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Gate {
    /// Of its own; else the project's command of the same name.
    pub(super) command: Option<String>,
    pub(super) on_pass: Action,
    pub(super) on_fail: Action,
    keywords: Vec<String>,
    /// The plugin whose gate it is, and its folder, which is where it runs.
    pub(super) plugin: Option<(String, PathBuf)>,
}

/// A gate that stands for one of another plugin, until that is found.
#[derive(Debug)]
struct Reference {
    name: String,
    file: PathBuf,
    plugin: String,
    gate: String,
    entry: Json,
}

/// What an event asks for.
#[derive(Debug, Default)]
struct Hook {
    tools: Vec<String>,
    agents: Vec<String>,
    gates: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) gates: BTreeMap<String, Gate>,
    hooks: BTreeMap<String, Hook>,
    references: Vec<Reference>,
    /// Gates that are there but cannot be run: said where they are, not again where they are named.
    broken: Vec<String>,
    pub(super) problems: Vec<String>,
}

/// The events at which a command may be run.
const EVENTS: &[&str] = &["PostToolUse", "SubagentStop", "Stop", "UserPromptSubmit"];

/// The tools after which one may be run: the hook is not registered for others, and reading costs nothing that way. Those of other
/// servers begin with `mcp__`.
const TOOLS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit", "Bash"];

fn is_called(pattern: &str) -> bool {
    const MCP: &str = "mcp__";
    let start = pattern.split('*').next().unwrap_or_default();
    let foreign = start.starts_with(MCP) || pattern.contains('*') && MCP.starts_with(start);
    foreign || TOOLS.iter().any(|tool| fits(pattern, tool))
}

/// The plan of these files, in the order in which they count; later ones win. `find` knows the plugins. `None` without any file.
pub(super) fn load(files: &[(PathBuf, Parsed)], find: &dyn Fn(&str) -> Option<Plugin>) -> Option<Plan> {
    let mut plan = Plan::default();
    for (file, parsed) in files {
        match parsed {
            Ok(json) => plan.read(json, file),
            Err(error) => plan.problems.push(format!("{}: {error}; none of it counts", file.display())),
        }
    }
    (!files.is_empty()).then(|| {
        plan.resolve(find);
        plan.check();
        plan
    })
}

/// An entry of `checks`.
fn check(name: &str, entry: &Json, wrong: &mut impl FnMut(String)) -> Gate {
    let on_fail = match (&entry["blocking"], entry["on_failure"].as_str()) {
        (Json::Bool(true), _) | (Json::Null, Some("block") | None) => Action::Block,
        (Json::Bool(false), _) | (Json::Null, Some("warn")) => Action::Continue,
        (_, other) => {
            wrong(format!(
                "checks.{name}: blocking is true or false, on_failure block or warn (not {other:?})"
            ));
            Action::Block
        }
    };
    let command = entry["command"].as_str().map(str::to_owned);
    Gate { command, on_pass: Action::Continue, on_fail, keywords: Vec::new(), plugin: None }
}

impl Plan {
    fn read(&mut self, json: &Map<String, Json>, file: &Path) {
        let mut wrong = |text: String| self.problems.push(format!("{}: {text}", file.display()));
        for key in json.keys().filter(|key| !matches!(key.as_str(), "checks" | "gates" | "hooks" | "$schema"))
        {
            wrong(format!("{key} is unknown"));
        }
        let section = |key: &str| json.get(key).and_then(Json::as_object).into_iter().flatten();
        let mut references = Vec::new();
        for (name, entry) in section("checks") {
            self.gates.insert(name.clone(), check(name, entry, &mut wrong));
        }
        for (name, entry) in section("gates") {
            match (entry["plugin"].as_str(), entry["gate"].as_str(), entry["command"].as_str()) {
                (Some(plugin), Some(gate), None) => {
                    references.push(Reference {
                        name: name.clone(),
                        file: file.to_owned(),
                        plugin: plugin.to_owned(),
                        gate: gate.to_owned(),
                        entry: entry.clone(),
                    });
                }
                (None, None, command) => {
                    let gate = Gate {
                        command: command.map(str::to_owned),
                        on_pass: action(&entry["on_pass"]).unwrap_or(Action::Continue),
                        on_fail: action(&entry["on_fail"]).unwrap_or(Action::Block),
                        keywords: texts(&entry["keywords"]),
                        plugin: None,
                    };
                    self.gates.insert(name.clone(), gate);
                }
                (plugin, gate, _) => {
                    wrong(if plugin.is_some() && gate.is_some() {
                        format!("gates.{name}: either a command or the gate of a plugin, not both")
                    } else {
                        format!("gates.{name}: plugin and gate belong together")
                    });
                    self.broken.push(name.clone());
                }
            }
        }
        // A later file may replace a reference by a gate of its own, and the other way round.
        self.references.retain(|known| !section_has(json, &known.name));
        for reference in &references {
            self.gates.remove(&reference.name);
        }
        self.references.extend(references);
        for (event, entry) in section("hooks") {
            if !EVENTS.contains(&event.as_str()) {
                wrong(format!("hooks.{event}: commands run at {}", EVENTS.join(", ")));
                continue;
            }
            let mut gates = texts(&entry["checks"]);
            gates.extend(texts(&entry["gates"]));
            let hook = Hook {
                tools: texts(&entry["enabled_tools"]),
                agents: texts(&entry["enabled_agents"]),
                gates,
            };
            self.hooks.insert(event.clone(), hook);
        }
    }

    /// Puts the gates of other plugins in the place of what refers to them. `find` knows where a plugin lies.
    fn resolve(&mut self, find: &dyn Fn(&str) -> Option<Plugin>) {
        for reference in std::mem::take(&mut self.references) {
            match follow(&reference.plugin, &reference.gate, find) {
                Ok((plugin, root, entry)) => {
                    // What the project says about the outcome counts before what the plugin says.
                    let says = |key: &str| action(&reference.entry[key]).or_else(|| action(&entry[key]));
                    let own = texts(&reference.entry["keywords"]);
                    let keywords = if own.is_empty() { texts(&entry["keywords"]) } else { own };
                    let gate = Gate {
                        command: entry["command"].as_str().map(str::to_owned),
                        on_pass: says("on_pass").unwrap_or(Action::Continue),
                        on_fail: says("on_fail").unwrap_or(Action::Block),
                        keywords,
                        plugin: Some((plugin, root)),
                    };
                    self.gates.insert(reference.name, gate);
                }
                Err(why) => {
                    let (file, name) = (reference.file.display(), &reference.name);
                    self.problems.push(format!("{file}: gates.{name}: {why}, so it is not run"));
                    self.broken.push(reference.name);
                }
            }
        }
    }

    /// When a gate runs, in words. One that another leads to runs after it.
    pub(super) fn occasions(&self, name: &str) -> Vec<String> {
        let list =
            |names: &[String], all: &str| if names.is_empty() { all.to_owned() } else { names.join(", ") };
        let mut found = Vec::new();
        for (event, hook) in self.hooks.iter().filter(|(_, hook)| hook.gates.iter().any(|gate| gate == name))
        {
            found.push(match event.as_str() {
                "PostToolUse" => format!("after {}", list(&hook.tools, "every edit, command and MCP tool")),
                "SubagentStop" => format!("before {} ends", list(&hook.agents, "any subagent")),
                "Stop" => "before the agent stops".to_owned(),
                _ => {
                    let words = self.gates.get(name).map(|gate| gate.keywords.as_slice()).unwrap_or_default();
                    format!("at a prompt about {}", list(words, "anything"))
                }
            });
        }
        for (before, gate) in &self.gates {
            for (action, how) in [(&gate.on_pass, "passes"), (&gate.on_fail, "fails")] {
                if matches!(action, Action::Gate(next) if next == name) {
                    found.push(format!("when {before} {how}"));
                }
            }
        }
        found
    }

    /// Names that lead nowhere are said and left out, and so is what would never run.
    fn check(&mut self) {
        let named = self.hooks.values().any(|hook| !hook.gates.is_empty());
        if !named && !self.gates.is_empty() {
            let names = self.gates.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            self.problems.push(format!("no hook names any of the checks ({names}), so none of them runs"));
        }
        for tool in self.hooks.get("PostToolUse").into_iter().flat_map(|hook| &hook.tools) {
            if !is_called(tool) {
                self.problems.push(format!(
                    "hooks.PostToolUse.enabled_tools: nothing runs after {tool}, only after {} and tools of MCP servers (mcp__…)",
                    TOOLS.join(", ")
                ));
            }
        }
        let names: Vec<String> = self.gates.keys().cloned().collect();
        for (event, hook) in &mut self.hooks {
            let unknown = |name: &&String| !names.contains(name) && !self.broken.contains(name);
            for name in hook.gates.iter().filter(unknown) {
                self.problems.push(format!("hooks.{event}: unknown check or gate {name}"));
            }
            hook.gates.retain(|name| names.contains(name));
        }
        for (name, gate) in &mut self.gates {
            for (action, instead) in
                [(&mut gate.on_pass, Action::Continue), (&mut gate.on_fail, Action::Block)]
            {
                if let Action::Gate(next) = action
                    && !names.contains(next)
                {
                    self.problems.push(format!(
                        "gates.{name}: {next} is not a gate, and none of CONTINUE, BLOCK, STOP"
                    ));
                    *action = instead;
                }
            }
        }
    }

    /// The gates for this event, in order.
    pub(super) fn wanted(&self, event: &Event) -> Vec<&String> {
        let Some(hook) = self.hooks.get(event.name.as_str()) else { return Vec::new() };
        let tool = event.tool_use().map(|use_| use_.name.as_str());
        let agent = event.subagent.as_ref().map(|agent| agent.kind.as_str());
        if tool.is_some_and(|tool| !is_meant(&hook.tools, tool)) {
            return Vec::new();
        }
        // An agent of a plugin carries its name before its own.
        let named = |agent: &str| {
            is_meant(&hook.agents, agent)
                || agent.rsplit_once(':').is_some_and(|(_, agent)| is_meant(&hook.agents, agent))
        };
        if event.name.as_str() == "SubagentStop" && !named(agent.unwrap_or_default()) {
            return Vec::new();
        }
        let spoken = match &event.body {
            Body::Prompt(prompt) => Some(prompt.text.to_lowercase()),
            _ => None,
        };
        let asked = |name: &&String| {
            let keywords = self.gates.get(*name).map(|gate| gate.keywords.as_slice()).unwrap_or_default();
            spoken
                .as_ref()
                .is_none_or(|text| keywords.is_empty() || keywords.iter().any(|word| has_word(text, word)))
        };
        hook.gates.iter().filter(asked).collect()
    }
}

/// A gate of a plugin may stand for one of another plugin, but not for ever.
const DEEPEST: usize = 10;

/// Why a gate of a plugin is not run.
#[derive(Debug, Error, PartialEq, Eq)]
enum NoGate {
    #[error("the plugin {0} is not installed or not enabled")]
    Plugin(String),
    #[error("the plugin {0} has no gates.json")]
    File(String),
    #[error("gates.json of the plugin {plugin}: {error}")]
    Parsed { plugin: String, error: String },
    #[error("the plugin {plugin} has no gate {gate}")]
    Gate { plugin: String, gate: String },
    #[error("the gate {gate} of the plugin {plugin} has no command")]
    Command { plugin: String, gate: String },
    #[error("gates of plugins refer to each other in a circle")]
    Circle,
}

/// The gate that has a command at the end of the way, with the plugin that it is of.
fn follow(
    plugin: &str,
    gate: &str,
    find: &dyn Fn(&str) -> Option<Plugin>,
) -> Result<(String, PathBuf, Json), NoGate> {
    let (mut plugin, mut gate) = (plugin.to_owned(), gate.to_owned());
    for _ in 0..DEEPEST {
        let Some(found) = find(&plugin) else { return Err(NoGate::Plugin(plugin)) };
        let json = match found.gates {
            Some(Ok(json)) => json,
            Some(Err(error)) => return Err(NoGate::Parsed { plugin, error }),
            None => return Err(NoGate::File(plugin)),
        };
        let entry = json.get("gates").map(|gates| gates[gate.as_str()].clone()).unwrap_or_default();
        if entry["command"].is_string() {
            return Ok((plugin, found.root, entry));
        }
        match (entry["plugin"].as_str(), entry["gate"].as_str()) {
            (Some(next), Some(its)) => (plugin, gate) = (next.to_owned(), its.to_owned()),
            _ if entry.is_null() => return Err(NoGate::Gate { plugin, gate }),
            _ => return Err(NoGate::Command { plugin, gate }),
        }
    }
    Err(NoGate::Circle)
}

fn action(value: &Json) -> Option<Action> {
    Some(match value.as_str()? {
        "CONTINUE" => Action::Continue,
        "BLOCK" => Action::Block,
        "STOP" => Action::Stop,
        gate => Action::Gate(gate.to_owned()),
    })
}

/// Whether a file has an entry of this name, be it a check or a gate.
fn section_has(json: &Map<String, Json>, name: &str) -> bool {
    ["checks", "gates"].iter().any(|key| json.get(*key).is_some_and(|section| section.get(name).is_some()))
}

fn texts(value: &Json) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

/// Whether a list of names or patterns means this one; an empty list means all.
fn is_meant(list: &[String], name: &str) -> bool {
    list.is_empty() || list.iter().any(|pattern| fits(pattern, name))
}

/// `*` stands for any part.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => {
            let Some(tail) = name.strip_prefix(start) else { return false };
            (0..=tail.len()).any(|at| tail.is_char_boundary(at) && fits(rest, &tail[at..]))
        }
    }
}

/// A word by itself: "latest" does not ask for tests.
fn has_word(text: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(&word)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_followed_from_plugin_to_plugin() {
        let plugin =
            |gates: Json| Plugin { root: "/plugin".into(), gates: gates.as_object().cloned().map(Ok) };
        let find = |name: &str| match name {
            "a" => Some(plugin(serde_json::json!({"gates": {"g": {"plugin": "b", "gate": "h"}, "x": {}}}))),
            "b" => Some(plugin(serde_json::json!({"gates": {"h": {"command": "true"}}}))),
            "round" => Some(plugin(serde_json::json!({"gates": {"g": {"plugin": "round", "gate": "g"}}}))),
            "bare" => Some(Plugin { root: "/plugin".into(), gates: None }),
            _ => None,
        };
        assert_eq!(follow("a", "g", &find).unwrap().0, "b");
        for (plugin, gate, why) in [
            ("c", "g", NoGate::Plugin("c".into())),
            ("bare", "g", NoGate::File("bare".into())),
            ("b", "g", NoGate::Gate { plugin: "b".into(), gate: "g".into() }),
            ("a", "x", NoGate::Command { plugin: "a".into(), gate: "x".into() }),
            ("round", "g", NoGate::Circle),
        ] {
            assert_eq!(follow(plugin, gate, &find).unwrap_err(), why);
        }
    }

    #[test]
    fn names_are_meant_exactly_or_by_pattern() {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert!(is_meant(&[], "Read"));
        assert!(is_meant(&list(&["Edit", "mcp__serena__*"]), "mcp__serena__replace_symbol_body"));
        assert!(!is_meant(&list(&["Edit"]), "MultiEdit"));
        assert!(!is_meant(&list(&["Edit"]), "Edi"));
        assert!(has_word("run the tests, please", "tests") && !has_word("the latest", "test"));
    }

    #[test]
    fn a_mistake_costs_only_its_own_entry() {
        let json = serde_json::json!({
            "gates": {"a": {"command": "true", "on_fail": "nowhere"}, "b": {"plugin": "x", "gate": "y"}, "c": {"on_pass": "a"}},
            "hooks": {"PostToolUse": {"gates": ["a", "zz"]}, "Nonsense": {"gates": ["a"]}},
            "what": 1,
        });
        let mut plan = Plan::default();
        plan.read(json.as_object().unwrap(), Path::new("gates.json"));
        plan.resolve(&|_| None);
        plan.check();
        assert_eq!(plan.hooks["PostToolUse"].gates, ["a"]);
        assert_eq!(plan.gates["a"].on_fail, Action::Block);
        assert_eq!(plan.gates["c"].on_pass, Action::Gate("a".into()));
        assert_eq!(plan.problems.len(), 5, "{:?}", plan.problems);
    }
}
