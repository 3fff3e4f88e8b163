//! What happens after an edit.

crate::group! {
    journal,
    lint,
}
