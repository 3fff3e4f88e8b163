//! Bytes of a file that lies elsewhere: in pieces, in order, and unpacked on the way.

use flate2::{Decompress, FlushDecompress, Status};

use super::MOST_UNPACKED;

/// How much is asked for at once.
const WINDOW: usize = 64 * 1024;

/// A file, by a question for pieces of it.
#[expect(missing_debug_implementations, reason = "a question has nothing to show")]
pub struct Bytes<'a> {
    pub size: u64,
    /// At most so many bytes from a place on; `None` where they cannot be had.
    pub piece: &'a dyn Fn(u64, usize) -> Option<Vec<u8>>,
}

impl<'a> Bytes<'a> {
    /// Exactly so many from there on.
    pub(super) fn exact(&self, from: u64, count: usize) -> Option<Vec<u8>> {
        (self.piece)(from, count).filter(|bytes| bytes.len() == count)
    }

    pub(super) fn stream(&'a self) -> Window<'a> {
        Window { of: self, at: 0, held: Vec::new(), held_at: 0, failed: false }
    }
}

/// Bytes in order.
pub(super) trait Stream {
    /// Fills `out` from its beginning, and says how far; less than all only at the end.
    fn read(&mut self, out: &mut [u8]) -> usize;

    /// Whether there was so much to leave out.
    fn skip(&mut self, count: u64) -> bool;

    /// Something could not be read, or was more than is read.
    fn failed(&self) -> bool;

    /// The next so many bytes; `None` where there are fewer.
    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        (self.read(&mut bytes) == count).then_some(bytes)
    }
}

pub(super) struct Window<'a> {
    of: &'a Bytes<'a>,
    at: u64,
    held: Vec<u8>,
    held_at: u64,
    failed: bool,
}

impl Window<'_> {
    /// What is there from here on, a part of it; empty at the end.
    fn rest(&mut self) -> &[u8] {
        let end = self.held_at + self.held.len() as u64;
        if self.at < self.held_at || self.at >= end {
            let piece =
                if self.at < self.of.size { (self.of.piece)(self.at, WINDOW) } else { Some(Vec::new()) };
            // A file that is shorter than it said was cut meanwhile.
            self.failed |= piece.as_ref().is_none_or(|piece| piece.is_empty() && self.at < self.of.size);
            self.held = piece.unwrap_or_default();
            self.held_at = self.at;
        }
        usize::try_from(self.at - self.held_at)
            .ok()
            .and_then(|from| self.held.get(from..))
            .unwrap_or_default()
    }
}

impl Stream for Window<'_> {
    fn read(&mut self, out: &mut [u8]) -> usize {
        let mut done = 0;
        while done < out.len() {
            let rest = self.rest();
            let count = rest.len().min(out.len() - done);
            if count == 0 {
                break;
            }
            out[done..done + count].copy_from_slice(&rest[..count]);
            done += count;
            self.at += count as u64;
        }
        done
    }

    fn skip(&mut self, count: u64) -> bool {
        self.at = self.at.saturating_add(count);
        self.at <= self.of.size
    }

    fn failed(&self) -> bool {
        self.failed
    }
}

/// What `gzip` has packed, one part after the other.
pub(super) struct Gunzip<'a> {
    from: Window<'a>,
    state: Decompress,
    /// Unpacked and not yet taken.
    held: Vec<u8>,
    taken: usize,
    total: u64,
    ended: bool,
    failed: bool,
}

impl<'a> Gunzip<'a> {
    /// `None` where it does not begin as such a file does.
    pub(super) fn new(mut from: Window<'a>) -> Option<Self> {
        header(&mut from)?;
        let state = Decompress::new(false);
        Some(Self { from, state, held: Vec::new(), taken: 0, total: 0, ended: false, failed: false })
    }

