//! What the user has set, written or allowed. A part of `Facts`.

use std::path::Path;

use crate::Allowance;
use crate::config::{LevelMap, Profile};
use crate::rule::Book;

/// Something in the configuration that is not as it should be, in one line: where, what, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub text: String,
    /// Set where a part of the configuration waits for `plimsoll trust`.
    pub untrusted: bool,
}

pub trait Settings {
    /// Rules that users have written; `None` where there are none.
    fn rules(&self) -> Option<&Book>;

    fn config_problems(&self) -> &[Problem];

    /// The profile by the user's own settings, without what the project's files say.
    fn personal_profile(&self) -> Profile;

    /// The same for single checks.
    fn personal_checks(&self) -> &LevelMap;

    /// The user has let this file be edited for a while.
    fn may_edit(&self, path: &Path) -> bool;

    /// Commands that the user lets the agent run for a while. Asked only where one would be refused or asked about.
    fn allowances(&self) -> Vec<Allowance>;
}
