//! Files to write, before any is written. Everything that is there is copied first, and what our own lines go into is
//! remembered, so that taking them out gives the old bytes back.

use std::path::{Path, PathBuf};

use anyhow::Context;
use similar::{ChangeTag, TextDiff};
use state::{Machine, Project, atomic, beneath, files, originals};

use crate::fault::Fault;
use crate::ui::{Printer, Tone, human};

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
    ours: Ours,
}

/// What a change does to lines of ours in a file of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ours {
    /// Nothing: the whole file is the user's.
    Nothing,
    /// They go in, where there were none.
    First,
    /// They go in, where there were some.
    Again,
    /// They go out, and the file with them if it has nothing else.
    Out,
    /// The whole file is ours, until somebody else changes it.
    Whole,
}

impl Change {
    /// Whether it changes what we have written before, so that the lines say more than their number.
    fn is_again(&self) -> bool {
        self.before.is_some() && matches!(self.ours, Ours::Again | Ours::Whole)
    }

    /// The file, whether it is new, and how many lines come and go.
    fn counted(&self) -> (&Path, bool, usize, usize) {
        let diff = TextDiff::from_lines(self.before.as_deref().unwrap_or_default(), self.after.as_str());
        let count = |tag| diff.iter_all_changes().filter(|line| line.tag() == tag).count();
        (&self.path, self.before.is_none(), count(ChangeTag::Insert), count(ChangeTag::Delete))
    }

    fn show(&self, printer: &Printer) {
        let name = self.path.display().to_string();
        let before = self.before.as_deref().unwrap_or_default();
        let diff = TextDiff::from_lines(before, self.after.as_str());
        for line in diff.unified_diff().header(&name, &name).to_string().lines() {
            let tone = match line.as_bytes().first() {
                Some(b'+') => Tone::Good,
                Some(b'-') => Tone::Bad,
                _ => Tone::Faint,
            };
            printer.verbatim(tone, line);
        }
    }
}

