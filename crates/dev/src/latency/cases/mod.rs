//! What is measured, by subject.

mod autonomy;
mod compared;
mod edit;
mod gates;
mod guard;
mod lint;
mod stop;

use super::{Case, Stage};

pub(super) use guard::compound;

/// The cases of a subject, with the project they need.
type Subject = fn(&Stage) -> anyhow::Result<Vec<Case>>;

pub(super) static SUBJECTS: &[Subject] =
    &[guard::cases, edit::cases, lint::cases, stop::cases, gates::cases, autonomy::cases, compared::cases];
