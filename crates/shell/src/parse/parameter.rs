//! `${…}`.

use super::word::push_bare;
use super::{Parsed, Parser};
use crate::syntax::{Index, Operation, Parameter, Part, Word};

impl Parser<'_> {
    /// After `${`, up to and with `}`.
    pub(super) fn braced_parameter(&mut self) -> Parsed<Part> {
        let mut parameter = Parameter::default();
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            // `${ command; }` runs in place, in newer shells.
            self.at += 1;
            let script = self.script_until(b'}')?;
            return Ok(Part::Substitution(std::rc::Rc::new(script)));
        }
        if self.peek() == Some(b'!') && self.peek_at(1).is_some_and(|b| b != b'}') {
            parameter.indirect = true;
            self.at += 1;
        } else if self.peek() == Some(b'#')
            && self.peek_at(1).is_some_and(|b| !matches!(b, b'}' | b'%' | b'#' | b':'))
        {
            parameter.length = true;
            self.at += 1;
        }
        parameter.name = match self.peek() {
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => self.name(),
            Some(b) if b.is_ascii_digit() => {
                let begin = self.at;
                while self.peek().is_some_and(|b| b.is_ascii_digit()) {
                    self.at += 1;
                }
                self.text[begin..self.at].to_owned()
            }
            Some(b @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')) => {
                self.at += 1;
                char::from(b).to_string()
            }
            _ => return self.stop("a parameter without a name"),
        };
        if self.peek() == Some(b'[') {
            self.at += 1;
            let word = self.until(b']')?;
            self.at += 1;
            parameter.index = Some(match word.parts.as_slice() {
                [Part::Bare(text)] if matches!(text.as_str(), "@" | "*") => Index::All,
                _ => Index::At(Box::new(word)),
            });
        }
        let operation = self.operation();
        if let Some(operation) = operation {
            parameter.operation = Some((operation, self.until(b'}')?));
        }
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                Ok(Part::Parameter(Box::new(parameter)))
            }
            // Prefix matches `${!x@}` and whatever a later shell adds.
            Some(_) => {
                self.until(b'}')?;
                self.at += 1;
                parameter.operation = Some((Operation::Transform, Word::default()));
                Ok(Part::Parameter(Box::new(parameter)))
            }
            None => self.stop("an unclosed parameter"),
        }
    }

    fn operation(&mut self) -> Option<Operation> {
        let (operation, length) = match (self.peek()?, self.peek_at(1)) {
            (b':', Some(b'-')) => (Operation::Default, 2),
            (b':', Some(b'=')) => (Operation::Assign, 2),
            (b':', Some(b'?')) => (Operation::Error, 2),
            (b':', Some(b'+')) => (Operation::Alternative, 2),
            (b':', _) => (Operation::Slice, 1),
            (b'-', _) => (Operation::Default, 1),
            (b'=', _) => (Operation::Assign, 1),
            (b'?', _) => (Operation::Error, 1),
            (b'+', _) => (Operation::Alternative, 1),
            (b'#', Some(b'#')) => (Operation::TrimStart { longest: true }, 2),
            (b'#', _) => (Operation::TrimStart { longest: false }, 1),
            (b'%', Some(b'%')) => (Operation::TrimEnd { longest: true }, 2),
            (b'%', _) => (Operation::TrimEnd { longest: false }, 1),
            (b'/', Some(b'/')) => (Operation::Replace { all: true }, 2),
            (b'/', _) => (Operation::Replace { all: false }, 1),
            (b'^', Some(b'^')) => (Operation::Upper, 2),
            (b'^', _) => (Operation::Transform, 1),
            (b',', Some(b',')) => (Operation::Lower, 2),
            (b',' | b'@', _) => (Operation::Transform, 1),
            _ => return None,
        };
        self.at += length;
        Some(operation)
    }

    /// A word up to `close`, which stays. Blanks belong to it.
    fn until(&mut self, close: u8) -> Parsed<Word> {
        let begin = self.at;
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                None => return self.stop("an unclosed parameter"),
                Some(b) if b == close => return Ok(Word { parts, span: begin..self.at }),
                Some(b'$' | b'`' | b'\'' | b'"' | b'\\') => match self.part()? {
                    Part::Bare(text) => push_bare(&mut parts, &text),
                    other => parts.push(other),
                },
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => {
                    if let Some(word) = self.word()? {
                        parts.extend(word.parts);
                    }
                }
                Some(_) => {
                    let begin = self.at;
                    while self.peek().is_some_and(|b| {
                        b != close && !matches!(b, b'$' | b'`' | b'\'' | b'"' | b'\\' | b'<' | b'>')
                    }) {
                        self.at += 1;
                    }
                    if self.at == begin {
                        self.at += 1;
                    }
                    push_bare(&mut parts, &self.text[begin..self.at]);
                }
            }
        }
    }
}
