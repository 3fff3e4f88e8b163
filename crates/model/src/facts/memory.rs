//! What earlier sessions have learned. A part of `Facts`.

use crate::{Memory, ShownMemory};

pub trait Memories {
    /// What may be to the point: the newest so many, and what the index has under one of these keys.
    fn memories(&self, newest: usize, keys: &[String]) -> Vec<Memory>;

    /// The files that a session is likely to be about: what differs from the last commit, and what the last commits touched.
    fn files_at_hand(&self) -> Vec<String>;

    /// What every session is to know: topic and assertion.
    fn assertions(&self) -> Vec<(String, String)>;

    /// What this session has been shown so far, in order.
    fn shown_memories(&self) -> Vec<ShownMemory>;
}
