//! What a test run has really given, and for which code. The status file is for everyone to read; beside our own records lies the hash of
//! the source that was tested, so that a later change, or a status that somebody else wrote, is noticed.

use std::io;
use std::path::{Path, PathBuf};

use model::practice::TestStatus;
use model::{Tested, source};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::{Machine, Project, atomic, files, git, written};

fn record_file(machine: &Machine, root: &Path) -> PathBuf {
    Project::at(machine, files::resolve(root)).records.join("tests.json")
}

fn status_file(root: &Path) -> PathBuf {
    root.join(".claude").join(TestStatus::FILE)
}

/// Records a run: the status in `<root>/.claude`, its tree in our own records.
pub fn record(
    machine: &Machine,
    root: &Path,
    status: &TestStatus,
    tree: &str,
    runner: &str,
) -> io::Result<()> {
    let json = json!({"status": status.to_string(), "tree": tree, "runner": runner});
    // Ours first: a status without its record would count as another tool's.
    atomic::write(&record_file(machine, root), format!("{json:#}\n").as_bytes())?;
    written::write(machine, &status_file(root), &format!("{status}\n"))
}

/// Forgets the last run: with a new session its result says nothing any more.
pub fn forget(machine: &Machine, root: &Path) -> io::Result<()> {
    {
        let file = status_file(root);
        let _lock = written::lock(machine, &file)?;
        written::remove(machine, &file)?;
    }
    files::remove(&record_file(machine, root))
}

/// Which runner the last recorded run was by.
pub fn runner(machine: &Machine, root: &Path) -> Option<String> {
    let json = files::read_json(&record_file(machine, root))?;
    json["runner"].as_str().map(str::to_owned)
}

/// Whether the code below `root` is what the recorded run has tested.
pub fn tested(machine: &Machine, root: &Path) -> Tested {
    let Ok(Some(text)) = files::read(&record_file(machine, root)) else { return Tested::Unrecorded };
    let Ok(json) = serde_json::from_str::<Json>(&text) else { return Tested::Unrecorded };
    let status = files::read(&status_file(root)).ok().flatten().unwrap_or_default();
    if json["status"].as_str() != Some(status.trim()) {
        return Tested::Forged;
    }
    match tree_hash(root) {
        Ok(tree) if json["tree"].as_str() == Some(&tree) => Tested::Same,
        _ => Tested::Changed,
    }
}

/// One hash for all source below `root`: names and contents, committed or not. In a repository what git ignores does not count, because
/// tests may write there.
pub fn tree_hash(root: &Path) -> io::Result<String> {
    let mut paths: Vec<PathBuf> = if git::Repository::find(root).is_some() {
        let names = git::listed(root)?;
        names
            .into_iter()
            .map(|name| root.join(as_path(name)))
            .filter(|path| source::is_source(path))
            .collect()
    } else {
        files::find_below(root, source::is_source)
    };
    paths.sort();
    paths.dedup();
    let mut all = Sha256::new();
    for path in paths.iter().filter(|path| !path.iter().any(|part| part == ".claude")) {
        // A file in the index that is gone from disk is not part of what is tested.
        let Ok(bytes) = files::read_bytes(path) else { continue };
        let name = path.strip_prefix(root).unwrap_or(path);
        all.update(name.as_os_str().as_encoded_bytes());
        all.update([0]);
        all.update(Sha256::digest(&bytes));
    }
    Ok(all.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(unix)]
fn as_path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn as_path(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use model::practice::TestResult;

    use super::*;
    use crate::git::tests::{commit, git, repo};

    #[test]
    fn evidence_holds_for_the_code_that_was_tested() {
        let (_guard, root) = repo();
        let state = root.join(".git/state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &root);
        commit(&root, "a.py", "1");
        commit(&root, ".gitignore", "made.py\n");
        assert_eq!(tested(&machine, &root), Tested::Unrecorded);
        let status = TestStatus { result: TestResult::Pass, failures: 0, at: 5 };
        record(&machine, &root, &status, &tree_hash(&root).unwrap(), "pytest").unwrap();
        assert_eq!(std::fs::read_to_string(root.join(".claude/.test-status")).unwrap(), "pass|0|5\n");
        assert_eq!(tested(&machine, &root), Tested::Same);
        // What is no source, ignored or ours changes nothing; neither does committing.
        for name in ["README.md", "made.py", ".claude/x.py"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        assert_eq!(tested(&machine, &root), Tested::Same);
        std::fs::write(root.join("b.py"), "new").unwrap();
        assert_eq!(tested(&machine, &root), Tested::Changed);
        std::fs::remove_file(root.join("b.py")).unwrap();
        commit(&root, "notes.txt", "x");
        assert_eq!(tested(&machine, &root), Tested::Same);
        git(&root, &["checkout", "-qb", "feature"]);
        assert_eq!(tested(&machine, &root), Tested::Same);
        std::fs::write(root.join("a.py"), "2").unwrap();
        assert_eq!(tested(&machine, &root), Tested::Changed);
        std::fs::write(root.join("a.py"), "1").unwrap();
        std::fs::write(root.join(".claude/.test-status"), "pass|0|6\n").unwrap();
        assert_eq!(tested(&machine, &root), Tested::Forged);
        forget(&machine, &root).unwrap();
        assert_eq!(tested(&machine, &root), Tested::Unrecorded);
    }
}
