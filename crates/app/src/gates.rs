//! The project's own commands on this machine: `checks::quality` says what runs and what follows, `state::quality` runs it and remembers.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use checks::quality::{Gates, INSTRUCTIONS, Machinery, Plugin, alike, compared};
use model::{Event, GateCommand, GateRun, Quality, SessionId};
use serde_json::{Map, Value as Json};
use state::quality::{self, before, cache};
use state::{Gatekeeper, Machine, Project, trust};

/// `None` where nothing is configured, which costs a look for a few files.
pub(crate) fn load(machine: &Machine, project: &Project, cwd: &Path) -> Option<Gates> {
    let plugin = |name: &str| {
        let (root, gates) = quality::plugin(machine, project, name)?;
        Some(Plugin { root, gates })
    };
    let settings = quality::settings(machine, project);
    Gates::load(&project.root, &settings, &plugin, || quality::upward(cwd, &project.root, INSTRUCTIONS))
}

/// Runs commands here.
#[derive(Debug)]
pub(crate) struct Here<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) project: &'a Project,
    pub(crate) session: &'a SessionId,
    /// When the time is up.
    pub(crate) end: Instant,
}

impl Machinery for Here<'_> {
    fn is_trusted(&self, bound: &Map<String, Json>) -> bool {
        trust::is_trusted_commands(self.machine, self.project, bound)
    }

    fn key(&self, command: GateCommand<'_>) -> Option<String> {
        cache::key(self.machine, self.project, command)
    }

    fn passed(&self, key: &str) -> Option<String> {
        cache::passed(self.project, key)
    }

    fn keep(&self, key: &str, shown: &str) {
        // Not kept, it runs again.
        let _ = cache::keep(self.machine, self.project, key, shown);
    }

    fn run(&self, command: GateCommand<'_>, limit: Duration) -> GateRun {
        quality::run(command, &self.project.root, limit)
    }

    fn failed_before(&self, command: GateCommand<'_>, shown: &str) -> bool {
        let Self { machine, project, session, .. } = self;
        let now = alike(shown, &project.root);
        before::failed_alike(machine, project, session, command, (&now, compared), self.left())
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(now())
    }
}

pub(crate) fn now() -> Instant {
    crate::lint::now()
}

/// In a hook.
#[derive(Debug)]
pub(crate) struct Service<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) project: &'a Project,
    pub(crate) cwd: PathBuf,
    /// Nobody needs to be asked.
    pub(crate) trusted: bool,
}

impl Gatekeeper for Service<'_> {
    fn answer(&self, event: &Event, limit: Duration) -> Quality {
        let Self { machine, project, cwd, trusted } = self;
        let Some(gates) = load(machine, project, cwd) else { return Quality::default() };
        let here = Here { machine, project, session: &event.session, end: now() + limit };
        gates.answer(&here, event, *trusted)
    }
}
