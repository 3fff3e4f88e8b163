//! A text as words: between blanks, and between the signs that end a command. Roughly as a shell reads it, because most texts
//! are commands, and close enough for all others.

/// One word and the blanks before it.
pub(super) struct Word<'a> {
    pub(super) gap: &'a str,
    pub(super) text: &'a str,
    /// One of `= : @ < % ' " $` is in it, without which few words need a second look.
    pub(super) has_signs: bool,
}

pub(super) struct Words<'a> {
    text: &'a str,
    at: usize,
    quote: Option<u8>,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, quote: None }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let bytes = self.text.as_bytes();
        let begin = self.at;
        let start = begin + bytes[begin..].iter().take_while(|byte| is_blank(**byte)).count();
        if start == bytes.len() && begin == start {
            return None;
        }
        let mut at = start;
        let mut has_signs = false;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => break,
                b'|' | b';' if self.quote.is_none() => {
                    // A word of its own, `||` and `|&` in one piece.
                    if at == start {
                        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'|' | b'&')) && byte == b'|');
                    }
                    break;
                }
                b'\\' if self.quote != Some(b'\'') => {
                    at += usize::from(at + 1 < bytes.len() && !is_blank(bytes[at + 1]));
                }
                b'\'' | b'"' => {
                    has_signs = true;
                    // The apostrophe of a text is not a quote.
                    let letter = |at: Option<usize>| {
                        at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric)
                    };
                    let apostrophe = byte == b'\'' && letter(at.checked_sub(1)) && letter(Some(at + 1));
                    match self.quote {
                        Some(open) if open == byte => self.quote = None,
                        None if !apostrophe => self.quote = Some(byte),
                        _ => {}
                    }
                }
                b'=' | b':' | b'@' | b'<' | b'%' | b'$' => has_signs = true,
                _ => {}
            }
            at += 1;
        }
        self.at = at;
        Some(Word { gap: &self.text[begin..start], text: &self.text[start..at], has_signs })
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// What a text is enclosed in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    pub(super) mark: char,
    /// A backslash before the mark makes it a part of the text. Not so in single quotes, and not where the text itself was
    /// opened with one: `"{\"token\": …`.
    escapes: bool,
}

impl Quote {
    /// The quote that `text` begins with, and where what it encloses begins.
    pub(super) fn opening(text: &str) -> Option<(Self, usize)> {
        let inner = text.trim_start_matches(['\\', '$']);
        let mark = inner.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        Some((Self { mark, escapes: mark == '"' && !text.starts_with('\\') }, text.len() - inner.len() + 1))
    }

    /// Where it ends in `text`.
    pub(super) fn end(self, text: &str) -> Option<usize> {
        let mut marks = text.match_indices(self.mark).map(|(at, _)| at);
        let at = marks.find(|&at| !(self.escapes && text[..at].ends_with('\\')))?;
        // The backslash before an escaped end belongs to the end.
        Some(if !self.escapes && text[..at].ends_with('\\') { at - 1 } else { at })
    }
}

/// Whether a text only says where a value is, and is none: `$NAME`, `"${NAME}"`, `{{ name }}`. A quote may follow it.
pub(super) fn is_reference(text: &str) -> bool {
    const CODE: &[&str] =
        &["process.env", "os.environ", "os.getenv", "System.getenv", "ENV[", "env(", "{{", "${{", "secrets."];
    const WORDS: &[&str] = &[
        "string",
        "str",
        "&str",
        "None",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "any",
        "bytes",
        "bool",
    ];
    let text = text.strip_prefix('"').unwrap_or(text);
    let bare = text.trim_end_matches(['"', '\'', ')', ']', '}', ';', ',', ':', '\\']);
    if bare.is_empty()
        || WORDS.iter().any(|word| bare.eq_ignore_ascii_case(word))
        || CODE.iter().any(|code| text.starts_with(code))
    {
        return true;
    }
    let mut rest = bare;
    while let Some(after) = rest.strip_prefix('$') {
        rest = match after.strip_prefix('{') {
            // The closing brace may have been taken for a bracket behind it.
            Some(inside) => inside.split_once('}').map_or("", |(_, rest)| rest),
            None => after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        };
        if rest.is_empty() {
            return true;
        }
    }
    false
}
