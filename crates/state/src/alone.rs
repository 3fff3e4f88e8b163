//! The questions about an agent that works alone, answered from disk and by `git`.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{
    Alone, AloneEffect, Asked, Event, Linted, Memory, Owner, Quality, Registered, Seen, SessionChanges,
    ShownMemory, Unknown, Update,
};

use crate::{
    DiskFacts, Machine, Project, autonomy, checkpoint, files, git, memory, once, owner, quality, registered,
    runs, session_changes, update, usage, worktree,
};

impl Alone for DiskFacts<'_> {
    fn session_changes(&self) -> Result<SessionChanges, Unknown> {
        let since = || {
            session_changes::since(self.machine, self.project, self.session, self.belief)
                .map_err(|error| Unknown(error.to_string()))
        };
        self.changes.get_or_init(since).clone()
    }

    fn code_version(&self) -> String {
        session_changes::version(self.project, &self.session_changes().unwrap_or_default())
    }

    fn is_report_of_other_code(&self, report: &str) -> bool {
        checkpoint::is_of_other_code(self.machine, self.project, self.session, report)
    }

    fn seen_runs(&self) -> Vec<Seen> {
        runs::all(self.project, self.session)
    }

    fn changes_root(&self) -> PathBuf {
        git::Repository::find(&self.project.root)
            .map_or_else(|| self.project.root.clone(), |found| found.root)
    }

    fn recall(&self, asked: Asked, about: &[String]) -> Vec<Memory> {
        memory::recall(self.machine, self.project, asked, about)
    }

    fn assertions(&self) -> Vec<(String, String)> {
        memory::Store::of(self.machine, self.project).map_or_else(Vec::new, |store| store.assertions())
    }

    fn shown_memories(&self) -> Vec<ShownMemory> {
        memory::session::shown(self.project, self.session)
    }

    fn quality(&self, event: &Event, limit: Duration) -> Quality {
        quality::answer(self.machine, self.project, &self.cwd, event, limit, self.loaded.trusts_all)
    }

    fn stale_autonomy(&self) -> Vec<PathBuf> {
        let hours = self.loaded.config.autonomy_ttl_hours;
        // What cannot be read is not removed either.
        autonomy::stale(self.machine, self.project, self.session, hours).unwrap_or_default()
    }

    fn other_session(&self) -> Option<Owner> {
        owner::other(self.machine, self.project, self.session, self.belief)
    }

    fn registered_hooks(&self) -> Vec<Registered> {
        registered::all(self.machine, self.project)
    }

    fn unreadable_settings(&self) -> Vec<String> {
        registered::unreadable(self.machine, self.project)
    }

    fn update(&self) -> Update {
        let named = self.loaded.config.update_checkout.as_deref().map(|text| {
            model::path::absolute(Path::new(text), &self.project.root, self.machine.home().as_deref())
        });
        update::at_start(self.machine, named.as_deref())
    }

    fn lint_files(&self, files: &[PathBuf], limit: Duration) -> Linted {
        let mut known = self.linted.borrow_mut();
        if known.as_ref().is_none_or(|(of, _)| of != files) {
            let linted = self.linter.map_or_else(Linted::default, |linter| linter.of_files(files, limit));
            *known = Some((files.to_vec(), linted));
        }
        known.as_ref().map(|(_, linted)| linted.clone()).unwrap_or_default()
    }

    fn names_in(&self, dir: &Path) -> Vec<String> {
        let names = files::list(dir).into_iter();
        names.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
    }
}

/// What the checks want written down, done.
pub(crate) fn apply(
    machine: &Machine,
    project: &Project,
    event: &Event,
    effect: &AloneEffect,
) -> io::Result<()> {
    let session = &event.session;
    match effect {
        AloneEffect::ToolUsed { tool, about } => usage::append(machine, project, tool, about),
        AloneEffect::BeginWork => session_changes::begin(machine, project, session),
        AloneEffect::ClaimSession => owner::claim(machine, project, session),
        AloneEffect::ExpectRepeats => once::expect_repeats(project, session),
        AloneEffect::Restarted => update::restarted(machine),
        AloneEffect::CollectWorktrees { ttl_hours } => {
            worktree::collect(machine, *ttl_hours, false).map(drop)
        }
        AloneEffect::Saw(seen) => runs::add(project, session, seen),
        AloneEffect::SweepAutonomy { ttl_hours } => autonomy::sweep(machine, project, session, *ttl_hours),
        AloneEffect::NextTask { ttl_hours } => {
            let cwd = event.cwd.as_deref().unwrap_or(&project.root);
            autonomy::next_task(machine, project, session, cwd, *ttl_hours)
        }
        AloneEffect::Remember { checkpoint, files } => {
            // One memory for each report.
            if checkpoint::accept(machine, project, session)? {
                memory::remember(machine, project, session, checkpoint, files)
            } else {
                Ok(())
            }
        }
        AloneEffect::Recalled { by, memories } => {
            memory::session::add(machine, project, session, *by, memories)
        }
        AloneEffect::BeforeCompaction => memory::before_compaction(machine, project, session),
        AloneEffect::CheckpointStale { fields, azure } => checkpoint::mark_stale(project, fields, *azure),
    }
}
