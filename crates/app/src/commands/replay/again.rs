//! A command of the log, judged by what is in force now: whether what was stopped would still be.

use std::path::PathBuf;
use std::rc::Rc;

use agents::recording::{Recorded, Then, from_words};
use model::Decision;
use state::Machine;
use state::log::rollup::Example;

use super::judge::Judge;
use super::source::{Found, MASKS};

pub(crate) struct Again<'a>(Judge<'a>);

impl<'a> Again<'a> {
    pub(crate) fn new(machine: &'a Machine) -> anyhow::Result<Self> {
        Ok(Self(Judge::new(machine, None)?))
    }

    /// `None` where the log does not have all of the call, or the verdict hangs on what is not known any more.
    pub(crate) fn decide(&mut self, example: &Example) -> Option<Decision> {
        let whole = example.tool == "Bash" && !MASKS.iter().any(|mask| example.subject.contains(mask));
        if !whole || example.event != "PreToolUse" {
            return None;
        }
        let event =
            from_words("claude-code", &example.session, &example.project, &example.tool, &example.subject);
        let call = Recorded {
            event,
            id: String::new(),
            at: Some(example.seconds),
            started: Some(PathBuf::from(&example.project)),
            branch: None,
            before: Vec::new(),
            then: Then::default(),
        };
        let row = self.0.judge(&Found { file: Rc::from(""), line: 0, call, logged: None });
        row.unknown.is_empty().then_some(row.now.decision)
    }
}
