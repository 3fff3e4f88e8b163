//! Expressions of scripting languages, as far as they are constant: literals put together, cut, decoded, and the usual ways to
//! ask for a home directory. One reader for all of them; where their spelling differs, each is tried.

mod call;

use std::collections::BTreeMap;

use super::text::{literal, matching, split_top};
use crate::simulate::printf;
use crate::text::{ANY, is_hole, is_known};

/// Deeper expressions are not worked out.
const DEEPEST: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
}

impl Default for Value {
    fn default() -> Self {
        Value::Text(ANY.to_string())
    }
}

impl Value {
    pub(super) fn texts(&self) -> Vec<String> {
        match self {
            Value::Text(text) => vec![text.clone()],
            Value::List(list) => list.clone(),
        }
    }

    /// As one text; a list as its words.
    pub(super) fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::List(list) => list.join(" "),
        }
    }
}

/// What names in the code stand for.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) constants: BTreeMap<String, Value>,
    pub(super) language: &'static str,
}

/// The value of an expression.
pub(super) fn value(expression: &str, names: &Names) -> Value {
    value_at(expression, names, 0)
}

/// The same inside of another one.
pub(super) fn value_at(expression: &str, names: &Names, depth: usize) -> Value {
    Expression { text: expression.trim(), at: 0, names, depth }.sum()
}

/// The arguments of a call, as they stand between its parentheses.
pub(super) fn arguments(raw: &str, names: &Names) -> Vec<Value> {
    arguments_in(raw, names, 0)
}

fn arguments_in(raw: &str, names: &Names, depth: usize) -> Vec<Value> {
    let mut values = Vec::new();
    for part in split_top(raw) {
        let part = part.trim();
        // `args=[…]`, `mode='w'`; flags such as `shell=True` say nothing about the first argument.
        let keyword = part.split_once('=').filter(|(name, rest)| {
            crate::wrapper::is_name(name.trim()) && !rest.starts_with(['=', '>', '~'])
        });
        match keyword {
            Some((name, rest))
                if matches!(
                    name.trim(),
                    "args" | "cmd" | "command" | "path" | "mode" | "file" | "code" | "source" | "src"
                ) =>
            {
                values.push(Expression { text: rest.trim(), at: 0, names, depth: depth + 1 }.sum());
            }
            Some(_) => {}
            None => values.push(Expression { text: part, at: 0, names, depth: depth + 1 }.sum()),
        }
    }
    values
}

struct Expression<'a> {
    text: &'a str,
    at: usize,
    names: &'a Names,
    depth: usize,
}

