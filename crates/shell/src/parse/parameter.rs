//! `${…}`.

use super::word::{push_bare, push_part};
use super::{Parsed, Parser};
use crate::syntax::{Change, Index, Operation, Parameter, Part, Word};

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
        parameter.name = self.parameter_name()?;
        if self.peek() == Some(b'[') {
            self.at += 1;
            let word = self.until(b"]")?;
            self.at += 1;
            parameter.index = Some(match word.parts.as_slice() {
                [Part::Bare(text)] if text == "@" => Index::All,
                [Part::Bare(text)] if text == "*" => Index::Joined,
                _ => Index::At(Box::new(word)),
            });
        }
        if parameter.indirect
            && parameter.index.is_none()
            && matches!(self.peek(), Some(b'@' | b'*'))
            && self.peek_at(1) == Some(b'}')
        {
            self.at += 2;
            parameter.operation =
                Some(Change { operation: Operation::Names, word: Word::default(), other: Word::default() });
            return Ok(Part::Parameter(Box::new(parameter)));
        }
        if let Some(operation) = self.operation() {
            let mut change = Change { operation, word: Word::default(), other: Word::default() };
            if matches!(operation, Operation::Replace { .. }) {
                // A slash that begins the pattern is the pattern.
                change.word = self.until(b"/}")?;
                if self.peek() == Some(b'/') {
                    self.at += 1;
                    change.other = self.until(b"}")?;
                }
            } else {
                // A pattern has its own quotes, a text for want of a value has those around it.
                let pattern = matches!(operation, Operation::TrimStart { .. } | Operation::TrimEnd { .. });
                change.word = self.up_to(b"}", self.quoted && !pattern)?;
            }
            parameter.operation = Some(change);
        }
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                Ok(Part::Parameter(Box::new(parameter)))
            }
            // Whatever a later shell adds.
            Some(_) => {
                self.until(b"}")?;
                self.at += 1;
                parameter.operation = Some(Change {
                    operation: Operation::Transform,
                    word: Word::default(),
                    other: Word::default(),
                });
                Ok(Part::Parameter(Box::new(parameter)))
            }
            None => self.stop("an unclosed parameter"),
        }
    }

    fn parameter_name(&mut self) -> Parsed<String> {
        Ok(match self.peek() {
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
        })
    }

    fn operation(&mut self) -> Option<Operation> {
        let (operation, length) = match (self.peek()?, self.peek_at(1)) {
            (b':', Some(b'-')) => (Operation::Default { empty: true }, 2),
            (b':', Some(b'=')) => (Operation::Assign { empty: true }, 2),
            (b':', Some(b'?')) => (Operation::Error, 2),
            (b':', Some(b'+')) => (Operation::Alternative { empty: true }, 2),
            (b':', _) => (Operation::Slice, 1),
            (b'-', _) => (Operation::Default { empty: false }, 1),
            (b'=', _) => (Operation::Assign { empty: false }, 1),
            (b'?', _) => (Operation::Error, 1),
            (b'+', _) => (Operation::Alternative { empty: false }, 1),
            (b'#', Some(b'#')) => (Operation::TrimStart { longest: true }, 2),
            (b'#', _) => (Operation::TrimStart { longest: false }, 1),
            (b'%', Some(b'%')) => (Operation::TrimEnd { longest: true }, 2),
            (b'%', _) => (Operation::TrimEnd { longest: false }, 1),
            (b'/', Some(b'/')) => (Operation::Replace { all: true }, 2),
            (b'/', _) => (Operation::Replace { all: false }, 1),
            (b'^', Some(b'^')) => (Operation::Upper { all: true }, 2),
            (b'^', _) => (Operation::Upper { all: false }, 1),
            (b',', Some(b',')) => (Operation::Lower { all: true }, 2),
            (b',', _) => (Operation::Lower { all: false }, 1),
            (b'@', _) => (Operation::Transform, 1),
            _ => return None,
        };
        self.at += length;
        Some(operation)
    }

    /// A word up to one of `closers`, which stays. Blanks belong to it.
    pub(super) fn until(&mut self, closers: &[u8]) -> Parsed<Word> {
        self.up_to(closers, false)
    }

    /// The same; inside double quotes (`quoted`) single ones are ordinary characters.
    fn up_to(&mut self, closers: &[u8], quoted: bool) -> Parsed<Word> {
        let begin = self.at;
        let special =
            |b: u8| matches!(b, b'$' | b'`' | b'"' | b'\\' | b'<' | b'>') || (b == b'\'' && !quoted);
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                None => return self.stop("an unclosed parameter"),
                Some(b) if closers.contains(&b) && (b != b'/' || self.at > begin) => {
                    return Ok(Word { parts, span: self.since(begin) });
                }
                Some(b'\\') if quoted => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'\n') => self.at += 1,
                        Some(b'$' | b'`' | b'\\' | b'"' | b'}') => parts.push(Part::Quoted(self.one_char())),
                        _ => push_bare(&mut parts, "\\"),
                    }
                }
                Some(b'$' | b'`' | b'"' | b'\\') => {
                    let part = self.part()?;
                    push_part(&mut parts, part);
                }
                Some(b'\'') if !quoted => parts.push(self.part()?),
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') && !quoted => {
                    if let Some(word) = self.word()? {
                        parts.extend(word.parts);
                    }
                }
                Some(_) => {
                    let begin = self.at;
                    self.at += 1;
                    while self.peek().is_some_and(|b| !closers.contains(&b) && !special(b)) {
                        self.at += 1;
                    }
                    push_bare(&mut parts, &self.text[begin..self.at]);
                }
            }
        }
    }
}
