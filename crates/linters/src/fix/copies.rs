//! The project's sources as they were before a model was let at one of them. What it does to the others is taken back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use state::{Machine, atomic, beneath, files};

use crate::Language;
use crate::plausible::{is_cut_off, is_mostly_gone, last_line_kept, plausible_fix};

/// Beyond these a project is too large to be copied; then only the one file is.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Copies {
    project: PathBuf,
    file: PathBuf,
    own: Option<Vec<u8>>,
    others: BTreeMap<PathBuf, (String, Vec<u8>)>,
    /// All of them are there.
    whole: bool,
}

impl Copies {
    pub(super) fn take(project: &Path, file: &Path) -> Self {
        let all = files::walk(project, MOST_FILES);
        let mut whole = all.len() < MOST_FILES;
        let (mut others, mut bytes) = (BTreeMap::new(), 0);
        for path in all.into_iter().filter(|path| path != file && Language::of(path).is_some()) {
            bytes += files::size(&path).unwrap_or(0);
            if bytes > MOST_BYTES {
                whole = false;
                break;
            }
            if let (Some(stamp), Ok(content)) = (files::stamp(&path), files::read_bytes(&path)) {
                others.insert(path, (stamp, content));
            }
        }
        Self {
            project: project.to_owned(),
            file: file.to_owned(),
            own: files::read_bytes(file).ok(),
            others,
            whole,
        }
    }

    /// Whether the file is another than before. What is broken is put back, and said.
    pub(super) fn settle(&self, machine: &Machine, work: &Work<'_>, said: &mut Vec<String>) -> bool {
        self.settle_others(machine, said);
        let now = files::read_bytes(&self.file).ok();
        if now == self.own {
            return false;
        }
        let Some(own) = &self.own else { return true };
        let Some(did) = work.harm(own, now.as_deref()) else { return true };
        if now.as_ref().is_some_and(|now| !is_blank(now)) {
            self.keep(machine, &self.file, now.as_deref(), said);
        }
        self.put_back(&self.file, own, did, "", said);
        false
    }

    fn settle_others(&self, machine: &Machine, said: &mut Vec<String>) {
        for (path, (stamp, content)) in &self.others {
            if files::stamp(path).as_ref() == Some(stamp) {
                continue;
            }
            let now = files::read_bytes(path).ok();
            if now.as_ref() != Some(content) {
                self.keep(machine, path, now.as_deref(), said);
                self.put_back(path, content, "changed", ", which was not the one to fix", said);
            }
        }
        if !self.whole {
            return;
        }
        let source = |path: &PathBuf| *path != self.file && Language::of(path).is_some();
        for path in files::walk(&self.project, MOST_FILES).into_iter().filter(source) {
            if self.others.contains_key(&path) {
                continue;
            }
            self.keep(machine, &path, files::read_bytes(&path).ok().as_deref(), said);
            let name = self.name(&path);
            match beneath::remove(&self.project, &path) {
                Ok(()) => {
                    said.push(format!("[hook:warning] the fixer made {name}, which was taken away again"));
                }
                Err(error) => said.push(format!("[hook:warning] the fixer made {name}: {error}")),
            }
        }
    }

    /// It may be somebody else's work that fell into the same minute.
    fn keep(&self, machine: &Machine, path: &Path, content: Option<&[u8]>, said: &mut Vec<String>) {
        let Some(content) = content else { return };
        let folder = machine.state_dir().join("fixer/undone");
        let place = folder.join(format!("{}-{}", machine.now(), self.name(path).replace('/', "_")));
        if files::create_dir(&folder).and_then(|()| atomic::write(&place, content)).is_ok() {
            said.push(format!("[hook:warning] a copy of {} is in {}", self.name(path), place.display()));
        }
    }

    fn put_back(&self, path: &Path, content: &[u8], did: &str, why: &str, said: &mut Vec<String>) {
        let name = self.name(path);
        said.push(match beneath::write(&self.project, path, content) {
            Ok(()) => format!("[hook:warning] the fixer {did} {name}{why}; it was put back"),
            Err(error) => {
                format!("[hook:error] the fixer {did} {name}{why}; it could not be put back: {error}")
            }
        });
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.project).unwrap_or(path).display().to_string()
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

/// What a fixer was to do, and how it ended.
pub(super) struct Work<'a> {
    /// It has said that it was done.
    pub(super) ended_well: bool,
    /// The lines that it was to look at.
    pub(super) lines: &'a [u32],
    pub(super) parses: &'a dyn Fn(&str) -> bool,
}

impl Work<'_> {
    /// What it did to a file that makes it worse than it was.
    fn harm(&self, old: &[u8], new: Option<&[u8]>) -> Option<&'static str> {
        if is_blank(old) {
            return None;
        }
        let Some(new) = new.filter(|new| !is_blank(new)) else { return Some("emptied or deleted") };
        let Ok(old) = std::str::from_utf8(old) else { return None };
        let Ok(new) = std::str::from_utf8(new) else { return Some("left something that is not text in") };
        if is_cut_off(old, new) && !(self.ended_well && self.removes_on_purpose(old, new)) {
            return Some("left only a part of");
        }
        if !self.ended_well && !plausible_fix(old, new) {
            return Some("failed, and left something else in");
        }
        ((self.parses)(old) && !(self.parses)(new)).then_some("broke the syntax of")
    }

    /// The last lines may go where there was something to fix in them; it has not stopped in the middle of one.
    fn removes_on_purpose(&self, old: &str, new: &str) -> bool {
        let torn = old.ends_with('\n') && !new.ends_with('\n');
        let kept = last_line_kept(old, new);
        let asked = |line: &&u32| usize::try_from(**line).is_ok_and(|line| line > kept);
        !torn && !is_mostly_gone(old, new) && self.lines.iter().any(|line| asked(&line))
    }
}
