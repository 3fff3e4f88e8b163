//! What a user's prompt sets going.

crate::group! {
    context,
    proof,
    read_docs,
    skill_reminder,
}
