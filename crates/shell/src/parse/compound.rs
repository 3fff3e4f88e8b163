//! Commands that hold commands: choices, loops, functions, conditions.

use std::rc::Rc;

use super::command::{RESERVED, literal};
use super::{Parsed, Parser};
use crate::syntax::{Arm, Command, Script};

impl Parser<'_> {
    pub(super) fn compound(&mut self) -> Parsed<Option<Command>> {
        // Most commands begin with none of these.
        let begins = |b: u8| b"({[}iwufsctedn".contains(&b);
        if !self.peek().is_some_and(begins) {
            return Ok(None);
        }
        if self.starts("((") {
            let begin = self.at;
            self.at += 2;
            match self.deeper(|p| p.arithmetic(2)) {
                Ok(word) => return Ok(Some(Command::Arithmetic(word))),
                Err(stopped) if stopped.what == super::TOO_DEEP => return Err(stopped),
                Err(_) => self.back(begin)?,
            }
        }
        if self.peek() == Some(b'(') {
            self.at += 1;
            return Ok(Some(Command::Subshell(self.deeper(|p| p.script_until(b')'))?)));
        }
        let begin = self.at;
        if self.take_reserved("{") {
            return Ok(Some(Command::Group(self.deeper(|p| p.script_until(b'}'))?)));
        }
        for (word, read) in [
            ("if", Self::if_command as fn(&mut Self) -> Parsed<Command>),
            ("while", Self::while_command),
            ("until", Self::while_command),
            ("for", Self::for_command),
            ("select", Self::for_command),
            ("case", Self::case_command),
            ("[[", Self::condition),
            ("function", Self::function_keyword),
            ("coproc", Self::coproc),
        ] {
            if self.take_reserved(word) {
                return self.deeper(read).map(Some);
            }
        }
        if RESERVED.iter().any(|word| *word != "in" && self.at_reserved(word)) {
            return self.stop("a reserved word out of place");
        }
        self.at = begin;
        Ok(None)
    }

    pub(super) fn if_command(&mut self) -> Parsed<Command> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.script_to(&["then"])?;
            self.expect_reserved("then")?;
            let body = self.script_to(&["elif", "else", "fi"])?;
            arms.push((condition, body));
            if self.take_reserved("elif") {
                continue;
            }
            if self.take_reserved("else") {
                otherwise = Some(self.script_to(&["fi"])?);
            }
            self.expect_reserved("fi")?;
            return Ok(Command::If { arms, otherwise });
        }
    }

    pub(super) fn while_command(&mut self) -> Parsed<Command> {
        let condition = self.script_to(&["do"])?;
        let body = self.do_done()?;
        Ok(Command::While { condition, body })
    }

    pub(super) fn do_done(&mut self) -> Parsed<Script> {
        self.expect_reserved("do")?;
        let body = self.script_to(&["done"])?;
        self.expect_reserved("done")?;
        Ok(body)
    }

    pub(super) fn for_command(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        if self.starts("((") {
            self.at += 2;
            let head = self.arithmetic(2)?;
            self.skip_blanks();
            if self.peek() == Some(b';') {
                self.at += 1;
            }
            self.skip_newlines()?;
            let body = if self.take_reserved("{") { self.script_until(b'}')? } else { self.do_done()? };
            return Ok(Command::While {
                condition: Script { commands: vec![Command::Arithmetic(head)] },
                body,
            });
        }
        let name = self.name();
        self.skip_newlines()?;
        let mut words = None;
        if self.take_reserved("in") {
            let mut list = Vec::new();
            loop {
                self.skip_blanks();
                match self.word()? {
                    Some(word) => list.push(word),
                    None => break,
                }
            }
            words = Some(list);
        }
        self.skip_blanks();
        if self.peek() == Some(b';') {
            self.at += 1;
        }
        self.skip_newlines()?;
        let body = if self.take_reserved("{") { self.script_until(b'}')? } else { self.do_done()? };
        Ok(Command::For { name, words, body })
    }

    pub(super) fn case_command(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        let Some(word) = self.word()? else { return self.stop("a case without a word") };
        self.expect_reserved("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_reserved("esac") {
                return Ok(Command::Case { word, arms });
            }
            if self.peek() == Some(b'(') {
                self.at += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                match self.word()? {
                    Some(pattern) => patterns.push(pattern),
                    None => return self.stop("a case without a pattern"),
                }
                self.skip_blanks();
                if self.peek() == Some(b'|') {
                    self.at += 1;
                } else {
                    break;
                }
            }
            if self.peek() != Some(b')') {
                return self.stop("a case pattern without its parenthesis");
            }
            self.at += 1;
            let body = self.script_to(&["esac"])?;
            let end = [";;&", ";;", ";&"].into_iter().find(|end| self.starts(end));
            self.at += end.map_or(0, str::len);
            arms.push(Arm { patterns, body, last: matches!(end, Some(";;") | None) });
        }
    }

    /// `[[ … ]]`: its words, operators included; they are only expanded.
    pub(super) fn condition(&mut self) -> Parsed<Command> {
        let mut words = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_reserved("]]") {
                return Ok(Command::Words(words));
            }
            match self.peek() {
                None => return self.stop("an unclosed condition"),
                Some(b'(' | b')' | b'|' | b'&' | b';') => self.at += 1,
                Some(b'<' | b'>') if self.peek_at(1) != Some(b'(') => self.at += 1,
                Some(_) => match self.word()? {
                    Some(word) => words.push(word),
                    None => return self.stop("an unclosed condition"),
                },
            }
        }
    }

    pub(super) fn function_keyword(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        let Some(word) = self.word()? else { return self.stop("a function without a name") };
        self.skip_blanks();
        if self.peek() == Some(b'(') && self.peek_at(1) == Some(b')') {
            self.at += 2;
        }
        self.function_body(literal(&word).unwrap_or_default())
    }

    pub(super) fn function_body(&mut self, name: String) -> Parsed<Command> {
        self.skip_newlines()?;
        let body = self.deeper(Self::command)?;
        Ok(Command::Function { name, body: Rc::new(body) })
    }

    pub(super) fn coproc(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        // A name comes only before a compound command.
        let begin = self.at;
        let mut name = self.name();
        self.skip_blanks();
        if !matches!(self.peek(), Some(b'{' | b'(')) {
            self.at = begin;
            name.clear();
        }
        if name.is_empty() {
            name.push_str("COPROC");
        }
        let script = Rc::new(Script { commands: vec![self.command()?] });
        Ok(Command::Coprocess { name, script })
    }
}
