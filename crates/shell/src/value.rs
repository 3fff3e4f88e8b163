//! What `${name…}` does to a value: cutting, replacing, slicing, changing case.

use crate::path;
use crate::reader::Reader;
use crate::state::State;
use crate::syntax::{Change, Index, Operation, Parameter};
use crate::text::{ANY, SECRET, holes, is_hole, is_known};

/// Longer texts are not cut or replaced by a pattern.
const LONGEST_TRIMMED: usize = 512;
const LONGEST_REPLACED: usize = 128;

/// A shell pattern; a backslash in it takes the next character literally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(pub(crate) String);

impl Pattern {
    pub(crate) fn matches(&self, text: &str) -> bool {
        path::matches(&self.0, text)
    }

    fn letters(&self) -> Vec<char> {
        self.0.chars().collect()
    }

    /// The text that is the only one it matches.
    fn literal(&self) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.0.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => text.push(chars.next().unwrap_or('\\')),
                '*' | '?' | '[' => return None,
                // Groups of extended patterns are not read.
                '(' => return None,
                c => text.push(c),
            }
        }
        Some(text)
    }
}

impl Reader<'_> {
    pub(crate) fn changed(
        &mut self,
        change: &Change,
        parameter: &Parameter,
        values: Option<Vec<String>>,
        state: &mut State,
    ) -> Option<Vec<String>> {
        let several = matches!(parameter.index, Some(Index::All | Index::Joined))
            || matches!(parameter.name.as_str(), "@" | "*");
        match change.operation {
            Operation::Slice => {
                let operand = self.text(&change.word, state);
                let (offset, length) = operand
                    .split_once(':')
                    .map_or((operand.as_str(), None), |(offset, length)| (offset, Some(length)));
                let offset = self.number(offset, state);
                let length = length.map(|length| self.number(length, state));
                let values = values?;
                let (Some(offset), None | Some(Some(_))) = (offset, length) else {
                    return Some(vec![holes(&values.concat()) + &ANY.to_string()]);
                };
                let length = length.flatten();
                if !several {
                    return Some(values.iter().map(|text| slice_text(text, offset, length)).collect());
                }
                // Positional parameters count from 1; 0 is the script itself.
                let list = match parameter.name.as_str() {
                    "@" | "*" => state.positional.to_vec(),
                    _ => values,
                };
                if list.iter().any(|text| !is_known(text)) {
                    return Some(vec![holes(&list.concat()) + &ANY.to_string()]);
                }
                Some(slice(&list, offset, length).map(<[String]>::to_vec).unwrap_or_default())
            }
            Operation::Transform => {
                let letter = self.text(&change.word, state);
                let values = values?;
                Some(values.into_iter().map(|value| self.transformed(&letter, &value, state)).collect())
            }
            Operation::Replace { all } => {
                let pattern = self.pattern(&change.word, state);
                let new = self.text(&change.other, state);
                let values = values?;
                self.weigh(&values, &pattern);
                Some(values.iter().map(|text| replace(text, &pattern, &new, all)).collect())
            }
            operation => {
                let pattern = self.pattern(&change.word, state);
                let values = values?;
                self.weigh(&values, &pattern);
                let changed = |text: &String| match operation {
                    Operation::TrimStart { longest } => trim(text, &pattern, true, longest),
                    Operation::TrimEnd { longest } => trim(text, &pattern, false, longest),
                    Operation::Upper { all } => cased(text, &pattern, all, true),
                    Operation::Lower { all } => cased(text, &pattern, all, false),
                    _ => text.clone(),
                };
                Some(values.iter().map(changed).collect())
            }
        }
    }

    /// A pattern is tried at each place of a text, and each time on the rest of it.
    fn weigh(&self, values: &[String], pattern: &Pattern) {
        if pattern.literal().is_none() {
            let tries = values.iter().map(|text| text.len().min(LONGEST_TRIMMED).pow(2)).sum();
            self.meter.add(tries);
        }
    }

    /// `${name@L}` and its like.
    fn transformed(&mut self, letter: &str, value: &str, state: &mut State) -> String {
        match letter {
            "U" => value.to_uppercase(),
            "u" => cased(value, &Pattern(String::new()), false, true),
            "L" => value.to_lowercase(),
            "E" => crate::simulate::unescape(value),
            // A prompt: what stands in it is expanded, commands too.
            "P" => self.expanded(value, state),
            "Q" => crate::quote(value).into_owned(),
            // `@A`, `@a`, `@K`: text about the variable.
            _ => holes(value) + &ANY.to_string(),
        }
    }
}

/// The part of a list or text from `offset`, by the rules of `${x:offset:length}`; `None` where nothing is.
fn slice<T>(list: &[T], offset: i64, length: Option<i64>) -> Option<&[T]> {
    let count = i64::try_from(list.len()).ok()?;
    let begin = if offset < 0 { count + offset } else { offset };
    let end = match length {
        None => count,
        Some(length) if length < 0 => count + length,
        Some(length) => begin.saturating_add(length),
    };
    if begin < 0 || begin > count || end < begin {
        return None;
    }
    list.get(usize::try_from(begin).ok()?..usize::try_from(end.min(count)).ok()?)
}

