//! Where calls work, seen by the rules: most of what a command names no rule is about, and that is told by the folder, which many calls
//! share, and the names in it, before a path is made of both.

use std::path::Path;

use model::deed::{Deed, Object, Place as Where, Verb, Verbs};
use model::rule::{Book, Key, Line, Touch, Trail};

use super::scene::{PATHS, TOUCHES};
use crate::Context;

/// The folders in which calls work. Most commands have one or two, and go back and forth between them.
#[derive(Debug)]
pub(super) struct Ground {
    folders: Vec<Folder>,
    /// What deeds have to do so that a rule could be about them.
    interest: Interest,
}

/// More are not remembered.
const MOST: usize = 8;

#[derive(Debug)]
struct Folder {
    path: String,
    /// `None` where what lies in it has to be looked at as a whole.
    trail: Option<Trail>,
    /// Nothing lies there, and what is written is what it is.
    missing: bool,
    /// What no rule is about of what lies in it, so far as has been asked. Commands come back to the same names.
    quiet: Vec<(Touch, bool, String)>,
}

#[derive(Clone, Copy, Debug)]
enum Interest {
    Verbs(Verbs),
    /// Rules are about objects, whatever is done to them.
    Any,
}

impl Ground {
    pub(super) fn new(book: &Book) -> Self {
        let mut verbs = Verbs::NONE;
        for (touch, wanted) in TOUCHES {
            if book.has_paths(touch) {
                verbs = verbs.or(wanted);
            }
        }
        for (line, verb) in [(Line::Fetch, Verb::Fetches), (Line::Send, Verb::Sends)] {
            if book.has(Key::EachHost(line)) {
                verbs = verbs.with(verb);
            }
        }
        if book.has(Key::EachPackage) {
            verbs = verbs.with(Verb::Installs);
        }
        let any = book.has(Key::Sql) || book.has(Key::Refs);
        let interest = if any { Interest::Any } else { Interest::Verbs(verbs) };
        Self { folders: Vec::new(), interest }
    }

    /// Whether a rule could be about any of these.
    pub(super) fn concerns(&self, verbs: Verbs) -> bool {
        match self.interest {
            Interest::Verbs(wanted) => verbs.has_any(wanted),
            Interest::Any => verbs != Verbs::NONE,
        }
    }

    /// Whether no rule is about the path of this deed, by any name that it has. What is not told easily is not told.
    pub(super) fn is_out_of_reach(
        &mut self,
        touch: Touch,
        deed: &Deed,
        cwd: &str,
        book: &Book,
        cx: &Context<'_>,
    ) -> bool {
        let Object::Path { text, tree, .. } = &deed.object else { return true };
        if !PATHS.has(deed.verb) || text.is_empty() {
            return true;
        }
        let Some(names) = below(text, cwd).filter(|_| deed.place == Where::Here) else { return false };
        let folder = self.folder(cwd, book, cx);
        if folder.quiet.iter().any(|(of, all, known)| (*of, *all) == (touch, *tree) && known == names) {
            return true;
        }
        let Some(way) = &folder.trail else { return false };
        let here = names == ".";
        let trail = if here { Some(*way) } else { book.onward(way, touch, names) };
        let Some(trail) = trail else { return false };
        if book.is_about(touch, &trail, *tree) {
            return false;
        }
        // Behind a link it may be another.
        let itself = folder.missing
            || if here {
                cwd == cx.project() || cx.facts.is_itself(Path::new(cwd))
            } else {
                cx.facts.is_itself(Path::new(&[cwd.trim_end_matches('/'), "/", names].concat()))
            };
        if itself && folder.quiet.len() < MOST {
            folder.quiet.push((touch, *tree, names.to_owned()));
        }
        itself
    }

    fn folder(&mut self, cwd: &str, book: &Book, cx: &Context<'_>) -> &mut Folder {
        let known = self.folders.iter().position(|folder| folder.path == cwd);
        let at = known.unwrap_or_else(|| {
            let folder = self.look(cwd, book, cx);
            if self.folders.len() == MOST {
                self.folders.remove(0);
            }
            self.folders.push(folder);
            self.folders.len() - 1
        });
        &mut self.folders[at]
    }

    fn look(&self, cwd: &str, book: &Book, cx: &Context<'_>) -> Folder {
        let inside = |folder: &Folder| {
            let names = cwd.strip_prefix(folder.path.as_str())?.strip_prefix('/')?;
            Some((book.deeper(folder.trail.as_ref()?, names)?, folder.missing))
        };
        let (trail, missing) = match self.folders.iter().rev().find_map(inside) {
            Some((trail, missing)) => (Some(trail), missing),
            None => (book.trail(cwd, cx.project(), cx.home()), false),
        };
        // What lies in a folder that is not there is not there.
        let missing =
            missing || trail.is_some() && cwd != cx.project() && cx.facts.is_missing(Path::new(cwd));
        Folder { path: cwd.to_owned(), trail, missing, quiet: Vec::new() }
    }
}

/// What a word says about a place in this folder, where it plainly does.
fn below<'a>(text: &'a str, cwd: &str) -> Option<&'a str> {
    let names = if text.starts_with('/') {
        text.strip_prefix(cwd)?.strip_prefix('/')?
    } else {
        text.strip_prefix("./").unwrap_or(text)
    };
    let names = names.strip_suffix('/').unwrap_or(names);
    // A home, or a name of Windows: `C:\x`, `hklm/x`.
    let other = |byte: u8| matches!(byte, b':' | b'\\');
    let bytes = names.as_bytes();
    let plain =
        !matches!(bytes, [b'~', ..] | [b'h' | b'H', b'k' | b'K', ..]) && !bytes.iter().any(|b| other(*b));
    plain.then_some(names)
}
