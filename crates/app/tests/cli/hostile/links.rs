//! Links out of the project, at every place that we write to.

use std::fs;

use super::checkout::Checkout;
use crate::needs::missing;
use crate::world::{SESSION, write};

/// What we write in a project.
pub(super) const RECORDS: &[&str] = &[
    ".claude/session-owner.json",
    ".claude/session-snapshot.json",
    ".claude/.session-changes",
    ".claude/.session-changes-s1",
    ".claude/.prompt-count-s1",
    ".claude/.audit-log",
    ".claude/.agent-findings",
    ".claude/.plan-drift",
    ".claude/.preserved-context",
    ".claude/.update-status",
    ".claude/.update-check.lock",
    ".claude/.test-status",
    ".claude/.proof-status",
    ".claude/.test-gate-strikes",
    ".claude/.mock-gate-strikes",
    ".claude/.test-runner.lock",
    ".claude/.test-runner.last-run",
    ".claude/.llm-review-cache",
    ".claude/.lint-cache",
    ".claude/.lint-breaker",
    ".claude/.subagent-tracker",
    ".claude/.statusline-cache",
    ".claude/autonomous-state.json",
    ".claude/autonomous-state.json.lock",
    ".claude/completion-checkpoint.json",
    ".claude/worktree-state.json",
    ".claude/tool-usage-log.jsonl",
    ".claude/MEMORIES.md",
    ".claude/.gitignore",
];

#[test]
fn the_session_is_the_one_that_is_spoken_of() {
    assert!(RECORDS.iter().any(|name| name.ends_with(&format!("-{SESSION}"))));
}

pub(super) fn records_lead_into_the_home(clone: &mut Checkout) {
    for name in RECORDS {
        let target = clone.home().join("targets").join(name.trim_start_matches(".claude/"));
        write(&target, "mine\n");
        clone.link(name, target);
    }
    clone.link(".claude/session-owner.json", "../../home/.bashrc");
}

pub(super) fn records_lead_to_new_files(clone: &mut Checkout) {
    fs::create_dir(clone.home().join("targets")).unwrap();
    for name in RECORDS {
        let target = clone.home().join("targets").join(name.trim_start_matches(".claude/"));
        clone.link(name, target);
    }
}

/// Only where there is another owner to be had, which only root can arrange.
pub(super) fn records_are_hard_links(clone: &mut Checkout) {
    for name in RECORDS {
        let target = clone.home().join("targets").join(name.trim_start_matches(".claude/"));
        write(&target, "theirs\n");
        if std::os::unix::fs::chown(&target, Some(1), Some(1)).is_err() {
            missing("root", "only root can make files of other owners");
            return;
        }
        fs::hard_link(target, clone.clear(name)).unwrap();
    }
}

pub(super) fn folder_leads_to(clone: &mut Checkout, name: &str, below_home: &str) {
    clone.link(name, clone.home().join(below_home));
}
