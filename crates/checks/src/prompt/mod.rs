//! What a person's prompt sets going.

crate::group! {
    read_docs,
    skill_reminder,
}
