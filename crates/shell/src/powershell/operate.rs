//! Operators on texts and lists, as far as constants go.

use super::{Items, LONGEST_TEXT, text};
use crate::reader::Reader;
use crate::text::{ANY, DECODED, holes, is_known};

/// A number as a letter.
pub(super) fn letter(item: &str) -> String {
    let number =
        item.strip_prefix("0x").map_or_else(|| item.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
    number.and_then(char::from_u32).map_or_else(|| item.to_owned(), |c| c.to_string())
}

fn unknown(items: &[String]) -> Items {
    vec![holes(&items.concat()) + &ANY.to_string()]
}

/// `$x[1]`, `$x[-1..-3]`, `$table['key']`; of one text, its letters.
pub(super) fn at(of: &[String], index: &[String], list: bool) -> Items {
    let entry = super::evaluate::property(of, index.first().map_or("", String::as_str));
    if of.iter().any(|item| item.contains(super::ENTRY)) {
        return entry;
    }
    let numbers: Option<Vec<i64>> = index.iter().map(|item| item.parse().ok()).collect();
    let (Some(numbers), true) = (numbers, of.iter().all(|item| is_known(item))) else { return unknown(of) };
    let letters: Items = match of {
        [one] if !list && one.len() <= LONGEST_TEXT => one.chars().map(String::from).collect(),
        _ => of.to_vec(),
    };
    let length = i64::try_from(letters.len()).unwrap_or(i64::MAX);
    let place = |number: i64| usize::try_from(if number < 0 { number + length } else { number }).ok();
    numbers.into_iter().filter_map(|number| letters.get(place(number)?).cloned()).collect()
}

pub(super) fn unary(op: &str, value: Items) -> Items {
    match op {
        "-join" => vec![value.concat()],
        "-split" => value.iter().flat_map(|item| item.split_whitespace().map(str::to_owned)).collect(),
        "-" => vec![format!("-{}", text(&value))],
        "+" => value,
        _ => vec![ANY.to_string()],
    }
}

impl Reader<'_> {
    pub(super) fn sum(&mut self, mut a: Items, b: Items) -> Items {
        let number = |items: &[String]| match items {
            [one] => one.parse::<i64>().ok(),
            _ => None,
        };
        if let (Some(x), Some(y)) = (number(&a), number(&b)) {
            return vec![x.saturating_add(y).to_string()];
        }
        let table = |items: &[String]| items.iter().any(|item| item.contains(super::ENTRY));
        if a.len() == 1 && !table(&a) && !table(&b) {
            let whole = a.remove(0) + &text(&b);
            self.worked += whole.len();
            return if whole.len() > LONGEST_TEXT { unknown(&[whole]) } else { vec![whole] };
        }
        a.extend(b);
        super::bounded(a)
    }

    pub(super) fn operate(&mut self, op: &str, a: Items, b: Items) -> Items {
        let plain = op
            .strip_prefix("-c")
            .or(op.strip_prefix("-i"))
            .filter(|rest| matches!(*rest, "replace" | "split" | "join"));
        let op = plain.map_or_else(|| op.to_owned(), |rest| format!("-{rest}"));
        let made = match op.as_str() {
            "+" => return self.sum(a, b),
            "-join" => {
                let between = text(&b);
                vec![a.join(&between)]
            }
            "-f" => vec![formatted(&text(&a), &b)],
            "-replace" => a.iter().map(|item| replaced(item, b.first(), b.get(1))).collect(),
            "-split" => {
                let by = b.first().map_or(" ", String::as_str);
                match literal(by) {
                    Some(by) if !by.is_empty() => a
                        .iter()
                        .flat_map(|item| item.split(by.as_str()).map(str::to_owned).collect::<Items>())
                        .collect(),
                    _ => return unknown(&a),
                }
            }
            "*" => match b.first().and_then(|count| count.parse::<usize>().ok()) {
                Some(count) if a.len() == 1 && a[0].len().saturating_mul(count) <= LONGEST_TEXT => {
                    match a[0].parse::<usize>() {
                        Ok(number) => vec![number.saturating_mul(count).to_string()],
                        Err(_) => vec![a[0].repeat(count)],
                    }
                }
                _ => return unknown(&a),
            },
            ".." => match (
                a.first().and_then(|n| n.parse::<i64>().ok()),
                b.first().and_then(|n| n.parse::<i64>().ok()),
            ) {
                (Some(from), Some(to)) if from.abs_diff(to) <= 1024 => {
                    if from <= to {
                        (from..=to).map(|n| n.to_string()).collect()
                    } else {
                        (to..=from).rev().map(|n| n.to_string()).collect()
                    }
                }
                _ => return vec![ANY.to_string()],
            },
            "??" | "-as" => return if a.is_empty() { b } else { a },
            "-" | "/" | "%" => match (
                a.first().and_then(|n| n.parse::<i64>().ok()),
                b.first().and_then(|n| n.parse::<i64>().ok()),
            ) {
                (Some(x), Some(y)) if op == "-" => vec![x.saturating_sub(y).to_string()],
                _ => return unknown(&a),
            },
            // A number that letters are hidden by.
            "-bxor" => match (
                a.first().and_then(|n| n.parse::<i64>().ok()),
                b.first().and_then(|n| n.parse::<i64>().ok()),
            ) {
                (Some(x), Some(y)) => vec![(x ^ y).to_string()],
                _ => vec![holes(&a.concat()) + &DECODED.to_string()],
            },
            _ => return vec![ANY.to_string()],
        };
        self.worked += made.iter().map(String::len).sum::<usize>();
        super::bounded(made)
    }
}

