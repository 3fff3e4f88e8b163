//! Where a run's files lie: `.claude/tests/hooks/results/` in the project, the run before in `archive/` under its time.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use state::{Machine, Project, atomic, files};

use super::Ran;

#[derive(Debug)]
pub(crate) struct Store {
    dir: PathBuf,
    stamp: String,
}

impl Store {
    pub(crate) fn new(machine: &Machine, project: &Project) -> Self {
        // 20260220T143022Z
        let stamp = model::time::rfc3339(machine.now()).replace(['-', ':'], "");
        Self { dir: project.claude_dir().join("tests/hooks/results"), stamp }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Moves the last run aside.
    pub(crate) fn begin(&self) -> std::io::Result<()> {
        let old: Vec<PathBuf> = files::list(&self.dir).into_iter().filter(|path| is_log(path)).collect();
        if !old.is_empty() {
            // Under its own time: the comparison names both runs.
            let archive = self
                .dir
                .join("archive")
                .join(old.iter().find_map(|path| stamp_of(path)).unwrap_or(&self.stamp));
            for path in old.iter().cloned().chain([self.dir.join("RESULTS.md")]) {
                if let (true, Some(name)) = (files::exists(&path), path.file_name()) {
                    files::rename(&path, &archive.join(name))?;
                }
            }
            files::remove(&self.dir.join("COMPARISON.md"))?;
        }
        // The records are for this machine; the reports may be committed.
        atomic::write(&self.dir.join(".gitignore"), b"*.jsonl\narchive/\n")
    }

    pub(crate) fn write(&self, ran: &[Ran]) -> std::io::Result<()> {
        for suite in ran {
            let mut text = String::new();
            for record in &suite.records {
                text.push_str(&record.json().to_string());
                text.push('\n');
            }
            atomic::write(&self.dir.join(format!("{}-{}.jsonl", suite.suite, self.stamp)), text.as_bytes())?;
        }
        Ok(())
    }

    pub(crate) fn page(&self, name: &str, text: &str) -> std::io::Result<()> {
        atomic::write(&self.dir.join(name), text.as_bytes())
    }

    /// The last archived run: its time, and its records.
    pub(crate) fn before(&self) -> Option<(String, Vec<Json>)> {
        let dir = files::list(&self.dir.join("archive")).pop()?;
        let mut records = Vec::new();
        for path in files::list(&dir).into_iter().filter(|path| is_log(path)) {
            let text = files::read(&path).ok().flatten().unwrap_or_default();
            records.extend(text.lines().filter_map(|line| serde_json::from_str(line).ok()));
        }
        Some((dir.file_name()?.to_string_lossy().into_owned(), records))
    }

    pub(crate) fn stamp(&self) -> &str {
        &self.stamp
    }
}

/// The time in the name of a log: `ml-agent-20260220T143022Z.jsonl`.
fn stamp_of(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.rsplit('-').next().filter(|stamp| stamp.ends_with('Z'))
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}
