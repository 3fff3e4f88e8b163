//! Programs that the project or the user has named. A part of `Facts`.

use std::time::Duration;

use crate::{Event, Quality};

pub trait Commands {
    /// Runs the project's commands that this event asks for, in at most this time.
    fn quality(&self, event: &Event, limit: Duration) -> Quality;

    /// Claims an issue on the user's list of work for this session; whether that worked, within a short time.
    fn claim(&self, number: &str) -> bool;

    /// Asks the user's list of work (`todo.command`); `None` where there is none or it does not answer.
    fn todo(&self, args: &[&str]) -> Option<String>;
}
