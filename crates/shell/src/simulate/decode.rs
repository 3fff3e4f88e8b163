//! Encodings that hide text from a reader and not from a shell.

use crate::text::is_known;

/// Known text decoded to text; `None` where either is not so.
pub(crate) fn text(input: &str, decode: fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    is_known(input).then(|| decode(input)).flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let value = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    bits(text, 6, value)
}

pub(crate) fn base32(text: &str) -> Option<Vec<u8>> {
    let value = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a'),
        b'2'..=b'7' => Some(b - b'2' + 26),
        _ => None,
    };
    bits(text, 5, value)
}

fn bits(text: &str, width: u32, value: fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut held, mut count) = (0u32, 0);
    for b in text.bytes().filter(|b| !b.is_ascii_whitespace()) {
        if b == b'=' {
            break;
        }
        held = held << width | u32::from(value(b)?);
        count += width;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(held >> count & 0xff).ok()?);
        }
    }
    Some(out)
}

pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    digits.chunks(2).map(|pair| u8::try_from(pair.iter().fold(0, |sum, d| sum * 16 + d)).ok()).collect()
}

/// Letters turned by thirteen.
pub(crate) fn rot13(text: &str) -> String {
    let turn = |c: char, base: u8| char::from(base + (u8::try_from(c).unwrap_or(base) - base + 13) % 26);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded() {
        assert_eq!(base64("cm0gLXJmIC8=").as_deref(), Some(&b"rm -rf /"[..]));
        assert_eq!(base32("OJWSALLSMYQC6===").as_deref(), Some(&b"rm -rf /"[..]));
        assert_eq!(hex("726d202d7266207e").as_deref(), Some(&b"rm -rf ~"[..]));
        assert_eq!(rot13("ez -es"), "rm -rf");
    }
}
