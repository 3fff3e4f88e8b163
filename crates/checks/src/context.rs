//! Everything a check may know besides the event.

use std::cell::OnceCell;
use std::path::Path;
use std::time::Duration;

use model::{Config, Event, Facts};
use shell::{Reading, World};

#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "facts are questions, not data")]
pub struct Context<'a> {
    pub config: &'a Config,
    pub facts: &'a dyn Facts,
    view: Option<&'a View>,
    /// On the clock of `Facts::micros`.
    deadline: u64,
}

/// What has been worked out about the event so far.
#[derive(Default)]
pub(crate) struct View {
    reading: OnceCell<Option<Reading>>,
}

impl<'a> Context<'a> {
    pub fn new(config: &'a Config, facts: &'a dyn Facts) -> Self {
        Self { config, facts, view: None, deadline: u64::MAX }
    }

    pub(crate) fn viewing(&self, view: &'a View, deadline: u64) -> Self {
        Self { view: Some(view), deadline, ..*self }
    }

    /// What is left of the hook's time.
    pub(crate) fn remaining(&self) -> Duration {
        Duration::from_micros(self.deadline.saturating_sub(self.facts.micros()))
    }

    /// What the event's command comes down to; `None` when it has none.
    pub(crate) fn reading(&self, event: &Event) -> Option<&'a Reading> {
        self.view?.reading.get_or_init(|| Some(read(event, event.command()?, self.facts))).as_ref()
    }
}

/// A command as it would be read for `event`.
pub fn read(event: &Event, command: &str, facts: &dyn Facts) -> Reading {
    let cwd = event.cwd.as_deref().unwrap_or_else(|| facts.project());
    shell::read(command, &Surroundings { facts, cwd })
}

/// The questions of the shell reader, asked of the facts.
struct Surroundings<'a> {
    facts: &'a dyn Facts,
    cwd: &'a Path,
}

impl World for Surroundings<'_> {
    fn home(&self) -> Option<String> {
        self.facts.home().map(|home| home.to_string_lossy().into_owned())
    }

    fn cwd(&self) -> String {
        self.cwd.to_string_lossy().into_owned()
    }

    /// Scripts of the project only: what the system installed is not ours to read.
    fn read(&self, path: &str) -> Option<String> {
        let project = self.facts.project().to_string_lossy();
        if !shell::path::is_below(path, &project) {
            return None;
        }
        self.facts.read(Path::new(path)).ok()?.filter(|text| text.len() <= 256 * 1024)
    }

    fn var(&self, name: &str) -> Option<String> {
        match name {
            "TMPDIR" => Some("/tmp".into()),
            "USER" | "LOGNAME" => {
                let home = self.facts.home()?;
                Some(home.file_name()?.to_string_lossy().into_owned())
            }
            "CLAUDE_PROJECT_DIR" => Some(self.facts.project().to_string_lossy().into_owned()),
            _ => None,
        }
    }
}
