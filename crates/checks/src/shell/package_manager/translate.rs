//! One command line in the words of another package manager: what the tables say, done to the words.

use std::borrow::Cow;

use super::form::{Form, Manager, Opt, Rest, To, When};

/// One word of a command line: what the program gets, and how the agent wrote it.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Empty where the word is not written but comes from elsewhere, as with `xargs`.
    pub(super) source: String,
}

impl Word {
    pub(super) fn made(text: &str) -> Self {
        Self { text: text.to_owned(), source: shell::quote(text).into_owned() }
    }

    fn is_option(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }

    /// What is written after the first `length` bytes, where the agent wrote those plainly.
    fn source_after(&self, length: usize) -> Cow<'_, str> {
        match self.source.get(..length) {
            Some(head) if head == &self.text[..length] => Cow::Borrowed(&self.source[length..]),
            _ => shell::quote(&self.text[length..]),
        }
    }
}

/// A word in its role.
enum Piece<'a> {
    Operand(&'a Word),
    /// Ends the options.
    Dashes(&'a Word),
    Option(Given<'a>),
}

/// An option as it is given.
struct Given<'a> {
    name: String,
    value: Option<Argument<'a>>,
    row: Option<Opt>,
    /// Where it stands, perhaps with others.
    word: &'a Word,
}

struct Argument<'a> {
    text: &'a str,
    source: Cow<'a, str>,
    /// In the same word as the option.
    attached: bool,
}

/// The tables of a form, the first first.
#[derive(Clone, Copy)]
struct Tables([&'static [Opt]; 2]);

impl Tables {
    fn rows(self, name: &str) -> impl Iterator<Item = Opt> {
        self.0.into_iter().flatten().filter(move |row| row.names.contains(&name)).copied()
    }

    fn find(self, name: &str, value: Option<&str>) -> Option<Opt> {
        self.rows(name).find(|row| row.only.is_none() || row.only == value)
    }

    fn takes_value(self, name: &str) -> bool {
        self.rows(name).next().is_some_and(|row| row.valued)
    }

    fn knows(self, name: &str) -> bool {
        self.rows(name).next().is_some()
    }

    /// The words in their roles.
    fn read(self, words: &[Word]) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            if word.text == "--" {
                pieces.push(Piece::Dashes(word));
                pieces.extend(words[at..].iter().map(Piece::Operand));
                break;
            }
            if !word.is_option() {
                pieces.push(Piece::Operand(word));
                continue;
            }
            at += usize::from(self.option(word, words.get(at), &mut pieces));
        }
        pieces
    }

    /// One option, or a cluster of them. Whether it took the next word as its value.
    fn option<'a>(self, word: &'a Word, next: Option<&'a Word>, pieces: &mut Vec<Piece<'a>>) -> bool {
        let text = word.text.as_str();
        let mut push = |name: &str, value: Option<Argument<'a>>| {
            let row = self.find(name, value.as_ref().map(|value| value.text));
            pieces.push(Piece::Option(Given { name: name.to_owned(), value, row, word }));
        };
        let attached =
            |from: usize| Argument { text: &text[from..], source: word.source_after(from), attached: true };
        let separate = next.map(|word| Argument {
            text: &word.text,
            source: Cow::Borrowed(&word.source),
            attached: false,
        });
        if let (true, Some(equals)) = (text.starts_with("--"), text.find('=')) {
            push(&text[..equals], Some(attached(equals + 1)));
            return false;
        }
        if text.starts_with("--") || self.knows(text) || !is_cluster(text) {
            let value = separate.filter(|_| self.takes_value(text));
            let took = value.is_some();
            push(text, value);
            return took;
        }
        for (at, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let end = at + letter.len_utf8();
            if !self.takes_value(&name) {
                push(&name, None);
            } else if end < text.len() {
                push(&name, Some(attached(end)));
                return false;
            } else {
                let took = separate.is_some();
                push(&name, separate);
                return took;
            }
        }
        false
    }
}

/// `-qU`, `-rFILE`: a short option with something attached.
fn is_cluster(text: &str) -> bool {
    text.len() > 2 && text.chars().nth(1).is_some_and(|c| c.is_ascii_alphabetic())
}

impl Given<'_> {
    /// What stands for it on the other side; nothing where it goes.
    fn write(&self, out: &mut Vec<String>) {
        let text = self.value.as_ref().map_or("", |value| value.text);
        let name = match self.row.map_or(To::Same, |row| row.to) {
            To::Gone => return,
            To::Instead(text) => return out.push(text.to_owned()),
            To::Each(to) => {
                let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
                return out.extend(parts.map(|part| format!("{to} {}", shell::quote(part))));
            }
            To::Name(to) => to,
            To::Same => &self.name,
        };
        let same = name == self.name;
        match &self.value {
            // The whole word is this option, as the agent wrote it.
            None if same && self.word.text == name => out.push(self.word.source.clone()),
            None => out.push(name.to_owned()),
            Some(value) if value.attached && same && self.word.text.starts_with(name) => {
                out.push(self.word.source.clone());
            }
            Some(value) if value.attached && name.starts_with("--") => {
                out.push(format!("{name}={}", value.source));
            }
            Some(value) => out.extend([name.to_owned(), value.source.clone().into_owned()]),
        }
    }
}

