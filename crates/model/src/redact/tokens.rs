//! Keys for what is kept and shown, where a word too few is better than a key: by the list of shapes, read with less care.

use super::formats::{self, is_varied};

/// Shorter ones are names.
const SHORTEST: usize = 16;
/// What is longer is masked in pieces, and looked at once.
const LONGEST: usize = 4096;

/// The part of a word that is a key: where its secret part begins and ends.
pub(super) fn find(word: &str) -> Option<(usize, usize)> {
    let bytes = word.as_bytes();
    let last = bytes.len().checked_sub(SHORTEST)?;
    let mut inside = false;
    for (at, &byte) in bytes[..=last].iter().enumerate() {
        let part = byte.is_ascii_alphanumeric();
        if part
            && !inside
            && let Some(found) = formats::like(bytes, at, |from| body(bytes, from))
        {
            return Some(found);
        }
        inside = part || byte == b'_' || byte == b'-';
    }
    None
}

/// What follows a beginning that is known, where it is long enough and no word.
fn body(word: &[u8], from: usize) -> Option<usize> {
    let part = |byte: &&u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
    };
    let long = word[from..].iter().take(LONGEST).take_while(part).count();
    (long >= SHORTEST && is_varied(&word[from..from + long])).then_some(from + long)
}

/// Where the private keys in a text are: between the lines that begin and end them.
pub(super) fn private_keys(text: &str) -> Vec<(usize, usize)> {
    const BEGIN: &str = "-----BEGIN ";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = text[from..].find(BEGIN).map(|at| from + at) {
        let title = begin + BEGIN.len();
        let Some(close) = text[title..].find("-----").map(|at| title + at) else { break };
        from = close + 5;
        if !text[title..close].contains("PRIVATE KEY") {
            continue;
        }
        let end = text[from..].find("-----END").map_or(text.len(), |at| from + at);
        found.push((from, end));
        from = end;
    }
    found
}
