//! The commands by which the user overrules the guard.

use std::path::PathBuf;

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
