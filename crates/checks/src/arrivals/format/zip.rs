//! Names in a zip archive. They stand in the directory at its end, again before each file, and for some programs once more in an extra
//! field. Programs differ in which they believe, so all of them count.

use model::What;

use super::archive::Found;
use super::bytes::{Bytes, inflate};
use super::{LONGEST_FILE, MOST_TEXT};

/// How far from its end the last record of an archive begins at most.
const LONGEST_END: u64 = 22 + 65_535;
const LAST: &[u8] = b"PK\x05\x06";
const LAST_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const ENTRY: &[u8] = b"PK\x01\x02";
const FILE: &[u8] = b"PK\x03\x04";
/// A directory of more bytes has more names than are read.
const LONGEST_DIRECTORY: u64 = MOST_TEXT as u64;

fn half(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 2).map_or(0, |pair| u64::from(u16::from_le_bytes([pair[0], pair[1]])))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    half(bytes, at) | half(bytes, at + 2) << 16
}

fn long(bytes: &[u8], at: usize) -> u64 {
    word(bytes, at) | word(bytes, at + 4) << 32
}

/// Where a directory may lie.
struct Directory {
    from: u64,
    size: u64,
    /// What places in it are counted from.
    base: u64,
}

/// Whether it ends as an archive does, whatever it begins with.
pub(super) fn is_behind_something(bytes: &Bytes<'_>) -> bool {
    last_record(bytes).is_some()
}

/// The last record, and where it begins.
fn last_record(bytes: &Bytes<'_>) -> Option<(u64, Vec<u8>)> {
    let from = bytes.size.saturating_sub(LONGEST_END);
    let end = (bytes.piece)(from, usize::try_from(LONGEST_END).ok()?)?;
    let at = end.windows(LAST.len()).rposition(|four| four == LAST)?;
    let record = end.get(at..at + 22)?.to_vec();
    Some((from + at as u64, record))
}

/// Whether every name was read.
pub(super) fn list(bytes: &Bytes<'_>, found: &mut Found<'_>) -> bool {
    let Some(directories) = directories(bytes) else { return false };
    // Where none begins as one, there is something that is not understood.
    let read: Vec<bool> =
        directories.iter().filter_map(|directory| entries(bytes, directory, found)).collect();
    !read.is_empty() && read.into_iter().all(|whole| whole)
}

/// Every place where one of the programs would look.
fn directories(bytes: &Bytes<'_>) -> Option<Vec<Directory>> {
    let (at, record) = last_record(bytes)?;
    let (size, offset) = (word(&record, 12), word(&record, 16));
    let mut all = Vec::new();
    let mut add = |size: u64, offset: u64, end: u64| {
        // Something may stand before the archive, and then its own numbers are too small.
        let before = end.checked_sub(size).and_then(|from| from.checked_sub(offset)).unwrap_or(0);
        all.push(Directory { from: offset.saturating_add(before), size, base: before });
        if before > 0 {
            all.push(Directory { from: offset, size, base: 0 });
        }
    };
    let locator = at.checked_sub(20).and_then(|from| bytes.exact(from, 20));
    if let Some(locator) = locator.filter(|locator| locator.starts_with(LOCATOR_64)) {
        // The record that it names, and the one that lies right before it.
        let nearest = at.saturating_sub(20 + 56);
        let mut places = vec![long(&locator, 8), nearest];
        places.dedup();
        for place in places {
            let record = bytes.exact(place, 56).filter(|record| record.starts_with(LAST_64));
            if let Some(record) = record {
                add(long(&record, 40), long(&record, 48), place);
            }
        }
    }
    // All ones: look at the larger record.
    if size != 0xffff_ffff && offset != 0xffff_ffff {
        add(size, offset, at);
    }
    Some(all)
}

