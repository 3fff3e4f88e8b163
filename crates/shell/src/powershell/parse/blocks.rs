//! Statements with blocks: choices, loops, functions and their parameters.

use super::{Parsed, Parser};
use crate::powershell::syntax::{Expr, Script, Statement};

impl Parser<'_> {
    pub(super) fn choice(&mut self) -> Parsed<Statement> {
        let mut arms = vec![(self.condition()?, self.body()?)];
        loop {
            let before = self.at;
            self.lines();
            let word = self.keyword().to_ascii_lowercase();
            match word.as_str() {
                "elseif" => {
                    self.at += word.len();
                    arms.push((self.condition()?, self.body()?));
                }
                "else" => {
                    self.at += word.len();
                    return Ok(Statement::If { arms, otherwise: Some(self.body()?) });
                }
                _ => {
                    self.at = before;
                    return Ok(Statement::If { arms, otherwise: None });
                }
            }
        }
    }

    pub(super) fn counted(&mut self) -> Parsed<Statement> {
        self.lines();
        self.expect(b'(', "a missing parenthesis")?;
        let mut heads = Script::default();
        self.deeper(|parser| parser.statements(&mut heads, Some(b')')))?;
        self.expect(b')', "an unclosed parenthesis")?;
        Ok(Statement::Loop { heads: heads.statements, body: self.body()? })
    }

    pub(super) fn each(&mut self) -> Parsed<Statement> {
        self.lines();
        self.expect(b'(', "a missing parenthesis")?;
        self.lines();
        let Some(b'$') = self.peek() else { return self.stop("a loop without a variable") };
        let Expr::Variable(name) = self.variable()? else { return self.stop("a loop without a variable") };
        self.lines();
        if !self.keyword().eq_ignore_ascii_case("in") {
            return self.stop("a loop without a list");
        }
        self.at += 2;
        self.lines();
        let list = Box::new(self.deeper(Self::statement)?);
        self.lines();
        self.expect(b')', "an unclosed parenthesis")?;
        Ok(Statement::Each { name, list, body: self.body()? })
    }

    pub(super) fn switch(&mut self) -> Parsed<Statement> {
        self.lines();
        // `-Regex`, `-Wildcard`, `-File x`
        while self.peek() == Some(b'-') {
            while self.peek().is_some_and(|b| !b.is_ascii_whitespace() && b != b'(') {
                self.at += 1;
            }
            self.lines();
        }
        let value = Box::new(self.condition()?);
        self.lines();
        self.expect(b'{', "a missing block")?;
        let mut arms = Vec::new();
        loop {
            self.lines();
            match self.peek() {
                Some(b';') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Statement::Switch { value, arms });
                }
                None => return self.stop("an unclosed block"),
                Some(b'{') => {
                    self.body()?;
                    arms.push(self.body()?);
                }
                _ => {
                    self.deeper(Self::argument)?;
                    arms.push(self.body()?);
                }
            }
        }
    }

    pub(super) fn blocks(&mut self, first: &str) -> Parsed<Statement> {
        let mut word = first.to_owned();
        let mut bodies = Vec::new();
        loop {
            // `catch [A], [B]`
            self.lines();
            while matches!(word.as_str(), "catch" | "trap") && matches!(self.peek(), Some(b'[' | b',')) {
                while self.peek().is_some_and(|b| !matches!(b, b'{' | b',')) {
                    self.at += 1;
                }
                if self.peek() == Some(b',') {
                    self.at += 1;
                    self.lines();
                }
            }
            bodies.push(self.body()?);
            let before = self.at;
            self.lines();
            word = self.keyword().to_ascii_lowercase();
            if !matches!(word.as_str(), "catch" | "finally") {
                self.at = before;
                return Ok(Statement::Blocks(bodies));
            }
            self.at += word.len();
        }
    }

    pub(super) fn function(&mut self) -> Parsed<Statement> {
        self.blanks();
        let begin = self.at;
        while self.peek().is_some_and(|b| !b.is_ascii_whitespace() && !matches!(b, b'(' | b'{')) {
            self.at += 1;
        }
        let name = self.text[begin..self.at].rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
        self.lines();
        // `: Base` of a class.
        while self.peek().is_some_and(|b| !matches!(b, b'(' | b'{')) {
            self.at += 1;
        }
        let mut parameters = "";
        if self.peek() == Some(b'(') {
            let begin = self.at;
            self.parameters()?;
            parameters = &self.text[begin..self.at];
        }
        self.lines();
        let source = self.block()?;
        let source = if parameters.is_empty() {
            source
        } else {
            format!("{{param{parameters}\n{}", &source[1..]).into()
        };
        Ok(Statement::Function { name, source })
    }

    /// `( [string]$a = 1, $b )`
    pub(super) fn parameters(&mut self) -> Parsed<Statement> {
        self.lines();
        self.expect(b'(', "a missing parenthesis")?;
        let mut found = Vec::new();
        loop {
            self.lines();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    return Ok(Statement::Parameters(found));
                }
                Some(b',') => self.at += 1,
                // A type, or an attribute.
                Some(b'[') => {
                    self.bracketed()?;
                }
                Some(b'$') => {
                    let Expr::Variable(name) = self.variable()? else { return self.stop("a parameter") };
                    self.lines();
                    let value = if self.peek() == Some(b'=') {
                        self.at += 1;
                        self.lines();
                        Some(self.deeper(|parser| parser.binary(1))?)
                    } else {
                        None
                    };
                    found.push((name, value));
                }
                _ => return self.stop("a parameter"),
            }
        }
    }
}
