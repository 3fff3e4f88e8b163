//! Where a call stands: what came before it in the same command, where it reads from and writes to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use model::{Change, Facts};
use shell::programs::{Output, Role};
use shell::text::{DECODED, NET, is_known};
use shell::{Call, Direction};

use super::{Arrivals, Rest};
use crate::shell::made::Made;
use crate::shell::on_this_machine;

/// What the calls before have left behind.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// When reading began, on the clock of `Facts::micros`.
    pub(super) since: u64,
    made: Made,
    /// Files that they have written, in whatever way.
    fresh: BTreeSet<String>,
    /// What was unpacked before, to be copied or unpacked again.
    pub(super) brought: Vec<(String, Change)>,
    /// Folders into which something was unpacked that cannot be read.
    pub(super) hidden: Vec<String>,
    /// They have put versions of git together by hand.
    pub(super) makes_versions: bool,
}

/// Names that are kept in mind for calls that follow.
const MOST_BROUGHT: usize = 100_000;

impl Before {
    pub(super) fn new(facts: &dyn Facts) -> Self {
        Self { since: facts.micros(), ..Self::default() }
    }

    pub(super) fn note(&mut self, call: &Call, written: Vec<String>, found: Option<&Arrivals>) {
        self.made.note(call);
        self.makes_versions |= super::versions::makes_versions(call);
        self.fresh.extend(written);
        let Some(found) = found else { return };
        self.fresh.extend(found.files.iter().map(|file| file.path.clone()));
        if self.brought.len() + found.files.len() <= MOST_BROUGHT {
            self.brought.extend(found.files.iter().map(|file| (file.path.clone(), file.change.clone())));
        }
        if let Rest::Hidden { below, .. } = &found.rest {
            self.hidden.extend(below.iter().cloned());
        }
    }
}

/// What a call reads.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Nothing is there, so nothing can come of it.
    Missing,
    File(PathBuf),
    Text(Rc<str>),
    /// From the network, or from programs whose output nobody knows beforehand.
    Unseen,
    /// This command itself has put it there in a form that nobody can read.
    Hidden,
}

pub(super) struct Scene<'a> {
    pub(super) call: &'a Call,
    pub(super) calls: &'a [Call],
    pub(super) facts: &'a dyn Facts,
    pub(super) before: &'a Before,
}

