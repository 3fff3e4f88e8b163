//! What holds a stop.

crate::group! {
    config_guardian,
}

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "checks that hold a stop until they are satisfied will use it")
)]
mod hold;

pub(crate) use config_guardian::watch;
