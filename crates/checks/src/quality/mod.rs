//! What the project's own commands say of the work.

crate::group! {
    commands,
}
