//! What arrives in files: archives that are unpacked, patches that are applied, folders that are copied, other versions that git puts
//! in place. The names are read from what brings them (`format`, `Facts`), bounded and without starting anything, and judged as writes
//! by the checks that judge an edit. Each program's words are in one table (`programs`).
//!
//! What cannot be read is either left to others (`Rest::Unseen`: what comes over the network, what git alone knows) or a question where
//! protected files lie in its reach (`Rest::Hidden`). Neither is approved.

mod copying;
pub mod format;
mod inline;
mod options;
mod patching;
mod programs;
mod reach;
mod scene;
#[cfg(test)]
mod tests;
mod unpacking;
mod versions;

use model::{Change, Facts};
use shell::{Call, Reading};

pub(crate) use reach::{judged, question};
use scene::{Before, Scene};

/// A file that is written, by its absolute path on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) path: String,
    pub(crate) change: Change,
}

/// What brings the files. It decides how they are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Somebody wrote it line by line: as an edit, whatever the file.
    Patch,
    /// Most of it is somebody else's work, in folders of its own: as an edit, where it comes into what was there before.
    #[default]
    Archive,
    /// Work that git has kept: what an edit would be refused for is a question.
    Kept,
    /// Another commit as a whole. Only what would take the guard away is a question; the rest is compared when work stops.
    Commit,
}

/// What is not known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rest {
    #[default]
    Nothing,
    /// It cannot be read before it is there, and others look at where it comes from.
    Unseen,
    /// It is there and cannot be read, for this reason; its files may land anywhere below these folders.
    Hidden { why: &'static str, below: Vec<String> },
}

/// What one call brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// Where the call stands in the reading.
    pub(crate) call: usize,
    pub(crate) carrier: Carrier,
    pub(crate) files: Vec<Arrival>,
    /// Links that come along: the name, and where it leads.
    pub(crate) links: Vec<(String, String)>,
    pub(crate) rest: Rest,
    /// It is the form in which coding agents edit, which some of them take out of a command and apply by themselves.
    pub(crate) edits: bool,
}

impl Arrivals {
    fn of(carrier: Carrier) -> Self {
        Self { carrier, ..Self::default() }
    }

    fn unseen(carrier: Carrier) -> Self {
        Self { carrier, rest: Rest::Unseen, ..Self::default() }
    }

    fn hidden(carrier: Carrier, why: &'static str, below: Vec<String>) -> Self {
        Self { carrier, rest: Rest::Hidden { why, below }, ..Self::default() }
    }

    /// What a script of the project unpacks is the project's: nobody can say more about it than about the script.
    fn unless_of_a_script(mut self, call: &Call) -> Self {
        if call.script.is_some() && self.rest != Rest::Nothing {
            self.rest = Rest::Unseen;
        }
        self
    }

    /// Both together; what is known least counts.
    fn join(mut self, other: Self) -> Self {
        self.files.extend(other.files);
        self.links.extend(other.links);
        self.rest = match (self.rest, other.rest) {
            (Rest::Hidden { why, mut below }, Rest::Hidden { below: more, .. }) => {
                below.extend(more);
                Rest::Hidden { why, below }
            }
            (hidden @ Rest::Hidden { .. }, _) | (_, hidden @ Rest::Hidden { .. }) => hidden,
            (Rest::Unseen, _) | (_, Rest::Unseen) => Rest::Unseen,
            (Rest::Nothing, Rest::Nothing) => Rest::Nothing,
        };
        self
    }
}

/// Calls whose archives are looked at; nobody means more.
const MOST_CALLS: usize = 64;

/// What every call of a command brings, in order; calls that bring nothing are left out.
pub(crate) fn read(reading: &Reading, facts: &dyn Facts) -> Vec<Arrivals> {
    // Most commands have none of these programs, and then nothing is kept in mind.
    let last = reading.calls.iter().rposition(|call| programs::find(call).is_some());
    let mut all = last.map_or_else(Vec::new, |last| by_calls(reading, last, facts));
    all.extend(inline::read(reading, facts));
    all
}

fn by_calls(reading: &Reading, last: usize, facts: &dyn Facts) -> Vec<Arrivals> {
    let mut all: Vec<Arrivals> = Vec::new();
    let mut before = Before::new(facts);
    for (at, call) in reading.calls.iter().enumerate().take(last + 1) {
        let scene = Scene { call, calls: &reading.calls, facts, before: &before };
        if all.len() >= MOST_CALLS {
            let many = Arrivals::hidden(Carrier::Archive, "there are too many archives", vec![scene.here()]);
            all.push(Arrivals { call: at, ..many });
            break;
        }
        let read = programs::find(call).filter(|_| !call.elsewhere || !call.mounts.is_empty());
        let found = read.and_then(|read| versions::within(&scene, read));
        let fresh = scene.written();
        all.extend(found.map(|found| Arrivals { call: at, ..found.unless_of_a_script(call) }));
        before.note(call, fresh, all.last().filter(|found| found.call == at));
    }
    all
}
