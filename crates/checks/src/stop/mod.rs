//! What holds a stop.

mod change_types;
mod checkpoint;
mod config_guardian;
mod forward_motion;
mod hold;
mod lint;
mod summary;
mod surface;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[
    &config_guardian::CHECK,
    &checkpoint::CHECK,
    &change_types::CHECK,
    &lint::CHECK,
    &surface::CHECK,
    &summary::CHECK,
    &forward_motion::CHECK,
];

pub(crate) use checkpoint::{FILE as CHECKPOINT, TEMPLATE};
pub(crate) use config_guardian::watch;
pub(crate) use hold::{hold, is_first};
