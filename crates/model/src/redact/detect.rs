//! Secrets in what tools return, in one pass: keys by their shape, values by their names. Most bytes are looked at only by their marks: a
//! key has a run of letters and figures that ordinary text seldom has, and a name has a sign behind it.

use std::ops::Range;

use super::assigned::Named;
use super::ends::may_follow_a_name;
use super::formats;
use super::own_values::OwnValues;
use super::pem;
use crate::scan;

/// One secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands.
    pub range: Range<usize>,
    /// How much of its beginning says whose it is, and stays.
    pub keep: usize,
    /// What it is, for the user: `GitHub token`, `value of DB_PASSWORD`.
    pub kind: String,
    /// A key by its shape or a value of the project's own; a name beside it alone is not enough for that.
    pub certain: bool,
}

/// What a mark begins with. Who finds it in a text that is to be written knows that something is missing there.
pub const MARK: &str = "‹masked: ";

impl Secret {
    /// Whether published packages have such for their tests and in their documentation: all but keys that one maker has given out, and the
    /// project's own values.
    pub fn may_be_published(&self) -> bool {
        !self.certain || matches!(self.kind.as_str(), "private key" | "JSON web token")
    }

    /// What stands in its place.
    pub fn mark(&self, text: &str) -> String {
        let kept = text.get(self.range.start..self.range.start + self.keep).unwrap_or_default();
        let gap = if kept.is_empty() { "" } else { "…" };
        format!("{kept}{gap}{MARK}{}›", self.kind)
    }
}

/// All secrets in a text, in order, none inside another.
pub fn find_secrets(text: &str, own: &OwnValues) -> Vec<Secret> {
    let mut secrets = Secrets::of(text);
    let bytes = text.as_bytes();
    scan::look(bytes, &mut secrets, |secrets, at| secrets.event(bytes, at), Secrets::run);
    secrets.end(own)
}

/// Finds them, one place after the other.
pub(crate) struct Secrets<'a> {
    text: &'a str,
    runs: Runs<'a>,
    named: Named<'a>,
    /// The places behind `-----` before `BEGIN` and `END`.
    fences: Vec<usize>,
    found: Vec<Secret>,
}

impl<'a> Secrets<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            text,
            runs: Runs::of(text.as_bytes()),
            named: Named::new(text),
            fences: Vec::new(),
            found: Vec::new(),
        }
    }

    /// A place that something may begin at, in the text that this is about.
    #[inline]
    pub(crate) fn event(&mut self, text: &[u8], place: usize) {
        if text[place] == b'-' {
            self.fence(text, place);
        } else if matches!(text[place], b'=' | b':') {
            self.sign(text, place);
        }
    }

    /// The sign behind a name.
    #[inline]
    pub(crate) fn sign(&mut self, text: &[u8], place: usize) {
        if may_follow_a_name(text, place) {
            self.found.extend(self.named.behind(place));
        }
    }

    /// A dash that may be the last before `BEGIN` or `END`.
    #[inline]
    pub(crate) fn fence(&mut self, text: &[u8], place: usize) {
        if matches!(text.get(place + 1), Some(b'B' | b'E')) && text[..=place].ends_with(b"-----") {
            self.fences.push(place + 1);
        }
    }

    /// A long run.
    #[inline]
    pub(crate) fn run(&mut self, from: usize, to: usize) {
        self.runs.keys(from, to, &mut self.found);
    }

    pub(crate) fn end(self, own: &OwnValues) -> Vec<Secret> {
        let mut found = self.found;
        for range in pem::private_keys(self.text.as_bytes(), &self.fences) {
            found.push(Secret { range, keep: 0, kind: "private key".into(), certain: true });
        }
        own.find(self.text, &mut found);
        // Of one place the longest, and of two that are as long the key: it says more than the name beside it.
        found.sort_by_key(|secret| (secret.range.start, usize::MAX - secret.range.end, !secret.certain));
        let mut end = 0;
        found.retain(|secret| {
            let apart = secret.range.start >= end;
            if apart {
                end = secret.range.end;
            }
            apart
        });
        found
    }
}

