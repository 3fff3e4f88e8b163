//! Quoted text, here-strings, and words without quotes.

use super::{Parsed, Parser};
use crate::powershell::syntax::Expr;

impl Parser<'_> {
    /// `'…'`, in which only a doubled quote stands for one.
    pub(super) fn single(&mut self) -> Parsed<Expr> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let begin = self.at;
            while self.peek().is_some_and(|b| b != b'\'') {
                self.at += 1;
            }
            text.push_str(&self.text[begin..self.at]);
            if self.peek().is_none() {
                return self.stop("an unclosed quote");
            }
            self.at += 1;
            if self.peek() != Some(b'\'') {
                return Ok(Expr::Literal(text));
            }
            text.push('\'');
            self.at += 1;
        }
    }

    /// `"…"`
    pub(super) fn double(&mut self) -> Parsed<Expr> {
        self.at += 1;
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None => return self.stop("an unclosed quote"),
                Some(b'"') if self.peek_at(1) == Some(b'"') => {
                    parts.text.push('"');
                    self.at += 2;
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(parts.done());
                }
                _ => self.piece(&mut parts)?,
            }
        }
    }

    /// `@'…'@` and `@"…"@`, each end on a line of its own.
    pub(super) fn here(&mut self) -> Parsed<Expr> {
        let quote = self.bytes[self.at + 1];
        self.at += 2;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
        self.expect(b'\n', "a here-string on one line")?;
        let end = if quote == b'"' { "\n\"@" } else { "\n'@" };
        // An empty one ends at once.
        let from = self.at - 1;
        let Some(length) = self.text[from..].find(end) else { return self.stop("an unclosed here-string") };
        let until = (from + length).max(self.at);
        if quote == b'\'' {
            let text = self.text[self.at..until].to_owned();
            self.at = from + length + end.len();
            return Ok(Expr::Literal(text));
        }
        let mut parts = Parts::default();
        while self.at < until {
            if self.peek() == Some(b'"') {
                parts.text.push('"');
                self.at += 1;
            } else {
                self.piece(&mut parts)?;
            }
        }
        self.at = self.at.max(from + length + end.len());
        Ok(parts.done())
    }

    /// One character, escape or expansion of text between double quotes.
    fn piece(&mut self, parts: &mut Parts) -> Parsed<()> {
        match self.peek() {
            Some(b'`') => self.escape(parts),
            Some(b'$') if self.expands() => {
                let expr = self.deeper(Self::variable)?;
                parts.push(expr);
            }
            _ => {
                let begin = self.at;
                self.at += 1;
                while self.peek().is_some_and(|b| !matches!(b, b'`' | b'$' | b'"' | b'\n')) {
                    self.at += 1;
                }
                parts.text.push_str(&self.text[begin..self.at]);
            }
        }
        Ok(())
    }

    /// Whether a dollar begins something that is filled in.
    pub(super) fn expands(&self) -> bool {
        self.peek_at(1).is_some_and(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'{' | b'(' | b'?' | b'^' | b'$' | b':')
                || b >= 0x80
        })
    }

    fn escape(&mut self, parts: &mut Parts) {
        self.at += 1;
        let Some(c) = self.text[self.at..].chars().next() else { return };
        self.at += c.len_utf8();
        match c {
            'n' => parts.text.push('\n'),
            't' => parts.text.push('\t'),
            'r' => parts.text.push('\r'),
            '0' => parts.text.push('\u{1}'),
            'a' => parts.text.push('\u{7}'),
            'b' => parts.text.push('\u{8}'),
            'f' => parts.text.push('\u{c}'),
            'v' => parts.text.push('\u{b}'),
            'e' => parts.text.push('\u{1b}'),
            'u' if self.peek() == Some(b'{') => {
                let digits = self.text[self.at..].split('}').next().unwrap_or_default();
                self.at = (self.at + digits.len() + 1).min(self.text.len());
                let code = u32::from_str_radix(digits.trim_start_matches('{'), 16).ok();
                parts.text.extend(code.and_then(char::from_u32));
            }
            '\n' => {}
            other => parts.text.push(other),
        }
    }

    /// A word without quotes around it, which may have some in it: `C:\x`, `$dir\file`, `a"b c"`.
    pub(super) fn bare(&mut self) -> Parsed<Expr> {
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None
                | Some(
                    b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b')' | b'}' | b',' | b'(' | b'{'
                    | b'>',
                ) => break,
                Some(b'`') if matches!(self.peek_at(1), None | Some(b'\n' | b'\r')) => break,
                Some(b'`') => self.escape(&mut parts),
                Some(b'"') => {
                    let inner = self.deeper(Self::double)?;
                    parts.push(inner);
                }
                Some(b'\'') => {
                    let inner = self.single()?;
                    parts.push(inner);
                }
                Some(b'$') if self.expands() => {
                    let expr = self.deeper(Self::variable)?;
                    parts.push(expr);
                }
                _ => {
                    let begin = self.at;
                    self.at += 1;
                    while self.peek().is_some_and(|b| {
                        b.is_ascii_alphanumeric()
                            || b >= 0x80
                            || matches!(b, b'.' | b'-' | b'_' | b'\\' | b'/' | b':' | b'=' | b'*')
                    }) {
                        self.at += 1;
                    }
                    parts.text.push_str(&self.text[begin..self.at]);
                }
            }
        }
        // `foo(bar)` and `a{b}` are one word to a program.
        if matches!(self.peek(), Some(b'{')) && !parts.is_empty() {
            let source = self.block()?;
            parts.text.push_str(&source);
        }
        Ok(parts.done())
    }
}

/// Text and expansions in turn.
#[derive(Default)]
struct Parts {
    done: Vec<Expr>,
    text: String,
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.done.is_empty() && self.text.is_empty()
    }

    fn push(&mut self, expr: Expr) {
        if !self.text.is_empty() {
            self.done.push(Expr::Literal(std::mem::take(&mut self.text)));
        }
        self.done.push(expr);
    }

    fn done(mut self) -> Expr {
        if self.done.is_empty() {
            return Expr::Literal(self.text);
        }
        if !self.text.is_empty() {
            self.done.push(Expr::Literal(self.text));
        }
        Expr::Text(self.done)
    }
}
