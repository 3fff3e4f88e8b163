//! Programs that the project or the user has named: answered from disk.

use std::time::Duration;

use model::{Commands, Event, Quality};

use super::DiskFacts;
use crate::todo;

impl Commands for DiskFacts<'_> {
    fn quality(&self, event: &Event, limit: Duration) -> Quality {
        self.gates.map_or_else(Quality::default, |gates| gates.answer(event, limit))
    }

    fn claim(&self, number: &str) -> bool {
        let words = ["claim", number, "--auto"].map(str::to_owned);
        todo::tell_within(self.machine, self.project, self.session, &words, todo::IN_A_HOOK).is_ok()
    }

    fn todo(&self, args: &[&str]) -> Option<String> {
        let done = todo::ask(self.machine, &self.loaded.config, &self.project.root, args, todo::IN_A_HOOK)
            .ok()??;
        Some(done.trim().to_owned()).filter(|text| !text.is_empty())
    }
}