/// A text with marks in the place of its secrets; nothing where it has none.
pub fn mask(text: &str, secrets: &[Secret]) -> Option<String> {
    if secrets.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        out.push_str(&text[from..secret.range.start]);
        out.push_str(&secret.mark(text));
        from = secret.range.end;
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// What may stand before a run and belong to the key.
const BEFORE: usize = 80;

/// Goes from one long run to the next.
struct Runs<'a> {
    text: &'a [u8],
    /// Where the last key ends.
    done: usize,
    /// What the last run is joined to, up to its end.
    chain: Range<usize>,
    /// The last sign in it that a key of an open shape may have there.
    sign: Option<usize>,
}

impl<'a> Runs<'a> {
    fn of(text: &'a [u8]) -> Self {
        Self { text, done: 0, chain: 0..0, sign: None }
    }

    /// The keys that begin in a run, or in what is joined to its beginning.
    #[inline(never)]
    fn keys(&mut self, run: usize, end: usize, found: &mut Vec<Secret>) {
        let text = self.text;
        let start = run.max(self.done);
        if start >= end {
            return;
        }
        let mut joined =
            Joined { from: start, chain: start, sign: None, may_begin: formats::may_begin(text, start) };
        if let Some(behind) = text.get(end)
            && CLASS[usize::from(*behind)] & SIGNED != 0
            && may_open(text, end)
        {
            joined.sign = Some(end);
        }
        let mut whole = true;
        match start.checked_sub(1).map_or(b'\n', |before| text[before]) {
            // The only one with a blank in its beginning.
            b' ' if text[..start].ends_with(b"FlyV1 ") => (joined.from, joined.may_begin) = (start - 6, true),
            b' ' | b'\n' | b'"' => {}
            b'\\' => joined.may_begin = true,
            // A later run may be joined to what is before this one. Of names with `=` only one belongs to its key.
            b'=' if !text[..start].ends_with(b"_gitlab_session=") => whole = false,
            before if CLASS[usize::from(before)] & JOINT != 0 => self.join(&mut joined, start),
            _ => {}
        }
        let Joined { from, chain, sign, may_begin } = joined;
        self.chain = if whole { chain..end } else { 0..0 };
        self.sign = sign;
        if sign.is_some_and(|sign| sign >= chain) || text[start..end].ends_with(b"_mmk") {
            self.try_from(chain.max(self.done), start..end, true, found);
        } else if may_begin {
            self.try_from(from, start..end, false, found);
        } else if has_dash(&text[start..end])
            && let Some(place) = behind_a_dash(text, start, end, false)
        {
            self.try_from(place, start..end, false, found);
        }
    }

    /// The keys from a place to the end of a run.
    #[cold]
    fn try_from(&mut self, from: usize, run: Range<usize>, open: bool, found: &mut Vec<Secret>) {
        let text = self.text;
        let mut at = from;
        while let Some(place) = next_start(text, at, &run, open) {
            let open = || if open { formats::open_at(text, place) } else { None };
            at = place + 1;
            if let Some(hit) = formats::at(text, place).or_else(open) {
                found.push(Secret {
                    range: hit.from..hit.to,
                    keep: hit.keep,
                    kind: hit.kind.into(),
                    certain: true,
                });
                (at, self.done) = (hit.to, hit.to);
            }
        }
    }

    /// Goes back through what is joined to a place, but not through what was looked at with the run before: base64 is many runs.
    #[inline]
    fn join(&self, joined: &mut Joined, start: usize) {
        let text = self.text;
        let first = self.done.max(start.saturating_sub(BEFORE));
        let known = self.chain.end;
        let near = first.max(if known <= start { known } else { 0 });
        let mut at = start;
        for byte in text[near..start].iter().rev() {
            let class = CLASS[usize::from(*byte)];
            if class & TAIL == 0 {
                if at < start {
                    joined.may_begin |= formats::may_begin(text, at);
                }
                if class == 0 {
                    break;
                }
                if class & SIGNED != 0 && joined.sign.is_none() && may_open(text, at - 1) {
                    joined.sign = Some(at - 1);
                }
                joined.may_begin |= *byte == b'$';
            }
            at -= 1;
        }
        (joined.from, joined.chain) = (at, at);
        if at == known && at > first {
            joined.sign = joined.sign.or(self.sign);
            joined.chain = self.chain.start.clamp(first, at);
        } else {
            joined.may_begin |= formats::may_begin(text, at) || at > 0 && text[at - 1] == b'\\';
        }
    }
}

/// What is joined to the beginning of a run.
struct Joined {
    /// Where it begins, where of that nothing was looked at yet.
    from: usize,
    /// Where all of it begins.
    chain: usize,
    /// The last sign in it that an open shape may have.
    sign: Option<usize>,
    /// Whether a key may begin in it or with the run.
    may_begin: bool,
}

