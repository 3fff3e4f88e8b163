//! Commands: lists, pipelines, compound commands, redirections.

use std::rc::Rc;

use super::{Parsed, Parser};
use crate::syntax::{AssignValue, Assignment, Command, Direction, Part, Redirect, Script, Simple, Word};

/// Words that end a compound command's part, where a command would begin.
pub(super) const RESERVED: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}", "in"];

/// Operators of redirections, longer ones first; the last column is for those that take stderr along.
const OPERATORS: &[(&str, Direction, bool)] = &[
    ("&>>", Direction::Append, true),
    ("&>", Direction::Write, true),
    ("<<<", Direction::Text, false),
    ("<<-", Direction::Text, false),
    ("<<", Direction::Text, false),
    ("<>", Direction::ReadWrite, false),
    ("<&", Direction::Duplicate, false),
    (">&", Direction::Duplicate, false),
    (">>", Direction::Append, false),
    (">|", Direction::Write, false),
    ("<", Direction::Read, false),
    (">", Direction::Write, false),
];

/// Most commands have no more, so that their list is made once.
const USUAL_WORDS: usize = 7;

impl Parser<'_> {
    /// Commands up to one of `ends` (a reserved word, which stays), to a closing parenthesis, or to the end.
    pub(super) fn script_into(&mut self, script: &mut Script, ends: &[&str]) -> Parsed<()> {
        loop {
            self.skip_newlines()?;
            match self.peek() {
                None | Some(b')') => break,
                Some(b';') if self.starts(";;") || self.starts(";&") => break,
                Some(b';' | b'&') => {
                    // A stray separator: bash would refuse, and nothing runs by it.
                    return self.stop("an unexpected separator");
                }
                _ => {}
            }
            if ends.iter().any(|end| self.at_reserved(end)) {
                break;
            }
            let mut command = self.deeper(Self::and_or)?;
            self.skip_blanks();
            match self.peek() {
                Some(b'&') if !self.starts("&&") => {
                    self.at += 1;
                    command = Command::Background(Box::new(command));
                }
                Some(b';') if !self.starts(";;") && !self.starts(";&") => self.at += 1,
                Some(b'\n' | b')' | b';') | None => {}
                // `{ (a) }`: after a compound command a reserved word may follow at once.
                Some(_) if is_compound(&command) && ends.iter().any(|end| self.at_reserved(end)) => {}
                Some(_) => {
                    script.commands.push(command);
                    return self.stop("an unexpected character");
                }
            }
            script.commands.push(command);
        }
        // A document that was asked for in the last line has no body.
        self.read_heredocs()?;
        for command in &mut script.commands {
            self.fill_command(command);
        }
        Ok(())
    }

    pub(super) fn script_to(&mut self, ends: &[&str]) -> Parsed<Script> {
        let mut script = Script::default();
        self.script_into(&mut script, ends)?;
        Ok(script)
    }

    /// Up to and with a closing parenthesis or brace.
    pub(super) fn script_until(&mut self, close: u8) -> Parsed<Script> {
        let ends: &[&str] = if close == b'}' { &["}"] } else { &[] };
        let script = self.script_to(ends)?;
        self.skip_newlines()?;
        if self.peek() != Some(close) {
            return self.stop("an unclosed command");
        }
        self.at += 1;
        Ok(script)
    }

    /// Whether the reserved word `word` stands here by itself.
    pub(super) fn at_reserved(&self, word: &str) -> bool {
        // Most words begin with another letter than most reserved ones.
        self.bytes.get(self.at) == word.as_bytes().first()
            && self.starts(word)
            && self.bytes.get(self.at + word.len()).is_none_or(|b| {
                matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
            })
    }

    pub(super) fn take_reserved(&mut self, word: &str) -> bool {
        let there = self.at_reserved(word);
        if there {
            self.at += word.len();
        }
        there
    }

    pub(super) fn expect_reserved(&mut self, word: &'static str) -> Parsed<()> {
        self.skip_newlines()?;
        if self.take_reserved(word) { Ok(()) } else { self.stop("an unfinished compound command") }
    }

    fn and_or(&mut self) -> Parsed<Command> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let and = self.starts("&&");
            if !and && !self.starts("||") {
                break;
            }
            self.at += 2;
            self.skip_newlines()?;
            rest.push((and, self.pipeline()?));
        }
        Ok(if rest.is_empty() { first } else { Command::List { first: Box::new(first), rest } })
    }

    fn pipeline(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        let mut negated = false;
        loop {
            if self.take_reserved("!") {
                negated = !negated;
            } else if !self.take_time() {
                break;
            }
            self.skip_blanks();
            // Both may stand alone.
            if matches!(self.peek(), None | Some(b';' | b'\n' | b')' | b'&' | b'|')) {
                return Ok(Command::Words(Vec::new()));
            }
        }
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.starts("||") {
                break;
            }
            self.at += if self.starts("|&") { 2 } else { 1 };
            self.skip_newlines()?;
            stages.push(self.command()?);
        }
        let command = if stages.len() == 1 { stages.remove(0) } else { Command::Pipeline(stages) };
        Ok(if negated { Command::Negated(Box::new(command)) } else { command })
    }

    /// `time` and its options, which are the shell's own.
    fn take_time(&mut self) -> bool {
        if !self.take_reserved("time") {
            return false;
        }
        self.skip_blanks();
        while self.take_reserved("-p") || self.take_reserved("--") {
            self.skip_blanks();
        }
        true
    }

    pub(super) fn command(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        let Some(command) = self.compound()? else { return self.simple() };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        if redirects.is_empty() {
            return Ok(command);
        }
        Ok(Command::Redirected { command: Box::new(command), redirects })
    }

    fn simple(&mut self) -> Parsed<Command> {
        let begin = self.at;
        let mut simple = Simple { span: self.since(begin), ..Simple::default() };
        simple.words.reserve_exact(USUAL_WORDS);
        let mut declaring = false;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            if declaring && let Some(assignment) = self.assignment()? {
                simple.span = self.since(begin);
                simple.declared.push((simple.words.len(), assignment));
                continue;
            }
            let Some(word) = self.word()? else { break };
            // `name()` begins a function.
            if simple.words.is_empty() && simple.assignments.is_empty() && self.peek() == Some(b'(') {
                let begin = self.at;
                self.at += 1;
                self.skip_blanks();
                if self.peek() == Some(b')') {
                    self.at += 1;
                    return self.function_body(literal(&word).unwrap_or_default());
                }
                self.at = begin;
                return self.stop("an unexpected parenthesis");
            }
            simple.span = self.since(begin);
            declaring = declaring || simple.words.is_empty() && declares(&word);
            simple.words.push(word);
            // `name ()` with a blank.
            if simple.words.len() == 1 && simple.assignments.is_empty() && simple.redirects.is_empty() {
                let begin = self.at;
                self.skip_blanks();
                if self.peek() == Some(b'(') {
                    let after = self.rest()[1..].trim_start_matches([' ', '\t']);
                    if after.starts_with(')') {
                        self.at = self.bytes.len() - after.len() + 1;
                        let name = literal(&simple.words[0]).unwrap_or_default();
                        return self.function_body(name);
                    }
                }
                self.at = begin;
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty() {
            return self.stop("a missing command");
        }
        Ok(Command::Simple(simple))
    }

    /// `name=…`, `name+=…`, `name[i]=…`, `name=( … )`.
    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let begin = self.at;
        if !self.peek().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_') {
            return Ok(None);
        }
        // Most first words are names of programs.
        let length =
            self.bytes[begin..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        if !matches!(self.peek_at(length), Some(b'=' | b'+' | b'[')) {
            return Ok(None);
        }
        let name = self.name();
        let mut index = None;
        if self.peek() == Some(b'[') {
            // What follows may also be a pattern in a file's name.
            let closes = self.bytes[self.at..].iter().take_while(|b| **b != b'\n').any(|&b| b == b']');
            if !closes {
                self.at = begin;
                return Ok(None);
            }
            self.at += 1;
            index = Some(self.deeper(|p| p.until(b"]"))?);
            self.at += 1;
        }
        let append = self.starts("+=");
        if !append && self.peek() != Some(b'=') {
            if index.is_some() {
                self.back(begin)?;
            }
            self.at = begin;
            return Ok(None);
        }
        self.at += if append { 2 } else { 1 };
        let value = if self.peek() == Some(b'(') {
            self.at += 1;
            AssignValue::List(self.list_words()?)
        } else {
            AssignValue::Text(self.word()?.unwrap_or_default())
        };
        Ok(Some(Assignment { name, index, append, value }))
    }

    fn list_words(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_newlines()?;
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    return Ok(words);
                }
                first => match (self.at, self.word()?) {
                    // The shell would go on to the next bracket, whatever stands between.
                    (begin, Some(_))
                        if first == Some(b'[') && !self.bytes[begin..self.at].contains(&b']') =>
                    {
                        return self.stop("an unclosed bracket");
                    }
                    (_, Some(word)) => words.push(word),
                    (_, None) => return self.stop("an unclosed list"),
                },
            }
        }
    }

    fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        // Most words begin otherwise.
        if !self.peek().is_some_and(|b| matches!(b, b'0'..=b'9' | b'{' | b'&' | b'<' | b'>')) {
            return Ok(None);
        }
        let begin = self.at;
        let (mut fd, mut named) = (None, None);
        if self.peek().is_some_and(|b| b.is_ascii_digit()) {
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            if matches!(self.peek_at(digits), Some(b'<' | b'>')) && self.peek_at(digits + 1) != Some(b'(') {
                fd = self.text[begin..begin + digits].parse().ok();
                self.at += digits;
            }
        } else if self.peek() == Some(b'{') {
            // `{name}>file`
            let length =
                self.rest()[1..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            if length > 0
                && self.peek_at(length + 1) == Some(b'}')
                && matches!(self.peek_at(length + 2), Some(b'<' | b'>'))
            {
                named = Some(self.rest()[1..=length].to_owned());
                self.at += length + 2;
            }
        }
        let Some(&(operator, mut direction, mut both)) =
            OPERATORS.iter().find(|(text, ..)| self.starts(text))
        else {
            self.at = begin;
            return Ok(None);
        };
        // `<(` and `>(` begin a word.
        if operator.len() == 1 && self.peek_at(1) == Some(b'(') {
            self.at = begin;
            return Ok(None);
        }
        self.at += operator.len();
        self.skip_blanks();
        let Some(mut target) = self.word()? else { return self.stop("a redirection without a target") };
        match operator {
            "<<" | "<<-" => target = self.ask_heredoc(&target, operator == "<<-"),
            "<<<" => {
                // A here-string ends with a newline of its own.
                target.parts.push(Part::Quoted("\n".into()));
            }
            ">&" if fd.is_none()
                && !literal(&target).is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit() || b == b'-')) =>
            {
                (direction, both) = (Direction::Write, true);
            }
            _ => {}
        }
        let fd = fd.or(match operator.as_bytes()[0] {
            b'<' => Some(0),
            _ => Some(1),
        });
        Ok(Some(Redirect { fd, named, both, direction, target }))
    }

    /// Here-documents that were read after their command go where they belong.
    fn fill_command(&mut self, command: &mut Command) {
        if self.waiting == 0 {
            return;
        }
        match command {
            Command::Simple(simple) => self.fill(&mut simple.redirects),
            Command::Pipeline(list) => list.iter_mut().for_each(|c| self.fill_command(c)),
            Command::List { first, rest } => {
                self.fill_command(first);
                rest.iter_mut().for_each(|(_, c)| self.fill_command(c));
            }
            Command::Background(command) | Command::Negated(command) => self.fill_command(command),
            Command::Subshell(script) | Command::Group(script) => self.fill_script(script),
            Command::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.fill_script(condition);
                    self.fill_script(body);
                }
                if let Some(script) = otherwise {
                    self.fill_script(script);
                }
            }
            Command::For { body, .. } => self.fill_script(body),
            Command::While { condition, body } => {
                self.fill_script(condition);
                self.fill_script(body);
            }
            Command::Case { arms, .. } => arms.iter_mut().for_each(|arm| self.fill_script(&mut arm.body)),
            Command::Function { body, .. } => {
                if let Some(body) = Rc::get_mut(body) {
                    self.fill_command(body);
                }
            }
            Command::Coprocess { script, .. } => {
                if let Some(script) = Rc::get_mut(script) {
                    self.fill_script(script);
                }
            }
            Command::Words(_) | Command::Arithmetic(_) => {}
            Command::Redirected { command, redirects } => {
                self.fill(redirects);
                self.fill_command(command);
            }
        }
    }

    fn fill_script(&mut self, script: &mut Script) {
        script.commands.iter_mut().for_each(|command| self.fill_command(command));
    }
}

