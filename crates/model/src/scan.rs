//! Places in a text that something could begin at: for what looks at everything that tools return. First each byte gets marks, by
//! questions without branches (`|` and `&`) that the compiler makes vector instructions of: as few as will do, so that some bytes are marked
//! for whom it is found out later. Then the marks are looked at, eight at a time. Secrets and what is hidden share that one pass.

/// Bytes that are looked at together.
const TOGETHER: usize = 8;
/// Bytes that get their marks in one loop, so that the marks stay near.
const CHUNK: usize = 64 * TOGETHER;

/// What runs are made of: letters, figures, `_` and `-`, and signs that are seldom beside them.
const RUN: u8 = 1;
/// A sign behind a name (`=`, `:`), what hidden things begin with (`<`, `!`, `[`, an escape, the first byte of a character that is not
/// ASCII), and a dash before a letter as `BEGIN` and `END` begin with.
const EVENT: u8 = 0x80;

const fn all(mark: u8) -> u64 {
    0x0101_0101_0101_0101 * mark as u64
}

/// The marks of some bytes, with those of the eight before and room for the eight behind, of which it is not known that a run ends there.
type Marks = [u8; CHUNK + 2 * TOGETHER];

/// Shows the places of a text that something may begin at, and eight bytes at a time those that a run of sixteen may go through. Both in
/// order, but a run's after those in its eight bytes.
#[inline]
pub(crate) fn look<S>(
    text: &[u8],
    state: &mut S,
    event: impl Fn(&mut S, usize),
    run: impl Fn(&mut S, usize),
) {
    let mut marks = [0; CHUNK + 2 * TOGETHER];
    marks[CHUNK + TOGETHER..].fill(RUN);
    let mut at = 0;
    let mut more = true;
    while more {
        // With the byte behind the last.
        if let Some(chunk) = text[at..].first_chunk::<{ CHUNK + 1 }>() {
            mark(chunk, &mut marks);
        } else {
            let rest = &text[at..];
            let mut chunk = [b'\n'; CHUNK + 1];
            chunk[..rest.len()].copy_from_slice(rest);
            mark(&chunk, &mut marks);
            more = false;
        }
        let (eights, _) = marks.as_chunks::<TOGETHER>();
        let mut busy = busy(&marks);
        while busy != 0 {
            let number = busy.trailing_zeros() as usize;
            busy &= busy - 1;
            let place = at + number * TOGETHER;
            let here = u64::from_le_bytes(eights[number + 1]);
            let mut events = here & all(EVENT);
            while events != 0 {
                event(state, place + (events.trailing_zeros() / 8) as usize);
                events &= events - 1;
            }
            let gaps = |number: usize| !u64::from_le_bytes(eights[number]) & all(RUN);
            if gaps(number + 1) == 0
                && gaps(number).leading_zeros() + gaps(number + 2).trailing_zeros() >= 8 * 8
            {
                run(state, place);
            }
        }
        marks.copy_within(CHUNK..CHUNK + TOGETHER, 0);
        at += CHUNK;
    }
}

/// A bit for each eight bytes in which there is something to look at.
#[inline(never)]
fn busy(marks: &Marks) -> u64 {
    let (eights, _) = marks[TOGETHER..CHUNK + TOGETHER].as_chunks();
    let is_busy = |eight: &[u8; TOGETHER]| {
        let here = u64::from_le_bytes(*eight);
        here & all(EVENT) != 0 || here == all(RUN)
    };
    eights.iter().rev().fold(0, |bits, eight| bits << 1 | u64::from(is_busy(eight)))
}

#[inline(never)]
fn mark(text: &[u8; CHUNK + 1], into: &mut Marks) {
    for (mark, (byte, behind)) in into[TOGETHER..CHUNK + TOGETHER].iter_mut().zip(text.iter().zip(&text[1..]))
    {
        *mark = marks(*byte, *behind);
    }
}

#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep it from being done for many bytes at once"
)]
fn marks(byte: u8, behind: u8) -> u8 {
    // All bits where something holds.
    let all = |holds: bool| u8::from(holds).wrapping_neg();
    // `<` and `=` differ by one bit, and so do `[` and the escape.
    let sign = (byte | 1 == b'=') | (byte == b':') | (byte == b'!') | (byte | 0x40 == b'[');
    let dash = byte == b'-';
    let fence = dash & (behind & 0xf8 == 0x40);
    let run = (dash | (byte.cast_signed() >= 0x30)) & !sign;
    all(sign | fence | (byte >= 0xc0)) & EVENT | all(run) & RUN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_marks() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).chain(*b"-B-E--").cycle().take(2000).collect();
        for long in (0..70).chain([CHUNK - 1, CHUNK, CHUNK + 1, 2000]) {
            let text = &bytes[..long];
            let mut events: Vec<usize> = Vec::new();
            look(text, &mut events, Vec::push, |_, _| {});
            let is_event = |place: &usize| {
                let behind = text.get(place + 1).copied().unwrap_or(b'\n');
                matches!(text[*place], b'=' | b':' | b'<' | b'!' | b'[' | 0x1b | 0xc0..)
                    || text[*place] == b'-' && matches!(behind, b'@'..=b'G')
            };
            assert_eq!(events, (0..long).filter(is_event).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_run_of_sixteen_is_seen_wherever_it_begins() {
        let seen = |text: &str| {
            let mut places: Vec<usize> = Vec::new();
            look(text.as_bytes(), &mut places, |_, _| {}, Vec::push);
            places
        };
        for before in (0..40).chain(CHUNK - 20..CHUNK + 20) {
            for run in ["0123456789abcdef", "ABCDEFGHIJKLMNOPQ", "a-Bcdefg_-hijklz"] {
                for behind in ["", " ", "\n and more", "\u{e9}"] {
                    let text = format!("{}{run}{behind}", " ".repeat(before));
                    let places = seen(&text);
                    let all = before..before + run.len();
                    assert!(places.iter().any(|place| all.contains(place) && all.contains(&(place + 7))));
                }
            }
        }
        assert!(
            seen("some words: of[ordinary] length = \u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}")
                .is_empty()
        );
        assert!(seen(&" 0123456789abcd ".repeat(8)).is_empty());
    }
}
