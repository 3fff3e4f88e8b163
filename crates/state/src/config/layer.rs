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
}

impl Layer {
    pub const FILES: [Layer; 3] = [Layer::User, Layer::Project, Layer::Local];

    pub fn as_str(self) -> &'static str {
        match self {
            Layer::Default => "default",
            Layer::User => "user",
            Layer::Project => "project",
            Layer::Local => "local",
        }
    }

    /// A clone brings these along.
    pub fn is_foreign(self) -> bool {
        matches!(self, Layer::Project | Layer::Local)
    }

    pub fn file(self, machine: &Machine, project: &Project) -> Option<PathBuf> {
        match self {
            Layer::Default => None,
            Layer::User => machine.home().map(|home| home.join(".claude/hooks/config.json")),
            Layer::Project => Some(project.root.join(".claude/hooks/config.json")),
            Layer::Local => Some(project.root.join(".claude/hooks/config.local.json")),
        }
    }
}
