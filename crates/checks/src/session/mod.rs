//! The beginning of a session.

crate::group! {
    baseline,
    snapshot,
    owner,
    settings_overlap,
    update,
    read_docs,
    config_problems,
    mail,
}
