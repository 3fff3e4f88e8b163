//! Protected files that the session has changed, and the ways back: answered from disk.

use std::collections::BTreeMap;

use model::{ContentHash, Guarded, Protected, Unknown, Watch};

use super::{Approvals, DiskFacts};
use crate::{protected, session};

impl Guarded for DiskFacts<'_> {
    fn protected_changes(&self, watch: &Watch) -> Result<Protected, Unknown> {
        let as_script = matches!(self.approvals, Approvals::Pid(_));
        let changes = protected::changes(self.machine, self.project, self.session, watch, as_script);
        let mut found = changes.map_err(|error| Unknown(error.to_string()))?;
        if !found.changes.is_empty() {
            let approved = self.approved();
            found.changes.retain(|change| {
                let hash = session::content_hash(&self.project.root.join(&change.path));
                hash.is_unreadable() || approved.get(&change.path) != Some(&hash)
            });
        }
        Ok(found)
    }

    fn is_named_restore(&self, command: &str) -> bool {
        session::is_named_restore(self.project, self.session, command)
    }

    fn approve_command(&self, files: &[&str]) -> String {
        let pid;
        let mut words = match self.approvals {
            Approvals::Session if self.session.is_known() => {
                vec!["plimsoll", "approve", "--session", self.session.as_str(), "--"]
            }
            Approvals::Session => vec!["plimsoll", "approve", "--"],
            Approvals::Pid(number) => {
                pid = number.to_string();
                // A project that has the script's address goes on using it.
                let script = ".claude/hooks/approve_configs.sh";
                if self.project.root.join(script).exists() {
                    vec![script, &pid]
                } else {
                    vec!["plimsoll", "compat", "approve_configs", &pid]
                }
            }
        };
        words.extend(files);
        shell::join(words)
    }
}

impl DiskFacts<'_> {
    fn approved(&self) -> BTreeMap<String, ContentHash> {
        match self.approvals {
            Approvals::Session => session::approvals(&session::approvals_file(self.project, self.session)),
            Approvals::Pid(pid) => session::shared_approvals(&Approvals::pid_file(pid)),
        }
    }
}