impl Plan {
    /// Adds a file by what becomes of its text. Nothing is planned where the text stays the same.
    pub(crate) fn change(
        &mut self,
        path: &Path,
        edit: impl FnOnce(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        self.add(path, |text| Ok((edit(text)?, Ours::Nothing)))
    }

    /// Adds a file that is ours where it was not there before.
    pub(crate) fn make(
        &mut self,
        path: &Path,
        edit: impl FnOnce(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        self.add(path, |text| Ok((edit(text)?, Ours::Whole)))
    }

    /// Adds that a file of ours goes. One that somebody has changed since is theirs, and stays.
    pub(crate) fn unmake(&mut self, machine: &Machine, path: &Path) -> anyhow::Result<()> {
        let untouched = |text: &str| originals::is_untouched(machine, path, text);
        self.add(path, |text| {
            let after = if untouched(text) { String::new() } else { text.to_owned() };
            Ok((after, Ours::Out))
        })
    }

    /// Whether files change that `init` has written before.
    pub(crate) fn has_again(&self) -> bool {
        self.changes.iter().any(Change::is_again)
    }

    /// Those alone, line by line.
    pub(crate) fn show_again(&self, printer: &Printer) {
        self.changes.iter().filter(|change| change.is_again()).for_each(|change| change.show(printer));
    }

    /// The others: each file, whether it is new, and how many lines come and go.
    pub(crate) fn first(&self) -> impl Iterator<Item = (&Path, bool, usize, usize)> {
        self.changes.iter().filter(|change| !change.is_again()).map(Change::counted)
    }

    /// All files, in a line each: what happens to them when ours goes out.
    pub(crate) fn show_short(&self, printer: &Printer) {
        for change in &self.changes {
            let (path, _, added, removed) = change.counted();
            let what = match () {
                () if change.ours == Ours::Out && is_nothing(&change.after) => "is removed".to_owned(),
                () if added == 0 => format!("{} of ours go out", human::plural(removed as u64, "line")),
                () => "gets its old text back".to_owned(),
            };
            printer.toned(Tone::Bad, &format!("{} {what}", path.display()));
        }
    }

    /// Adds a file that lines of ours go into. `out` is what takes them out.
    pub(crate) fn put_in(
        &mut self,
        path: &Path,
        edit: impl FnOnce(&str) -> anyhow::Result<String>,
        out: impl Fn(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        self.add(path, |text| Ok((edit(text)?, if out(text)? == text { Ours::First } else { Ours::Again })))
    }

    /// Adds a file that lines of ours are taken out of: by giving back the old bytes where nobody has changed it since, else
    /// by `out`.
    pub(crate) fn take_out(
        &mut self,
        machine: &Machine,
        path: &Path,
        out: impl Fn(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        self.take(machine, path, Ours::Nothing, out)
    }

    /// The same for a file that goes, too, if nothing else is in it.
    pub(crate) fn take_away(
        &mut self,
        machine: &Machine,
        path: &Path,
        out: impl Fn(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        self.take(machine, path, Ours::Out, out)
    }

    fn take(
        &mut self,
        machine: &Machine,
        path: &Path,
        ours: Ours,
        out: impl Fn(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        self.add(path, |text| {
            let without = out(text)?;
            match originals::original(machine, path, text).filter(|_| without != text) {
                // What was there before us stays, however little it was.
                Some(original) => Ok((original, Ours::Nothing)),
                None if originals::is_made(machine, path) => Ok((without, Ours::Out)),
                None => Ok((without, ours)),
            }
        })
    }

    fn add(
        &mut self,
        path: &Path,
        edit: impl FnOnce(&str) -> anyhow::Result<(String, Ours)>,
    ) -> anyhow::Result<()> {
        let before = files::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let text = before.clone().unwrap_or_default();
        let (after, ours) = edit(&text).map_err(|error| {
            Fault::Configuration(format!("{} cannot be changed: {error:#}", path.display()))
        })?;
        if after != text {
            self.changes.push(Change { path: path.to_owned(), before, after, ours });
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn show(&self, printer: &Printer) {
        self.changes.iter().for_each(|change| change.show(printer));
    }

    /// Writes everything, after copying what is there. The copies lie outside the records of a project: settings of the
    /// person belong to none, and purging a project must not lose them.
    pub(crate) fn write(self, machine: &Machine, project: &Project, printer: &Printer) -> anyhow::Result<()> {
        self.write_telling(machine, project, printer, Copies::Told)
    }

    pub(crate) fn write_telling(
        self,
        machine: &Machine,
        project: &Project,
        printer: &Printer,
        copies: Copies,
    ) -> anyhow::Result<()> {
        let backups = machine.state_dir().join("backups");
        for change in self.changes {
            if let Some(before) = &change.before {
                let copy = atomic::backup(&change.path, &backups, machine.now())
                    .with_context(|| format!("{} cannot be backed up", change.path.display()))?;
                if copies == Copies::Told {
                    let text = format!("backup of {} in {}", change.path.display(), copy.display());
                    printer.toned(Tone::Faint, &text);
                }
                if matches!(change.ours, Ours::First | Ours::Again | Ours::Whole) {
                    let copy = (change.ours == Ours::First).then_some(copy.as_path());
                    originals::remember(machine, &change.path, before, &change.after, copy)
                        .with_context(|| format!("it cannot be noted how {} was", change.path.display()))?;
                }
            } else if change.ours != Ours::Nothing {
                originals::remember_made(machine, &change.path, &change.after)
                    .with_context(|| format!("it cannot be noted that {} is ours", change.path.display()))?;
            }
            // A file that has nothing in it but what was ours goes as it came.
            if change.ours == Ours::Out && is_nothing(&change.after) {
                files::remove(&change.path)
                    .with_context(|| format!("{} cannot be removed", change.path.display()))?;
                printer.toned(Tone::Good, &format!("removed {}", change.path.display()));
                originals::forget(machine, &change.path)?;
                remove_own_folder(&change.path);
                continue;
            }
            put(machine, project, &change.path, change.after.as_bytes())
                .with_context(|| format!("{} cannot be written", change.path.display()))?;
            printer.toned(Tone::Good, &format!("wrote {}", change.path.display()));
        }
        Ok(())
    }
}

/// Whether the user hears where the old text of a file is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    Told,
    Untold,
}

/// A folder of our name goes with the last file of ours in it, and with what an interpreter has left there. So do the folders that
/// the client's settings made necessary, where nothing else is in them.
pub(super) fn remove_own_folder(file: &Path) {
    let folders = file
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.ends_with("hooks") || folder.ends_with(".claude"));
    for folder in folders {
        if files::remove_empty_dir(folder).is_err() {
            break;
        }
    }
    let Some(folder) = file.parent().filter(|folder| folder.ends_with("plimsoll")) else { return };
    let cached = folder.join("__pycache__");
    if files::is_dir(&cached) {
        // What cannot be removed is not a fault of the settings.
        let _ = files::remove_dir(&cached);
    }
    let _ = files::remove_empty_dir(folder);
}

/// Whether a text says nothing: blank, or an empty object.
pub(super) fn is_nothing(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    matches!(bare.as_str(), "" | "{}" | "{\"version\":1}")
}

/// The user's own settings may lie behind a link, among their dotfiles; those of a project may be a clone's.
fn put(machine: &Machine, project: &Project, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let own = machine.home().is_some_and(|home| {
        path.starts_with(home.join(".claude")) || path.starts_with(&home) && !path.starts_with(&project.root)
    });
    if own { atomic::write(path, bytes) } else { beneath::rewrite(&project.root, path, bytes) }
}
