//! What tests make: repositories, and tables of processes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ancestry::{Process, Processes};

pub fn git(dir: &Path, args: &[&str]) -> String {
    let mut all = vec!["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
    all.extend(args);
    let done = crate::git::run(dir, &all, Duration::from_secs(20)).expect("git starts");
    assert_eq!(done.code, Some(0), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// A new repository, and its folder, which goes with the first value.
pub fn repo() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let root = dir.path().canonicalize().expect("a folder that is there");
    git(&root, &["init", "-q", "-b", "main"]);
    (dir, root)
}

pub fn commit(root: &Path, name: &str, text: &str) {
    std::fs::write(root.join(name), text).expect("a folder that can be written");
    git(root, &["add", "--", name]);
    git(root, &["commit", "-qm", name]);
}

/// A made-up table: `(pid, parent, name)`, each begun at ten times its number.
#[derive(Debug)]
pub struct Made(pub Vec<(u32, u32, &'static str)>);

impl Processes for Made {
    fn get(&self, pid: u32) -> Option<Process> {
        let &(pid, parent, name) = self.0.iter().find(|row| row.0 == pid)?;
        Some(Process { pid, parent, began: u64::from(pid) * 10, name: name.into(), has_terminal: false })
    }
}
