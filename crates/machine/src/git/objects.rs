//! Git's objects, read from its own files without starting it: loose ones, packs with their deltas, the stores of others that are
//! named. What is not understood is unknown, never a guess.

use std::cell::{Cell, OnceCell};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::{Decompress, FlushDecompress, Status};
use model::Unknown;

use super::Repository;
use crate::files;

/// Bytes of all objects that one question may come to.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// An object that is longer is not read.
const LONGEST: usize = 16 * 1024 * 1024;
/// Deltas upon deltas; git itself makes fifty.
const DEEPEST: usize = 250;
const MOST_PACKS: usize = 200;
const MOST_STORES: usize = 5;

/// The bytes of an object's name.
pub(super) type Id = Vec<u8>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl Kind {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"commit" => Self::Commit,
            b"tree" => Self::Tree,
            b"blob" => Self::Blob,
            b"tag" => Self::Tag,
            _ => return None,
        })
    }

    fn numbered(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Commit,
            2 => Self::Tree,
            3 => Self::Blob,
            4 => Self::Tag,
            _ => return None,
        })
    }
}

/// Where a repository keeps its objects.
pub(super) struct Objects {
    stores: Vec<PathBuf>,
    packs: OnceCell<Vec<Pack>>,
    /// Bytes that are still to be had.
    left: Cell<usize>,
}

fn unknown(why: &str) -> Unknown {
    Unknown(format!("git: {why}"))
}

impl Objects {
    pub(super) fn of(repository: &Repository) -> Self {
        let mut stores = vec![repository.common_dir.join("objects")];
        let mut at = 0;
        // A store may name others, and those others again.
        while let Some(store) = stores.get(at).filter(|_| stores.len() < MOST_STORES) {
            let named = files::read(&store.join("info/alternates")).ok().flatten().unwrap_or_default();
            let more: Vec<PathBuf> =
                named.lines().filter(|line| !line.is_empty()).map(|line| store.join(line)).collect();
            stores.extend(more.into_iter().take(MOST_STORES));
            at += 1;
        }
        stores.truncate(MOST_STORES);
        Self { stores, packs: OnceCell::new(), left: Cell::new(MOST_BYTES) }
    }

    fn packs(&self) -> &[Pack] {
        self.packs.get_or_init(|| {
            let lists = self.stores.iter().flat_map(|store| files::list(&store.join("pack")));
            let indices = lists.filter(|path| path.extension().is_some_and(|ending| ending == "idx"));
            indices.take(MOST_PACKS + 1).filter_map(|path| Pack::open(&path)).collect()
        })
    }

    /// An object with its kind; unknown also where it is missing, because git may fetch it.
    pub(super) fn read(&self, id: &[u8]) -> Result<(Kind, Vec<u8>), Unknown> {
        self.find(id, 0)
    }

    fn find(&self, id: &[u8], depth: usize) -> Result<(Kind, Vec<u8>), Unknown> {
        if depth > DEEPEST {
            return Err(unknown("too many deltas"));
        }
        for store in &self.stores {
            let hex = hex(id);
            let loose = store.join(&hex[..2]).join(&hex[2..]);
            if let Ok(packed) = files::read_bytes(&loose) {
                return self.loose(&packed);
            }
        }
        if self.packs().len() > MOST_PACKS {
            return Err(unknown("there are too many packs"));
        }
        for pack in self.packs() {
            if let Some(at) = pack.offset(id) {
                return self.packed(pack, at, depth);
            }
        }
        Err(unknown("an object is not there"))
    }

    fn spend(&self, count: usize) -> Result<(), Unknown> {
        let left = self.left.get().checked_sub(count).ok_or_else(|| unknown("there is too much to read"))?;
        self.left.set(left);
        Ok(())
    }

    /// `tree 123\0…`
    fn loose(&self, packed: &[u8]) -> Result<(Kind, Vec<u8>), Unknown> {
        let mut once = Some(packed.to_vec());
        let plain = inflate(&mut || once.take(), LONGEST)
            .ok_or_else(|| unknown("an object is broken or too long"))?;
        self.spend(plain.len())?;
        let end = plain.iter().position(|byte| *byte == 0).ok_or_else(|| unknown("an object is broken"))?;
        let name = plain[..end].split(|byte| *byte == b' ').next().unwrap_or_default();
        let kind = Kind::named(name).ok_or_else(|| unknown("an object is of no kind"))?;
        Ok((kind, plain[end + 1..].to_vec()))
    }

