//! What a tool takes away as a whole, or shows, without naming a file, a statement or a command.

use model::{Intent, Noun, Realm};
use serde_json::Value;

use super::super::keys;
use super::super::words::{intent_of_word, is_verb, plain, words};
use super::{Object, Shape};

impl Shape {
    /// What is taken away as a whole and is not a file, or shown and is a secret: by the words of the tool, and by what an argument
    /// says it is about.
    pub(super) fn things(&mut self, input: &Object) {
        let named: Vec<&str> = self.nature.tool.iter().map(String::as_str).collect();
        let has = |words: &[&str]| named.iter().any(|word| words.contains(word));
        let add = |shape: &mut Self, text: &str, realm: Realm| {
            shape.add("", Noun::Thing { text: text.to_owned(), realm });
        };
        let shows =
            matches!(self.intent, Intent::Read | Intent::Unknown | Intent::Query) && !has(ABOUT_SECRETS);
        // What an argument says that it is about counts as the name does: `{"operation": "GetSecretValue"}`.
        let told = told(input);
        let told_has = |words: &[&str]| told.iter().any(|word| words.contains(&word.as_str()));
        let asks = shows || told.iter().any(|word| intent_of_word(word) == Some(Intent::Read));
        let secret = asks && told_has(SECRETS) && !told_has(ABOUT_SECRETS);
        if secret || shows && (self.nature.secrets || has(SECRETS)) {
            return add(self, "a secret of a store", Realm::Secret);
        }
        let method =
            input.iter().any(|(key, value)| plain(key) == "method" && value.as_str() == Some("DELETE"));
        let path = input.iter().find(|(key, _)| matches!(plain(key).as_str(), "path" | "endpoint" | "url"));
        let record = path.and_then(|(_, value)| value.as_str()).is_some_and(|path| path.contains("/_doc/"));
        if self.nature.data && method && !record {
            return add(self, "a part of a database", Realm::Data);
        }
        let drops = has(&["drop", "truncate", "flush", "flushall", "flushdb", "wipe"])
            || has(&["reset", "fresh"]) && has(&["migrate", "migrations", "database", "db", "schema", "pg"]);
        // A tool that does anything is told what: `{"operation": "terminate_instances"}`.
        let deletes = self.intent == Intent::Delete
            || told.iter().any(|word| intent_of_word(word) == Some(Intent::Delete));
        if has(&["destroy", "teardown", "deprovision", "nuke"]) && !self.about_files {
            return add(self, "all that it looks after", Realm::Service);
        }
        let everywhere = self.nature.data && has(&["update"]) && has(&["many", "all"]);
        if everywhere && input.contains_key("filter") && !is_narrowed(input) {
            return add(self, "all that is in a collection", Realm::Data);
        }
        if !deletes && !drops {
            return;
        }
        let about = self.about(input);
        let is = |words: &[&str]| about.iter().any(|word| words.contains(&word.as_str()));
        // Of a database, what can be made again from the rest.
        if has(&["drop"])
            && is(&["index", "view", "trigger", "constraint", "policy", "function", "extension"])
        {
            return;
        }
        let stored =
            self.nature.data && is(&["collection", "topic", "dataset", "db", "graph", "index", "pg"]);
        if stored || is(&["table", "database", "schema", "keyspace"]) {
            return add(self, "a part of a database", Realm::Data);
        }
        if (self.nature.data || has(&["flushall", "flushdb", "migrate"]))
            && (drops
                || has(&["many", "all"])
                || names_all(input)
                || has(&["by"]) && has(&["query", "filter"]))
            && !is_narrowed(input)
        {
            return add(self, "all that is in a database", Realm::Data);
        }
        let main = input.iter().any(|(key, value)| {
            matches!(plain(key).as_str(), "branch" | "branch_name" | "ref" | "name")
                && (value == "main" || value == "master")
        });
        if is(&["branch"]) && main {
            return add(self, "the main branch", Realm::Service);
        }
        if let Some(word) = about.iter().find(|word| THINGS.contains(&word.as_str())) {
            let text = format!("a {word}");
            return add(self, &text, Realm::Service);
        }
        // What is one of many is everyday work; many of them at once are not.
        let stays_here = self.about_files || !self.out.commands.is_empty();
        if !stays_here
            && !self.nature.data
            && (has(&["bulk", "mass", "batch"]) || told_has(&["bulk", "mass"]) || names_all(input))
        {
            add(self, "many things at once", Realm::Service);
        }
    }

