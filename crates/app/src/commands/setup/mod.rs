//! Setting a project up and taking it back: `init` asks and writes, `uninstall` removes. `registration` knows how our hooks
//! look in a settings file, `edit` changes JSON without touching what it does not mean, `plan` collects the files to write,
//! so that `--dry-run` shows exactly what would happen.

pub(crate) mod edit;
pub(crate) mod init;
pub(crate) mod peers;
pub(crate) mod plan;
pub(crate) mod registration;
pub(crate) mod survey;
pub(crate) mod uninstall;

use std::path::{Path, PathBuf};

use state::{Machine, Project, files};

/// Which settings file the hooks are registered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Scope {
    /// `.claude/settings.json` in the project, shared with everyone who works on it
    Project,
    /// `.claude/settings.local.json` in the project, yours alone
    Local,
    /// `~/.claude/settings.json`, for all your projects
    User,
}

impl Scope {
    pub(crate) const ALL: [Scope; 3] = [Scope::Project, Scope::Local, Scope::User];

    pub(crate) fn file(self, machine: &Machine, project: &Project) -> Option<PathBuf> {
        match self {
            Scope::Project => Some(project.claude_dir().join("settings.json")),
            Scope::Local => Some(project.claude_dir().join("settings.local.json")),
            Scope::User => machine.told_home().map(|home| home.join(".claude/settings.json")),
        }
    }
}

/// The folders that ours was in, such as `.local/state`, where nothing else is in them. The home stays.
pub(crate) fn remove_emptied(machine: &Machine, folder: &Path) {
    let Some(home) = machine.home() else { return };
    let around = folder.ancestors().skip(1).take_while(|dir| dir.starts_with(&home) && **dir != *home);
    for dir in around {
        if files::remove_empty_dir(dir).is_err() {
            break;
        }
    }
}
