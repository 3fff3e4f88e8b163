//! The audit of a machine and a project: what is there, what is missing, what to do about it. Each thing has an id, so that a script
//! can ask for it.

mod hooks;
mod tools;

use serde_json::{Value as Json, json};
use state::config::Loaded;
use state::{Machine, Project};

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patient<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) project: &'a Project,
    pub(crate) loaded: &'a Loaded,
}

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Without it something that is switched on does not work.
    Required,
    /// Without it less is found.
    Optional,
    /// To know.
    Advisory,
}

impl Need {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Need::Required => "required",
            Need::Optional => "optional",
            Need::Advisory => "advisory",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) need: Need,
    pub(crate) found: bool,
    /// Whether it is as it should be. What is only good to know always is.
    pub(crate) pass: bool,
    /// Version and place, or what to do.
    pub(crate) note: String,
}

impl Item {
    pub(crate) fn json(&self) -> Json {
        json!({
            "id": self.id,
            "name": self.name,
            "need": self.need.as_str(),
            "found": self.found,
            "pass": self.pass,
            "note": self.note,
        })
    }
}

/// Everything, in the order of the ids.
pub(crate) fn examine(patient: &Patient<'_>) -> Vec<Item> {
    let mut items = tools::examine(patient);
    items.extend(hooks::examine(patient));
    items.sort_by_key(|item| item.id);
    items
}