impl Piece<'_> {
    fn write(&self, form: &Form, out: &mut Vec<String>) {
        match self {
            Piece::Operand(word) => {
                if !form.each.is_empty() && !word.source.is_empty() {
                    out.push(form.each.to_owned());
                }
                let other = form.operand.and_then(|other| other(&word.text));
                out.push(other.map_or_else(|| word.source.clone(), |text| shell::quote(&text).into_owned()));
            }
            Piece::Dashes(word) => out.push(word.source.clone()),
            Piece::Option(given) => given.write(out),
        }
    }
}

/// Where the first word is that is not an option.
fn first_operand(tables: Tables, words: &[Word]) -> Option<usize> {
    let first = tables.read(words).into_iter().find_map(|piece| match piece {
        Piece::Operand(word) => Some(word),
        _ => None,
    })?;
    words.iter().position(|word| std::ptr::eq(word, first))
}

/// Where the verb is.
pub(super) fn verb_at(manager: &Manager, words: &[Word]) -> Option<usize> {
    if !manager.has_verbs {
        return None;
    }
    first_operand(Tables([&[], manager.options]), words)
}

/// The command that does the same with the preferred tool. `has_script` tells whether the project has a script of a name.
pub(super) fn replacement(manager: &Manager, words: &[Word], has_script: &dyn Fn(&str) -> bool) -> String {
    let line = match verb_at(manager, words) {
        Some(at) => Line { before: &words[..at], verb: Some(&words[at]), after: &words[at + 1..] },
        None => Line { before: &[], verb: None, after: words },
    };
    let found = manager.forms.iter().find_map(|form| {
        let after = form.after(&line)?;
        let line = Line { after, ..line };
        form.fits(manager, &line, has_script).then_some((form, line))
    });
    match found {
        Some((form, line)) => form.write(manager, &line),
        None => format!("{} <equivalent>", manager.ecosystem.preferred()),
    }
}

/// A command line without its program.
#[derive(Clone, Copy)]
struct Line<'a> {
    /// Options before the verb.
    before: &'a [Word],
    verb: Option<&'a Word>,
    after: &'a [Word],
}

impl Form {
    /// The words after its verb, or after its verb's verb; `None` where the verb is another one.
    fn after<'a>(&self, line: &Line<'a>) -> Option<&'a [Word]> {
        let text = line.verb.map_or("", |word| &word.text);
        if self.verbs.is_empty() {
            return Some(line.after);
        }
        self.verbs.iter().find_map(|wanted| match wanted.split_once(' ') {
            None => (*wanted == text).then_some(line.after),
            Some((one, two)) => {
                let (next, rest) = line.after.split_first()?;
                (one == text && two == next.text).then_some(rest)
            }
        })
    }

    fn tables(&self, manager: &Manager) -> Tables {
        Tables([self.options, manager.options])
    }

    fn fits(&self, manager: &Manager, line: &Line<'_>, has_script: &dyn Fn(&str) -> bool) -> bool {
        let tables = self.tables(manager);
        let pieces = || tables.read(line.before).into_iter().chain(tables.read(line.after));
        let holds = |test: &dyn Fn(&str) -> bool| {
            pieces().any(|piece| matches!(piece, Piece::Operand(word) if test(&word.text)))
        };
        match self.when {
            When::Always => true,
            When::Bare => !holds(&|_| true),
            When::Operands => holds(&|_| true),
            When::Operand(test) => holds(&test),
            When::Option(names) => pieces()
                .any(|piece| matches!(piece, Piece::Option(given) if names.contains(&given.name.as_str()))),
            When::Script(name) => has_script(name),
        }
    }

    fn write(&self, manager: &Manager, line: &Line<'_>) -> String {
        let tables = self.tables(manager);
        let mut options = Vec::new();
        let mut rest = Vec::new();
        let named = first_operand(tables, line.after);
        if self.rest != Rest::Nothing {
            tables.read(line.before).iter().for_each(|piece| piece.write(self, &mut options));
        }
        match self.rest {
            Rest::Nothing => {}
            Rest::Verbatim => rest.extend(line.after.iter().map(|word| word.source.clone())),
            Rest::Translated => tables.read(line.after).iter().for_each(|piece| piece.write(self, &mut rest)),
            Rest::Script => {
                for piece in tables.read(line.after) {
                    let known = matches!(piece, Piece::Option(Given { row: Some(_), .. }));
                    piece.write(self, if known { &mut options } else { &mut rest });
                }
            }
            Rest::Command | Rest::CommandWithoutDashes => {
                let (head, tail) = line.after.split_at(named.unwrap_or(line.after.len()));
                let (head, dashes) = match head.split_last() {
                    Some((last, head)) if last.text == "--" => (head, true),
                    _ => (head, false),
                };
                tables.read(head).iter().for_each(|piece| piece.write(self, &mut options));
                let dropped = (self.rest == Rest::CommandWithoutDashes && !dashes)
                    .then(|| tail.iter().position(|word| word.text == "--"))
                    .flatten();
                let kept = tail.iter().enumerate().filter(|(at, _)| Some(*at) != dropped);
                rest.extend(kept.map(|(_, word)| word.source.clone()));
            }
        }
        if named.is_none() {
            rest.push(self.missing.to_owned());
        }
        let into = self.into.replace("{verb}", line.verb.map_or("", |word| &word.source));
        let (head, tail) = into.split_once("{options}").unwrap_or((&into, ""));
        let mut out = vec![head.trim().to_owned()];
        out.append(&mut options);
        out.push(tail.trim().to_owned());
        out.append(&mut rest);
        out.retain(|text| !text.is_empty());
        out.join(" ")
    }
}
