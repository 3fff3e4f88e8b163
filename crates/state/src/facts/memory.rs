//! What earlier sessions have learned: answered from disk.

use model::{Asked, Memories, Memory, ShownMemory};

use super::DiskFacts;
use crate::memory;

impl Memories for DiskFacts<'_> {
    fn recall(&self, asked: Asked, about: &[String]) -> Vec<Memory> {
        memory::recall(self.machine, self.project, asked, about)
    }

    fn assertions(&self) -> Vec<(String, String)> {
        memory::Store::of(self.machine, self.project).map_or_else(Vec::new, |store| store.assertions())
    }

    fn shown_memories(&self) -> Vec<ShownMemory> {
        memory::session::shown(self.project, self.session)
    }
}