/// Whether all of a directory was read; `None` where there is none.
fn entries(bytes: &Bytes<'_>, directory: &Directory, found: &mut Found<'_>) -> Option<bool> {
    if directory.size > LONGEST_DIRECTORY {
        return Some(false);
    }
    let list = bytes.exact(directory.from, usize::try_from(directory.size).ok()?)?;
    if !list.is_empty() && !list.starts_with(ENTRY) {
        return None;
    }
    let mut at = 0;
    while let Some(entry) = list.get(at..).filter(|entry| entry.starts_with(ENTRY)) {
        let (name_length, extra_length, comment) = (half(entry, 28), half(entry, 30), half(entry, 32));
        let lengths = [name_length, extra_length, comment].map(|length| usize::try_from(length).unwrap_or(0));
        let Some(name) = entry.get(46..46 + lengths[0]) else { return Some(false) };
        let extra = entry.get(46 + lengths[0]..46 + lengths[0] + lengths[1]).unwrap_or_default();
        if found.is_full() {
            return Some(false);
        }
        // Only from Unix a mode is one.
        let mode = if matches!(entry.get(5), Some(3 | 19)) { word(entry, 38) >> 16 } else { 0 };
        let member = Member {
            method: half(entry, 10),
            packed: word(entry, 20),
            size: word(entry, 24),
            at: directory.base + word(entry, 42),
            is_link: mode & 0o170_000 == 0o120_000,
        };
        member.add(name, extra, bytes, found);
        at += 46 + lengths.iter().sum::<usize>();
    }
    Some(at >= list.len())
}

struct Member {
    method: u64,
    packed: u64,
    size: u64,
    at: u64,
    is_link: bool,
}

impl Member {
    fn add(&self, name: &[u8], extra: &[u8], bytes: &Bytes<'_>, found: &mut Found<'_>) {
        // A name of 64 KB in each place at most; the usual ones are read at once.
        let local = (bytes.piece)(self.at, 512).filter(|head| head.starts_with(FILE)).unwrap_or_default();
        let name_length = usize::try_from(half(&local, 26)).unwrap_or(0);
        let extra_length = usize::try_from(half(&local, 28)).unwrap_or(0);
        let own = match local.get(30..30 + name_length) {
            Some(name) => name.to_vec(),
            None if local.is_empty() => name.to_vec(),
            None => bytes.exact(self.at + 30, name_length).unwrap_or_else(|| name.to_vec()),
        };
        let text = || {
            let from = self.at + 30 + name_length as u64 + extra_length as u64;
            let packed = usize::try_from(self.packed).ok().filter(|_| self.packed <= LONGEST_FILE)?;
            let packed = bytes.exact(from, packed)?;
            let plain = match self.method {
                0 => packed,
                8 => inflate(&packed, usize::try_from(LONGEST_FILE).ok()?)?,
                _ => return None,
            };
            Some(String::from_utf8_lossy(&plain).into_owned())
        };
        let what = if name.ends_with(b"/") {
            What::Folder
        } else if self.is_link {
            What::Link(text().unwrap_or_default())
        } else {
            What::File(if found.wants(name, self.size) { text() } else { None })
        };
        if own != name {
            found.add(&own, what.clone());
        }
        if let Some(other) = unicode_name(extra) {
            found.add(other, what.clone());
        }
        // Windows writes its own sort of slash.
        if name.contains(&b'\\') {
            let turned: Vec<u8> = name.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
            found.add(&turned, what.clone());
        }
        found.add(name, what);
    }
}

/// The name in another coding: `0x7075`, length, version, check sum, name.
fn unicode_name(mut extra: &[u8]) -> Option<&[u8]> {
    while extra.len() >= 4 {
        let (kind, length) = (half(extra, 0), usize::try_from(half(extra, 2)).ok()?);
        let value = extra.get(4..4 + length)?;
        if kind == 0x7075 {
            return value.get(5..).filter(|name| !name.is_empty());
        }
        extra = extra.get(4 + length..)?;
    }
    None
}