impl<'a> Expression<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, prefix: &str) -> bool {
        let there = self.rest().starts_with(prefix);
        if there {
            self.at += prefix.len();
        }
        there
    }

    /// What is between the bracket that was just read and the one that closes it.
    fn inside(&mut self) -> &'a str {
        let end = matching(self.rest());
        let inside = &self.rest()[..end];
        self.at = (self.at + end + 1).min(self.text.len());
        inside
    }

    fn nested(&self, text: &'a str) -> Value {
        if self.depth > DEEPEST {
            return Value::default();
        }
        Expression { text: text.trim(), at: 0, names: self.names, depth: self.depth + 1 }.sum()
    }

    fn sum(&mut self) -> Value {
        if self.depth > DEEPEST {
            return Value::default();
        }
        let mut left = self.postfix();
        loop {
            self.blanks();
            let rest = self.rest();
            let dots = matches!(self.names.language, "perl" | "php") && rest.starts_with('.');
            if self.names.language == "lua" && rest.starts_with("..") {
                self.at += 2;
                self.blanks();
                left = Value::Text(left.text() + &self.postfix().text());
            } else if rest.starts_with('+') && !rest.starts_with("++") || dots {
                self.at += 1;
                self.blanks();
                left = Value::Text(left.text() + &self.postfix().text());
            } else if rest.starts_with('%') && matches!(self.names.language, "python" | "ruby") {
                self.at += 1;
                self.blanks();
                let right = self.postfix().texts();
                let words: Vec<String> = std::iter::once(left.text()).chain(right).collect();
                left = Value::Text(printf(&words.iter().map(String::as_str).collect::<Vec<_>>()));
            } else if rest.starts_with('/') && matches!(self.names.language, "python") {
                self.at += 1;
                self.blanks();
                left = Value::Text(join_path(&[left.text(), self.postfix().text()]));
            } else if rest.starts_with(['"', '\''])
                && matches!(self.names.language, "python" | "awk" | "ruby")
            {
                // Literals beside each other are one.
                left = Value::Text(left.text() + &self.postfix().text());
            } else {
                return left;
            }
        }
    }

    fn postfix(&mut self) -> Value {
        let mut value = self.primary();
        loop {
            if self.take("[") {
                let index = self.inside();
                value = match index.trim() {
                    "::-1" => Value::Text(value.text().chars().rev().collect()),
                    index => match (&value, index.parse::<usize>()) {
                        (Value::List(list), Ok(at)) => {
                            list.get(at).cloned().map_or_else(Value::default, Value::Text)
                        }
                        _ => Value::default(),
                    },
                };
            } else if !matches!(self.names.language, "php" | "lua" | "awk")
                && self.rest().starts_with('.')
                && self.rest()[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            {
                self.at += 1;
                let name = self.name();
                let raw = if self.take("(") { self.inside() } else { "" };
                value = self.method(&value, name, raw);
            } else {
                return value;
            }
        }
    }

    /// A name, with its dots.
    fn name(&mut self) -> &'a str {
        let length = self
            .rest()
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '?' | '!')))
            .unwrap_or(self.rest().len());
        let name = &self.rest()[..length];
        self.at += length;
        name
    }

    fn method(&self, value: &Value, name: &str, raw: &'a str) -> Value {
        let args = || arguments_in(raw, self.names, self.depth + 1);
        let first = || args().first().map(Value::text).unwrap_or_default();
        match (name, value) {
            ("split", value) => {
                let separator = if raw.trim().is_empty() { String::new() } else { first() };
                let text = value.text();
                let words: Vec<String> = match separator.as_str() {
                    "" | " " => text.split_whitespace().map(str::to_owned).collect(),
                    separator => text.split(separator).map(str::to_owned).collect(),
                };
                Value::List(words)
            }
            // In Python the separator is asked, elsewhere the list is.
            ("join", Value::Text(separator)) => {
                Value::Text(args().first().map(Value::texts).unwrap_or_default().join(separator))
            }
            ("join", Value::List(list)) => {
                Value::Text(list.join(&if raw.trim().is_empty() { ",".to_owned() } else { first() }))
            }
            ("format", Value::Text(text)) => {
                let mut args = args().into_iter().map(|value| value.text());
                let mut out = String::new();
                for (index, piece) in text.split('{').enumerate() {
                    match piece.split_once('}').filter(|_| index > 0) {
                        Some((_, rest)) => {
                            out.push_str(&args.next().unwrap_or_else(|| ANY.to_string()));
                            out.push_str(rest);
                        }
                        None => out.push_str(piece),
                    }
                }
                Value::Text(out)
            }
            ("concat", value) => {
                Value::Text(value.text() + &args().iter().map(Value::text).collect::<String>())
            }
            ("replace", Value::Text(text)) => match args().as_slice() {
                [old, new] if !old.text().is_empty() && is_known(&old.text()) => {
                    Value::Text(text.replace(&old.text(), &new.text()))
                }
                _ => Value::default(),
            },
            ("reverse", value) => match value {
                Value::Text(text) => Value::Text(text.chars().rev().collect()),
                Value::List(list) => Value::List(list.iter().rev().cloned().collect()),
            },
            ("lower" | "toLowerCase" | "downcase", value) => Value::Text(value.text().to_lowercase()),
            ("upper" | "toUpperCase" | "upcase", value) => Value::Text(value.text().to_uppercase()),
            ("joinpath", value) => Value::Text(join_path(
                &std::iter::once(value.text()).chain(args().iter().map(Value::text)).collect::<Vec<_>>(),
            )),
            ("glob" | "rglob", value) => Value::Text(join_path(&[value.text(), first()])),
            ("homedir" | "home", _) => Value::Text("~".into()),
            ("iterdir", value) => Value::Text(format!("{}/*", value.text().trim_end_matches('/'))),
            (
                "decode" | "encode" | "strip" | "trim" | "toString" | "as_posix" | "resolve" | "expanduser"
                | "absolute" | "to_s" | "to_str" | "chomp" | "flat" | "copy" | "freeze",
                value,
            ) => value.clone(),
            _ => Value::default(),
        }
    }

    fn primary(&mut self) -> Value {
        self.blanks();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Value::default() };
        if let Some((text, length)) = literal(rest, self.names, self.depth) {
            self.at += length;
            return text;
        }
        match first {
            '[' | '(' => {
                self.at += 1;
                let inside = self.inside();
                let parts = split_top(inside);
                // Parentheses around one thing are that thing.
                if first == '(' && parts.len() == 1 && !inside.trim_end().ends_with(',') {
                    return self.nested(inside);
                }
                Value::List(
                    parts
                        .iter()
                        .map(|part| {
                            Expression { text: part.trim(), at: 0, names: self.names, depth: self.depth + 1 }
                                .sum()
                                .text()
                        })
                        .collect(),
                )
            }
            '<' => match rest[1..].split_once('>') {
                // Perl's `<*.txt>`
                Some((inside, _)) => {
                    self.at += inside.len() + 2;
                    Value::Text(inside.to_owned())
                }
                None => Value::default(),
            },
            '$' | '@' | '&' => {
                self.at += 1;
                let name = self.name();
                if matches!(name, "ENV" | "_ENV" | "_SERVER") && (self.rest().starts_with(['{', '['])) {
                    self.at += 1;
                    return home_if(self.inside());
                }
                self.names.constants.get(name).cloned().unwrap_or_default()
            }
            // A list spread out is that list.
            '*' => {
                self.at += 1;
                self.postfix()
            }
            '-' => {
                self.at += 1;
                let digits = self.digits();
                Value::Text(format!("-{digits}"))
            }
            c if c.is_ascii_digit() => {
                let digits = self.digits();
                Value::Text(digits)
            }
            c if c.is_ascii_alphabetic() || c == '_' || c == ':' => self.named(),
            c => {
                self.at += c.len_utf8();
                Value::default()
            }
        }
    }

    fn digits(&mut self) -> String {
        let length = self.rest().find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest().len());
        let digits = self.rest()[..length].to_owned();
        self.at += length;
        // Python's octal numbers are modes.
        digits.strip_prefix("0o").map_or(digits.clone(), str::to_owned)
    }

    /// A variable, a property or a call.
    fn named(&mut self) -> Value {
        let begin = self.at;
        let more = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '!' | '?');
        loop {
            let length = self.rest().find(|c: char| !more(c)).unwrap_or(self.rest().len());
            self.at += length;
            let next = self.rest();
            // A dot goes on with the name; a method of a value is looked at later.
            if next.starts_with('.')
                && next[1..].starts_with(|c: char| c.is_ascii_alphabetic())
                && !self.names.constants.contains_key(&self.text[begin..self.at])
            {
                self.at += 1;
            } else {
                break;
            }
        }
        let name = &self.text[begin..self.at];
        let base = name.rsplit(['.', ':']).next().unwrap_or(name);
        if matches!(name, "os.environ" | "environ" | "ENV" | "process.env" | "$_ENV" | "$_SERVER")
            && self.take("[")
        {
            return home_if(self.inside());
        }
        if self.take("(") {
            let raw = self.inside();
            return self.call(name, base, raw);
        }
        if let Some(known) = self.names.constants.get(name) {
            return known.clone();
        }
        match name {
            // `split / /, "…"`
            "split" if self.names.language == "perl" => {
                let raw = self.rest();
                self.at = self.text.len();
                let text = raw.rsplit(['"', '\'']).nth(1).unwrap_or_default();
                Value::List(text.split_whitespace().map(str::to_owned).collect())
            }
            "Dir.home" | "process.env.HOME" | "Path.home" | "env.HOME" => Value::Text("~".into()),
            // Ruby's `Dir["…"]`
            "Dir" if self.take("[") => {
                let inside = self.inside();
                self.nested(inside)
            }
            // `new Thing(…)`, `await x`, `glob "…"`.
            "new" | "await" | "typeof" | "return" | "my" | "lambda" => self.postfix(),
            _ if self.rest().trim_start().starts_with(['"', '\'', '<'])
                && matches!(self.names.language, "perl" | "ruby" | "generic") =>
            {
                self.blanks();
                let raw = self.rest();
                self.at = self.text.len();
                self.call(name, base, raw)
            }
            _ => Value::default(),
        }
    }
}

pub(super) fn home_if(key: &str) -> Value {
    match key.trim().trim_matches(['\'', '"']) {
        "HOME" | "USERPROFILE" => Value::Text("~".into()),
        _ => Value::default(),
    }
}

/// Later absolute parts win, as in every language's `join`.
fn join_path(parts: &[String]) -> String {
    let mut path = String::new();
    for part in parts {
        if part.starts_with('/') || path.is_empty() {
            path.clone_from(part);
        } else {
            path = format!("{}/{part}", path.trim_end_matches('/'));
        }
    }
    path
}

/// Nothing but holes: where they come from is all there is.
pub(super) fn is_hollow(text: &str) -> bool {
    text.contains(is_hole) && text.chars().all(|c| is_hole(c) || c.is_whitespace() || c == '/')
}

#[cfg(test)]
mod tests;
