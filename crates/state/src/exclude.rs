//! Our state files in the project, kept out of the user's `git status`: a block in `.git/info/exclude`, which is theirs alone
//! and never committed.

use std::path::{Path, PathBuf};

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
    "**/.claude/.test-runner.*",
    "**/.claude/.lint-breaker",
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

/// The same in a repository inside the project: a submodule, whose own folder lies in the project's, or one that lies there by itself.
pub(crate) fn ensure_in(project: &Project, root: &Path) {
    if root == project.root {
        return;
    }
    let (Some(ours), Some(theirs)) = (git::Repository::find(&project.root), git::Repository::find(root))
    else {
        return;
    };
    let by_itself = theirs.common_dir == theirs.root.join(".git") && theirs.root.starts_with(&ours.root);
    if theirs.root == ours.root || theirs.is_linked_worktree() || !by_itself && !ours.owns(&theirs) {
        return;
    }
    let file = files::resolve(&theirs.common_dir).join("info/exclude");
    let text = files::read(&file).ok().flatten().unwrap_or_default();
    if !text.contains(BEGIN) {
        // What cannot be written is only seen in a list.
        let _ = beneath::write(&files::resolve(&ours.root), &file, add(&text).as_bytes());
    }
}

/// The state files that lie in a project's `.claude` folder.
pub fn records_in(project: &Project) -> Vec<PathBuf> {
    let own = |name: &str| {
        let patterns = PATTERNS.iter().filter_map(|pattern| pattern.rsplit('/').next());
        patterns.chain(model::changes::RECORDS.iter().copied()).any(|pattern| match pattern.split_once('*') {
            Some((before, after)) => {
                name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
            }
            None => name == pattern,
        })
    };
    // Settings for the fixer may be the user's; only such as we write ourselves are ours.
    let theirs = |path: &PathBuf| {
        path.ends_with("subprocess-settings.json")
            && files::read_json(path).is_none_or(|json| json != serde_json::json!({"disableAllHooks": true}))
    };
    let named = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(own);
    let all = files::list(&project.claude_dir());
    all.into_iter().filter(|path| files::is_file(path) && named(path) && !theirs(path)).collect()
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
