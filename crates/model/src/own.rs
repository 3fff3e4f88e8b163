//! What a check may ask about the guard's own parts, and about who is speaking. Parts of `Facts`.

use std::path::{Path, PathBuf};

/// What lies at a path, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub directory: bool,
    /// How many names the file has.
    pub links: u64,
    /// Device and number: two names with the same are one file.
    pub id: (u64, u64),
    pub size: u64,
}

pub trait Own {
    /// The program that is running, as the kernel follows it.
    fn executable(&self) -> Option<&Path>;

    /// Every copy of it that counts: the one that is running, the one that PATH finds, and those that the client's settings name. As they are
    /// written and as the kernel follows them.
    fn executables(&self) -> &[PathBuf];

    /// What we can have again: installed tools, results.
    fn cache_dir(&self) -> &Path;

    /// `None` where nothing is, or where that cannot be told.
    fn entry(&self, path: &Path) -> Option<Entry>;

    /// Whether this event was sent by the process that began its session, and that process was started by nobody's agent.
    fn is_the_client(&self) -> bool;
}

/// The words of our own command line that only the user says, with the old address of `approve` as one of them.
pub const PERSONAL: &[&str] =
    &["approve", "trust", "init", "uninstall", "update", "proof", "autonomy", "allow", "clear-warning"];

/// Runs the code of a project that nobody has trusted.
pub const CHECK_WITH_TRUST: &str = "check --trust-project";

/// A command of the user's, in the one form in which the hook that asked about it and the program that runs it compare it: the
/// words after the program's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Personal {
    pub words: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
}

/// The verb by which these words overrule the guard; `None` for those that only look.
pub fn personal_verb(words: &[&str]) -> Option<&'static str> {
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let before_files = words.iter().take_while(|word| **word != "--");
    if before_files.clone().any(|word| matches!(*word, "--help" | "-h")) {
        return None;
    }
    let verb = plain.first()?;
    match (*verb, plain.get(1).copied().unwrap_or_default()) {
        // Reading what is recorded changes nothing.
        ("trust", "show") | ("proof" | "autonomy", "status") => None,
        ("allow", _) if words.contains(&"--list") => None,
        ("update", _) if words.contains(&"--check") => None,
        ("init" | "uninstall", _) if words.contains(&"--dry-run") => None,
        ("compat", name) if name.starts_with("approve_configs") => Some("approve"),
        ("memory", "forget") => Some("memory forget"),
        ("check", _) if words.contains(&"--trust-project") => Some(CHECK_WITH_TRUST),
        ("worktree", _) if words.contains(&"--force") => Some("worktree --force"),
        _ => PERSONAL.iter().find(|known| *known == verb).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_is_nobodys_word() {
        for words in [
            "trust show",
            "proof status",
            "autonomy status",
            "update --check",
            "allow --list",
            "init --dry-run",
            "approve --help",
            "status",
            "",
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(personal_verb(&words), None, "{words:?}");
        }
        for (words, verb) in [
            ("trust --yes", "trust"),
            ("approve -- status", "approve"),
            ("approve -- --help", "approve"),
            ("compat approve_configs.sh 1 x", "approve"),
            ("memory forget e", "memory forget"),
            ("check src --trust-project", "check --trust-project"),
            ("worktree cleanup a --force", "worktree --force"),
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(personal_verb(&words), Some(verb), "{words:?}");
        }
    }
}
