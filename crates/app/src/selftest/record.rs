//! One line of a log: exactly the fields that the specification lists, in its order.

use serde_json::{Map, Value as Json};

#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Not in the file: the specification's own number.
    pub(crate) id: &'static str,
    pub(crate) hook: String,
    pub(crate) test_name: String,
    pub(crate) category: String,
    pub(crate) input_summary: String,
    pub(crate) expected_decision: String,
    pub(crate) expected_exit: Option<i32>,
    pub(crate) actual_decision: String,
    pub(crate) actual_exit: Option<i32>,
    pub(crate) actual_output: String,
    pub(crate) actual_stderr: String,
    pub(crate) pass: bool,
    pub(crate) note: String,
    pub(crate) timestamp: String,
    pub(crate) duration_ms: u64,
    /// Not in the file: where the specification asks for it.
    pub(crate) basis: &'static str,
    /// Not in the file.
    pub(crate) required: bool,
}

/// How a record counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Skipped,
    Failed,
}

/// The fields of a record as they are in a file, which is all that an archived run has.
pub(crate) fn outcome(record: &Json) -> Outcome {
    let note = record["note"].as_str().unwrap_or_default();
    match record["pass"].as_bool() {
        Some(true) if note.contains("absent") || note.starts_with("version_skip") => Outcome::Skipped,
        Some(true) => Outcome::Passed,
        _ => Outcome::Failed,
    }
}

impl Record {
    pub(crate) fn json(&self) -> Json {
        let mut line = Map::new();
        let mut put = |key: &str, value: Json| {
            line.insert(key.to_owned(), value);
        };
        put("hook", self.hook.as_str().into());
        put("test_name", self.test_name.as_str().into());
        put("category", self.category.as_str().into());
        put("input_summary", self.input_summary.as_str().into());
        put("expected_decision", self.expected_decision.as_str().into());
        put("expected_exit", self.expected_exit.into());
        put("actual_decision", self.actual_decision.as_str().into());
        put("actual_exit", self.actual_exit.into());
        put("actual_output", self.actual_output.as_str().into());
        put("actual_stderr", self.actual_stderr.as_str().into());
        put("pass", self.pass.into());
        put("note", self.note.as_str().into());
        put("timestamp", self.timestamp.as_str().into());
        put("duration_ms", self.duration_ms.into());
        Json::Object(line)
    }

    pub(crate) fn outcome(&self) -> Outcome {
        outcome(&self.json())
    }
}
