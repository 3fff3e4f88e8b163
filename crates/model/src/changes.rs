//! What a session has done: the files that it changed, and the tests and linters that were seen to run.

use std::ops::Range;

/// One file that the session changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Relative to the repository's root (outside one, the project's), with `/`.
    pub path: String,
    /// Lines that it added, counted from one, as they are in the file now.
    pub added: Vec<Range<usize>>,
    /// The change is not in a commit yet.
    pub uncommitted: bool,
    /// When the file was last written, in seconds since 1970; `None` where it is gone.
    pub written_at: Option<u64>,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionChanges {
    /// By path.
    pub files: Vec<Touched>,
}

impl SessionChanges {
    /// When the last of the files was written.
    pub fn last_write(&self) -> u64 {
        self.files.iter().filter_map(|file| file.written_at).max().unwrap_or(0)
    }
}

/// What a command that was seen to run is evidence of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    Test,
    Lint,
}

impl Proof {
    pub fn as_str(self) -> &'static str {
        match self {
            Proof::Test => "test",
            Proof::Lint => "lint",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Proof::Test, Proof::Lint].into_iter().find(|proof| proof.as_str() == text)
    }
}

/// A run of tests or linters, as the binary saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub proof: Proof,
    pub command: String,
    pub passed: bool,
    /// Seconds since 1970.
    pub at: u64,
}

/// Names in an agent's folder that hooks write, besides those that begin with a dot.
pub static RECORDS: &[&str] = &[
    "autonomous-state.json",
    "completion-checkpoint.json",
    "session-owner.json",
    "session-snapshot.json",
    "subprocess-settings.json",
    "tool-usage-log.1.jsonl",
    "tool-usage-log.jsonl",
    "web-smoke",
];

/// What hooks write down in a project: it never counts as work.
pub fn is_record(path: &str) -> bool {
    let mut parts = path.split('/').skip_while(|part| *part != ".claude").skip(1);
    path.starts_with("tmp/")
        || parts.next().is_some_and(|name| name.starts_with('.') || RECORDS.contains(&name))
}

/// Files that are not work: records of ours and of tools, locks, caches, editors' own.
pub fn is_noise(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends = [".lock", ".pyc", ".log", ".swp", ".swo", ".orig"];
    path.split('/').any(|part| matches!(part, ".claude" | "__pycache__" | ".idea" | ".vscode"))
        || path.starts_with("tmp/")
        || ends.iter().any(|end| name.ends_with(end))
        || name.starts_with(".env")
        || matches!(name, "package-lock.json" | "pnpm-lock.yaml" | ".gitmodules" | ".DS_Store")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_told_from_work() {
        for path in [
            ".claude/x.json",
            "web/.claude/hooks/a.sh",
            "Cargo.lock",
            "yarn.lock",
            "web/package-lock.json",
            "pnpm-lock.yaml",
            ".gitmodules",
            "a/b.pyc",
            "a/__pycache__/c",
            ".env",
            ".env.local",
            "x.log",
            ".DS_Store",
            "a.swp",
            "a.orig",
            ".idea/x",
            ".vscode/settings.json",
            "tmp/x.py",
        ] {
            assert!(is_noise(path), "{path}");
        }
        for path in ["app.py", "src/lock.rs", "claude/x", "environment.py", "src/tmp/x.py", "catalog"] {
            assert!(!is_noise(path), "{path}");
        }
    }
}