fn slice_text(text: &str, offset: i64, length: Option<i64>) -> String {
    if !is_known(text) {
        // A few letters at either end say which key it is, and do not give it away.
        let hint = offset == 0 && length.is_some_and(|length| (0..=8).contains(&length))
            || (-8..0).contains(&offset) && length.is_none();
        let rest = holes(text);
        return if hint { rest.replace(SECRET, "") } else { rest } + &ANY.to_string();
    }
    let chars: Vec<char> = text.chars().collect();
    slice(&chars, offset, length).unwrap_or_default().iter().collect()
}

fn cased(text: &str, pattern: &Pattern, all: bool, upper: bool) -> String {
    let one = |c: char| {
        let fits = pattern.0.is_empty() || pattern.matches(c.encode_utf8(&mut [0; 4]));
        match (fits, upper) {
            (false, _) => c.to_string(),
            (true, true) => c.to_uppercase().collect(),
            (true, false) => c.to_lowercase().collect(),
        }
    };
    text.chars().enumerate().map(|(at, c)| if all || at == 0 { one(c) } else { c.to_string() }).collect()
}

fn trim(text: &str, pattern: &Pattern, start: bool, longest: bool) -> String {
    if !is_known(&pattern.0) {
        return holes(text) + &ANY.to_string();
    }
    if !is_known(text) {
        return trim_unknown(text, pattern, start, longest);
    }
    if let Some(literal) = pattern.literal() {
        let cut =
            if start { text.strip_prefix(literal.as_str()) } else { text.strip_suffix(literal.as_str()) };
        return cut.unwrap_or(text).to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    if letters.len() > LONGEST_TRIMMED {
        return holes(text) + &ANY.to_string();
    }
    if start {
        let lengths = path::prefixes(&pattern.letters(), &letters);
        let cut = if longest { lengths.last() } else { lengths.first() };
        return cut.map_or(letters.as_slice(), |&cut| &letters[cut..]).iter().collect();
    }
    // Try the shortest removal first, or the longest.
    let mut cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    if !longest {
        cuts.reverse();
    }
    let cut = cuts.into_iter().find(|&at| pattern.matches(&text[at..]));
    text[..cut.unwrap_or(text.len())].to_owned()
}

/// The same for a text with holes: where the cut is certain whatever stands there.
fn trim_unknown(text: &str, pattern: &Pattern, start: bool, longest: bool) -> String {
    let unknown = || holes(text) + &ANY.to_string();
    let first = text.find(is_hole).unwrap_or(text.len());
    let last = text.rfind(is_hole).unwrap_or(0);
    let last = last + text[last..].chars().next().map_or(0, char::len_utf8);
    let (head, tail) = (&text[..first], &text[last..]);
    match (start, longest) {
        // It begins with anything: the last match ends in what is known.
        (true, true) if pattern.0.starts_with('*') => {
            let rest = trim(tail, pattern, true, true);
            if rest == tail { unknown() } else { rest }
        }
        (false, true) if pattern.0.ends_with('*') => {
            let rest = trim(head, pattern, false, true);
            if rest == head { unknown() } else { rest }
        }
        // The first match is in what is known.
        (true, false) => {
            let rest = trim(head, pattern, true, false);
            if rest == head { unknown() } else { rest + &text[first..] }
        }
        (false, false) => {
            let rest = trim(tail, pattern, false, false);
            if rest == tail { unknown() } else { text[..last].to_owned() + &rest }
        }
        _ => unknown(),
    }
}

fn replace(text: &str, pattern: &Pattern, new: &str, all: bool) -> String {
    if !is_known(&pattern.0) {
        return holes(text) + &ANY.to_string();
    }
    let anchor = pattern.0.chars().next().filter(|c| matches!(c, '#' | '%')).filter(|_| !all);
    let pattern = Pattern(if anchor.is_some() { pattern.0[1..].to_owned() } else { pattern.0.clone() });
    if pattern.0.is_empty() {
        return match anchor {
            Some('#') => format!("{new}{text}"),
            Some(_) => format!("{text}{new}"),
            None => text.to_owned(),
        };
    }
    let Some(old) = pattern.literal() else { return replace_matches(text, &pattern, new, all, anchor) };
    match anchor {
        Some('#') => {
            text.strip_prefix(old.as_str()).map_or_else(|| text.to_owned(), |rest| format!("{new}{rest}"))
        }
        Some(_) => {
            text.strip_suffix(old.as_str()).map_or_else(|| text.to_owned(), |rest| format!("{rest}{new}"))
        }
        None if all => text.replace(old.as_str(), new),
        None => text.replacen(old.as_str(), new, 1),
    }
}

/// The longest match at the first place where there is one.
fn replace_matches(text: &str, pattern: &Pattern, new: &str, all: bool, anchor: Option<char>) -> String {
    if text.is_empty() && pattern.matches("") {
        return new.to_owned();
    }
    let (letters, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.letters());
    if letters.len() > LONGEST_REPLACED || !is_known(text) {
        return holes(text) + &ANY.to_string();
    }
    let mut out = String::new();
    let mut at = 0;
    let mut done = false;
    while at < letters.len() {
        let rest = &letters[at..];
        let wanted = !done && (anchor != Some('#') || at == 0);
        let lengths = if wanted { path::prefixes(&pattern, rest) } else { Vec::new() };
        let fits = |length: &usize| *length > 0 && (anchor != Some('%') || *length == rest.len());
        if let Some(length) = lengths.into_iter().rev().find(fits) {
            out.push_str(new);
            done = !all;
            at += length;
        } else {
            out.push(letters[at]);
            at += 1;
        }
    }
    out
}
