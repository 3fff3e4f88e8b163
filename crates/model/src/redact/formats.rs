//! Whether a key begins somewhere, by the list of shapes (`shapes.rs`). By hand, because it happens on everything that tools return.

use super::looks::{Looks, is_empty_token, is_placeholder};
use super::shapes::{OPEN, Row, SHAPES, WEAK};

/// A key that was found: where it begins, how much of its beginning may stay, where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) from: usize,
    pub(super) keep: usize,
    pub(super) to: usize,
    pub(super) kind: &'static str,
}

/// The first row (counted from one) of the shapes that begin with three bytes, in the place that is worked out from these. No place
/// is shared: `FACTOR` is chosen so that it is not.
static FIRST_ROWS: [u16; 4096] = {
    let mut rows = [0; 4096];
    let mut row = SHAPES.len();
    while row > 0 {
        row -= 1;
        if !is_short(row) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "some hundred rows, and a constant has no try_from"
            )]
            let number = row as u16 + 1;
            rows[place_of(three_of(row), FACTOR)] = number;
        }
    }
    rows
};

const FACTOR: u32 = {
    let mut factor: u32 = 0x9e37_79b1;
    while !is_apart(factor) {
        factor = factor.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35e) | 1;
    }
    factor
};

const fn is_apart(factor: u32) -> bool {
    let mut taken = [0_u64; 64];
    let mut row = 0;
    while row < SHAPES.len() {
        let is_new = row == 0 || is_short(row - 1) || three_of(row) != three_of(row - 1);
        if !is_short(row) && is_new {
            let place = place_of(three_of(row), factor);
            if taken[place >> 6] & 1 << (place & 63) != 0 {
                return false;
            }
            taken[place >> 6] |= 1 << (place & 63);
        }
        row += 1;
    }
    true
}

/// Fewer than three fixed bytes.
const fn is_short(row: usize) -> bool {
    SHAPES[row].0.as_bytes()[2] == b'{'
}

const fn three_of(row: usize) -> u32 {
    let shape = SHAPES[row].0.as_bytes();
    u32::from_le_bytes([shape[0], shape[1], shape[2], 0])
}

#[inline]
const fn place_of(three: u32, factor: u32) -> usize {
    (three.wrapping_mul(factor) >> 20) as usize
}

/// The rows with fewer than three fixed bytes.
const SHORT: [u16; count_short()] = {
    let mut rows = [0; count_short()];
    let (mut row, mut count) = (0_u16, 0);
    while (row as usize) < SHAPES.len() {
        if is_short(row as usize) {
            rows[count] = row;
            count += 1;
        }
        row += 1;
    }
    rows
};

const fn count_short() -> usize {
    let (mut row, mut count) = (0, 0);
    while row < SHAPES.len() {
        count += is_short(row) as usize;
        row += 1;
    }
    count
}

/// The fixed text that a shape begins with.
#[derive(Clone, Copy)]
struct Beginning {
    /// Its first three bytes, as far as there are so many.
    three: u32,
    long: u8,
    /// How much of it says whose the key is: up to its last `_`, `-` or `.`, as in `pypi-AgE…`.
    named: u8,
}

static BEGINNINGS: [Beginning; SHAPES.len()] = beginnings();

const fn beginnings() -> [Beginning; SHAPES.len()] {
    let mut all = [Beginning { three: 0, long: 0, named: 0 }; SHAPES.len()];
    let mut row = 0;
    while row < SHAPES.len() {
        let shape = SHAPES[row].0.as_bytes();
        let it = &mut all[row];
        let mut is_address = false;
        while shape[it.long as usize] != b'{' {
            let byte = shape[it.long as usize];
            if it.long < 3 {
                it.three |= (byte as u32) << (8 * it.long);
            }
            it.long += 1;
            is_address |= byte == b'/';
            if matches!(byte, b'_' | b'-' | b'.') && it.long > 2 {
                it.named = it.long;
            }
        }
        if it.named == 0 || is_address {
            it.named = it.long;
        }
        row += 1;
    }
    all
}

/// The three bytes in a place, as a number, and what it takes for a shape with a fixed beginning to begin there.
#[inline]
fn three_at(text: &[u8], from: usize) -> Option<u32> {
    text.get(from..)?.first_chunk().map(|first| number_of(*first))
}

#[inline]
const fn number_of([first, second, third]: [u8; 3]) -> u32 {
    u32::from_le_bytes([first, second, third, 0])
}

/// Whether one with a fixed beginning may begin here: most words are done with one look.
#[inline]
pub(super) fn may_begin(text: &[u8], from: usize) -> bool {
    text.get(from..).and_then(|rest| rest.first_chunk()).is_some_and(|first| may_be_beginning(*first))
}

/// Whether one may begin with three bytes.
#[inline]
pub(super) fn may_be_beginning(first: [u8; 3]) -> bool {
    let three = number_of(first);
    let row = FIRST_ROWS[place_of(three, FACTOR)];
    row != 0 && BEGINNINGS[usize::from(row) - 1].three == three || may_begin_short(three)
}

