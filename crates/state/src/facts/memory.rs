//! What earlier sessions have learned: answered from disk.

use model::{Memories, Memory, ShownMemory};

use super::DiskFacts;
use crate::memory;

impl Memories for DiskFacts<'_> {
    fn memories(&self, newest: usize, keys: &[String]) -> Vec<Memory> {
        let store = memory::Store::of(self.machine, self.project);
        store.map_or_else(Vec::new, |store| store.about(self.machine.now(), newest, keys))
    }

    fn files_at_hand(&self) -> Vec<String> {
        // A look at git for nothing, where nothing is remembered.
        let store = memory::Store::of(self.machine, self.project).filter(|store| !store.is_empty());
        store.map_or_else(Vec::new, |_| memory::files_at_hand(self.machine, self.project))
    }

    fn assertions(&self) -> Vec<(String, String)> {
        memory::Store::of(self.machine, self.project).map_or_else(Vec::new, |store| store.assertions())
    }

    fn shown_memories(&self) -> Vec<ShownMemory> {
        memory::session::shown(self.project, self.session)
    }
}
