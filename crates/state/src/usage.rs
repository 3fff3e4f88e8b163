//! The record of tool calls: `<project>/.claude/tool-usage-log.jsonl`.
//!
//! One line, one write; a full file is renamed, never rewritten, so that parallel hooks lose nothing.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use crate::{Lock, Machine, Project, beneath};

/// Some five hundred calls; one older file is kept.
const LARGEST: u64 = 64 * 1024;

pub fn file(project: &Project) -> PathBuf {
    project.claude_dir().join("tool-usage-log.jsonl")
}

pub(crate) fn append(machine: &Machine, project: &Project, tool: &str, about: &str) -> io::Result<()> {
    let file = file(project);
    if file.metadata().is_ok_and(|meta| meta.len() > LARGEST) {
        // Whoever gets the lock moves it; the others find it moved, or write to a file a little over the limit.
        let lock = Lock::take(&project.records.join("usage.lock"), Duration::ZERO);
        if lock.is_ok() && file.metadata().is_ok_and(|meta| meta.len() > LARGEST) {
            std::fs::rename(&file, file.with_file_name("tool-usage-log.1.jsonl"))?;
        }
    }
    beneath::append_line(
        &project.root,
        &file,
        &json!({"t": machine.now(), "tool": tool, "sig": about}).to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_calls_lose_nothing_and_a_full_file_moves_aside() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", dir.path().to_str().unwrap())], dir.path());
        let project = Project::at(&machine, dir.path().join("p"));
        std::thread::scope(|scope| {
            for writer in 0..32 {
                let (machine, project) = (&machine, &project);
                scope.spawn(move || {
                    for call in 0..20 {
                        append(machine, project, "Bash", &format!("{writer}-{call}-{}", "x".repeat(100)))
                            .unwrap();
                    }
                });
            }
        });
        let read = |name: &str| std::fs::read_to_string(project.claude_dir().join(name)).unwrap_or_default();
        let (old, new) = (read("tool-usage-log.1.jsonl"), read("tool-usage-log.jsonl"));
        assert!(!old.is_empty() && new.len() as u64 <= LARGEST + 32 * 200);
        let mut seen: Vec<String> = Vec::new();
        for line in old.lines().chain(new.lines()) {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            seen.push(line["sig"].as_str().unwrap().to_owned());
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 640);
    }
}