    /// The nouns that a call is about: the last of its name, and what an argument says. `delete_environment_variable` is about a
    /// variable.
    pub(super) fn about(&self, input: &Object) -> Vec<String> {
        let one = |word: &str| match word {
            "indices" | "indexes" => "index".to_owned(),
            word => word.strip_suffix('s').unwrap_or(word).to_owned(),
        };
        let noun = |word: &&String| {
            !is_verb(word)
                && !matches!(word.as_str(), "by" | "id" | "ids" | "name" | "names" | "many" | "all")
        };
        let last = self.nature.tool.iter().rfind(noun).map(|word| one(word));
        let kinds = input.iter().filter(|(key, _)| {
            let key = plain(key);
            keys::is_resource(&key) || keys::is_action(&key)
        });
        let kinds =
            kinds.filter_map(|(_, value)| value.as_str()).filter(|text| text.len() <= 60).flat_map(words);
        last.into_iter().chain(kinds.filter(|word| !is_verb(word)).map(|word| one(&word))).collect()
    }
}

/// The words by which an argument says what is to be done, and with what: `{"operation": "terminate_instances"}`.
pub(super) fn told(input: &Object) -> Vec<String> {
    let said = |key: &str| keys::is_action(key) || keys::is_resource(key);
    let single = |text: &&str| text.len() <= 60 && !text.contains(char::is_whitespace);
    let named = input.iter().filter(|(key, _)| said(&plain(key)));
    named.filter_map(|(_, value)| value.as_str()).filter(single).flat_map(words).collect()
}

/// Words of tools that look after secrets and show none.
const ABOUT_SECRETS: &[&str] = &[
    "list", "scan", "scanning", "alert", "alerts", "detect", "policy", "check", "names", "metadata",
    "describe", "docs", "rotate", "leak", "leaks",
];

/// What such tools call what they keep.
const SECRETS: &[&str] =
    &["secret", "secrets", "password", "passwords", "credential", "credentials", "totp", "passphrase"];

/// `{"id": "all"}`, `{"key": "*"}`, `{"keys": ["*"]}`
fn names_all(input: &Object) -> bool {
    let all = |value: &Value| matches!(value.as_str(), Some("*" | "all"));
    input.values().any(|value| all(value) || value.as_array().is_some_and(|list| list.iter().any(all)))
}

/// Whether something says which of all are meant, in any depth. `match_all` leaves nothing out.
fn is_narrowed(object: &Object) -> bool {
    object.iter().any(|(key, value)| {
        let names =
            matches!(plain(key).as_str(), "filter" | "query" | "where" | "selector" | "match" | "condition");
        names && !is_empty(value) && !value.as_object().is_some_and(|query| query.contains_key("match_all"))
            || !names && value.as_object().is_some_and(is_narrowed)
    })
}

/// What others use, or what is paid for.
const THINGS: &[&str] = &[
    "account",
    "app",
    "application",
    "backup",
    "bucket",
    "channel",
    "cluster",
    "crd",
    "deployment",
    "disk",
    "domain",
    "droplet",
    "environment",
    "group",
    "instance",
    "keyring",
    "machine",
    "namespace",
    "nodepool",
    "org",
    "organization",
    "project",
    "protection",
    "pvc",
    "repo",
    "repository",
    "resource",
    "ruleset",
    "server",
    "site",
    "snapshot",
    "stack",
    "statefulset",
    "tenant",
    "vault",
    "vm",
    "volume",
    "vpc",
    "worker",
    "workspace",
    "zone",
];

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => matches!(text.trim(), "" | "{}" | "*"),
        Value::Object(object) => object.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}