/// Whether a byte is the sign in an open shape: only few of them have what it takes beside them.
fn may_open(text: &[u8], at: usize) -> bool {
    let Some((before, [sign, behind @ ..])) = text.split_at_checked(at) else { return false };
    let figure = || before.last().is_some_and(u8::is_ascii_digit);
    let hex = || before.last_chunk::<32>().is_some_and(|hex| hex.iter().rev().all(u8::is_ascii_hexdigit));
    match sign {
        b'~' => before.ends_with(b"Q"),
        b':' => behind.starts_with(b"A") && figure(),
        b'|' | b'%' => figure(),
        b'.' => {
            behind.starts_with(b"a") && (behind.starts_with(b"atlasv1.") || behind.starts_with(b"acc"))
                || hex()
        }
        _ => false,
    }
}

/// What stands beside them in a key.
const JOINT: u8 = 2;
/// What a key begins with.
const FIRST: u8 = 4;
/// The sign in the middle of a key that begins with anything.
const SIGNED: u8 = 8;
/// What a word goes on with.
const TAIL: u8 = 16;

/// What each byte can be in a key.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::cast_possible_truncation, reason = "less than 128, and a constant has no try_from")]
        let it = byte as u8;
        classes[byte] = match it {
            b'_' => JOINT | FIRST | TAIL,
            b'$' => JOINT | FIRST,
            b'.' | b'~' | b':' | b'|' | b'%' => JOINT | SIGNED,
            b'-' | b'/' | b'=' | b'!' | b'+' => JOINT,
            _ if it.is_ascii_alphanumeric() => FIRST | TAIL,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

/// Whether a word begins here: no letter or figure before it, but for those of `\n` and its like.
fn begins(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    CLASS[usize::from(text[before])] & TAIL == 0 || is_escape(text, before)
}

/// The letter of `\n`, `\t` or `\r`.
fn is_escape(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1] == b'\\' && matches!(text[at], b'n' | b't' | b'r')
}

/// Whether there is a dash: sixteen bytes are looked at together.
#[inline]
fn has_dash(run: &[u8]) -> bool {
    let (sixteens, _) = run.as_chunks::<16>();
    let Some(last) = run.last_chunk::<16>() else { return run.contains(&b'-') };
    let mut any = [0; 16];
    for sixteen in sixteens.iter().chain([last]) {
        for (any, byte) in any.iter_mut().zip(sixteen) {
            *any |= u8::from(*byte == b'-');
        }
    }
    u128::from_le_bytes(any) != 0
}

/// The next place behind a dash in a run that a key may begin at: eight bytes are looked at together.
#[inline]
fn behind_a_dash(text: &[u8], from: usize, to: usize, open: bool) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (eights, rest) = text[from..to].as_chunks::<8>();
    let mut at = from;
    for eight in eights {
        // None of them has the highest bit, so that nothing is carried to the next.
        let differs = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b'-'));
        let mut dashes = !(differs + ONES * 0x7f) & (ONES << 7);
        while dashes != 0 {
            let behind = at + 1 + (dashes.trailing_zeros() / 8) as usize;
            if open || formats::may_begin(text, behind) {
                return Some(behind);
            }
            dashes &= dashes - 1;
        }
        at += 8;
    }
    let is_start =
        |(byte, behind): &(&u8, usize)| **byte == b'-' && (open || formats::may_begin(text, *behind));
    rest.iter().zip(at + 1..).find(is_start).map(|(_, behind)| behind)
}

/// The next place from one on that a key may begin at, in what is joined to a run or in the run.
#[inline]
fn next_start(text: &[u8], from: usize, run: &Range<usize>, open: bool) -> Option<usize> {
    let may_begin = |at: usize| begins(text, at) && (open || formats::may_begin(text, at));
    let mut at = from;
    while at < run.start {
        if CLASS[usize::from(text[at])] & FIRST != 0 && may_begin(at) {
            return Some(at);
        }
        at += 1;
    }
    // Words of a run begin with it and behind dashes, and where an escape has ended.
    while at < run.end {
        if may_begin(at) {
            return Some(at);
        }
        at = if is_escape(text, at) { at + 1 } else { behind_a_dash(text, at, run.end, open)? };
    }
    None
}