    fn fill(&mut self) {
        self.taken = 0;
        self.held.clear();
        while self.held.is_empty() && !self.ended {
            let mut out = std::mem::take(&mut self.held);
            out.resize(WINDOW, 0);
            let (read_before, written_before) = (self.state.total_in(), self.state.total_out());
            let input = self.from.rest();
            let at_end = input.is_empty();
            let status = self.state.decompress(input, &mut out, FlushDecompress::None);
            let read = self.state.total_in() - read_before;
            let written = self.state.total_out() - written_before;
            self.from.at += read;
            self.total += written;
            out.truncate(usize::try_from(written).unwrap_or_default());
            self.held = out;
            match status {
                Ok(Status::StreamEnd) => self.next_part(),
                Ok(_) if read > 0 || written > 0 => {}
                // Cut off in the middle, or no such text.
                _ => self.end(at_end || status.is_err()),
            }
            if self.total > MOST_UNPACKED {
                self.end(true);
            }
        }
    }

    /// After a part comes its check sum, and perhaps another part.
    fn next_part(&mut self) {
        self.from.skip(8);
        if self.from.rest().starts_with(&[0x1f, 0x8b]) && header(&mut self.from).is_some() {
            self.state.reset(false);
        } else {
            self.end(false);
        }
    }

    fn end(&mut self, failed: bool) {
        self.ended = true;
        self.failed |= failed;
    }
}

impl Stream for Gunzip<'_> {
    fn read(&mut self, out: &mut [u8]) -> usize {
        let mut done = 0;
        while done < out.len() {
            if self.taken == self.held.len() {
                self.fill();
                if self.held.is_empty() {
                    break;
                }
            }
            let count = (self.held.len() - self.taken).min(out.len() - done);
            out[done..done + count].copy_from_slice(&self.held[self.taken..self.taken + count]);
            done += count;
            self.taken += count;
        }
        done
    }

    fn skip(&mut self, mut count: u64) -> bool {
        while count > 0 {
            if self.taken == self.held.len() {
                self.fill();
                if self.held.is_empty() {
                    return false;
                }
            }
            let step = ((self.held.len() - self.taken) as u64).min(count);
            self.taken += usize::try_from(step).unwrap_or(self.held.len());
            count -= step;
        }
        true
    }

    fn failed(&self) -> bool {
        self.failed || self.from.failed
    }
}

/// All that `gzip` has packed, where it is not longer than `most`.
pub fn gunzip(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let piece = |from: u64, count: usize| {
        let from = usize::try_from(from).ok()?.min(packed.len());
        Some(packed[from..from.saturating_add(count).min(packed.len())].to_vec())
    };
    let bytes = Bytes { size: packed.len() as u64, piece: &piece };
    let mut plain = vec![0; most + 1];
    let mut stream = Gunzip::new(bytes.stream())?;
    let count = stream.read(&mut plain);
    plain.truncate(count);
    (count <= most && !stream.failed()).then_some(plain)
}

/// Past the header of a part, which has a name and other things of any length.
fn header(from: &mut Window<'_>) -> Option<()> {
    let head = from.take(10)?;
    let [0x1f, 0x8b, 8, flags, ..] = head[..] else { return None };
    if flags & 4 != 0 {
        let length = from.take(2)?;
        from.skip(u64::from(u16::from_le_bytes([length[0], length[1]])));
    }
    for _ in 0..(u8::from(flags & 8 != 0) + u8::from(flags & 16 != 0)) {
        let mut left = WINDOW;
        while from.take(1)? != [0] {
            left = left.checked_sub(1)?;
        }
    }
    if flags & 2 != 0 {
        from.skip(2);
    }
    Some(())
}

/// One whole `deflate` text, as in a zip archive, where it is not longer than `most`.
pub(super) fn inflate(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut state = Decompress::new(false);
    let mut out = Vec::with_capacity(most.min(4 * packed.len() + 1024));
    loop {
        let before = (state.total_in(), state.total_out());
        let at = usize::try_from(state.total_in()).ok()?;
        out.reserve(1024);
        let status = state.decompress_vec(packed.get(at..)?, &mut out, FlushDecompress::None).ok()?;
        if out.len() > most {
            return None;
        }
        match status {
            Status::StreamEnd => return Some(out),
            _ if before == (state.total_in(), state.total_out()) => return None,
            _ => {}
        }
    }
}
