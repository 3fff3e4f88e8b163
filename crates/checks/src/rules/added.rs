//! The lines that a call adds to files, by whichever tool: an edit, a patch, a command that writes.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use model::rule::{Adds, Fit, Text};
use model::{Change, Event, FileEdit};

use super::path::Place;
use crate::Context;

/// A file that gets lines. What is worked out about it is the same for all rules.
#[derive(Clone, Debug)]
pub(super) struct Adding {
    pub(super) place: Place<'static>,
    edit: FileEdit,
    lines: OnceCell<Lines>,
}

#[derive(Clone, Debug)]
enum Lines {
    Known {
        is_new: bool,
        /// `None` where that cannot be told.
        added: Option<Vec<String>>,
    },
    /// The file as it is cannot be read.
    Unknown,
}

/// All files that the event's call changes.
pub(super) fn all(event: &Event, cx: &Context<'_>) -> Vec<Adding> {
    let cwd = event.cwd.as_deref().unwrap_or_else(|| cx.facts.project()).to_string_lossy();
    let edits = crate::shell::edits(event, cx);
    let edits = edits.iter().filter_map(Event::edit).filter(|edit| edit.change != Change::Removed);
    let one = |edit: &FileEdit| {
        let text = edit.path.to_string_lossy().into_owned();
        let place = Place::new(text, &cwd, false, cx);
        Adding { place, edit: edit.clone(), lines: OnceCell::new() }
    };
    edits.map(one).collect()
}

impl Adding {
    /// Whether it is a file that the rule is about, and gets what the rule is about.
    pub(super) fn fits(&self, wanted: &Adds, path: Option<&Text>, cx: &Context<'_>) -> Fit {
        let fit = path.map_or(Fit::Yes, |wanted| self.place.fits(wanted, cx));
        if fit == Fit::No {
            return fit;
        }
        let (is_new, added) = match self.lines.get_or_init(|| self.look(cx)) {
            Lines::Known { is_new, added } => (*is_new, added),
            Lines::Unknown => return fit.min(Fit::Perhaps),
        };
        if wanted.new && !is_new {
            return Fit::No;
        }
        let Some(added) = added else { return fit.min(Fit::Perhaps) };
        let line =
            wanted.line.as_ref().map_or(Fit::Yes, |wanted| wanted.fits_one(added.iter().map(String::as_str)));
        let text = wanted.text.as_ref().map_or(Fit::Yes, |wanted| wanted.fits(&added.join("\n")));
        fit.min(line).min(text)
    }

    fn look(&self, cx: &Context<'_>) -> Lines {
        let Ok(before) = cx.facts.read(&cx.facts.absolute(&self.edit.path)) else { return Lines::Unknown };
        let added = added(&self.edit.change, before.as_deref().unwrap_or_default());
        Lines::Known { is_new: before.is_none(), added }
    }
}

/// Lines that were not there before; `None` where that cannot be told.
fn added(change: &Change, before: &str) -> Option<Vec<String>> {
    let new = |old: &str, new: &str| -> Vec<String> {
        let known: BTreeSet<&str> = old.lines().collect();
        new.lines().filter(|line| !known.contains(line)).map(str::to_owned).collect()
    };
    match change {
        Change::Write { content } => Some(new(before, content)),
        Change::Replace(parts) => Some(parts.iter().flat_map(|part| new(&part.old, &part.new)).collect()),
        Change::Cell { source } => Some(new(before, source)),
        Change::Unknown => None,
        Change::Removed => Some(Vec::new()),
    }
}
