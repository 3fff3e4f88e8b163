//! What a tool takes away as a whole, or shows, without naming a file, a statement or a command.

use model::{Intent, Noun, Realm};
use serde_json::Value;

use super::super::keys;
use super::super::words::{is_verb, plain, words};
use super::{Object, Shape};

impl Shape {
    /// What is taken away as a whole and is no file, or shown and is a secret: by the words of the tool, and by what an argument
    /// says it is about.
    pub(super) fn things(&mut self, input: &Object) {
        let named: Vec<&str> = self.nature.tool.iter().map(String::as_str).collect();
        let has = |words: &[&str]| named.iter().any(|word| words.contains(word));
        let add = |shape: &mut Self, text: &str, realm: Realm| {
            shape.add("", Noun::Thing { text: text.to_owned(), realm });
        };
        let shows =
            matches!(self.intent, Intent::Read | Intent::Unknown | Intent::Query) && !has(ABOUT_SECRETS);
        if shows
            && (self.nature.secrets
                || has(&["secret", "secrets", "password", "passwords", "credential", "credentials", "totp"]))
        {
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
            || has(&["reset", "fresh"]) && has(&["migrate", "migrations", "database", "db", "schema"]);
        if self.intent != Intent::Delete && !drops {
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
        let stored = self.nature.data && is(&["collection", "topic", "dataset", "db", "graph", "index"]);
        if stored || is(&["table", "database", "schema", "keyspace"]) {
            return add(self, "a part of a database", Realm::Data);
        }
        let narrowed = input.iter().any(|(key, value)| {
            matches!(plain(key).as_str(), "filter" | "query" | "where" | "selector" | "match" | "condition")
                && !is_empty(value)
        });
        if (self.nature.data || has(&["flushall", "flushdb", "migrate"]))
            && (drops || has(&["many", "all"]))
            && !narrowed
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
            add(self, &text, Realm::Service);
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
        let kinds = input.iter().filter(|(key, _)| keys::is_resource(&plain(key)));
        let kinds = kinds.filter_map(|(_, value)| value.as_str()).flat_map(words);
        last.into_iter().chain(kinds.map(|word| one(&word))).collect()
    }
}

/// Words of tools that look after secrets and show none.
const ABOUT_SECRETS: &[&str] = &[
    "list", "scan", "scanning", "alert", "alerts", "detect", "policy", "check", "names", "metadata",
    "describe", "docs", "rotate", "leak", "leaks",
];

/// What others use, or what is paid for.
const THINGS: &[&str] = &[
    "account",
    "app",
    "application",
    "backup",
    "bucket",
    "cluster",
    "crd",
    "disk",
    "domain",
    "droplet",
    "environment",
    "instance",
    "keyring",
    "machine",
    "namespace",
    "nodepool",
    "org",
    "organization",
    "project",
    "pvc",
    "repo",
    "repository",
    "server",
    "site",
    "snapshot",
    "stack",
    "tenant",
    "vault",
    "vm",
    "volume",
    "vpc",
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
