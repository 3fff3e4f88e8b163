//! Whether what a formatter or a fixer printed can be the file: what is on its stdout may be a wrapper's greeting, an error message, or
//! half of the text.

use std::collections::HashMap;

use crate::Language;
use crate::touched::Touched;

/// Whether two texts have the same letters and digits, in whatever order: a formatter moves imports and changes quotes, commas and
/// white space, and adds and loses no word.
pub(crate) fn same_words(old: &str, new: &str) -> bool {
    counted(old) == counted(new)
}

fn counted(text: &str) -> HashMap<char, usize> {
    let mut counts = HashMap::new();
    let mut last = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        // Python's `u` before a string says nothing.
        let empty_prefix = matches!(c, 'u' | 'U') && matches!(next, '"' | '\'') && !last.is_alphanumeric();
        if c.is_alphanumeric() && !empty_prefix {
            for lower in c.to_lowercase() {
                *counts.entry(lower).or_insert(0) += 1;
            }
        }
        last = c;
    }
    counts
}

/// Whether most of a text is still there: a fixer changes some lines.
pub(crate) fn plausible_fix(old: &str, new: &str) -> bool {
    let lines = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).count();
    let before: Vec<&str> = old.lines().map(str::trim).collect();
    let kept = new.lines().map(str::trim).filter(|line| !line.is_empty() && before.contains(line)).count();
    let (was, is) = (lines(old), lines(new));
    if is == 0 {
        return was == 0;
    }
    if is > 3 || kept > 0 {
        // What ends elsewhere may have been cut off.
        let last = |text: &str| text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
        let enough = if last(old) == last(new) { kept * 4 >= was } else { kept * 4 >= was * 3 };
        return kept * 2 >= is && enough;
    }
    let (old, new) = (counted(old), counted(new));
    let all: usize = old.values().sum();
    let common: usize = new.iter().map(|(c, count)| old.get(c).copied().unwrap_or(0).min(*count)).sum();
    let added = new.values().sum::<usize>() - common;
    common * 2 >= all && added * 2 <= all
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
        assert!(!plausible_fix(&long, "") && plausible_fix("", ""));
    }

    #[test]
    fn comments_are_told_from_code() {
        let touched = |before: &str, after: &str| Touched::between(before, after);
        let after = "def f():\n    pass\n# note\n";
        assert!(only_comments(Language::Python, after, &touched("def f():\n    pass\n", after)));
        assert!(!only_comments(Language::Python, after, &touched("", after)));
    }
}
