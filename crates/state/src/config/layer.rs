//! The layers, weakest first, and the file of each.

use std::path::PathBuf;

use crate::{Machine, Project};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    Default,
    /// `~/.claude/hooks/config.json`
    User,
    /// `<project>/.claude/hooks/config.json`
    Project,
    /// `<project>/.claude/hooks/config.local.json`
    Local,
    /// `config.json` of the checkout that `policy.checkout` names.
    Policy,
    /// `/etc/plimsoll/config.json`, and its like on other systems. What it says stands: nothing below can weaken it.
    Managed,
}

impl Layer {
    pub const FILES: [Layer; 4] = [Layer::User, Layer::Project, Layer::Local, Layer::Managed];

    pub fn as_str(self) -> &'static str {
        match self {
            Layer::Default => "default",
            Layer::User => "user",
            Layer::Project => "project",
            Layer::Local => "local",
            Layer::Policy => "policy",
            Layer::Managed => "managed",
        }
    }

    /// A clone brings these along.
    pub fn is_foreign(self) -> bool {
        matches!(self, Layer::Project | Layer::Local)
    }

    pub fn file(self, machine: &Machine, project: &Project) -> Option<PathBuf> {
        match self {
            // Which one that is, only the other layers know.
            Layer::Default | Layer::Policy => None,
            Layer::Managed => machine.managed_dir().map(|dir| dir.join("config.json")),
            Layer::User => machine.home().map(|home| home.join(".claude/hooks/config.json")),
            Layer::Project => Some(project.root.join(".claude/hooks/config.json")),
            Layer::Local => Some(project.root.join(".claude/hooks/config.local.json")),
        }
    }
}
