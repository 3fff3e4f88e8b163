//! Whether what a formatter or a fixer printed can be the file: what is on its stdout may be a wrapper's greeting, an error message, or
//! half of the text.

use std::collections::HashMap;

use crate::Language;
use crate::touched::Touched;

/// Whether a text is another in a new form: a formatter moves imports and changes quotes, commas and white space. It adds and loses no word,
/// no side of a bracket, and not the end.
pub(crate) fn same_words(old: &str, new: &str) -> bool {
    let reordered = || letters(old).ne(letters(new));
    counted(old) == counted(new)
        && open_brackets(old) == open_brackets(new)
        && ends_in_a_line(old, new)
        && (last_sign(old) == last_sign(new) || reordered())
}

/// Letters and digits, in lower case.
fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut last = ' ';
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        loop {
            let c = chars.next()?;
            let next = chars.peek().copied().unwrap_or(' ');
            // Python's `u` before a string says nothing.
            let empty_prefix =
                matches!(c, 'u' | 'U') && matches!(next, '"' | '\'') && !last.is_alphanumeric();
            last = c;
            if c.is_alphanumeric() && !empty_prefix {
                return Some(c);
            }
        }
    })
    .flat_map(char::to_lowercase)
}

fn counted(text: &str) -> HashMap<char, usize> {
    let mut counts = HashMap::new();
    for letter in letters(text) {
        *counts.entry(letter).or_insert(0) += 1;
    }
    counts
}

/// How many brackets of each kind are open at the end. Formatters set and remove them in pairs.
fn open_brackets(text: &str) -> [i64; 3] {
    let mut open = [0; 3];
    for c in text.chars() {
        match c {
            '(' => open[0] += 1,
            ')' => open[0] -= 1,
            '[' => open[1] += 1,
            ']' => open[1] -= 1,
            '{' => open[2] += 1,
            '}' => open[2] -= 1,
            _ => {}
        }
    }
    open
}

/// A text whose last line ended has not lost that end.
fn ends_in_a_line(old: &str, new: &str) -> bool {
    new.ends_with('\n') || !old.ends_with('\n')
}

/// The last sign that no formatter adds or takes away. Brackets are counted elsewhere.
fn last_sign(text: &str) -> Option<char> {
    let sign =
        text.chars().rev().find(|c| !c.is_whitespace() && !matches!(c, ';' | ',' | ')' | ']' | '}'))?;
    Some(if matches!(sign, '\'' | '`') { '"' } else { sign })
}

/// Whether most of a text is still there, and its end: a fixer changes some lines.
pub(crate) fn plausible_fix(old: &str, new: &str) -> bool {
    if is_cut_off(old, new) || (is_twice(new) && !is_twice(old)) {
        return false;
    }
    let lines = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).count();
    // Each line of before stands for one: what is printed twice is not there twice.
    let mut before: HashMap<&str, usize> = HashMap::new();
    for line in old.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *before.entry(line).or_insert(0) += 1;
    }
    let mut take = |line: &str| {
        let left = before.get_mut(line).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    };
    let kept = new.lines().map(str::trim).filter(|line| take(line)).count();
    let (was, is) = (lines(old), lines(new));
    if is == 0 {
        return was == 0;
    }
    if is > 3 || kept > 0 {
        return kept * 2 >= is && kept * 4 >= was;
    }
    let (old, new) = (counted(old), counted(new));
    let all: usize = old.values().sum();
    let common: usize = new.iter().map(|(c, count)| old.get(c).copied().unwrap_or(0).min(*count)).sum();
    let added = new.values().sum::<usize>() - common;
    common * 2 >= all && added * 2 <= all
}

/// Whether a text is another one, two times over: a wrapper has started the tool twice.
fn is_twice(text: &str) -> bool {
    let half = text.len() / 2;
    half > 0 && text.len() == half * 2 && text.is_char_boundary(half) && text[..half] == text[half..]
}

/// Whether most of a text's lines are gone.
pub(crate) fn is_mostly_gone(old: &str, new: &str) -> bool {
    let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    lines(new) * 4 < lines(old)
}

/// The last line of a text that another, which looks like its beginning, still has; counted from 1.
pub(crate) fn last_line_kept(old: &str, new: &str) -> usize {
    Touched::between(old, new).last_common().map_or(0, |(old, _)| old + 1)
}

