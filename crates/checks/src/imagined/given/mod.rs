//! Parts of what is given, by the facts that they answer.

pub(super) mod incoming;
pub(super) mod own;
pub(super) mod session;
pub(super) mod work;
