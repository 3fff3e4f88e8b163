//! Runs that an agent starts by itself: what the code was when each began, so that its end can be held against it.

use std::io;
use std::path::{Path, PathBuf};

use model::state_files::{TestResult, TestStatus};
use model::{SessionId, TestsSeen};
use serde_json::json;

use super::{Run, record, tree_hash};
use crate::{Machine, Project, atomic, files, sha256};

fn mark(project: &Project, session: &SessionId, call: &str) -> PathBuf {
    let name = format!("sha256-{}", sha256(call.as_bytes()).hex());
    project.session_dir(session).join("tests-begun").join(name)
}

/// Remembers the code below `root` as this call finds it.
pub fn begin(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    root: &Path,
    call: &str,
) -> io::Result<()> {
    let tree = tree_hash(machine, root)?;
    let text = json!({"root": root, "tree": tree}).to_string();
    atomic::write_cache(&mark(project, session, call), text.as_bytes())
}

/// Records how it ended. Only where the code is now what it was at the beginning is it known what was tested.
pub fn end(machine: &Machine, project: &Project, session: &SessionId, seen: &TestsSeen) -> io::Result<()> {
    let mark = mark(project, session, &seen.call);
    let before =
        files::read_json(&mark).filter(|json| json["root"].as_str().map(Path::new) == Some(&seen.root));
    let tree = match before.and_then(|json| json["tree"].as_str().map(str::to_owned)) {
        Some(before) => {
            Some(before).filter(|tree| tree_hash(machine, &seen.root).is_ok_and(|now| now == *tree))
        }
        None => None,
    };
    let status = TestStatus { result: seen.result, failures: seen.failures, at: machine.now() };
    let run = Run {
        status,
        tree,
        runner: seen.command.clone(),
        part: seen.part.then(|| seen.command.clone()),
        nothing: false,
        covers: seen.covers.clone(),
        of: seen.of.clone(),
        unsure: !seen.sure,
    };
    // That tests ran is worth knowing; how they ended is known no better than before.
    if seen.result != TestResult::None || super::last(machine, &seen.root).is_none() {
        record(machine, &seen.root, &run, seen.mirrored && seen.result != TestResult::None)?;
    }
    files::remove(&mark)
}
