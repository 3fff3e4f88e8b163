//! Text that a reader does not see and a model does: characters that show nothing and spell words, escapes that a terminal obeys, comments
//! and descriptions that speak to an assistant. Only what is hidden counts; what stands there for everybody to read is prose.

mod escapes;
mod invisible;
mod markup;

use std::ops::Range;

use crate::scan;

/// Where a text comes from, which says what is ordinary in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From somebody else: a page, an issue, a server's answer.
    Elsewhere,
    /// A file.
    File,
    /// What a command has printed.
    Command,
}

/// One hidden thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    pub range: Range<usize>,
    /// How it is hidden, in words.
    pub how: &'static str,
    /// What it says, as far as it says something.
    pub says: String,
    /// What to put in its place, where it would do something by being there.
    pub instead: Option<String>,
}

/// What is hidden in a text, in order.
pub fn find(text: &str, source: Source) -> Vec<Hidden> {
    let source = || source;
    let mut finder = Finder::of(text, &source);
    let bytes = text.as_bytes();
    scan::look(bytes, &mut finder, |finder, place| finder.event(bytes, place), |_, _, _| {});
    finder.end()
}

/// Finds it, one place after the other.
pub(crate) struct Finder<'a> {
    text: &'a str,
    /// Asked only where something depends on it.
    source: &'a dyn Fn() -> Source,
    found: Vec<Hidden>,
    /// Characters without width between two letters.
    apart: Vec<(usize, usize)>,
    /// Where the last hidden thing ends.
    done: usize,
    images: markup::Images,
}

impl<'a> Finder<'a> {
    pub(crate) fn of(text: &'a str, source: &'a dyn Fn() -> Source) -> Self {
        Self {
            text,
            source,
            found: Vec::new(),
            apart: Vec::new(),
            done: 0,
            images: markup::Images::default(),
        }
    }

    /// A place that something may begin at, in the text that this is about.
    #[inline]
    pub(crate) fn event(&mut self, text: &[u8], place: usize) {
        let behind = text.get(place + 1).copied().unwrap_or(b'\n');
        let before = place.checked_sub(1).map_or(b'\n', |before| text[before]);
        match text[place] {
            b'=' | b':' | b'-' => {}
            b'[' => match before {
                b'!' => self.look(place - 1),
                b'\n' if matches!(behind, b'/' | b'c' | b']') => self.look(place),
                _ => {}
            },
            b'<' if behind == b'!' || behind.is_ascii_alphabetic() && markup::may_be_element(text, place) => {
                self.look(place);
            }
            b'<' => {}
            0x1b if escapes::is_colour(&text[place..]) => {}
            0x1b => self.look(place),
            // Letters and signs of prose begin with the same byte.
            _ if !invisible::may_begin(&text[place..]) => {}
            _ => self.look(place),
        }
    }

    #[inline(never)]
    fn look(&mut self, place: usize) {
        if place < self.done {
            return;
        }
        let text = self.text;
        let hit = match text.as_bytes()[place] {
            b'<' | b'!' => markup::at(text, place, &mut self.images),
            b'[' => markup::link(text, place),
            0x1b => escapes::at(text, place, (self.source)()),
            _ => {
                self.apart.extend(invisible::between_letters(text, place));
                invisible::at(text, place).or_else(|| escapes::at(text, place, (self.source)()))
            }
        };
        if let Some(hit) = hit {
            self.done = hit.range.end;
            self.found.push(hit);
        }
    }

    pub(crate) fn end(self) -> Vec<Hidden> {
        let mut found = self.found;
        found.extend(invisible::scattered(self.text, &self.apart, &found));
        found.sort_by_key(|hit| hit.range.start);
        let mut end = 0;
        found.retain(|hit| {
            let apart = hit.range.start >= end;
            end = end.max(hit.range.end);
            apart
        });
        found
    }
}

#[cfg(test)]
mod tests;
