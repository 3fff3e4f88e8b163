//! What was decided when a call was made, by our own log.

use std::collections::{BTreeMap, VecDeque};

use model::{Decision, Event, redact};
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

impl From<log::Record> for Logged {
    fn from(record: log::Record) -> Self {
        let decision = Decision::ALL.into_iter().find(|decision| decision.as_str() == record.verdict);
        Self {
            decision: decision.unwrap_or_default(),
            allowed: record.is_allowed_by_hand(),
            rules: record.rules,
            besides: record.besides,
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
        log::each(machine, &mut |entry, _| {
            if entry.event == "PreToolUse" {
                let key = (entry.session.clone(), entry.tool.clone(), entry.subject.clone());
                record.calls.entry(key).or_default().push_back(Logged::from(entry));
            }
        });
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
