//! The beginning of a session.

crate::group! {
    baseline,
    snapshot,
    config_problems,
    mail,
    context,
    compaction,
    end,
    notify,
}

pub(crate) use context::surroundings;
