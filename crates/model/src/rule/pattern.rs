//! Patterns of rules: `*`, `?`, `[a-z]`, `[!a-z]`, `[0-9]+` for one or more, `\` before a character that is meant as it is. In paths `*`
//! stays within a name and `**` does not.
//!
//! A text may have holes. Then a pattern fits, does not, or may: the walk goes through all places of the pattern at once, so that it is
//! linear in the text, and a hole is one step of it.

use std::ops::Not;

/// Whether something is as a rule says. The order is that of certainty: `min` is "and", `max` is "or".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    #[default]
    No,
    /// A part that matters is not known.
    Perhaps,
    Yes,
}

impl Not for Fit {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Fit::No => Fit::Yes,
            Fit::Perhaps => Fit::Perhaps,
            Fit::Yes => Fit::No,
        }
    }
}

impl From<bool> for Fit {
    fn from(holds: bool) -> Self {
        if holds { Fit::Yes } else { Fit::No }
    }
}

/// What `*` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Text,
    /// Anything within one name.
    Path,
}

/// A character whose place holds text that is not known. `shell::text` has the same range; this crate knows no shell.
const fn is_hole(c: char) -> bool {
    matches!(c, '\u{F8F0}'..='\u{F8FF}')
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Is(char),
    /// One character of those, or of all others; again and again where `many`.
    Of {
        ranges: Vec<(char, char)>,
        not: bool,
        many: bool,
    },
    One,
    /// Any text; none with a slash in it where `within`.
    Any {
        within: bool,
    },
    /// Any number of folders.
    Folders,
}

/// Longer ones are a mistake, and a walk through one costs its length for each character.
pub const LONGEST: usize = 512;

/// What is wrong with a pattern, in words.
pub fn fault(pattern: &str) -> Option<String> {
    if pattern.len() > LONGEST {
        return Some(format!("a pattern is at most {LONGEST} bytes long"));
    }
    tokens(pattern, Kind::Text).err().map(str::to_owned)
}

/// Whether the pattern has anything in it that is not meant as it is.
pub fn is_plain(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '\\'])
}

/// A text as a pattern for exactly that.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn tokens(pattern: &str, kind: Kind) -> Result<Vec<Token>, &'static str> {
    let mut out = Vec::new();
    let mut rest = pattern.chars().peekable();
    let mut starts = true;
    while let Some(c) = rest.next() {
        let begins = std::mem::replace(&mut starts, c == '/');
        out.push(match c {
            '\\' => Token::Is(rest.next().ok_or("a pattern ends with \\")?),
            '?' => Token::One,
            '*' if rest.peek() == Some(&'*') => {
                while rest.next_if_eq(&'*').is_some() {}
                if kind == Kind::Path && begins && rest.next_if_eq(&'/').is_some() {
                    starts = true;
                    Token::Folders
                } else {
                    Token::Any { within: false }
                }
            }
            '*' => Token::Any { within: kind == Kind::Path },
            '[' => class(&mut rest)?,
            other => Token::Is(other),
        });
    }
    Ok(out)
}

/// What stands in brackets, after the first of them.
fn class(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Token, &'static str> {
    const OPEN: &str = "a pattern has [ without ]; write \\[ for the character";
    let not = rest.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    loop {
        let mut from = rest.next().ok_or(OPEN)?;
        if from == ']' && !ranges.is_empty() {
            break;
        }
        if from == '\\' {
            from = rest.next().ok_or(OPEN)?;
        }
        let mut ahead = rest.clone();
        if ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']') {
            rest.next();
            let to = rest.next().ok_or(OPEN)?;
            ranges.push((from, to));
        } else {
            ranges.push((from, from));
        }
    }
    Ok(Token::Of { ranges, not, many: rest.next_if_eq(&'+').is_some() })
}

/// Whether the pattern fits the whole text.
pub fn fits(pattern: &str, text: &str, kind: Kind) -> Fit {
    let known = !text.as_bytes().contains(&0xEF) || !text.contains(is_hole);
    if known && let Some(fit) = quickly(pattern, text, kind) {
        return fit.into();
    }
    let Ok(tokens) = tokens(pattern, kind) else { return Fit::No };
    if walk(&tokens, text, Holes::Opaque) {
        Fit::Yes
    } else if !known && walk(&tokens, text, Holes::Anything) {
        Fit::Perhaps
    } else {
        Fit::No
    }
}

/// The usual ones: a word, the beginning of one, or a text somewhere.
fn quickly(pattern: &str, text: &str, kind: Kind) -> Option<bool> {
    if pattern == "*" && kind == Kind::Text || pattern == "**" {
        return Some(true);
    }
    if is_plain(pattern) {
        return Some(pattern == text);
    }
    if kind == Kind::Path {
        // Most paths differ before the first pattern in it.
        let plain = pattern.find(['*', '?', '[', '\\'])?;
        return (!text.as_bytes().starts_with(&pattern.as_bytes()[..plain])
            && !pattern[plain..].starts_with("**/"))
        .then_some(false);
    }
    let inner = pattern.trim_start_matches('*').trim_end_matches('*');
    if !is_plain(inner) {
        return None;
    }
    Some(match (pattern.starts_with('*'), pattern.ends_with('*')) {
        (true, true) => text.contains(inner),
        (true, false) => text.ends_with(inner),
        (_, true) => text.starts_with(inner),
        (false, false) => return None,
    })
}

