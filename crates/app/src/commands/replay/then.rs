//! What was decided when a call was made, by our own log.

use std::collections::{BTreeMap, VecDeque};

use model::{Decision, Event, redact};
use serde_json::{Map, Value as Json};
use state::{Machine, log};

/// What the log says about one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logged {
    pub(super) decision: Decision,
    pub(super) rules: Vec<String>,
    pub(super) besides: Vec<String>,
    /// What the user had let through for a while.
    pub(super) allowed: bool,
}

impl Logged {
    pub(super) fn of(entry: &Map<String, Json>) -> Self {
        let texts = |key: &str| -> Vec<String> {
            let list = entry.get(key).and_then(Json::as_array).into_iter().flatten();
            list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let verdict = entry.get("verdict").and_then(Json::as_str).unwrap_or_default();
        let decision = Decision::ALL.into_iter().find(|decision| decision.as_str() == verdict);
        Self {
            decision: decision.unwrap_or_default(),
            rules: texts("rules"),
            besides: texts("besides"),
            allowed: texts("trace").iter().any(|text| text.starts_with("allowed by the user")),
        }
    }
}

/// All that the log says about tool calls, by session, tool and subject; the same call several times is in order.
#[derive(Debug, Default)]
pub(super) struct Record {
    calls: BTreeMap<(String, String, String), VecDeque<Logged>>,
}

impl Record {
    pub(super) fn read(machine: &Machine) -> Self {
        let mut record = Self::default();
        for entry in log::read(machine) {
            let Some(entry) = entry.as_object() else { continue };
            let text = |key: &str| entry.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
            if text("event") == "PreToolUse" {
                let key = (text("session"), text("tool"), text("subject"));
                record.calls.entry(key).or_default().push_back(Logged::of(entry));
            }
        }
        record
    }

    pub(super) fn find(&mut self, event: &Event) -> Option<Logged> {
        if self.calls.is_empty() {
            return None;
        }
        let tool = event.tool_use()?.name.clone();
        let key = (event.session.as_str().to_owned(), tool, redact(&event.subject()));
        self.calls.get_mut(&key)?.pop_front()
    }
}
