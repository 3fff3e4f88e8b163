//! Private keys, by their frame and by what is in it.

use std::ops::Range;

use super::looks::decoded;

/// The lines between `-----BEGIN … PRIVATE KEY-----` and the next fence, which begins with `-----`: behind that are its places.
pub(super) fn private_keys(text: &[u8], fences: &[usize]) -> Vec<Range<usize>> {
    const TITLE: usize = 80;
    let mut found = Vec::new();
    let mut done = 0;
    for (number, &fence) in fences.iter().enumerate() {
        if fence < done {
            continue;
        }
        let title = &text[fence..text.len().min(fence + TITLE)];
        let Some(close) = title.windows(5).position(|five| five == b"-----") else { continue };
        if !title.starts_with(b"BEGIN ") || !title[..close].windows(11).any(|word| word == b"PRIVATE KEY") {
            continue;
        }
        let from = fence + close + 5;
        let end = fences[number + 1..].iter().find(|end| text[**end..].starts_with(b"END"));
        let to = end.map_or(text.len(), |end| end - 5);
        done = to;
        if from < to && is_key_block(&text[from..to]) {
            found.push(from..to);
        }
    }
    found
}

/// A block has lines of base64 in it; a program that only knows the line that one begins with does not. And it holds what is secret of a key:
/// in documentation most of it is left out.
fn is_key_block(block: &[u8]) -> bool {
    let parts = block.split(|byte| matches!(byte, b'\n' | b'\\' | b'\r' | b' ' | b'"' | b'\''));
    let lines = parts.map(|line| line.strip_prefix(b"n").unwrap_or(line).trim_ascii());
    let is_base64 = |line: &&[u8]| {
        line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    };
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).filter(is_base64).collect();
    let Some(first) = lines.iter().position(|line| line.len() >= 40) else { return false };
    let body: usize = lines[first..].iter().map(|line| line.len()).sum();
    is_secret_part(lines[first], body * 3 / 4)
}

/// Whether so many bytes reach beyond what is public of a key. The first third of an RSA key is its modulus, and of all kinds what comes first
/// says what is secret.
fn is_secret_part(first: &[u8], long: usize) -> bool {
    let Some(start) = decoded(&first[..first.len() - first.len() % 4]) else { return true };
    match start[..] {
        // A sequence of so many bytes.
        [0x30, 0x82, high, low, ..] => long * 3 >= usize::from(u16::from_be_bytes([high, low])),
        [0x30, 0x81, all, ..] => long * 3 >= usize::from(all),
        _ => true,
    }
}