/// `'{1}{0}' -f 'a', 'b'`
fn formatted(format: &str, values: &[String]) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        if tail.starts_with("{{") || tail.starts_with("}}") {
            out.push_str(&tail[..1]);
            rest = &tail[2..];
            continue;
        }
        let Some(end) = tail.find('}').filter(|_| tail.starts_with('{')) else {
            rest = &tail[1..];
            continue;
        };
        let number =
            tail[1..end].split([':', ',']).next().and_then(|number| number.trim().parse::<usize>().ok());
        match number.and_then(|number| values.get(number)) {
            Some(value) if out.len() + value.len() <= LONGEST_TEXT => out.push_str(value),
            _ => out.push(ANY),
        }
        rest = &tail[end + 1..];
    }
    out + rest
}

/// The text that a regular expression stands for, if it is one text only.
fn literal(pattern: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = pattern.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => {
                let next = letters.next()?;
                if next.is_ascii_alphanumeric() {
                    return None;
                }
                out.push(next);
            }
            '.' | '*' | '+' | '?' | '[' | ']' | '(' | ')' | '{' | '}' | '|' | '^' | '$' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

/// `-replace`: letters of either size, and all of them.
pub(super) fn replaced(item: &str, old: Option<&String>, new: Option<&String>) -> String {
    let new = new.map_or("", String::as_str);
    match old.and_then(|old| literal(old)) {
        Some(old) if !old.is_empty() && is_known(&old) => replace_any_case(item, &old, new),
        // Everything but some letters: what is left is not known, but where it comes from is.
        _ => holes(item) + &DECODED.to_string(),
    }
}

fn replace_any_case(item: &str, old: &str, new: &str) -> String {
    let (lower, old) = (item.to_ascii_lowercase(), old.to_ascii_lowercase());
    let mut out = String::new();
    let mut from = 0;
    for (at, _) in lower.match_indices(&old) {
        out.push_str(&item[from..at]);
        out.push_str(new);
        from = at + old.len();
        if out.len() > LONGEST_TEXT {
            return holes(item) + &ANY.to_string();
        }
    }
    out + &item[from..]
}
