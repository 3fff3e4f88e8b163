//! Names in a cpio archive, in its three forms: hexadecimal, octal, and binary in either order of bytes.

use model::What;

use super::LONGEST_NAME;
use super::archive::{Found, text_of};
use super::bytes::Stream;

const LAST: &[u8] = b"TRAILER!!!";

const KIND: u64 = 0o170_000;
const LINK: u64 = 0o120_000;
const FOLDER: u64 = 0o040_000;

pub(super) fn begins(head: &[u8]) -> bool {
    matches!(head.get(..6), Some(b"070701" | b"070702" | b"070707"))
        || matches!(head, [0xc7, 0x71, ..] | [0x71, 0xc7, ..])
}

struct Header {
    mode: u64,
    name_length: u64,
    size: u64,
    /// Names and files end on a multiple of this.
    align: u64,
    /// Bytes of the header itself.
    length: u64,
}

/// Whether it was read to its end.
pub(super) fn list(stream: &mut dyn Stream, found: &mut Found<'_>) -> bool {
    loop {
        let Some(header) = read_header(stream) else { return false };
        if found.is_full() || header.name_length > LONGEST_NAME as u64 {
            return false;
        }
        let length = usize::try_from(header.name_length).unwrap_or_default();
        let Some(mut name) = stream.take(length) else { return false };
        name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
        if name == LAST {
            return !stream.failed();
        }
        if !stream.skip(over(header.length + header.name_length, header.align)) {
            return false;
        }
        let (what, rest) = match header.mode & KIND {
            LINK if header.size <= LONGEST_NAME as u64 => {
                let Some(target) = stream.take(usize::try_from(header.size).unwrap_or_default()) else {
                    return false;
                };
                (What::Link(String::from_utf8_lossy(&target).into_owned()), 0)
            }
            FOLDER => (What::Folder, header.size),
            _ => text_of(stream, &name, header.size, found),
        };
        found.add(&name, what);
        if !stream.skip(rest) || !stream.skip(over(header.size, header.align)) {
            return false;
        }
    }
}

/// What is missing to a multiple.
fn over(count: u64, align: u64) -> u64 {
    (align - count % align) % align
}

fn read_header(stream: &mut dyn Stream) -> Option<Header> {
    let magic = stream.take(2)?;
    match magic[..] {
        [0xc7, 0x71] => binary(&stream.take(24)?, u16::from_le_bytes),
        [0x71, 0xc7] => binary(&stream.take(24)?, u16::from_be_bytes),
        [b'0', b'7'] => {
            let rest = stream.take(4)?;
            match &rest[..] {
                b"0701" | b"0702" => {
                    let fields = stream.take(104)?;
                    let field = |at: usize| number(&fields[8 * at..8 * at + 8], 16);
                    Some(Header {
                        mode: field(1)?,
                        name_length: field(11)?,
                        size: field(6)?,
                        align: 4,
                        length: 110,
                    })
                }
                b"0707" => {
                    let fields = stream.take(70)?;
                    let field = |from: usize, to: usize| number(&fields[from..to], 8);
                    Some(Header {
                        mode: field(12, 18)?,
                        name_length: field(53, 59)?,
                        size: field(59, 70)?,
                        align: 1,
                        length: 76,
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn binary(fields: &[u8], word: fn([u8; 2]) -> u16) -> Option<Header> {
    let field = |at: usize| Some(u64::from(word([*fields.get(2 * at)?, *fields.get(2 * at + 1)?])));
    Some(Header {
        mode: field(2)?,
        name_length: field(9)?,
        size: field(10)? << 16 | field(11)?,
        align: 2,
        length: 26,
    })
}

fn number(digits: &[u8], base: u32) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()
}