    fn packed(&self, pack: &Pack, at: u64, depth: usize) -> Result<(Kind, Vec<u8>), Unknown> {
        if depth > DEEPEST {
            return Err(unknown("too many deltas"));
        }
        let broken = || unknown("a pack is broken");
        let head = pack.piece(at, 64).ok_or_else(broken)?;
        let mut bytes = head.iter().copied().enumerate();
        let (_, first) = bytes.next().ok_or_else(broken)?;
        let (mut size, mut shift, mut more) = (usize::from(first & 15), 4, first & 0x80 != 0);
        while more {
            let (_, byte) = bytes.next().filter(|_| shift < 56).ok_or_else(broken)?;
            size |= usize::from(byte & 0x7f) << shift;
            (shift, more) = (shift + 7, byte & 0x80 != 0);
        }
        if size > LONGEST {
            return Err(unknown("an object is too long"));
        }
        self.spend(size)?;
        let number = first >> 4 & 7;
        let (base, used) = match number {
            // So many bytes before this one.
            6 => {
                let (mut used, byte) = bytes.next().ok_or_else(broken)?;
                let (mut back, mut more) = (u64::from(byte & 0x7f), byte & 0x80 != 0);
                while more {
                    let (at, byte) = bytes.next().filter(|_| back < 1 << 48).ok_or_else(broken)?;
                    back = (back + 1) << 7 | u64::from(byte & 0x7f);
                    (used, more) = (at, byte & 0x80 != 0);
                }
                let base = at.checked_sub(back).filter(|_| back > 0).ok_or_else(broken)?;
                (Some(self.packed(pack, base, depth + 1)?), used + 1)
            }
            // By its name.
            7 => {
                let from = bytes.next().map(|(at, _)| at).ok_or_else(broken)?;
                let id = head.get(from..from + pack.id_length).ok_or_else(broken)?;
                (Some(self.find(id, depth + 1)?), from + pack.id_length)
            }
            _ => (None, bytes.next().map_or(head.len(), |(at, _)| at)),
        };
        let mut from = at + used as u64;
        let mut next = || {
            let piece = pack.piece(from, 16 * 1024)?;
            from += piece.len() as u64;
            Some(piece)
        };
        let plain = inflate(&mut next, size).filter(|plain| plain.len() == size).ok_or_else(broken)?;
        match base {
            Some((kind, base)) => {
                let whole = patched(&base, &plain).ok_or_else(broken)?;
                self.spend(whole.len())?;
                Ok((kind, whole))
            }
            None => Ok((Kind::numbered(number).ok_or_else(broken)?, plain)),
        }
    }

    /// The only object whose name begins like this; `Ok(None)` where there is none.
    pub(super) fn abbreviated(&self, text: &str) -> Result<Option<Id>, Unknown> {
        let mut found: Vec<String> = Vec::new();
        for store in &self.stores {
            for path in files::list(&store.join(&text[..2])) {
                let name =
                    format!("{}{}", &text[..2], path.file_name().unwrap_or_default().to_string_lossy());
                found.extend(Some(name).filter(|name| name.starts_with(text)));
            }
        }
        if self.packs().len() > MOST_PACKS {
            return Err(unknown("there are too many packs"));
        }
        found.extend(self.packs().iter().flat_map(|pack| pack.beginning_with(text)));
        found.sort();
        found.dedup();
        match found.as_slice() {
            [] => Ok(None),
            [only] => bytes(only).map(Some).ok_or_else(|| unknown("an object has no name")),
            _ => Err(unknown("several objects begin like this")),
        }
    }
}

/// What is unpacked from pieces; `None` where it is broken or longer than `most`.
fn inflate(next: &mut dyn FnMut() -> Option<Vec<u8>>, most: usize) -> Option<Vec<u8>> {
    let mut state = Decompress::new(true);
    let mut out: Vec<u8> = Vec::new();
    loop {
        let piece = next().filter(|piece| !piece.is_empty())?;
        let mut used = 0;
        loop {
            let (read, written) = (state.total_in(), state.total_out());
            // What is spare gets filled with zeros first, and most objects are short.
            out.reserve(out.len().clamp(1024, 256 * 1024));
            let status = state.decompress_vec(&piece[used..], &mut out, FlushDecompress::None).ok()?;
            used += usize::try_from(state.total_in() - read).ok()?;
            if out.len() > most {
                return None;
            }
            match status {
                Status::StreamEnd => return Some(out),
                _ if used == piece.len() && state.total_out() - written == 0 => break,
                _ if state.total_in() == read && state.total_out() == written => break,
                _ => {}
            }
        }
    }
}

