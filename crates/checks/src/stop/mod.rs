//! What holds a stop.

crate::group! {
    config_guardian,
}

pub(crate) use config_guardian::watch;
