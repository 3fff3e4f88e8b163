//! Places in a text that something could begin at: for what looks at everything that tools return. First each byte gets marks, by a
//! question without branches (`|` and `&`) that the compiler makes vector instructions of; then the marks are looked at, sixteen at a time.

/// Bytes that are looked at together.
const BLOCK: usize = 16;
/// Bytes that get their marks in one loop, so that the marks stay near.
const CHUNK: usize = 64 * BLOCK;

/// The marks of sixteen bytes of a text.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// Where the first of them stands.
    pub(crate) at: usize,
    low: u64,
    high: u64,
}

impl Block {
    /// Whether no byte has a mark.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.low | self.high == 0
    }

    /// The bytes that have one of eight marks, and the place of each.
    #[inline]
    pub(crate) fn each(self, mark: u8, mut see: impl FnMut(usize)) {
        for (half, at) in [(self.low, self.at), (self.high, self.at + 8)] {
            let mut marks = half & word(mark);
            while marks != 0 {
                see(at + before(marks));
                marks &= marks - 1;
            }
        }
    }

    /// The bytes of its two halves that do not have a mark, for `before` and `behind`.
    #[inline]
    pub(crate) fn without(self, mark: u8) -> [u64; 2] {
        [!self.low & word(mark), !self.high & word(mark)]
    }
}

const fn word(mark: u8) -> u64 {
    0x0101_0101_0101_0101 * mark as u64
}

/// How many of eight bytes come before the first marked one.
#[inline]
pub(crate) fn before(half: u64) -> usize {
    (half.trailing_zeros() / 8) as usize
}

/// How many come behind the last.
#[inline]
pub(crate) fn behind(half: u64) -> usize {
    (half.leading_zeros() / 8) as usize
}

/// Shows the marks of a text, block by block. `marks` gives those of a byte (one bit each) by the byte before, the byte and the byte behind.
/// A text stands between line ends, and the last block is filled up with them.
#[inline]
pub(crate) fn blocks(text: &[u8], marks: impl Fn(u8, u8, u8) -> u8, mut see: impl FnMut(Block)) {
    let mut marked = [0; CHUNK];
    for (number, chunk) in text.chunks(CHUNK).enumerate() {
        let start = number * CHUNK;
        let end = start + chunk.len();
        // Those with a neighbour on both sides.
        let (from, to) = (start.max(1), end.min(text.len() - 1));
        if from < to {
            let neighbours = text[from - 1..to - 1].iter().zip(&text[from + 1..=to]);
            let bytes = text[from..to].iter().zip(neighbours);
            for (mark, (byte, (before, behind))) in marked[from - start..to - start].iter_mut().zip(bytes) {
                *mark = marks(*before, *byte, *behind);
            }
        }
        let beside = |at: usize| text.get(at).copied().unwrap_or(b'\n');
        for at in [start, end - 1] {
            marked[at - start] = marks(beside(at.wrapping_sub(1)), text[at], beside(at + 1));
        }
        let whole = chunk.len().next_multiple_of(BLOCK);
        marked[chunk.len()..whole].fill(marks(b'\n', b'\n', b'\n'));
        let (blocks, _) = marked[..whole].as_chunks::<BLOCK>();
        let mut at = start;
        for block in blocks {
            let all = u128::from_le_bytes(*block);
            #[expect(clippy::cast_possible_truncation, reason = "the two halves of it")]
            see(Block { at, low: all as u64, high: (all >> 64) as u64 });
            at += BLOCK;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_seen_once_with_its_neighbours() {
        let longs = (0..70_usize).chain([CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 17]);
        for long in longs {
            let text: Vec<u8> = (b'a'..=b'w').cycle().take(long).collect();
            let (mut seen, mut pairs, mut last) = (Vec::new(), 0, 0);
            let marks = |before: u8, byte: u8, behind: u8| {
                1 << (byte & 1) | u8::from(before + 1 == byte && byte + 1 == behind) << 2
            };
            blocks(&text, marks, |block| {
                assert_eq!(block.at, last);
                last += BLOCK;
                for bit in 0..2 {
                    block.each(1 << bit, |place| seen.push(place));
                }
                block.each(4, |_| pairs += 1);
            });
            seen.retain(|place| *place < long);
            seen.sort_unstable();
            assert_eq!(seen, (0..long).collect::<Vec<_>>());
            let expected =
                text.windows(3).filter(|three| three[0] + 1 == three[1] && three[1] + 1 == three[2]);
            assert_eq!(pairs, expected.count(), "{long}");
        }
    }

    #[test]
    fn the_ends_of_a_half_are_counted() {
        let dash = |_, byte, _| u8::from(byte != b'-');
        blocks(b"abcdef-hi-klmnop", dash, |block| {
            let [low, high] = block.without(1);
            assert_eq!((before(low), behind(low), before(high), behind(high)), (6, 1, 1, 6));
        });
        blocks(
            b"-",
            |_, byte, _| u8::from(byte != b'\n'),
            |block| assert_eq!(before(block.without(1)[0]), 1),
        );
    }
}
