//! Whether a sign stands behind the name of a secret, by the name's last letters: asked of every `=` and `:` of a text.

/// The last letters of names of secrets: `token`, `authorization`, `secret`, `password`, `passphrase`, `credentials`. No two have the same
/// last three.
const ENDS: &[&str] = &[
    "oken", "zation", "cret", "word", "sswd", "pwd", "phrase", "ookie", "pass", "tials", "tial", "creds",
    "auth", "key",
];

/// What a byte before a sign is: what may part it from a name, the last letter of a name of a secret, any other letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Gap,
    End,
    Letter,
}

static BEFORE: [Before; 256] = {
    let mut before = [Before::Nothing; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            before[byte as usize] = Before::Letter;
        }
        byte += 1;
    }
    let mut at = 0;
    while at < ENDS.len() {
        let end = ENDS[at].as_bytes();
        let last = end[end.len() - 1];
        before[last as usize] = Before::End;
        before[last.to_ascii_uppercase() as usize] = Before::End;
        at += 1;
    }
    let gaps = b" \"'\\]";
    at = 0;
    while at < gaps.len() {
        before[gaps[at] as usize] = Before::Gap;
        at += 1;
    }
    before
};

/// Whether a sign may stand behind the name of a secret or in an address: most are done with here.
#[inline]
pub(super) fn may_follow_a_name(text: &[u8], sign: usize) -> bool {
    let Some([four, third, second, last]) = sign.checked_sub(4).and_then(|from| text[from..].first_chunk())
    else {
        return true;
    };
    match BEFORE[usize::from(*last)] {
        Before::Nothing => false,
        Before::Letter => is_address(text, sign),
        // `class=` ends as `pass=` does, and HTML is full of it.
        Before::End => {
            end_of([*third, *second, *last]).is_some_and(|end| may_go_on(end, *four))
                || is_address(text, sign)
        }
        Before::Gap => match BEFORE[usize::from(*second)] {
            Before::End => end_of([*four, *third, *second]).is_some(),
            second => second == Before::Gap,
        },
    }
}

/// The one of the ends that has these last three letters.
#[inline]
fn end_of(last: [u8; 3]) -> Option<&'static str> {
    let three = three_of(last);
    let row = usize::from(ROWS[place_of(three, FACTOR)]);
    (THREES[row] == three).then(|| ENDS[row])
}

/// Whether the fourth letter from the end may be this one.
#[inline]
fn may_go_on(end: &str, fourth: u8) -> bool {
    end.len().checked_sub(4).is_none_or(|at| end.as_bytes()[at] == fourth | 0x20)
}

/// Whether a text ends with the last letters of such a name.
pub(super) fn is_end(text: &[u8]) -> bool {
    let whole = |end: &str| {
        text.len().checked_sub(end.len()).is_some_and(|at| text[at..].eq_ignore_ascii_case(end.as_bytes()))
    };
    text.last_chunk().and_then(|last| end_of(*last)).is_some_and(whole)
}

/// In small letters.
#[inline]
const fn three_of([third, second, last]: [u8; 3]) -> u32 {
    u32::from_le_bytes([third, second, last, 0]) | 0x20_2020
}

#[inline]
const fn place_of(three: u32, factor: u32) -> usize {
    (three.wrapping_mul(factor) >> 26) as usize
}

static THREES: [u32; ENDS.len()] = {
    let mut threes = [0; ENDS.len()];
    let mut row = 0;
    while row < ENDS.len() {
        let end = ENDS[row].as_bytes();
        threes[row] = three_of([end[end.len() - 3], end[end.len() - 2], end[end.len() - 1]]);
        row += 1;
    }
    threes
};

/// The row in the place that is worked out from its three letters. `FACTOR` is chosen so that no place is shared.
static ROWS: [u8; 64] = {
    let mut rows = [0; 64];
    let mut row: u8 = 0;
    while (row as usize) < ENDS.len() {
        rows[place_of(THREES[row as usize], FACTOR)] = row;
        row += 1;
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
    let mut taken = 0_u64;
    let mut row = 0;
    while row < ENDS.len() {
        let place = place_of(THREES[row], factor);
        if taken & 1 << place != 0 {
            return false;
        }
        taken |= 1 << place;
        row += 1;
    }
    true
}

/// The `:` of `://`.
#[inline]
pub(super) fn is_address(bytes: &[u8], sign: usize) -> bool {
    bytes.get(sign + 1) == Some(&b'/') && bytes[sign..].starts_with(b"://")
}

/// Where a name ends before its sign.
pub(super) fn before_gap(bytes: &[u8], sign: usize) -> usize {
    const WIDEST: usize = 10;
    let near = &bytes[sign.saturating_sub(WIDEST)..sign];
    sign - near.iter().rev().take_while(|byte| BEFORE[usize::from(**byte)] == Before::Gap).count()
}