impl Scene<'_> {
    /// Files that the call writes by name.
    pub(super) fn written(&self) -> Vec<String> {
        self.call.written().filter_map(|path| self.place(path)).collect()
    }

    /// The folder that the call runs in.
    pub(super) fn here(&self) -> String {
        self.place(".").unwrap_or_else(|| self.call.cwd.to_string())
    }

    /// A path of the call on this machine; `None` where it lies elsewhere or is not known.
    pub(super) fn place(&self, path: &str) -> Option<String> {
        let path = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.facts.home()?.to_string_lossy())
            }
            _ => path.to_owned(),
        };
        on_this_machine(self.call, &path).filter(|path| is_known(path))
    }

    /// The same below a folder of the call.
    pub(super) fn place_in(&self, folder: Option<&str>, path: &str) -> Option<String> {
        match folder {
            Some(folder) => {
                self.place(&shell::path::absolute(path, &shell::path::absolute(folder, &self.call.cwd)))
            }
            None => self.place(path),
        }
    }

    /// The files that a word stands for, which may be a pattern; a pattern for folders is for whatever is in there.
    pub(super) fn files(&self, word: &str) -> Vec<Source> {
        let pattern = word.contains(['*', '?', '[']);
        match self.place(word).filter(|_| pattern) {
            Some(path) if self.facts.entry(Path::new(&path)).is_none() => match self.expanded(&path) {
                Some(paths) => paths.iter().map(|path| self.file(path)).collect(),
                None => vec![Source::Hidden],
            },
            _ => vec![self.file(word)],
        }
    }

    /// What is there for a pattern in the last part of a path; `None` where that cannot be told.
    pub(super) fn expanded(&self, path: &str) -> Option<Vec<String>> {
        let (folder, last) = path.rsplit_once('/')?;
        if folder.contains(['*', '?', '[']) {
            return None;
        }
        let members = self.facts.list(Path::new(folder));
        // A star is for no hidden name.
        let fits = |name: &str| {
            (last.starts_with('.') || !name.starts_with('.')) && shell::path::matches(last, name)
        };
        let names: Vec<_> =
            members.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy())).collect();
        // What this command has put there itself is there, too.
        let brought =
            self.before.brought.iter().filter_map(|(known, _)| known.strip_prefix(folder)?.strip_prefix('/'));
        let brought = brought.map(|rest| rest.split('/').next().unwrap_or(rest));
        let mut found: Vec<String> = names
            .iter()
            .map(AsRef::as_ref)
            .chain(brought)
            .filter(|name| fits(name))
            .map(|name| format!("{folder}/{name}"))
            .collect();
        found.sort();
        found.dedup();
        Some(found)
    }

    /// What a file of this name holds when the call runs.
    pub(super) fn file(&self, path: &str) -> Source {
        if matches!(path, "-" | "/dev/stdin") {
            return self.stdin();
        }
        let Some(mut path) = self.place(path) else { return Source::Hidden };
        if let Some((_, text)) = self.call.files.iter().find(|(known, _)| *known == path) {
            return text_source(text);
        }
        if self.before.fresh.contains(&path) {
            match self.before.made.original(&path).filter(|original| *original != path) {
                // A copy is what it was copied from.
                Some(original) if !self.before.fresh.contains(&original) => path = original,
                _ => {
                    let unpacked = self.before.brought.iter().any(|(known, _)| *known == path);
                    return if unpacked { Source::Hidden } else { Source::Unseen };
                }
            }
        }
        if self.before.hidden.iter().any(|folder| shell::path::is_below(&path, folder))
            && self.facts.entry(Path::new(&path)).is_none()
        {
            return Source::Hidden;
        }
        match self.facts.entry(Path::new(&path)) {
            Some(_) => Source::File(path.into()),
            None => Source::Missing,
        }
    }

    /// What comes in.
    pub(super) fn stdin(&self) -> Source {
        let from = self.call.redirects.iter().rfind(|r| r.direction == Direction::Read && r.fd <= 1);
        if let Some(redirect) = from.filter(|r| !r.target.text.starts_with("/dev/fd/")) {
            return self.file(&redirect.target.text);
        }
        match &self.call.stdin {
            Some(text) if is_known(text) => Source::Text(Rc::clone(text)),
            Some(text) if text.contains(NET) => Source::Unseen,
            Some(text) => self.fed().unwrap_or_else(|| text_source(text)),
            // Whatever the agent's shell has, which is nothing.
            None => Source::Missing,
        }
    }

    /// The file that a pipe begins with, where nothing on the way changes it.
    fn fed(&self) -> Option<Source> {
        let mut call = self.call;
        loop {
            let [feeder] = self.calls.get(call.fed_by.clone())? else { return None };
            let files: Vec<&str> = feeder.with_role(Role::Read).collect();
            let plain = feeder.words().options.is_empty();
            let output = feeder.words().entry.and_then(|entry| entry.output);
            match (output, files.as_slice()) {
                // What git itself has.
                _ if feeder.keeps_versions() => return Some(Source::Unseen),
                (Some(Output::Same), [file]) if plain && *file != "-" => {
                    return Some(self.at_feeder(feeder, file));
                }
                (Some(Output::Same), _) if plain && !feeder.fed_by.is_empty() => call = feeder,
                (Some(Output::Through), []) if !feeder.fed_by.is_empty() => call = feeder,
                // Unpacked on the way: what is read here unpacks it as well.
                (Some(Output::Unpacked), [file]) => return Some(self.at_feeder(feeder, file)),
                (Some(Output::Packed), [file]) if feeder.chose("stdout") && feeder.chose("decompress") => {
                    return Some(self.at_feeder(feeder, file));
                }
                _ => return None,
            }
        }
    }

    fn at_feeder(&self, feeder: &Call, path: &str) -> Source {
        Scene { call: feeder, ..*self }.file(path)
    }
}

fn text_source(text: &Rc<str>) -> Source {
    if is_known(text) {
        Source::Text(Rc::clone(text))
    } else if text.contains(DECODED) && !text.contains(NET) {
        Source::Hidden
    } else if text.contains('\n') {
        // Parts of it are known, and the names may be among them.
        Source::Text(Rc::clone(text))
    } else {
        Source::Unseen
    }
}
