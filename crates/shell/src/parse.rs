//! Text to syntax tree.
//!
//! Written by hand, although there are crates for it. The guard runs before every command, and the best of them costs a
//! fifth of `/bin/true` in start-up alone; rewriting needs the exact bytes of every word, also inside substitutions; and a
//! bound that is passed must be reported, not survived.
//!
//! Linear in the size of the text: nesting is bounded, and what has to be read twice (`((` may begin an expression or two
//! subshells) is counted and bounded too.

mod command;
mod compound;
mod heredoc;
mod parameter;
mod word;

use std::cell::Cell;
use std::rc::Rc;

use crate::syntax::{Redirect, Script};

/// Deeper nesting than anybody writes.
const DEEPEST: usize = 120;

const TOO_DEEP: &str = "nesting that is too deep";

/// Bytes that may be read again after a wrong guess.
const MOST_AGAIN: usize = 2 * 1024 * 1024;

/// Why a text was not read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub(crate) what: &'static str,
    pub(crate) at: usize,
}

/// What was read, and where and why it stopped, if before the end. The commands before that point are whole: a shell runs
/// them before it meets the error.
pub(crate) fn parse(text: &str) -> (Script, Option<Stopped>) {
    let mut parser = Parser::new(text);
    let mut script = Script::default();
    let stopped = parser.script_into(&mut script, &[]).err();
    let left = stopped.or_else(|| {
        (parser.at < text.len()).then_some(Stopped { what: "an unexpected character", at: parser.at })
    });
    (script, left)
}

type Parsed<T> = Result<T, Stopped>;

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// Between double quotes.
    quoted: bool,
    /// The text is not, byte for byte, part of the command: places in it mean nothing outside.
    apart: bool,
    /// Bytes that were read again so far, here and in texts inside.
    again: Rc<Cell<usize>>,
    /// Here-documents whose bodies begin at the next newline: where their redirect goes is known by a shared cell.
    pending: Vec<heredoc::Pending>,
    /// Bodies read so far, by number.
    bodies: Vec<Option<crate::syntax::Word>>,
    /// How many of them have not found their redirect yet.
    waiting: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            quoted: false,
            apart: false,
            again: Rc::default(),
            pending: Vec::new(),
            bodies: Vec::new(),
            waiting: 0,
        }
    }

    /// A parser for a text that is part of this one.
    fn inner<'b>(&self, text: &'b str) -> Parser<'b> {
        Parser { depth: self.depth, again: Rc::clone(&self.again), apart: true, ..Parser::new(text) }
    }

    /// What was read since `begin`.
    fn since(&self, begin: usize) -> crate::syntax::Span {
        if self.apart { 0..0 } else { begin..self.at }
    }

    /// Back to `begin`, after a wrong guess.
    fn back(&mut self, begin: usize) -> Parsed<()> {
        let total = self.again.get() + self.at.saturating_sub(begin);
        self.again.set(total);
        self.at = begin;
        if total > MOST_AGAIN { self.stop(TOO_DEEP) } else { Ok(()) }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn starts(&self, prefix: &str) -> bool {
        self.bytes[self.at..].starts_with(prefix.as_bytes())
    }

    fn stop<T>(&self, what: &'static str) -> Parsed<T> {
        Err(Stopped { what, at: self.at })
    }

    /// Reads a command inside whatever is around it: quotes outside do not count inside.
    fn unquoted<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let saved = std::mem::replace(&mut self.quoted, false);
        let result = self.deeper(read);
        self.quoted = saved;
        result
    }

    /// One level down, or an end.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.stop(TOO_DEEP);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Blanks, line continuations and, at a word's beginning, comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'\\') if self.peek_at(1) == Some(b'\r') && self.peek_at(2) == Some(b'\n') => {
                    self.at += 3;
                }
                Some(b'#') => {
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Blanks and newlines; here-documents are read where their line ends.
    fn skip_newlines(&mut self) -> Parsed<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.read_heredocs()?;
        }
    }

    /// Puts the bodies that have been read into the redirects that asked for them.
    fn fill(&mut self, redirects: &mut [Redirect]) {
        for redirect in redirects {
            if heredoc::fill(redirect, &mut self.bodies) {
                self.waiting -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
