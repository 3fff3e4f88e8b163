//! The beginning of a session.

crate::group! {
    baseline,
    config_problems,
    mail,
}
