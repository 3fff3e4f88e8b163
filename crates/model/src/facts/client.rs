//! What the agent's client has been told, and what there is to know of newer versions. A part of `Facts`.

use crate::{Registered, Update};

pub trait Client {
    /// Command hooks in all settings that the client reads.
    fn registered_hooks(&self) -> Vec<Registered>;

    /// Settings files that the client cannot read, each with the reason.
    fn unreadable_settings(&self) -> Vec<String>;

    /// What there is to know of newer versions of the harness.
    fn update(&self) -> Update;
}
