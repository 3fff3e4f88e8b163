//! Rules of other tools, in our form. What cannot be said is listed, not guessed; what comes of it must be a rule that we would read.

mod claude_code;
mod codex;
mod dcg;
mod safety_net;
mod starlark;

use std::fmt::Write as _;

use model::rule::{Author, Then};
use serde_json::{Value as Json, json};

use super::{parse, test};

/// Whose rules they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    ClaudeCode,
    Codex,
    CcSafetyNet,
    Dcg,
}

impl From {
    /// By the name of a file and what stands in it.
    pub fn guess(name: &str, text: &str) -> Option<Self> {
        let has = |part: &str| text.contains(part);
        if name.ends_with(".rules") || has("prefix_rule(") {
            return Some(From::Codex);
        }
        if has("\"rulebook_version\"") || has("\"block_args\"") {
            return Some(From::CcSafetyNet);
        }
        if has("\"permissions\"") {
            return Some(From::ClaudeCode);
        }
        let at_top = |word: &str| text.lines().any(|line| line.trim() == word);
        (at_top("[packs]") || at_top("[[allow]]") || at_top("[policy.packs]")).then_some(From::Dcg)
    }
}

/// What came of a file.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The rules, as they would stand in `rules.toml`.
    pub toml: String,
    pub count: usize,
    /// What needs no rule, because checks of ours do it by themselves.
    pub same: Vec<String>,
    /// What could not be said, or is answered otherwise, in a line each.
    pub left_out: Vec<String>,
}

/// Reads a file of another tool. The error says why it is none.
pub fn import(from: From, text: &str, team: &str) -> Result<Imported, String> {
    let drafts = match from {
        From::ClaudeCode => claude_code::read(text)?,
        From::Codex => codex::read(text)?,
        From::CcSafetyNet => safety_net::read(text)?,
        From::Dcg => dcg::read(text)?,
    };
    let mut made = Imported::default();
    for draft in drafts {
        match draft {
            Draft::Cannot(line) => made.left_out.push(line),
            Draft::Same(line) => made.same.push(line),
            Draft::Rule(rule) => made.add(&rule, team),
        }
    }
    Ok(made)
}

/// A rule on its way, or why there is none.
enum Draft {
    Rule(Made),
    /// Ours do the same without one.
    Same(String),
    Cannot(String),
}

/// A rule as text, part by part.
#[derive(Default)]
struct Made {
    /// What it was there.
    origin: String,
    name: String,
    then: Option<Then>,
    /// `call = …`, `read = …`
    keys: Vec<(&'static str, Json)>,
    say: String,
    fires: Vec<Json>,
    none: Vec<Json>,
}

impl Imported {
    fn add(&mut self, rule: &Made, team: &str) {
        let text = rule.toml(&self.free_name(rule, team));
        match parse(&text, Author::User, "imported") {
            Ok(written) => {
                for one in &written {
                    for failed in test::plain(one).failures {
                        self.left_out.push(format!(
                            "{}: answered otherwise: {}: {}",
                            rule.origin, failed.case, failed.text
                        ));
                    }
                }
                self.count += written.len();
                if !self.toml.is_empty() {
                    self.toml.push('\n');
                }
                self.toml.push_str(&text);
            }
            Err(fault) => self.left_out.push(format!("{}: {}", rule.origin, fault.text)),
        }
    }

    fn free_name(&self, rule: &Made, team: &str) -> String {
        let plain = |text: &str| {
            let text: String = text
                .to_lowercase()
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') { c } else { '-' })
                .collect();
            let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
            parts.join("-").chars().take(50).collect::<String>()
        };
        let name = plain(&rule.name);
        let id = format!("{}/{}", plain(team), if name.is_empty() { "rule" } else { &name });
        let taken = |id: &str| self.toml.contains(&format!("id = {}\n", json!(id)));
        if !taken(&id) {
            return id;
        }
        (2..10_000).map(|nth| format!("{id}-{nth}")).find(|id| !taken(id)).unwrap_or(id)
    }
}

impl Made {
    fn toml(&self, id: &str) -> String {
        let then = self.then.unwrap_or_default();
        let mut text =
            format!("# {}\n[[rule]]\nid = {}\n", self.origin.replace(['\n', '\r'], " "), json!(id));
        for (key, value) in &self.keys {
            let _ = writeln!(text, "{key} = {}", inline(value));
        }
        let _ = writeln!(text, "then = \"{}\"", then.as_str());
        if then != Then::Allow {
            let say = if self.say.is_empty() {
                // `deny Bash(curl:*)`: whose word it is, and what about.
                let what = self.origin.split_once(' ').map_or(&*self.origin, |(_, what)| what);
                let says = if then == Then::Ask { "asks about" } else { "does not allow" };
                format!("The user's rule {what} {says} this.")
            } else {
                self.say.clone()
            };
            let _ = writeln!(text, "say = {}", json!(say));
        }
        let list = |list: &[Json]| list.iter().map(inline).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            text,
            "cases = {{ {} = [{}], none = [{}] }}",
            then.as_str(),
            list(&self.fires),
            list(&self.none)
        );
        text
    }
}

/// A key and its value as TOML writes them.
pub fn line(key: &str, value: &Json) -> String {
    format!("{} = {}", bare(key), inline(value))
}

/// A key, without quotes where TOML needs none.
fn bare(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !key.is_empty() && key.chars().all(plain) { key.to_owned() } else { json!(key).to_string() }
}

/// A value as TOML writes it in a line.
fn inline(value: &Json) -> String {
    match value {
        Json::Object(map) => {
            let pairs: Vec<String> =
                map.iter().map(|(key, value)| format!("{} = {}", bare(key), inline(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Json::Array(list) => format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Words that a call begins with, as a rule's `call`: what begins with a dash is an option, in any place.
fn call_of(program: &[String], words: &[String]) -> serde_json::Map<String, Json> {
    let (options, plain): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.starts_with('-'));
    let quoted: Vec<String> = plain.iter().map(|word| model::rule::pattern::quoted(word)).collect();
    let mut call = serde_json::Map::new();
    call.insert("program".into(), json!(program));
    if !quoted.is_empty() {
        call.insert("words".into(), json!(quoted));
    }
    if !options.is_empty() {
        call.insert("options".into(), json!(options));
    }
    call
}
