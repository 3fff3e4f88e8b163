//! What is written down about a session and the work in it.

use std::io;

use model::{Bookkeeping, Event};

use crate::{
    Machine, Project, autonomy, checkpoint, memory, once, owner, runs, session_changes, update, usage,
    worktree,
};

/// What the checks want written down, done.
pub(crate) fn apply(
    machine: &Machine,
    project: &Project,
    event: &Event,
    effect: &Bookkeeping,
) -> io::Result<()> {
    let session = &event.session;
    match effect {
        Bookkeeping::ToolUsed { tool, about } => usage::append(machine, project, tool, about),
        Bookkeeping::BeginWork => session_changes::begin(machine, project, session),
        Bookkeeping::ClaimSession => owner::claim(machine, project, session),
        Bookkeeping::ExpectRepeats => once::expect_repeats(project, session),
        Bookkeeping::Restarted => update::restarted(machine),
        Bookkeeping::CollectWorktrees { ttl_hours } => {
            worktree::collect(machine, *ttl_hours, false).map(drop)
        }
        Bookkeeping::Saw(seen) => runs::add(project, session, seen),
        Bookkeeping::SweepAutonomy { ttl_hours } => autonomy::sweep(machine, project, session, *ttl_hours),
        Bookkeeping::NextTask { ttl_hours } => {
            let cwd = event.cwd.as_deref().unwrap_or(&project.root);
            autonomy::next_task(machine, project, session, cwd, *ttl_hours)
        }
        Bookkeeping::Remember { lesson } => {
            // One memory for each report.
            if checkpoint::accept(machine, project, session)? {
                memory::remember(machine, project, session, lesson)
            } else {
                Ok(())
            }
        }
        Bookkeeping::Recalled { by, memories } => {
            memory::session::add(machine, project, session, *by, memories)
        }
        Bookkeeping::BeforeCompaction { lesson } => memory::remember(machine, project, session, lesson),
        Bookkeeping::CheckpointStale { fields, azure } => checkpoint::mark_stale(project, fields, *azure),
    }
}
