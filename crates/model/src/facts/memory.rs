//! What earlier sessions have learned. A part of `Facts`.

use crate::{Asked, Memory, ShownMemory};

pub trait Memories {
    /// What earlier sessions have learned that is to the point, best first. At a session's start that is what its files are
    /// about, else `about`.
    fn recall(&self, asked: Asked, about: &[String]) -> Vec<Memory>;

    /// What every session is to know: topic and assertion.
    fn assertions(&self) -> Vec<(String, String)>;

    /// What this session has been shown so far, in order.
    fn shown_memories(&self) -> Vec<ShownMemory>;
}
