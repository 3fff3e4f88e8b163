//! One line of the log, read: by `log`, `stats`, `report`, and whoever passes records on.

use std::collections::BTreeMap;

use model::time;
use serde::Deserialize;

/// A line as it was written. What an older version did not write is empty, what a newer one has besides is left out; no field
/// ever changes its type. The fields are those of `schema::FIELDS`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Record {
    pub v: u64,
    pub time: String,
    /// Empty in lines of the first version; `key` is never empty.
    pub id: String,
    pub agent: String,
    pub session: String,
    pub prompt: String,
    pub event: String,
    pub tool: String,
    pub call: String,
    pub verdict: String,
    pub rules: Vec<String>,
    pub reason: String,
    pub deeds: Vec<String>,
    pub besides: Vec<String>,
    pub micros: u64,
    pub parts: BTreeMap<String, u64>,
    pub slow: BTreeMap<String, u64>,
    pub subject: String,
    pub project: String,
    pub allowed: Vec<String>,
    pub lint: Option<Lint>,
    pub fixer: Option<Fixer>,
    pub tests: Option<Tests>,
    pub trace: Vec<String>,
    pub observed: bool,
    pub policy: String,
    pub failures: Vec<String>,
}

/// What linters said of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Lint {
    pub files: Vec<String>,
    pub open: u64,
    pub found: Vec<Found>,
    pub rewritten: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Found {
    pub linter: String,
    pub rule: String,
    pub file: String,
    pub line: u64,
}

/// A model that was started to fix what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Fixer {
    pub model: String,
    pub micros: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub microdollars: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Tests {
    pub result: String,
    pub failures: u64,
    pub part: bool,
}

impl Record {
    /// `None` for what is not a record: half a line, or text of somebody else.
    pub fn parse(line: &str) -> Option<Self> {
        let record: Self = serde_json::from_str(line).ok()?;
        (!record.time.is_empty() || !record.verdict.is_empty()).then_some(record)
    }

    /// Seconds since 1970; 0 where the line does not say.
    pub fn seconds(&self) -> u64 {
        time::parse_rfc3339(&self.time).unwrap_or(0)
    }

    /// What no other record has: its id, or for a line of the first version a hash of what it says.
    pub fn key(&self, line: &str) -> String {
        if self.id.is_empty() { crate::sha256(line.as_bytes()).to_string() } else { self.id.clone() }
    }

    /// Whether the user had let it through beforehand.
    pub fn is_allowed_by_hand(&self) -> bool {
        // Lines of the first version say it among what was run.
        !self.allowed.is_empty() || self.trace.iter().any(|text| text.starts_with("allowed by the user"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_and_newer_lines_are_read() {
        let old = r#"{"time":"2026-01-04T19:48:11Z","session":"s","event":"PreToolUse","tool":"Bash","verdict":"deny","rules":["a/b"],"micros":12,"subject":"x","project":"/p"}"#;
        let record = Record::parse(old).unwrap();
        assert_eq!((record.v, record.micros, record.seconds()), (0, 12, 1_767_556_091));
        assert!(record.key(old).starts_with("sha256:"));
        let new = r#"{"v":9,"time":"2026-01-04T19:48:11Z","id":"1-2","verdict":"none","mood":{"a":1},"lint":{"found":[{"rule":"F401","weight":2}]}}"#;
        let record = Record::parse(new).unwrap();
        assert_eq!((record.v, record.key(new).as_str()), (9, "1-2"));
        assert_eq!(record.lint.unwrap().found[0].rule, "F401");
        for text in ["", "{", "3", "[]", "{}", r#"{"a":1}"#, "half a li"] {
            assert_eq!(Record::parse(text), None, "{text}");
        }
    }
}
