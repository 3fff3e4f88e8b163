//! Places in a text that something could begin at: for what looks at everything that tools return. Sixty-four bytes at a time are asked the
//! same few questions without a branch, and the answers are bits of two numbers: where something may begin, and what runs are made of. Secrets
//! and what is hidden share that one pass.

/// Bytes that are looked at together.
const CHUNK: usize = 64;

/// Bytes that are ASCII or not together.
const BLOCK: usize = 16 * CHUNK;

/// These, with the byte behind.
type Window = [u8; CHUNK + 1];

/// Runs that are told: so many letters, figures, `_` and `-`.
pub(crate) const RUN: usize = 16;

/// A bit for each of the bytes.
#[derive(Debug, PartialEq, Eq)]
struct Places {
    /// Something may begin here: a sign behind a name (`=`, `:`), what hidden things begin with (`<`, `[`, an escape, the first byte of a
    /// character that may show nothing), and a dash before a letter as `BEGIN` and `END` begin with.
    events: u64,
    /// A letter, a figure, `_` or `-`.
    parts: u64,
}

/// Shows the places of a text that something may begin at, and where its long runs begin and end. Both in order.
#[inline]
pub(crate) fn look<S>(
    text: &[u8],
    state: &mut S,
    event: impl Fn(&mut S, usize),
    run: impl Fn(&mut S, usize, usize),
) {
    // How much of a run ends where these bytes begin.
    let mut open = 0;
    let mut at = 0;
    let mut is_ascii = true;
    while at < text.len() {
        if at.is_multiple_of(BLOCK) {
            is_ascii = text[at..text.len().min(at + BLOCK)].is_ascii();
        }
        let last;
        let window = if let Some(window) = text[at..].first_chunk() {
            window
        } else {
            last = at_the_end(&text[at..]);
            &last
        };
        let Places { mut events, parts } = places(window, is_ascii);
        while events != 0 {
            event(state, at + events.trailing_zeros() as usize);
            events &= events - 1;
        }
        let first = parts.trailing_ones();
        if first == u64::BITS {
            open += CHUNK;
        } else {
            if open + first as usize >= RUN {
                run(state, at - open, at + first as usize);
            }
            let mut long = sixteen(parts) & u64::MAX << first;
            while long != 0 {
                let from = long.trailing_zeros();
                let to = from + (parts >> from).trailing_ones();
                if to == u64::BITS {
                    break;
                }
                run(state, at + from as usize, at + to as usize);
                long &= u64::MAX << to;
            }
            open = parts.leading_ones() as usize;
        }
        at += CHUNK;
    }
    if open >= RUN {
        run(state, text.len() - open, text.len());
    }
}

/// Where sixteen bits begin that are all set.
#[inline]
fn sixteen(bits: u64) -> u64 {
    let two = bits & bits >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    eight & eight >> 8
}

/// The last bytes of a text: as if a line ended behind it.
#[cold]
#[inline(never)]
fn at_the_end(rest: &[u8]) -> Window {
    let mut window = [b'\n'; CHUNK + 1];
    window[..rest.len()].copy_from_slice(rest);
    window
}

/// What holds of each byte. In a loop that the compiler makes vector instructions of: without a branch, and with as few comparisons as will
/// do, so that some events are shown that come to nothing. A multiplication brings eight answers together.
#[inline]
fn places(window: &Window, is_ascii: bool) -> Places {
    let mut events = [0; CHUNK];
    let mut parts = [0; CHUNK];
    for at in 0..CHUNK {
        events[at] = event(window[at], window[at + 1]) & WEIGHTS[at];
        parts[at] = part(window[at]) & WEIGHTS[at];
    }
    let mut places = Places { events: together(&events), parts: together(&parts) };
    if !is_ascii && !window.is_ascii() {
        places.events |= leads(window);
    }
    places
}

/// The bit of each byte, by its place in eight.
const WEIGHTS: [u8; CHUNK] = {
    let mut weights = [0; CHUNK];
    let mut at = 0;
    while at < CHUNK {
        weights[at] = 1 << (at % 8);
        at += 1;
    }
    weights
};

/// The first bytes of characters that may show nothing. Most text is ASCII and has none.
#[cold]
#[inline(never)]
fn leads(window: &Window) -> u64 {
    let mut leads = [0; CHUNK];
    for at in 0..CHUNK {
        leads[at] = lead(window[at]) & WEIGHTS[at];
    }
    // The letters of most scripts have none of them.
    let (eights, _) = leads.as_chunks::<8>();
    let any = eights.iter().fold(0, |all, eight| all | u64::from_le_bytes(*eight));
    if any == 0 { 0 } else { together(&leads) }
}

/// All bits where something holds.
#[inline]
fn all(holds: bool) -> u8 {
    u8::from(holds).wrapping_neg()
}

/// The bits of eight bytes at a time, beside each other.
#[inline]
fn together(bytes: &[u8; CHUNK]) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    let mut all = 0;
    let mut at = 0;
    while at < 8 {
        all |= bits(&eights[at]) << (8 * at);
        at += 1;
    }
    all
}

#[inline]
fn event(byte: u8, behind: u8) -> u8 {
    // `<` and `=` differ by one bit, and so do `[` and the escape.
    let sign = all(byte | 1 == b'=') | all(byte == b':') | all(byte | 0x40 == b'[');
    // `A` to `G`, and `@`.
    sign | all(byte == b'-') & all(behind & 0xf8 == 0x40)
}

#[inline]
fn lead(byte: u8) -> u8 {
    all(byte == 0xc2) | all(byte == 0xe1) | all(byte == 0xe2) | all(byte == 0xef) | all(byte == 0xf3)
}

#[inline]
fn part(byte: u8) -> u8 {
    let letter = all((byte | 0x20).wrapping_sub(b'a') < 26);
    letter | all(byte.wrapping_sub(b'0') < 10) | all(byte == b'_') | all(byte == b'-')
}

#[cfg(test)]
mod tests;