/// A text made from another: pieces of it, and new bytes.
fn patched(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta;
    let mut number = || {
        let (mut value, mut shift) = (0_usize, 0);
        loop {
            let (byte, after) = rest.split_first()?;
            rest = after;
            value |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    };
    let (before, after) = (number()?, number()?);
    if before != base.len() || after > LONGEST {
        return None;
    }
    let mut out = Vec::with_capacity(after);
    while let Some((order, tail)) = rest.split_first() {
        rest = tail;
        if order & 0x80 == 0 {
            let new = rest.get(..usize::from(*order)).filter(|new| !new.is_empty())?;
            out.extend(new);
            rest = &rest[new.len()..];
        } else {
            // Each bit says whether a byte of the place or of the length follows.
            let mut fields = [0_usize; 7];
            for (bit, field) in fields.iter_mut().enumerate() {
                if order >> bit & 1 == 1 {
                    let (byte, tail) = rest.split_first()?;
                    (*field, rest) = (usize::from(*byte), tail);
                }
            }
            let from = fields[0] | fields[1] << 8 | fields[2] << 16 | fields[3] << 24;
            let length = fields[4] | fields[5] << 8 | fields[6] << 16;
            let length = if length == 0 { 0x10000 } else { length };
            out.extend(base.get(from..from.checked_add(length)?)?);
        }
        if out.len() > after {
            return None;
        }
    }
    (out.len() == after).then_some(out)
}

/// A pack and the list of what is in it.
struct Pack {
    index: File,
    content: File,
    count: u64,
    id_length: usize,
}

impl Pack {
    fn open(index: &Path) -> Option<Self> {
        let file = files::open(index).ok()?;
        let content = files::open(&index.with_extension("pack")).ok()?;
        let mut this = Self { index: file, content, count: 0, id_length: 20 };
        let head = this.listed(0, 8)?;
        if head != [0xff, b't', b'O', b'c', 0, 0, 0, 2] {
            return None;
        }
        this.count = u64::from(this.word(8 + 255 * 4)?);
        // Longer names make a longer list; the eight bytes that large packs add for some are fewer than that.
        let with_long_names = 8 + 1024 + this.count * (32 + 8) + 2 * 32;
        this.id_length = if this.index.metadata().ok()?.len() >= with_long_names { 32 } else { 20 };
        Some(this)
    }

    fn listed(&self, from: u64, count: usize) -> Option<Vec<u8>> {
        piece(&self.index, from, count).filter(|bytes| bytes.len() == count)
    }

    fn word(&self, from: u64) -> Option<u32> {
        Some(u32::from_be_bytes(self.listed(from, 4)?.try_into().ok()?))
    }

    fn piece(&self, from: u64, most: usize) -> Option<Vec<u8>> {
        piece(&self.content, from, most)
    }

    fn id(&self, number: u64) -> Option<Vec<u8>> {
        self.listed(8 + 1024 + number * self.id_length as u64, self.id_length)
    }

    /// The first place at which a name that is not smaller stands.
    fn place(&self, id: &[u8]) -> Option<u64> {
        let first = u64::from(*id.first()?);
        let begin = if first == 0 { 0 } else { u64::from(self.word(8 + (first - 1) * 4)?) };
        let (mut low, mut high) = (begin, u64::from(self.word(8 + first * 4)?).min(self.count));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.id(middle)?.as_slice() < id { low = middle + 1 } else { high = middle }
        }
        Some(low)
    }

    fn offset(&self, id: &[u8]) -> Option<u64> {
        let place = self.place(id).filter(|place| *place < self.count && id.len() == self.id_length)?;
        if self.id(place)? != id {
            return None;
        }
        let after_names = 8 + 1024 + self.count * self.id_length as u64;
        let offsets = after_names + self.count * 4;
        let small = self.word(offsets + place * 4)?;
        if small & 0x8000_0000 == 0 {
            return Some(small.into());
        }
        let large = offsets + self.count * 4 + u64::from(small & 0x7fff_ffff) * 8;
        Some(u64::from(self.word(large)?) << 32 | u64::from(self.word(large + 4)?))
    }

    /// Names that begin with these digits, a few of them.
    fn beginning_with(&self, text: &str) -> Vec<String> {
        let padded = format!("{text:0<width$}", width = 2 * self.id_length);
        let Some(first) = bytes(&padded).and_then(|id| self.place(&id)) else { return Vec::new() };
        let names = (first..self.count.min(first + 3)).filter_map(|place| Some(hex(&self.id(place)?)));
        names.filter(|name| name.starts_with(text)).collect()
    }
}

fn piece(mut file: &File, from: u64, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(most);
    file.seek(SeekFrom::Start(from)).ok()?;
    file.take(most as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

pub(super) fn hex(id: &[u8]) -> String {
    id.iter().fold(String::with_capacity(2 * id.len()), |text, byte| text + &format!("{byte:02x}"))
}

/// The bytes of a whole name in digits.
pub(super) fn bytes(text: &str) -> Option<Id> {
    let pair = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (0..text.len())
        .step_by(2)
        .map(pair)
        .collect::<Option<Id>>()
        .filter(|_| digits && text.len().is_multiple_of(2))
}
