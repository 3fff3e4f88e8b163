//! Our state files in the project, kept out of the user's `git status`: a block in `.git/info/exclude`, which is theirs alone
//! and never committed.

use std::path::PathBuf;

use crate::{Project, atomic, beneath, files, git};

const BEGIN: &str = "# plimsoll: state files of the hooks";
const END: &str = "# plimsoll: end";

/// At any depth: an agent may be started in a folder of the repository.
const PATTERNS: &[&str] = &[
    "**/.claude/.session-changes-*",
    "**/.claude/.audit-log",
    "**/.claude/.llm-review-cache",
    "**/.claude/*.plimsoll-*",
    "**/.claude/.test-status",
    "**/.claude/.proof-status",
    "**/.claude/.plan-drift",
    "**/.claude/.*-gate-strikes",
    "**/.claude/.agent-findings",
    "**/.claude/.preserved-context",
    "**/.claude/.prompt-count-*",
    "**/.claude/.subagent-tracker",
    "**/.claude/.statusline-cache",
];

/// The file, in a repository.
pub fn file(project: &Project) -> Option<PathBuf> {
    Some(git::Repository::find(&project.root)?.common_dir.join("info/exclude"))
}

/// Hides them before the first of them is written, on whatever road the hooks came here. Once for a project: whoever takes the block out
/// does not want it.
pub(crate) fn ensure(project: &Project) {
    let done = project.records.join("excluded");
    if files::exists(&done) {
        return;
    }
    let Some(repository) = git::Repository::find(&project.root) else { return };
    // The other folders of a repository are not ours to write to because a file here points to them.
    if repository.common_dir == repository.root.join(".git") {
        let file = repository.common_dir.join("info/exclude");
        let text = files::read(&file).ok().flatten().unwrap_or_default();
        if !text.contains(BEGIN) && beneath::write(&repository.root, &file, add(&text).as_bytes()).is_err() {
            return;
        }
    }
    // Not noted, it is looked at again.
    let _ = atomic::write(&done, b"");
}

pub fn add(text: &str) -> String {
    let mut text = remove(text);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let records = model::changes::RECORDS.iter().map(|name| format!("**/.claude/{name}"));
    let lines =
        [BEGIN].iter().chain(PATTERNS).map(|&line| line.to_owned()).chain(records).chain([END.to_owned()]);
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

pub fn remove(text: &str) -> String {
    match (text.find(BEGIN), text.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            let rest = text[end + END.len()..].trim_start_matches('\n');
            format!("{}{rest}", &text[..begin])
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_once_and_removed_without_a_trace() {
        let old = "# mine\n*.log\n";
        let new = add(old);
        assert!(new.starts_with(old) && new.contains(".session-changes-*"));
        assert_eq!(add(&new), new);
        assert_eq!(remove(&new), old);
    }
}
