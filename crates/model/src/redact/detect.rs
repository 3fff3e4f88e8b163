//! Secrets in what tools return, in one pass: keys by their shape, values by their names. Most bytes are looked at only by their marks: a
//! key has a run of letters and figures that ordinary text seldom has, and a name has a sign behind it.

use std::ops::Range;

use super::assigned::Named;
use super::formats;
use super::own_values::OwnValues;
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
    scan::look(text.as_bytes(), &mut secrets, Secrets::event, Secrets::run);
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
        let runs = Runs { text: text.as_bytes(), seen: 0, tried: 0, done: 0 };
        Self { text, runs, named: Named::new(text), fences: Vec::new(), found: Vec::new() }
    }

    /// A place that something may begin at.
    #[inline]
    pub(crate) fn event(&mut self, place: usize) {
        match self.text.as_bytes()[place] {
            b'=' | b':' => self.sign(place),
            b'-' => self.fence(place),
            _ => {}
        }
    }

    /// The sign behind a name.
    #[inline]
    pub(crate) fn sign(&mut self, place: usize) {
        if let Some(secret) = self.named.behind(place) {
            self.found.push(secret);
        }
    }

    /// A dash that may be the last before `BEGIN` or `END`.
    #[inline]
    pub(crate) fn fence(&mut self, place: usize) {
        let (before, behind) = self.text.as_bytes().split_at(place + 1);
        if before.ends_with(b"-----") && matches!(behind.first(), Some(b'B' | b'E')) {
            self.fences.push(place + 1);
        }
    }

    /// Eight bytes that a long run may go through.
    #[inline]
    pub(crate) fn run(&mut self, place: usize) {
        if place >= self.runs.seen {
            self.runs.through(place, &mut self.found);
        }
    }

    pub(crate) fn end(self, own: &OwnValues) -> Vec<Secret> {
        let mut found = self.found;
        for range in private_keys(self.text.as_bytes(), &self.fences) {
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

/// The lines between `-----BEGIN … PRIVATE KEY-----` and the next fence, which begins with `-----`: behind that are its places.
fn private_keys(text: &[u8], fences: &[usize]) -> Vec<Range<usize>> {
    const TITLE: usize = 80;
    let mut found = Vec::new();
    let mut done = 0;
    for (number, &fence) in fences.iter().enumerate() {
        if fence < done {
            continue;
        }
        let title = &text[fence..text.len().min(fence + TITLE)];
        let Some(close) = title.windows(5).position(|five| five == b"-----") else { continue };
        if !title.starts_with(b"BEGIN ") || !title[..close].windows(11).any(|word| word == b"PRIVATE KEY") {
            continue;
        }
        let from = fence + close + 5;
        let end = fences[number + 1..].iter().find(|end| text[**end..].starts_with(b"END"));
        let to = end.map_or(text.len(), |end| end - 5);
        done = to;
        if from < to && is_key_block(&text[from..to]) {
            found.push(from..to);
        }
    }
    found
}

/// A block has lines of base64 in it; a program that only knows the line that one begins with does not.
fn is_key_block(block: &[u8]) -> bool {
    block.split(|byte| matches!(byte, b'\n' | b'\\' | b'\r' | b' ')).any(|line| {
        let line = line.strip_prefix(b"n").unwrap_or(line).trim_ascii();
        line.len() >= 40
            && line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    })
}

/// Keys have at least so many letters and figures beside each other.
const RUN: usize = 16;
/// What may stand before such a run and belong to the key.
const BEFORE: usize = 80;

/// Goes from one long run to the next.
struct Runs<'a> {
    text: &'a [u8],
    /// Where the last run ends.
    seen: usize,
    /// Up to where keys were looked for.
    tried: usize,
    /// Where the last key ends.
    done: usize,
}

impl Runs<'_> {
    /// The run that goes through eight bytes, if one does.
    #[inline(never)]
    fn through(&mut self, place: usize, found: &mut Vec<Secret>) {
        let end = place + parts(&self.text[place..]);
        if end < place + 8 {
            return;
        }
        self.seen = end;
        let is_part = |byte: &&u8| CLASS[usize::from(**byte)] & PART != 0;
        let run = place - self.text[..place].iter().rev().take(RUN).take_while(is_part).count();
        if end - run >= RUN {
            self.keys(run, end, found);
        }
    }

    /// The keys that begin in a run, or in what is joined to its beginning.
    fn keys(&mut self, run: usize, end: usize, found: &mut Vec<Secret>) {
        let text = self.text;
        let start = run.max(self.done);
        if start >= end {
            return;
        }
        let mut at = start;
        // What it and the byte behind it are made of.
        let mut kinds = text.get(end).map_or(0, |byte| CLASS[usize::from(*byte)]);
        let mut whole = true;
        if start > self.done && is_joint(&text[..start]) {
            let before = &text[self.done.max(start.saturating_sub(BEFORE))..start];
            for byte in before.iter().rev() {
                let class = CLASS[usize::from(*byte)];
                if class == 0 {
                    break;
                }
                kinds |= class;
                at -= 1;
            }
        } else if text[..run].ends_with(b"FlyV1 ") {
            // The only one with a blank in its beginning.
            at = run - 6;
        } else {
            // A later run may be joined to what is before this one.
            whole = !text[..start].ends_with(b"=");
        }
        let open = (kinds & SIGNED != 0 || text[start..end].ends_with(b"_mmk"))
            && text[at..end].iter().any(u8::is_ascii_digit);
        if !open {
            // Those that end in the run before have been tried with it: base64 is many runs.
            at = at.max(self.tried.min(start));
        }
        if !begins(text, at) {
            at = next_word(text, at, start, end);
        }
        while at < end {
            let class = CLASS[usize::from(text[at])];
            // What no word goes on with may stand right behind one.
            let first = class & FIRST != 0 && (class & TAIL != 0 || begins(text, at));
            if first && (open || formats::may_begin(text, at)) {
                let open = || if open { formats::open_at(text, at) } else { None };
                if let Some(hit) = formats::at(text, at).or_else(open) {
                    found.push(Secret {
                        range: hit.from..hit.to,
                        keep: hit.keep,
                        kind: hit.kind.into(),
                        certain: true,
                    });
                    (at, self.done) = (hit.to, hit.to);
                    if at < end && !begins(text, at) {
                        at = next_word(text, at, start, end);
                    }
                    continue;
                }
            }
            at = if is_escape(text, at) { at + 1 } else { next_word(text, at, start, end) };
        }
        if whole {
            self.tried = end;
        }
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
/// What a run is made of.
const PART: u8 = 32;

/// What each byte can be in a key.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::cast_possible_truncation, reason = "less than 128, and a constant has no try_from")]
        let it = byte as u8;
        classes[byte] = match it {
            b'_' => JOINT | FIRST | TAIL | PART,
            b'$' => JOINT | FIRST,
            b'.' | b'~' | b':' | b'|' | b'%' => JOINT | SIGNED,
            b'-' => JOINT | PART,
            b'/' | b'=' | b'!' | b'+' => JOINT,
            _ if it.is_ascii_alphanumeric() => FIRST | TAIL | PART,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

/// Whether what stands before a run may belong to its key. Of names with `=` only one does.
fn is_joint(before: &[u8]) -> bool {
    match before.last() {
        Some(b'=') => before.ends_with(b"_gitlab_session="),
        Some(byte) => CLASS[usize::from(*byte)] & JOINT != 0,
        None => false,
    }
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

/// Where the next word may begin, in what is joined to a run or in the run.
fn next_word(text: &[u8], at: usize, run: usize, end: usize) -> usize {
    let class = |at: usize| CLASS[usize::from(text[at])];
    let mut next = at;
    if at >= run {
        // Most runs are one word.
        next = at + dash(&text[at..end]);
    } else {
        while next < end && class(next) & TAIL != 0 {
            next += 1;
        }
    }
    // Lines are drawn with dashes.
    while next < end && class(next) & FIRST == 0 {
        next += 1;
    }
    next.max(at + 1)
}

/// How many bytes of a run a text begins with: eight are looked at together.
fn parts(text: &[u8]) -> usize {
    let (eights, rest) = text.as_chunks::<8>();
    for (number, eight) in eights.iter().enumerate() {
        let gaps = gaps(u64::from_le_bytes(*eight));
        if gaps != 0 {
            return number * 8 + (gaps.trailing_zeros() / 8) as usize;
        }
    }
    let part = |byte: &&u8| CLASS[usize::from(**byte)] & PART != 0;
    text.len() - rest.len() + rest.iter().take_while(part).count()
}

/// The highest bit of each of eight bytes that is no part of a run. Adding to a byte below 128 carries nothing to the next.
fn gaps(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let low = eight & (ONES * 0x7f);
    let from = |bytes: u64, first: u8| bytes + ONES * u64::from(0x80 - first);
    let within = |bytes: u64, first: u8, last: u8| from(bytes, first) & !from(bytes, last + 1);
    let other = |byte: u8| (low ^ (ONES * u64::from(byte))) + ONES * 0x7f;
    let letter = within(low | (ONES * 0x20), b'a', b'z');
    let sign = !(other(b'_') & other(b'-'));
    (eight | !(letter | within(low, b'0', b'9') | sign)) & (ONES * 0x80)
}

/// How many bytes come before the first dash: eight are looked at together.
fn dash(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (eights, rest) = text.as_chunks::<8>();
    for (number, eight) in eights.iter().enumerate() {
        let differs = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b'-'));
        // The lowest of these bits is right, the ones above it need not be.
        let same = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
        if same != 0 {
            return number * 8 + (same.trailing_zeros() / 8) as usize;
        }
    }
    let before = rest.iter().take_while(|byte| **byte != b'-').count();
    text.len() - rest.len() + before
}
