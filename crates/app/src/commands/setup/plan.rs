//! Files to write, before any is written.

use std::path::{Path, PathBuf};

use anyhow::Context;
use similar::TextDiff;
use state::{Machine, Project, atomic, files};

use crate::ui::{Printer, Tone};

#[derive(Debug, Default)]
pub(crate) struct Plan {
    changes: Vec<Change>,
}

#[derive(Debug)]
struct Change {
    path: PathBuf,
    /// `None` when there is no such file yet.
    before: Option<String>,
    after: String,
}

impl Plan {
    /// Adds a file by what becomes of its text. Nothing is planned where the text stays the same.
    pub(crate) fn change(&mut self, path: &Path, edit: impl FnOnce(&str) -> anyhow::Result<String>) -> anyhow::Result<()> {
        let before = files::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let text = before.clone().unwrap_or_default();
        let after = edit(&text).with_context(|| format!("{} cannot be changed", path.display()))?;
        if after != text {
            self.changes.push(Change { path: path.to_owned(), before, after });
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn show(&self, printer: &Printer) {
        for change in &self.changes {
            let name = change.path.display().to_string();
            let before = change.before.as_deref().unwrap_or_default();
            let diff = TextDiff::from_lines(before, change.after.as_str());
            for line in diff.unified_diff().header(&name, &name).to_string().lines() {
                let tone = match line.as_bytes().first() {
                    Some(b'+') => Tone::Good,
                    Some(b'-') => Tone::Bad,
                    _ => Tone::Faint,
                };
                printer.toned(tone, line);
            }
        }
    }

    /// Writes everything, after copying what is there into our records.
    pub(crate) fn write(self, machine: &Machine, printer: &Printer, project: &Project) -> anyhow::Result<()> {
        let backups = project.records.join("backups");
        for change in self.changes {
            if change.before.is_some() {
                let copy = atomic::backup(&change.path, &backups, machine.now())
                    .with_context(|| format!("{} cannot be backed up", change.path.display()))?;
                printer.toned(Tone::Faint, &format!("backup of {} in {}", change.path.display(), copy.display()));
            }
            atomic::write(&change.path, change.after.as_bytes())
                .with_context(|| format!("{} cannot be written", change.path.display()))?;
            printer.toned(Tone::Good, &format!("wrote {}", change.path.display()));
        }
        Ok(())
    }
}
