//! Words: quotes, escapes and expansions.

use std::rc::Rc;

use super::{Parsed, Parser};
use crate::syntax::{Part, Word};

/// Characters that end an unquoted word.
fn ends_word(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Those, and what begins another piece of a word, by bytes: each byte of a command is looked up here once.
const ENDS_PIECE: [bool; 256] = {
    let mut ends = [false; 256];
    let bytes = b" \t\n\r;&|<>()'\"\\$`";
    let mut at = 0;
    while at < bytes.len() {
        ends[bytes[at] as usize] = true;
        at += 1;
    }
    ends
};

impl Parser<'_> {
    /// A word, or `None` where none begins.
    pub(super) fn word(&mut self) -> Parsed<Option<Word>> {
        let begin = self.at;
        let mut parts = Vec::new();
        while let Some(b) = self.peek() {
            match b {
                // `<(` and `>(` begin a word or go on with one; a lone `<` ends it.
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    let input = b == b'<';
                    self.at += 2;
                    let script = self.unquoted(|p| p.script_until(b')'))?;
                    parts.push(Part::Process { script: Rc::new(script), input });
                }
                b'\\' if self.peek_at(1) == Some(b'\n') => self.at += 2,
                // An extended glob: `@(a|b)` and the like are one word.
                b'(' if matches!(parts.last(), Some(Part::Bare(text)) if text.ends_with(['@', '?', '*', '+', '!']))
                    && self.at > begin =>
                {
                    let text = self.balanced()?;
                    push_bare(&mut parts, &text);
                }
                b if ends_word(b) => break,
                _ => {
                    let part = self.part()?;
                    push_part(&mut parts, part);
                }
            }
        }
        if self.at == begin {
            return Ok(None);
        }
        Ok(Some(Word { parts, span: self.since(begin) }))
    }

    /// A parenthesised group as plain text.
    fn balanced(&mut self) -> Parsed<String> {
        let begin = self.at;
        let mut open = 0;
        while let Some(b) = self.peek() {
            match b {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' => self.at += 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Ok(self.text.get(begin..self.at).unwrap_or_default().to_owned());
            }
        }
        self.stop("an unclosed parenthesis")
    }

    /// One piece of a word outside double quotes.
    pub(super) fn part(&mut self) -> Parsed<Part> {
        match self.peek() {
            Some(b'\'') => self.single_quoted().map(Part::Quoted),
            Some(b'"') => {
                self.at += 1;
                let parts = self.double_quoted_parts(Some(b'"'))?;
                Ok(Part::Double(parts))
            }
            Some(b'\\') => {
                self.at += 1;
                // The last character of all stands for itself.
                let escaped = if self.peek().is_some() { self.one_char() } else { "\\".into() };
                Ok(Part::Quoted(escaped))
            }
            Some(b'$') if self.peek_at(1) == Some(b'\'') => {
                self.at += 1;
                self.ansi_quoted().map(Part::Quoted)
            }
            Some(b'$') if self.peek_at(1) == Some(b'"') => {
                self.at += 2;
                self.double_quoted_parts(Some(b'"')).map(Part::Double)
            }
            Some(b'$') => self.dollar(),
            Some(b'`') => self.backtick(),
            _ => {
                let begin = self.at;
                let length = self.bytes[begin..].iter().position(|b| ENDS_PIECE[usize::from(*b)]);
                self.at = length.map_or(self.bytes.len(), |length| begin + length);
                if self.at == begin {
                    return Ok(Part::Bare(self.one_char()));
                }
                Ok(Part::Bare(self.text[begin..self.at].to_owned()))
            }
        }
    }

    /// The character here, whole.
    pub(super) fn one_char(&mut self) -> String {
        let Some(c) = self.rest().chars().next() else { return String::new() };
        self.at += c.len_utf8();
        c.to_string()
    }

    fn single_quoted(&mut self) -> Parsed<String> {
        let begin = self.at + 1;
        match self.bytes[begin..].iter().position(|&b| b == b'\'') {
            Some(end) => {
                self.at = begin + end + 1;
                Ok(self.text[begin..begin + end].to_owned())
            }
            None => self.stop("an unterminated single quote"),
        }
    }

    /// `$'…'`
    fn ansi_quoted(&mut self) -> Parsed<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            match self.peek() {
                None => return self.stop("an unterminated quote"),
                Some(b'\'') => {
                    self.at += 1;
                    // With a zero byte the text is over.
                    out.truncate(out.find('\0').unwrap_or(out.len()));
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.ansi_escape(&mut out);
                }
                Some(_) => out.push_str(&self.one_char()),
            }
        }
    }

    fn ansi_escape(&mut self, out: &mut String) {
        let Some(b) = self.peek() else { return };
        self.at += 1;
        let simple = match b {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'a' => '\u{7}',
            b'b' => '\u{8}',
            b'e' | b'E' => '\u{1b}',
            b'f' => '\u{c}',
            b'v' => '\u{b}',
            b'\\' | b'\'' | b'"' | b'?' => char::from(b),
            b'x' => return self.coded(out, 16, 2),
            b'u' => return self.coded(out, 16, 4),
            b'U' => return self.coded(out, 16, 8),
            b'0'..=b'7' => {
                self.at -= 1;
                return self.coded(out, 8, 3);
            }
            b'c' => {
                let control = self.peek().unwrap_or(0) & 0x1f;
                self.at += 1;
                char::from(control)
            }
            _ => {
                self.at -= 1;
                out.push('\\');
                out.push_str(&self.one_char());
                return;
            }
        };
        out.push(simple);
    }

    fn coded(&mut self, out: &mut String, radix: u32, most: usize) {
        let mut value = 0u32;
        let mut digits = 0;
        while digits < most
            && let Some(digit) = self.peek().and_then(|b| char::from(b).to_digit(radix))
        {
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
            digits += 1;
        }
        // Three octal digits may say more than a byte holds.
        if let Some(c) = char::from_u32(if radix == 8 { value & 0xff } else { value }) {
            out.push(c);
        }
    }

    /// Up to the closing quote, or to the end of a here-document's body.
    pub(super) fn double_quoted_parts(&mut self, close: Option<u8>) -> Parsed<Vec<Part>> {
        let saved = std::mem::replace(&mut self.quoted, true);
        let parts = self.double_quoted(close);
        self.quoted = saved;
        parts
    }

    fn double_quoted(&mut self, close: Option<u8>) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        loop {
            let Some(b) = self.peek() else {
                if close.is_some() {
                    return self.stop("an unterminated double quote");
                }
                break;
            };
            if Some(b) == close {
                self.at += 1;
                break;
            }
            match b {
                b'\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'\n') => self.at += 1,
                        Some(b'$' | b'`' | b'\\') => plain.push_str(&self.one_char()),
                        Some(b'"') if close.is_some() => plain.push_str(&self.one_char()),
                        _ => plain.push('\\'),
                    }
                }
                b'$' | b'`' => {
                    let part = if b == b'$' { self.dollar()? } else { self.backtick()? };
                    match part {
                        Part::Bare(text) => plain.push_str(&text),
                        other => {
                            if !plain.is_empty() {
                                parts.push(Part::Quoted(std::mem::take(&mut plain)));
                            }
                            parts.push(other);
                        }
                    }
                }
                _ => {
                    let begin = self.at;
                    while self.peek().is_some_and(|b| !matches!(b, b'\\' | b'$' | b'`') && Some(b) != close) {
                        self.at += 1;
                    }
                    plain.push_str(&self.text[begin..self.at]);
                }
            }
        }
        if !plain.is_empty() || parts.is_empty() {
            parts.push(Part::Quoted(plain));
        }
        Ok(parts)
    }

    /// Anything that begins with `$`, quotes excepted.
    pub(super) fn dollar(&mut self) -> Parsed<Part> {
        self.at += 1;
        match self.peek() {
            Some(b'(') if self.peek_at(1) == Some(b'(') => {
                // `$((` may also be a substitution that begins with a subshell.
                let begin = self.at;
                self.at += 2;
                match self.deeper(|p| p.arithmetic(2)) {
                    Ok(word) => Ok(Part::Arithmetic(Box::new(word))),
                    Err(stopped) if stopped.what == super::TOO_DEEP => Err(stopped),
                    Err(_) => {
                        self.back(begin + 1)?;
                        let script = self.unquoted(|p| p.script_until(b')'))?;
                        Ok(Part::Substitution(Rc::new(script)))
                    }
                }
            }
            Some(b'(') => {
                self.at += 1;
                let script = self.unquoted(|p| p.script_until(b')'))?;
                Ok(Part::Substitution(Rc::new(script)))
            }
            Some(b'[') => {
                self.at += 1;
                let word = self.deeper(|p| p.arithmetic_until(b']'))?;
                Ok(Part::Arithmetic(Box::new(word)))
            }
            Some(b'{') => {
                self.at += 1;
                self.deeper(Self::braced_parameter)
            }
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                let name = self.name();
                Ok(Part::Parameter(Box::new(crate::syntax::Parameter {
                    name,
                    open: true,
                    ..Default::default()
                })))
            }
            Some(b) if b.is_ascii_digit() || matches!(b, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.at += 1;
                let name = char::from(b).to_string();
                Ok(Part::Parameter(Box::new(crate::syntax::Parameter { name, ..Default::default() })))
            }
            _ => Ok(Part::Bare("$".into())),
        }
    }

    pub(super) fn name(&mut self) -> String {
        let begin = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.at += 1;
        }
        self.text[begin..self.at].to_owned()
    }

    /// Up to `))`: only the expansions in it are kept.
    pub(super) fn arithmetic(&mut self, close: usize) -> Parsed<Word> {
        let begin = self.at;
        let mut parts = Vec::new();
        let mut open = 0;
        loop {
            match self.peek() {
                None => return self.stop("an unclosed arithmetic expression"),
                Some(b'(') => {
                    open += 1;
                    if open > super::DEEPEST {
                        return self.stop(super::TOO_DEEP);
                    }
                    push_bare(&mut parts, "(");
                    self.at += 1;
                }
                Some(b')') if open > 0 => {
                    open -= 1;
                    push_bare(&mut parts, ")");
                    self.at += 1;
                }
                Some(b')') => {
                    if close == 2 && self.peek_at(1) != Some(b')') {
                        return self.stop("an arithmetic expression that is none");
                    }
                    let word = Word { parts, span: self.since(begin) };
                    self.at += close;
                    return Ok(word);
                }
                Some(b'\n') => {
                    push_bare(&mut parts, " ");
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>') => {
                    let text = self.one_char();
                    push_bare(&mut parts, &text);
                }
                Some(_) => {
                    let part = self.part()?;
                    push_part(&mut parts, part);
                }
            }
        }
    }

    fn arithmetic_until(&mut self, close: u8) -> Parsed<Word> {
        let begin = self.at;
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                None => return self.stop("an unclosed arithmetic expression"),
                Some(b) if b == close => {
                    let word = Word { parts, span: self.since(begin) };
                    self.at += 1;
                    return Ok(word);
                }
                Some(b'$' | b'`' | b'"' | b'\'' | b'\\') => parts.push(self.part()?),
                Some(_) => {
                    let text = self.one_char();
                    push_bare(&mut parts, &text);
                }
            }
        }
    }

    /// Backticks: the text inside loses one level of backslashes and is parsed by itself.
    fn backtick(&mut self) -> Parsed<Part> {
        self.at += 1;
        let mut inner = String::new();
        loop {
            match self.peek() {
                None => return self.stop("an unterminated backtick"),
                Some(b'`') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') if matches!(self.peek_at(1), Some(b'`' | b'\\' | b'$')) => {
                    self.at += 1;
                    inner.push_str(&self.one_char());
                }
                Some(_) => inner.push_str(&self.one_char()),
            }
        }
        let script = self.deeper(|p| {
            let mut parser = p.inner(&inner);
            let mut script = crate::syntax::Script::default();
            match parser.script_into(&mut script, &[]) {
                Ok(()) if parser.at >= inner.len() => Ok(script),
                _ => p.stop("a command in backticks that cannot be read"),
            }
        })?;
        Ok(Part::Substitution(Rc::new(script)))
    }
}

pub(super) fn push_bare(parts: &mut Vec<Part>, text: &str) {
    if let Some(Part::Bare(last)) = parts.last_mut() {
        last.push_str(text);
    } else {
        parts.push(Part::Bare(text.to_owned()));
    }
}

/// Text that goes on with what stands before it, or begins something of its own.
pub(super) fn push_part(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (Some(Part::Bare(last)), Part::Bare(text)) => last.push_str(&text),
        (last, part) => {
            // Nearly all words have one.
            if last.is_none() {
                parts.reserve_exact(1);
            }
            parts.push(part);
        }
    }
}
