//! Names in a tar archive: the old form, POSIX with its extended headers, and GNU with its long names and sparse files.

use model::What;

use super::LONGEST_NAME;
use super::archive::{Found, text_of};
use super::bytes::Stream;

pub(super) const BLOCK: usize = 512;
/// Of an extended header or a long name.
const LONGEST_HEADER: u64 = 64 * 1024;
/// Blocks of nothing in a row. Programs pad to twenty, and some tapes have more; what comes after very many of them is not looked for.
const MOST_EMPTY: usize = 4096;

/// Whether a first block is one of these: a check sum that is right, or nothing at all.
pub(super) fn begins(head: &[u8]) -> bool {
    head.len() == BLOCK && (is_empty(head) || has_right_sum(head))
}

fn is_empty(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}

/// The sum over the header with blanks in the sum's own place, as bytes, or as some old programs counted, with a sign.
fn has_right_sum(block: &[u8]) -> bool {
    let Some(wanted) = number(&block[148..156]) else { return false };
    let (mut plain, mut signed) = (0_i64, 0_i64);
    for (at, byte) in block.iter().enumerate() {
        let byte = if (148..156).contains(&at) { b' ' } else { *byte };
        plain += i64::from(byte);
        signed += i64::from(byte.cast_signed());
    }
    i64::try_from(wanted).is_ok_and(|wanted| wanted == plain || wanted == signed)
}

/// Octal digits, or GNU's binary form for what is too large for them.
fn number(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        let (first, rest) = field.split_first()?;
        let bytes = std::iter::once(first & 0x7f).chain(rest.iter().copied());
        return bytes.into_iter().try_fold(0_u64, |sum, byte| sum.checked_mul(256)?.checked_add(byte.into()));
    }
    let text = field.trim_ascii_start();
    let digits = text.iter().take_while(|byte| (b'0'..=b'7').contains(byte));
    digits.into_iter().try_fold(0_u64, |sum, digit| sum.checked_mul(8)?.checked_add(u64::from(digit - b'0')))
}

/// A field up to its end.
fn field(block: &[u8], range: std::ops::Range<usize>) -> &[u8] {
    let field = &block[range];
    &field[..field.iter().position(|byte| *byte == 0).unwrap_or(field.len())]
}

/// What extended headers say about the next member.
#[derive(Default)]
struct Extended {
    name: Option<Vec<u8>>,
    /// A sparse file has its real name elsewhere.
    real_name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
}

/// Whether it was read to its end.
pub(super) fn list(stream: &mut dyn Stream, found: &mut Found<'_>) -> bool {
    let mut extended = Extended::default();
    let (mut global, mut empty) = (Extended::default(), 0);
    let mut block = [0; BLOCK];
    loop {
        match stream.read(&mut block) {
            0 => return !stream.failed(),
            BLOCK => {}
            // Not even a header.
            _ => return false,
        }
        if is_empty(&block) {
            // The end, unless whoever reads it goes on.
            empty += 1;
            if empty > MOST_EMPTY {
                return false;
            }
            continue;
        }
        if !has_right_sum(&block) || found.is_full() {
            return empty >= 2 && !found.is_full();
        }
        empty = 0;
        let size = number(&block[124..136]).unwrap_or(u64::MAX);
        let kind = block[156];
        if let b'x' | b'X' | b'g' | b'L' | b'K' | b'N' = kind {
            let Some(content) = content(stream, size) else { return false };
            match kind {
                b'L' => extended.name = Some(until_null(&content)),
                b'K' => extended.link = Some(until_null(&content)),
                b'g' => records(&content, &mut global),
                // Names in a form of which nobody knows much any more.
                b'N' => return false,
                _ => records(&content, &mut extended),
            }
            continue;
        }
        let told = std::mem::take(&mut extended);
        let size = told.size.or(global.size).unwrap_or(size);
        let name = told.name.unwrap_or_else(|| own_name(&block));
        // For all that follow; not every program obeys.
        if let Some(name) = &global.name {
            found.add(name, What::File(None));
        }
        let link =
            told.link.or_else(|| global.link.clone()).unwrap_or_else(|| field(&block, 157..257).to_vec());
        let link = || String::from_utf8_lossy(&link).into_owned();
        if kind == b'S' && !pass_sparse_map(stream, &block) {
            return false;
        }
        let ends_as_folder = name.ends_with(b"/");
        let (what, rest) = match kind {
            b'1' => (What::Twin(link()), 0),
            b'2' => (What::Link(link()), 0),
            b'5' | b'D' => (What::Folder, if kind == b'D' { size } else { 0 }),
            b'0' | 0 if ends_as_folder => (What::Folder, size),
            // The name of the whole archive.
            b'V' => (What::Folder, size),
            b'3' | b'4' | b'6' => (What::File(None), 0),
            _ => {
                let (what, left) = text_of(stream, &name, size, found);
                if left == 0 && size > 0 && !pad(stream, size) {
                    return false;
                }
                (what, left)
            }
        };
        if let Some(real) = told.real_name {
            found.add(&real, what.clone());
        }
        // Links and folders may say a size that nothing follows; most programs believe the kind.
        found.add(&name, what);
        if rest > 0 && !(stream.skip(rest) && pad(stream, rest)) {
            return false;
        }
    }
}

/// To the end of the last block.
fn pad(stream: &mut dyn Stream, size: u64) -> bool {
    let over = size % BLOCK as u64;
    over == 0 || stream.skip(BLOCK as u64 - over)
}

fn content(stream: &mut dyn Stream, size: u64) -> Option<Vec<u8>> {
    let length = usize::try_from(size).ok().filter(|_| size <= LONGEST_HEADER)?;
    let content = stream.take(length)?;
    pad(stream, size).then_some(content)
}

fn until_null(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().take_while(|byte| *byte != 0).take(LONGEST_NAME + 1).collect()
}

/// The name in the header itself; POSIX has its first part in another place.
fn own_name(block: &[u8]) -> Vec<u8> {
    let name = field(block, 0..100);
    let prefix = if &block[257..263] == b"ustar\0" { field(block, 345..500) } else { &[] };
    if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() }
}

/// `30 path=a/long/name\n`, one after the other.
fn records(mut content: &[u8], into: &mut Extended) {
    while let Some(blank) = content.iter().position(|byte| *byte == b' ') {
        let digits = std::str::from_utf8(&content[..blank]).unwrap_or_default();
        let Ok(length) = digits.parse::<usize>() else { return };
        let Some(record) = content.get(blank + 1..length.saturating_sub(1)) else { return };
        if let Some(equals) = record.iter().position(|byte| *byte == b'=') {
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            match key {
                b"path" => into.name = Some(value.to_vec()),
                b"linkpath" => into.link = Some(value.to_vec()),
                b"GNU.sparse.name" => into.real_name = Some(value.to_vec()),
                b"size" => into.size = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
                _ => {}
            }
        }
        content = content.get(length..).unwrap_or_default();
    }
}

/// The list of a sparse file's parts may go on in blocks of its own.
fn pass_sparse_map(stream: &mut dyn Stream, header: &[u8]) -> bool {
    let mut more = header[482] != 0;
    while more {
        let Some(block) = stream.take(BLOCK) else { return false };
        more = block[504] != 0;
    }
    true
}