/// Whether a command ends by itself, as `( … )` and `fi` do.
fn is_compound(command: &Command) -> bool {
    match command {
        Command::Pipeline(list) => list.last().is_some_and(is_compound),
        Command::List { rest, .. } => rest.last().is_some_and(|(_, command)| is_compound(command)),
        Command::Negated(command) => is_compound(command),
        Command::Simple(_)
        | Command::Background(_)
        | Command::Coprocess { .. }
        | Command::Redirected { .. } => false,
        _ => true,
    }
}

/// Whether a first word is `declare` or one of its kind, whose arguments are assignments.
fn declares(word: &Word) -> bool {
    // Most words begin otherwise.
    let begins = match word.parts.first() {
        Some(Part::Bare(text) | Part::Quoted(text)) => {
            text.bytes().next().is_none_or(|b| b"delrt".contains(&b))
        }
        _ => true,
    };
    begins
        && matches!(literal(word).as_deref(), Some("declare" | "export" | "local" | "readonly" | "typeset"))
}

/// A word's text where nothing in it is expanded.
pub(super) fn literal(word: &Word) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Bare(piece) | Part::Quoted(piece) => text.push_str(piece),
            Part::Double(parts) => {
                for part in parts {
                    let Part::Quoted(piece) = part else { return None };
                    text.push_str(piece);
                }
            }
            _ => return None,
        }
    }
    Some(text)
}