/// Whether one with fewer than three fixed bytes may begin with the first two of three.
#[inline]
fn may_begin_short(three: u32) -> bool {
    let row = SHORT_ROWS[short_place(three)];
    row != 0 && three_of(usize::from(row) - 1) & 0xffff == three & 0xffff
}

/// Their rows (counted from one), in the places that are worked out from their two bytes.
static SHORT_ROWS: [u16; 256] = {
    let mut rows = [0; 256];
    let mut at = 0;
    while at < SHORT.len() {
        let place = short_place(three_of(SHORT[at] as usize));
        assert!(rows[place] == 0, "two rows in one place: take another place");
        rows[place] = SHORT[at] + 1;
        at += 1;
    }
    rows
};

#[inline]
const fn short_place(three: u32) -> usize {
    ((three & 0xffff).wrapping_mul(0x9e37_79b1) >> 24) as usize
}

/// The shapes whose fixed beginning stands here.
#[inline]
fn begun(text: &[u8], from: usize) -> impl Iterator<Item = (Row, Beginning)> {
    let three = three_at(text, from).unwrap_or(0);
    let first = usize::from(FIRST_ROWS[place_of(three, FACTOR)]);
    let rows = first.wrapping_sub(1)..SHAPES.len();
    let same = rows.take_while(move |row| BEGINNINGS[*row].three == three);
    let short = SHORT.iter().map(|row| usize::from(*row));
    let whole = move |row: &usize| {
        text[from..].starts_with(&SHAPES[*row].0.as_bytes()[..BEGINNINGS[*row].long.into()])
    };
    same.chain(short).filter(whole).map(|row| (SHAPES[row], BEGINNINGS[row]))
}

/// The key that begins exactly here, beyond doubt.
pub(super) fn at(text: &[u8], from: usize) -> Option<Hit> {
    begun(text, from).find_map(|(row, it)| genuine(text, from, row, it.long.into()))
}

/// The same for shapes that begin with anything, where a word begins.
pub(super) fn open_at(text: &[u8], from: usize) -> Option<Hit> {
    opened(text, from).find_map(|row| genuine(text, from, row, fixed(row.0)))
}

/// Those of the shapes that begin with anything whose first sign is in its place.
fn opened(text: &[u8], from: usize) -> impl Iterator<Item = Row> {
    let is_there = move |anchor: &Anchor| match text.get(from + usize::from(anchor.at)) {
        Some(byte) if anchor.sign == b'd' => byte.is_ascii_digit(),
        byte => byte == Some(&anchor.sign),
    };
    OPEN.iter().zip(&ANCHORS).filter(move |(_, anchor)| is_there(anchor)).map(|(row, _)| *row)
}

/// A byte of a shape that has one place, counted from its beginning: `d` where it begins with figures.
#[derive(Clone, Copy)]
struct Anchor {
    at: u8,
    sign: u8,
}

static ANCHORS: [Anchor; OPEN.len()] = {
    let mut all = [Anchor { at: 0, sign: 0 }; OPEN.len()];
    let mut row = 0;
    while row < OPEN.len() {
        let shape = OPEN[row].0.as_bytes();
        let (mut next, mut at) = (0, 0);
        while shape[next] == b'{' {
            let class = shape[next + 1];
            next += 2;
            let mut long = 0;
            while shape[next].is_ascii_digit() {
                long = long * 10 + shape[next] - b'0';
                next += 1;
            }
            if shape[next] == b'-' {
                assert!(at == 0 && class == b'd', "only figures may be of any number");
                break;
            }
            at += long;
            next += 1;
        }
        all[row] = Anchor { at, sign: if shape[next] == b'-' { b'd' } else { shape[next] } };
        row += 1;
    }
    all
};

/// What may be a key, for those who rather hide too much: all of a shape, whatever the rest looks like, or a telling beginning and `body`
/// behind it. Gives where its secret part begins and ends.
pub(super) fn like(
    text: &[u8],
    from: usize,
    body: impl Fn(usize) -> Option<usize>,
) -> Option<(usize, usize)> {
    let mut loose: Option<(usize, usize)> = None;
    for ((shape, _), it) in begun(text, from) {
        let secret = from + usize::from(it.long);
        let weak = is_weak(shape);
        if let Some(to) = end_of(text, from, shape)
            && (!weak || is_varied(&text[secret..to]))
        {
            return Some((loose.map_or(secret, |(from, _)| from.max(secret)), to));
        }
        // `sk-` is telling enough where nothing is stopped because of it.
        if loose.is_none() && it.named > 2 && (!weak || shape.starts_with("sk-")) {
            let secret = from + usize::from(it.named);
            loose = body(secret).map(|to| (secret, to));
        }
    }
    loose.or_else(|| {
        let telling = |(shape, _): Row| {
            let to = end_of(text, from, shape)?;
            is_varied(&text[from..to]).then_some((from, to))
        };
        opened(text, from).find_map(telling)
    })
}

