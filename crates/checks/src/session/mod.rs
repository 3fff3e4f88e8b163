//! The beginning of a session.

crate::group! {
    baseline,
    snapshot,
    config_problems,
    mail,
}
