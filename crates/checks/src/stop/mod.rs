//! What holds a stop.

crate::group! {
    config_guardian,
    checkpoint,
    change_types,
    lint,
    surface,
    summary,
    forward_motion,
}

mod hold;

pub(crate) use checkpoint::{FILE as CHECKPOINT, TEMPLATE};
pub(crate) use config_guardian::watch;
pub(crate) use hold::{hold, is_first};
