//! What the agent's client has been told, and what there is to know of newer versions: answered from disk.

use std::path::Path;

use model::{Client, Registered, Update};

use super::DiskFacts;
use crate::{registered, update};

impl Client for DiskFacts<'_> {
    fn registered_hooks(&self) -> Vec<Registered> {
        registered::all(self.machine, self.project)
    }

    fn unreadable_settings(&self) -> Vec<String> {
        registered::unreadable(self.machine, self.project)
    }

    fn update(&self) -> Update {
        let named = self.loaded.config.update_checkout.as_deref().map(|text| {
            model::path::absolute(Path::new(text), &self.project.root, self.machine.home().as_deref())
        });
        update::at_start(self.machine, named.as_deref())
    }
}