/// What a hole is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holes {
    /// A character that only "anything" stands for: then the pattern fits whatever the hole is.
    Opaque,
    /// Whatever would make it fit.
    Anything,
}

fn walk(tokens: &[Token], text: &str, holes: Holes) -> bool {
    let end = tokens.len();
    let mut now = vec![false; end + 1];
    enter(tokens, &mut now, 0);
    let mut next = vec![false; end + 1];
    for c in text.chars() {
        if is_hole(c) && holes == Holes::Anything {
            // It may be the text for everything that follows, or for nothing.
            if let Some(first) = now.iter().position(|here| *here) {
                now[first..].fill(true);
            }
            continue;
        }
        next.fill(false);
        for at in (0..end).filter(|at| now[*at]) {
            step(tokens, at, c, &mut next);
        }
        std::mem::swap(&mut now, &mut next);
        if !now.contains(&true) {
            return false;
        }
    }
    now[end]
}

/// Marks a place, and those that are reached from it by no text.
fn enter(tokens: &[Token], places: &mut [bool], mut at: usize) {
    loop {
        places[at] = true;
        match tokens.get(at) {
            Some(Token::Any { .. } | Token::Folders) => at += 1,
            _ => return,
        }
    }
}

fn step(tokens: &[Token], at: usize, c: char, next: &mut [bool]) {
    match &tokens[at] {
        Token::Is(wanted) if *wanted == c => enter(tokens, next, at + 1),
        Token::One if !is_hole(c) => enter(tokens, next, at + 1),
        Token::Of { ranges, not, many }
            if !is_hole(c) && ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *not =>
        {
            next[at] |= *many;
            enter(tokens, next, at + 1);
        }
        Token::Any { within } if !*within || c != '/' && !is_hole(c) => enter(tokens, next, at),
        Token::Folders => {
            next[at] = true;
            // Only a whole name is a folder: what follows begins after a slash.
            if c == '/' {
                enter(tokens, next, at + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "abc", true),
            ("*b*", "abc", true),
            ("a*c", "abbc", true),
            ("a*c", "abbd", false),
            ("?b", "ab", true),
            ("[A-Z]+-[0-9]+: *", "AB-12: fix", true),
            ("[A-Z]+-[0-9]+: *", "ab-12: fix", false),
            ("[A-Z]+-[0-9]+: *", "AB-: fix", false),
            ("[!a-z]x", "1x", true),
            ("[!a-z]x", "ax", false),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("[]]", "]", true),
            ("a/*", "a/b/c", true),
        ] {
            assert_eq!(fits(pattern, text, Kind::Text), expected.into(), "{pattern} {text}");
        }
    }

    #[test]
    fn paths() {
        for (pattern, text, expected) in [
            ("/p/infra/prod/**", "/p/infra/prod/a/b", true),
            ("/p/infra/prod/**", "/p/infra/dev/a", false),
            ("/p/*/x", "/p/a/x", true),
            ("/p/*/x", "/p/a/b/x", false),
            ("**/*.pem", "/a/b/c.pem", true),
            ("**/x", "x", true),
            ("/p/**/x", "/p/x", true),
            ("/p/**/x", "/p/a/b/x", true),
            ("/p/**/x", "/p/a/bx", false),
        ] {
            assert_eq!(fits(pattern, text, Kind::Path), expected.into(), "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_not_known_may_fit() {
        let hole = '\u{F8F0}';
        for (pattern, text, expected) in [
            ("prod", format!("{hole}"), Fit::Perhaps),
            ("prod*", format!("prod{hole}"), Fit::Yes),
            ("prod*", format!("dev{hole}"), Fit::No),
            ("*prod", format!("{hole}dev"), Fit::No),
            ("p?od", format!("p{hole}"), Fit::Perhaps),
            ("*", format!("{hole}"), Fit::Yes),
        ] {
            assert_eq!(fits(pattern, &text, Kind::Text), expected, "{pattern} {text:?}");
        }
        assert_eq!(fits("/p/*/x", &format!("/p/{hole}/x"), Kind::Path), Fit::Perhaps);
        assert_eq!(fits("/p/**", &format!("/p/{hole}/x"), Kind::Path), Fit::Yes);
    }

    #[test]
    fn faults_are_named() {
        for pattern in ["[a", "[", "a\\", &"x".repeat(LONGEST + 1)] {
            assert!(fault(pattern).is_some(), "{pattern}");
        }
        assert_eq!(fault("[a-z]+*?\\["), None);
        assert_eq!(fits(&quoted("a*[b]\\?"), "a*[b]\\?", Kind::Text), Fit::Yes);
    }
}