/// Words have neither figures nor capitals in the middle.
pub(super) fn is_varied(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = text.iter().skip(1).any(u8::is_ascii_uppercase) && text.iter().any(u8::is_ascii_lowercase);
    digits >= 2 || upper
}

fn fixed(shape: &str) -> usize {
    shape.find('{').unwrap_or(shape.len())
}

/// Whether the rest of a key has to look made by a machine.
fn is_weak(shape: &str) -> bool {
    shape.starts_with("{H32}") || WEAK.iter().any(|weak| shape[..fixed(shape)].starts_with(weak))
}

fn genuine(text: &[u8], from: usize, (shape, kind): Row, fixed: usize) -> Option<Hit> {
    let to = end_of(text, from, shape)?;
    let body = &text[from + fixed..to];
    let looks = Looks::of(body);
    if checksum(&shape[..fixed], body) != Some(true) {
        let figureless = shape.ends_with('?');
        if !looks.is_mixed(figureless)
            // `s.ReadUint16LengthPrefixed(` is a call.
            || is_weak(shape) && (looks.digits == 0 || !looks.is_made() || text.get(to) == Some(&b'('))
            || is_placeholder(body)
            || kind == "JSON web token" && is_empty_token(&text[from..to])
        {
            return None;
        }
    }
    Some(Hit { from, keep: fixed, to, kind })
}

/// Where a text of this shape ends. No step back: each class takes what it can.
fn end_of(text: &[u8], from: usize, shape: &str) -> Option<usize> {
    let shape = shape.as_bytes().strip_suffix(b"?").unwrap_or(shape.as_bytes());
    let (mut at, mut next) = (from, 0);
    while let Some(&sign) = shape.get(next) {
        next += 1;
        if sign != b'{' {
            if text.get(at) != Some(&sign) {
                return None;
            }
            at += 1;
            continue;
        }
        let part = PARTS[usize::from(shape[next] & 127)];
        let (least, behind) = number(shape, next + 1);
        let (most, behind) = if shape[behind] == b'-' { number(shape, behind + 1) } else { (least, behind) };
        let is_part = |byte: &&u8| MEMBERS[usize::from(**byte)] & part != 0;
        let taken = text[at..].iter().take(most).take_while(is_part).count();
        if taken < least {
            return None;
        }
        at += taken;
        next = behind + 1;
        if next == shape.len() {
            if text.get(at).is_some_and(|byte| is_part(&byte)) {
                return None;
            }
            // Filled up to whole groups.
            at += text[at..].iter().take(3).take_while(|byte| **byte == b'=').count();
        }
    }
    Some(at)
}

/// The number in a shape, and where it ends.
fn number(shape: &[u8], mut at: usize) -> (usize, usize) {
    let mut number = 0;
    while shape[at].is_ascii_digit() {
        number = number * 10 + usize::from(shape[at] - b'0');
        at += 1;
    }
    (number, at)
}

/// The bit of each class, by its letter.
const PARTS: [u16; 128] = {
    let mut parts = [0; 128];
    let letters = b"dhHlubstqavw";
    let mut at = 0;
    while at < letters.len() {
        parts[letters[at] as usize] = 1 << at;
        at += 1;
    }
    parts
};

/// The classes that each byte is in.
static MEMBERS: [u16; 256] = {
    let mut members = [0; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        let word = byte.is_ascii_alphanumeric();
        let small = byte.is_ascii_digit() || byte.is_ascii_lowercase();
        let is = [
            byte.is_ascii_digit(),
            byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            byte.is_ascii_hexdigit(),
            small,
            byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            word || matches!(byte, b'_' | b'-'),
            word || matches!(byte, b'+' | b'/'),
            word || matches!(byte, b'_' | b'-' | b'=' | b'.'),
            word || matches!(byte, b'_' | b'-' | b'~' | b'.'),
            word || matches!(byte, b'-' | b'@' | b'/'),
            word || matches!(byte, b'_' | b'-' | b'=' | b'+' | b'/' | b',' | b'%'),
            word,
        ];
        let mut at = 0;
        while at < is.len() {
            members[byte as usize] |= (is[at] as u16) << at;
            at += 1;
        }
        byte += 1;
    }
    members
};

/// Whether the last six characters are the sum of the others, for those who put one there. One that is right is a key whatever it looks
/// like; one that is wrong may be of another kind.
fn checksum(prefix: &str, body: &[u8]) -> Option<bool> {
    if !matches!(prefix, "ghp_" | "gho_" | "ghu_" | "ghs_" | "ghr_" | "npm_") || body.len() != 36 {
        return None;
    }
    let (payload, sum) = body.split_at(30);
    let crc = payload.iter().fold(u32::MAX, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
        crc
    });
    let mut rest = !crc;
    let mut wanted = [b'0'; 6];
    for place in wanted.iter_mut().rev() {
        *place = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(rest % 62) as usize];
        rest /= 62;
    }
    Some(wanted == sum)
}
