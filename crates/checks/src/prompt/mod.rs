//! What a person's prompt sets going.

crate::group! {}
