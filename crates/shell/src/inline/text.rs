//! Texts in code: where a literal ends, what is in it, which bracket closes which.

use super::value::{Names, Value, home_if, value_at};
use crate::text::ANY;

/// A string literal at the beginning of `text`, with what is interpolated in it, and its length.
pub(super) fn literal(text: &str, names: &Names, depth: usize) -> Option<(Value, usize)> {
    let prefix = text.len() - text.trim_start_matches(['r', 'b', 'f', 'u', 'R', 'B', 'F', 'U']).len();
    let (marks, body) = text.split_at(prefix.min(2));
    if let Some(quote) = body.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) {
        let end = end_of_string(body, 0);
        let triple = body.starts_with(&quote.to_string().repeat(3)) && names.language == "python";
        let width = if triple { 3 } else { 1 };
        let inside = body.get(width..end.checked_sub(width)?)?;
        // Backticks are a command in most languages; only JavaScript has text in them.
        if quote == '`' && names.language != "javascript" {
            return Some((Value::default(), marks.len() + end));
        }
        let raw = marks.contains(['r', 'R']);
        let formatted = match names.language {
            "python" => marks.contains(['f', 'F']),
            "javascript" => quote == '`',
            "perl" | "ruby" | "php" => quote == '"',
            _ => false,
        };
        let plain = if raw { inside.to_owned() } else { unescaped(inside) };
        let value = if formatted { interpolated(&plain, names, depth) } else { plain };
        return Some((Value::Text(value), marks.len() + end));
    }
    // `q(…)`, `qq{…}`, `%q(…)`, `%w[…]`, `qw(…)`.
    for (open, words) in
        [("qw", true), ("%w", true), ("qq", false), ("%Q", false), ("%q", false), ("q", false)]
    {
        let Some(rest) = text.strip_prefix(open) else { continue };
        let Some(bracket) =
            rest.chars().next().filter(|c| matches!(c, '(' | '{' | '[' | '<' | '/' | '|' | '!'))
        else {
            continue;
        };
        let close = match bracket {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            c => c,
        };
        let end = rest[1..].find(close)?;
        let inside = &rest[1..=end];
        let value = if words {
            Value::List(inside.split_whitespace().map(str::to_owned).collect())
        } else {
            Value::Text(inside.to_owned())
        };
        return Some((value, open.len() + end + 2));
    }
    None
}

fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    crate::simulate::unescape(text)
}

/// `{x}`, `${x}`, `#{x}`, `$x`: constants where they are known.
pub(super) fn interpolated(text: &str, names: &Names, depth: usize) -> String {
    let open = match names.language {
        "python" => "{",
        "javascript" => "${",
        "ruby" => "#{",
        _ => "$",
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        out.push_str(&rest[..at]);
        rest = &rest[at + open.len()..];
        if open == "$" {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let name = &rest[..length];
            rest = &rest[length..];
            if name == "ENV" && rest.starts_with('{') {
                let end = rest.find('}').unwrap_or(rest.len() - 1);
                out.push_str(&home_if(&rest[1..end]).text());
                rest = &rest[end + 1..];
            } else {
                out.push_str(&names.constants.get(name).map_or_else(|| ANY.to_string(), Value::text));
            }
            continue;
        }
        let end = matching(rest);
        let inside = rest[..end].split([':', '!']).next().unwrap_or_default();
        out.push_str(&value_at(inside, names, depth + 1).text());
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    out + rest
}

/// Split at commas that are in no bracket and no string.
pub(super) fn split_top(raw: &str) -> Vec<&str> {
    let bytes = raw.as_bytes();
    let mut parts = Vec::new();
    let (mut depth, mut begin, mut at) = (0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' | b'`' => {
                at = end_of_string(raw, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&raw[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if !raw[begin..].trim().is_empty() {
        parts.push(&raw[begin..]);
    }
    parts
}

/// Where the string that begins at `at` ends; a quote is always one byte, so that every end is a place between characters.
pub(super) fn end_of_string(code: &str, at: usize) -> usize {
    let bytes = code.as_bytes();
    let quote = bytes[at];
    let triple = code[at..].starts_with("'''") || code[at..].starts_with("\"\"\"");
    let mut i = at + if triple { 3 } else { 1 };
    while i < bytes.len() {
        if bytes[i] == b'\\' {
            i += 2;
            continue;
        }
        if bytes[i] == quote && (!triple || bytes[i..].starts_with(&[quote; 3])) {
            return i + if triple { 3 } else { 1 };
        }
        i += 1;
    }
    bytes.len()
}

/// Where the bracket that was opened before `text` closes.
pub(super) fn matching(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 1;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' | b'`' => {
                at = end_of_string(text, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}
