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
    context,
    compaction,
    end,
    notify,
}

pub(crate) use context::surroundings;
