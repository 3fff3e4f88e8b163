//! Words as a POSIX shell reads them back.

use std::borrow::Cow;

/// `word` itself where no shell would touch it, else in single quotes.
pub fn quote(word: &str) -> Cow<'_, str> {
    let plain = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'.' | b'/' | b':' | b'@' | b'%' | b'+' | b',' | b'=')
    };
    if !word.is_empty() && word.bytes().all(plain) && !word.starts_with('=') {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// Words as one command line.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_touch_is_quoted() {
        assert_eq!(quote(".ruff.toml"), ".ruff.toml");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("~x"), "'~x'");
        assert_eq!(join(["git", "checkout", "--", "a b"]), "git checkout -- 'a b'");
    }
}
