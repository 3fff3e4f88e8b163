//! What the user has set, written or allowed: answered from disk.

use std::path::Path;

use model::config::{LevelMap, Profile};
use model::rule::Book;
use model::{Problem, Settings};

use super::DiskFacts;
use crate::session;

impl Settings for DiskFacts<'_> {
    fn rules(&self) -> Option<&Book> {
        self.rules
    }

    fn config_problems(&self) -> &[Problem] {
        &self.loaded.problems
    }

    fn personal_profile(&self) -> Profile {
        self.loaded.personal_profile
    }

    fn personal_checks(&self) -> &LevelMap {
        &self.loaded.personal_checks
    }

    fn may_edit(&self, path: &Path) -> bool {
        session::may_edit(self.machine, path)
    }

    fn allowances(&self) -> Vec<model::Allowance> {
        crate::allowances::in_force(self.machine, self.project, self.session)
    }
}
