//! Text in PowerShell to its syntax tree. Linear: nothing is read twice but the text of a block, and nesting is bounded.

mod blocks;
mod expression;
mod text;

use std::rc::Rc;

use super::syntax::{Doing, Element, Expr, Redirect, Script, Statement, Word, WordKind};
use crate::parse::Stopped;

/// Deeper nesting than anybody writes.
const DEEPEST: usize = 48;

type Parsed<T> = Result<T, Stopped>;

/// What was read, and where and why something was not.
pub(crate) fn parse(text: &str) -> (Script, Option<Stopped>) {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, depth: 0 };
    let mut script = Script::default();
    let mut stopped = None;
    while parser.at < text.len() {
        let begin = parser.at;
        match parser.statements(&mut script, None) {
            Ok(()) if parser.at >= text.len() => break,
            Ok(()) => {
                stopped.get_or_insert(Stopped { what: "an unexpected character", at: parser.at });
                parser.at += 1;
            }
            Err(error) => {
                stopped.get_or_insert(error);
            }
        }
        // What comes after is read all the same.
        while parser.at < text.len() && !matches!(parser.bytes[parser.at], b'\n' | b';') {
            parser.at += 1;
        }
        parser.at = parser.at.max(begin + 1);
    }
    (script, stopped)
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn starts(&self, prefix: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
    }

    fn stop<T>(&self, what: &'static str) -> Parsed<T> {
        Err(Stopped { what, at: self.at })
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Parsed<()> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        self.stop(what)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.stop("nesting that is too deep");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Blanks, lines that go on, and comments.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'`') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'`') if self.peek_at(1) == Some(b'\r') && self.peek_at(2) == Some(b'\n') => {
                    self.at += 3;
                }
                Some(b'<') if self.peek_at(1) == Some(b'#') => {
                    let end =
                        self.text[self.at..].find("#>").map_or(self.text.len(), |end| self.at + end + 2);
                    self.at = end;
                }
                Some(b'#') => {
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                }
                // A blank that is none in ASCII.
                Some(0xC2) if self.peek_at(1) == Some(0xA0) => self.at += 2,
                _ => return,
            }
        }
    }

    /// The same with the ends of lines.
    fn lines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.at += 1;
        }
    }

    /// Up to `end`, which is left where it is.
    fn statements(&mut self, script: &mut Script, end: Option<u8>) -> Parsed<()> {
        loop {
            self.blanks();
            match self.peek() {
                Some(b'\n' | b';') => self.at += 1,
                byte if byte == end || byte.is_none() => return Ok(()),
                Some(b')' | b'}') => return Ok(()),
                // What is written before `&&` and `||` was read already.
                Some(b'&' | b'|') if self.bytes[self.at] == self.peek_at(1).unwrap_or(0) => self.at += 2,
                // It goes on in the background.
                Some(b'&') if matches!(self.peek_at(1), None | Some(b'\n' | b';' | b')' | b'}')) => {
                    self.at += 1;
                }
                _ => {
                    let begin = self.at;
                    let statement = self.deeper(Self::statement)?;
                    script.statements.push(statement);
                    if self.at == begin {
                        return self.stop("an unexpected character");
                    }
                }
            }
        }
    }

    fn script(&mut self, end: u8, what: &'static str) -> Parsed<Rc<Script>> {
        let mut script = Script::default();
        self.deeper(|parser| parser.statements(&mut script, Some(end)))?;
        self.expect(end, what)?;
        Ok(Rc::new(script))
    }

    /// `{ … }`
    fn body(&mut self) -> Parsed<Rc<Script>> {
        self.lines();
        self.expect(b'{', "a missing block")?;
        self.script(b'}', "an unclosed block")
    }

    /// `( … )` with one statement or several.
    fn condition(&mut self) -> Parsed<Statement> {
        self.lines();
        self.expect(b'(', "a missing parenthesis")?;
        let inner = self.script(b')', "an unclosed parenthesis")?;
        Ok(of_expression(Expr::Sub(inner)))
    }

    /// The word that begins here, if it is one of letters alone.
    fn keyword(&self) -> &'a str {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let ends = rest.get(length).is_none_or(|b| {
            !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'\\' | b'/' | b'='))
        });
        if ends { &self.text[self.at..self.at + length] } else { "" }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let word = self.keyword();
        let lower = word.to_ascii_lowercase();
        let begin = self.at;
        self.at += word.len();
        match lower.as_str() {
            "if" => return self.choice(),
            "while" => {
                let heads = vec![self.condition()?];
                return Ok(Statement::Loop { heads, body: self.body()? });
            }
            "do" => {
                let body = self.body()?;
                self.lines();
                let word = self.keyword();
                if !matches!(word.to_ascii_lowercase().as_str(), "while" | "until") {
                    return self.stop("a loop without a condition");
                }
                self.at += word.len();
                return Ok(Statement::Loop { heads: vec![self.condition()?], body });
            }
            "for" => return self.counted(),
            "foreach" if self.peek_past_blanks() == Some(b'(') => return self.each(),
            "switch" => return self.switch(),
            "try" | "begin" | "process" | "end" | "clean" | "dynamicparam" | "trap" | "catch" | "finally"
                if self.opens_block(&lower) =>
            {
                return self.blocks(&lower);
            }
            "function" | "filter" | "workflow" | "class" | "enum" => return self.function(),
            "param" if self.peek_past_blanks() == Some(b'(') => return self.parameters(),
            "return" | "throw" | "exit" => {
                self.blanks();
                if matches!(self.peek(), None | Some(b'\n' | b';' | b'}' | b')')) {
                    return Ok(Statement::Blocks(Vec::new()));
                }
                return self.statement();
            }
            "break" | "continue" => {
                self.rest_of_line();
                return Ok(Statement::Blocks(Vec::new()));
            }
            "using" => {
                self.rest_of_line();
                return Ok(Statement::Blocks(Vec::new()));
            }
            _ => self.at = begin,
        }
        self.simple()
    }

    fn rest_of_line(&mut self) {
        while self.peek().is_some_and(|b| !matches!(b, b'\n' | b';' | b'}' | b')')) {
            self.at += 1;
        }
    }

    fn peek_past_blanks(&self) -> Option<u8> {
        self.bytes[self.at..].iter().copied().find(|b| !b.is_ascii_whitespace())
    }

    /// Whether this is such a word, and no command of that name.
    fn opens_block(&self, word: &str) -> bool {
        match self.peek_past_blanks() {
            Some(b'{') => true,
            Some(b'[') => matches!(word, "catch" | "trap"),
            _ => false,
        }
    }

    /// A pipeline, or an assignment.
    fn simple(&mut self) -> Parsed<Statement> {
        let mut elements = Vec::new();
        loop {
            let begin = self.at;
            if self.begins_expression() {
                let expr = self.deeper(Self::expression)?;
                self.blanks();
                if elements.is_empty()
                    && let Some((length, add)) = self.assigns()
                {
                    self.at += length;
                    self.lines();
                    let value = Box::new(self.deeper(Self::statement)?);
                    return Ok(Statement::Assign { target: expr, add, value });
                }
                let redirects = self.redirects()?;
                elements.push(Element { doing: Doing::Expression(expr), redirects, span: begin..self.at });
            } else {
                elements.push(self.command()?);
            }
            self.blanks();
            // A line may begin with the bar.
            let before = self.at;
            if self.peek() == Some(b'\n') {
                self.lines();
                if !(self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|')) {
                    self.at = before;
                }
            }
            if self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|') {
                self.at += 1;
                self.lines();
                continue;
            }
            return Ok(Statement::Pipeline(elements));
        }
    }

    fn begins_expression(&self) -> bool {
        match self.peek() {
            Some(b'$' | b'(' | b'"' | b'\'' | b'{' | b',' | b'!' | b'[') => true,
            Some(b'@') => matches!(self.peek_at(1), Some(b'(' | b'{' | b'"' | b'\'')),
            // A number; not a program whose name begins with one.
            Some(b'0'..=b'9') => {
                let rest = &self.bytes[self.at..];
                let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count();
                let word = &rest[..length];
                word.iter().all(|b| {
                    b.is_ascii_hexdigit()
                        || matches!(b, b'.' | b'x' | b'k' | b'm' | b'g' | b'K' | b'M' | b'G')
                })
            }
            Some(b'-' | b'+') => match self.peek_at(1) {
                Some(b'0'..=b'9' | b'$' | b'(' | b'-' | b'+') => true,
                Some(b'n' | b's' | b'j' | b'b') => {
                    ["-not", "-split", "-join", "-bnot"].iter().any(|op| self.starts(op))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The length of an operator that assigns, and whether it adds.
    fn assigns(&self) -> Option<(usize, bool)> {
        match (self.peek()?, self.peek_at(1)) {
            (b'=', other) if other != Some(b'=') => Some((1, false)),
            (b'+', Some(b'=')) => Some((2, true)),
            (b'-' | b'*' | b'/' | b'%', Some(b'=')) => Some((2, false)),
            (b'?', Some(b'?')) if self.peek_at(2) == Some(b'=') => Some((3, false)),
            _ => None,
        }
    }

    /// `git status`, `& $program a b`, `. .\x.ps1`
    fn command(&mut self) -> Parsed<Element> {
        let begin = self.at;
        let mut words = Vec::new();
        let mut redirects = Vec::new();
        if matches!(self.peek(), Some(b'&' | b'.'))
            && self
                .peek_at(1)
                .is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'$' | b'(' | b'{'))
        {
            let by = if self.peek() == Some(b'&') { "&" } else { "." };
            words.push(Word { kind: WordKind::Value(Expr::Literal(by.into())), span: self.at..self.at + 1 });
            self.at += 1;
        }
        loop {
            self.blanks();
            let from = self.at;
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b'&' | b')' | b'}') => break,
                _ => {}
            }
            if let Some(redirect) = self.redirect()? {
                redirects.extend(redirect);
                continue;
            }
            if self.starts("--%") {
                self.verbatim(&mut words);
                break;
            }
            let kind = self.word(words.is_empty())?;
            if self.at == from {
                return self.stop("an unexpected character");
            }
            words.push(Word { kind, span: from..self.at });
        }
        Ok(Element { doing: Doing::Command(words), redirects, span: begin..self.at })
    }

    /// `--%`: the rest of the line as it is.
    fn verbatim(&mut self, words: &mut Vec<Word>) {
        self.at += 3;
        let begin = self.at;
        while self.peek().is_some_and(|b| !matches!(b, b'\n' | b'|')) {
            self.at += 1;
        }
        for word in self.text[begin..self.at].split_whitespace() {
            let text = word.trim_matches('"').to_owned();
            words.push(Word { kind: WordKind::Value(Expr::Literal(text)), span: begin..begin });
        }
    }

    fn redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut found = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => found.extend(redirect),
                None => return Ok(found),
            }
        }
    }

    /// `> f`, `2>> f`, `*> f`, `2>&1`; the last is nobody's business.
    fn redirect(&mut self) -> Parsed<Option<Vec<Redirect>>> {
        let numbered = matches!(self.peek(), Some(b'1'..=b'6' | b'*')) && self.peek_at(1) == Some(b'>');
        if !numbered && self.peek() != Some(b'>') {
            return Ok(None);
        }
        let errors = numbered && !matches!(self.peek(), Some(b'1' | b'*'));
        self.at += usize::from(numbered) + 1;
        if self.peek() == Some(b'&') {
            self.at += 1 + usize::from(self.peek_at(1).is_some_and(|b| b.is_ascii_digit()));
            return Ok(Some(Vec::new()));
        }
        let append = self.peek() == Some(b'>');
        self.at += usize::from(append);
        self.blanks();
        let from = self.at;
        let kind = WordKind::Value(self.argument()?);
        Ok(Some(vec![Redirect { append, errors, target: Word { kind, span: from..self.at } }]))
    }

    fn word(&mut self, first: bool) -> Parsed<WordKind> {
        match (self.peek(), self.peek_at(1)) {
            (Some(b'-'), Some(next))
                if !first && (next.is_ascii_alphabetic() || matches!(next, b'_' | b'?')) =>
            {
                self.parameter()
            }
            (Some(b'@'), Some(next)) if next.is_ascii_alphabetic() || next == b'_' => {
                self.at += 1;
                let begin = self.at;
                while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':')) {
                    self.at += 1;
                }
                Ok(WordKind::Splat(self.text[begin..self.at].to_ascii_lowercase()))
            }
            _ => Ok(WordKind::Value(self.deeper(Self::arguments)?)),
        }
    }

    /// `-Name` or `-Name:value`. To a program it is a word like any other: `-Dx=1`, `-o"file"`.
    fn parameter(&mut self) -> Parsed<WordKind> {
        let begin = self.at;
        self.at += 1;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'?')) {
            self.at += 1;
        }
        let name = self.text[begin..self.at].to_owned();
        if self.peek() == Some(b':') {
            self.at += 1;
            self.blanks();
            let value = self.deeper(Self::arguments)?;
            return Ok(WordKind::Parameter(name, Some(value)));
        }
        if !self.ends_word() {
            let mut parts = vec![Expr::Literal(name)];
            parts.push(self.deeper(Self::arguments)?);
            return Ok(WordKind::Value(Expr::Text(parts)));
        }
        Ok(WordKind::Parameter(name, None))
    }

    fn ends_word(&self) -> bool {
        self.peek()
            .is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b';' | b'|' | b'&' | b')' | b'}' | b','))
    }

    /// One argument, or several between commas.
    fn arguments(&mut self) -> Parsed<Expr> {
        let first = self.argument()?;
        let mut list = vec![first];
        loop {
            let before = self.at;
            self.blanks();
            if self.peek() != Some(b',') {
                self.at = before;
                return Ok(if list.len() == 1 { list.remove(0) } else { Expr::List(list) });
            }
            self.at += 1;
            self.lines();
            if self.peek().is_none_or(|b| matches!(b, b';' | b'|' | b')' | b'}')) {
                return Ok(Expr::List(list));
            }
            list.push(self.argument()?);
        }
    }

    /// `{ … }` as it was written, read once to find its end.
    fn block(&mut self) -> Parsed<Rc<str>> {
        let begin = self.at;
        self.expect(b'{', "a missing block")?;
        self.script(b'}', "an unclosed block")?;
        Ok(self.text[begin..self.at].into())
    }
}

fn of_expression(expr: Expr) -> Statement {
    Statement::Pipeline(vec![Element { doing: Doing::Expression(expr), redirects: Vec::new(), span: 0..0 }])
}
