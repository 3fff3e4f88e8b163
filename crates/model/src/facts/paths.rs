//! Where things are: the project, our own folders, and what a path as it was written leads to. A part of `Facts`.

use std::path::{Path, PathBuf};

pub trait Paths {
    /// `CLAUDE_PROJECT_DIR`, else the project around the event's directory, else home.
    fn project(&self) -> &Path;

    fn home(&self) -> Option<&Path>;

    /// Where our own records lie.
    fn state_dir(&self) -> &Path;

    /// What we can have again: installed tools, results.
    fn cache_dir(&self) -> &Path;

    /// The program that is running, as the kernel follows it.
    fn executable(&self) -> Option<&Path>;

    /// Every copy of it that counts: the one that is running, the one that PATH finds, and those that the client's settings name. As they are
    /// written and as the kernel follows them.
    fn executables(&self) -> &[PathBuf];

    /// A path as the agent wrote it, as the kernel would follow it: symlinks of what exists resolved, `..` after them.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// Whether that is the path itself, which has only names between its slashes.
    fn is_itself(&self, path: &Path) -> bool {
        self.resolve(path) == path
    }

    /// Whether nothing lies there, nor a link on the way, so that whatever is in it is itself. No, where that is not known.
    fn is_missing(&self, _folder: &Path) -> bool {
        false
    }

    /// A path as the agent wrote it, made absolute and free of `.`, `..` and `~`; symlinks stay.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// Whether names that differ only in letter case are one file in this directory.
    fn folds_case(&self, dir: &Path) -> bool;
}
