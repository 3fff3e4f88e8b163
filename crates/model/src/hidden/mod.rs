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
    let mut found: Vec<Hidden> = Vec::new();
    let mut apart = Vec::new();
    let bytes = text.as_bytes();
    let mut done = 0;
    let mut look = |place: usize| {
        if place < done {
            return;
        }
        let hit = match bytes[place] {
            b'<' | b'!' => markup::at(text, place),
            b'[' => markup::link(text, place),
            0x1b => escapes::at(text, place, source),
            // The letters of other scripts come in crowds.
            lead if !invisible::may_begin(lead, bytes.get(place + 1)) => return,
            _ => {
                apart.extend(invisible::between_letters(text, place));
                invisible::at(text, place).or_else(|| escapes::at(text, place, source))
            }
        };
        if let Some(hit) = hit {
            done = hit.range.end;
            found.push(hit);
        }
    };
    scan::blocks(bytes, marks, |block| {
        if !block.is_empty() {
            block.each(1, &mut look);
        }
    });
    found.extend(invisible::scattered(text, &apart, &found));
    found.sort_by_key(|hit| hit.range.start);
    let mut end = 0;
    found.retain(|hit| {
        let apart = hit.range.start >= end;
        end = end.max(hit.range.end);
        apart
    });
    found
}

/// Whether something hidden could begin with a byte, by its neighbours: a comment or an element, an image, a link at the beginning of a
/// line, an escape, a character that is not ASCII.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep it from being done for many bytes at once"
)]
fn marks(before: u8, byte: u8, behind: u8) -> u8 {
    // Letters, and more that is seldom there.
    let element = (behind == b'!') | (behind > b'@');
    u8::from(
        ((byte == b'<') & element)
            | ((byte == b'!') & (behind == b'['))
            | ((byte == b'[') & (before == b'\n'))
            | (byte == 0x1b)
            | (byte >= 0xc0),
    )
}

#[cfg(test)]
mod tests;