/// Whether a text looks like the beginning of another: lines of its end are gone, with nothing in their place.
pub(crate) fn is_cut_off(old: &str, new: &str) -> bool {
    if !ends_in_a_line(old, new) {
        return true;
    }
    let last = |text: &str| text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
    let (last_old, last_new) = (last(old).unwrap_or_default(), last(new).unwrap_or_default());
    if last_old != last_new && last_old.starts_with(&last_new) {
        return true;
    }
    let (old_at, new_at) = Touched::between(old, new).last_common().map_or((0, 0), |(a, b)| (a + 1, b + 1));
    let left =
        |text: &str, from: usize| text.lines().skip(from).filter(|line| !line.trim().is_empty()).count();
    left(new, new_at) < left(old, old_at)
}

/// Whether an edit has written nothing but comments and empty lines. They are left as they are: what a formatter wants around them is not the
/// edit's business.
pub(crate) fn only_comments(language: Language, text: &str, touched: &Touched) -> bool {
    let starts: &[&str] = match language {
        Language::Python | Language::Shell | Language::Yaml | Language::Toml | Language::Dockerfile => &["#"],
        Language::TypeScript | Language::Rust | Language::Go => &["//", "/*", "*"],
        Language::Markdown => &["<!--"],
        Language::Json => &["//"],
    };
    let lines: Vec<&str> = text.lines().collect();
    touched.lines().all(|line| {
        let line = usize::try_from(line).ok().and_then(|line| lines.get(line.checked_sub(1)?));
        line.is_some_and(|line| {
            let line = line.trim();
            line.is_empty() || starts.iter().any(|start| line.starts_with(start))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formatter_keeps_every_word() {
        assert!(same_words("import b\nimport a\nx=u'1'\n", "import a\nimport b\nx = \"1\"\n"));
        assert!(!same_words("x=1\n", "mise: ready\nx = 1\n"));
        assert!(!same_words("x=1\ny=2\n", "x = 1\n"));
        assert!(!same_words("x=1\n", "garbage\n"));
        assert!(same_words("b = 'x'\na = 1\n", "a = 1\nb = \"x\"\n"), "sorted, so it ends elsewhere");
    }

    #[test]
    fn a_formatter_keeps_the_end() {
        assert!(!same_words("fn a() {\n}\n", "fn a() {\n"), "a bracket");
        assert!(!same_words("def f():\n    ...\n", "def f():\n"), "dots");
        assert!(!same_words("x = 1\n", "x = 1"), "the end of the line");
        assert!(same_words("a('b')", "a(\"b\");\n"));
        assert!(same_words("x = 1, 2", "x = (1, 2)\n"), "brackets come in pairs");
    }

    #[test]
    fn a_fixer_keeps_most_of_a_text() {
        assert!(plausible_fix("import os\nx = 1\n", "x = 1\n"));
        assert!(plausible_fix("x = None\nif x == None:\n    pass\n", "x = None\nif x is None:\n    pass\n"));
        for old in ["x = 1\n", "import os\nx = 1\n", "def garbage(a, b, e, g):\n    return a\n"] {
            assert!(!plausible_fix(old, "garbage\n"), "{old}");
        }
        let long: String = (0..50).map(|n| format!("value_{n} = {n}\n")).collect();
        assert!(!plausible_fix(&long, "value_1 = 1\n"), "most of it is gone");
        assert!(!plausible_fix("one = 1\nthree = 3\nfour = 4\n", "one = 1\nthree = 3\n"), "it was cut off");
        let changed = long.replacen("value_3 = 3", "value_3 = 4", 1);
        assert!(plausible_fix(&long, &changed));
        for end in 1..changed.len() {
            assert!(!plausible_fix(&long, &changed[..end]), "cut off after {end} bytes");
        }
        assert!(
            plausible_fix(&long, &long.replace("value_49 = 49", "value_49 = 50")),
            "the last line was fixed"
        );
        assert!(!plausible_fix(&long, "") && plausible_fix("", ""));
        assert!(!plausible_fix(&long, &changed.repeat(2)), "all of it twice");
        assert!(!plausible_fix("a = 1\n", "a = 1\na = 1\n"), "a short one, too");
    }

    #[test]
    fn comments_are_told_from_code() {
        let touched = |before: &str, after: &str| Touched::between(before, after);
        let after = "def f():\n    pass\n# note\n";
        assert!(only_comments(Language::Python, after, &touched("def f():\n    pass\n", after)));
        assert!(!only_comments(Language::Python, after, &touched("", after)));
    }
}
