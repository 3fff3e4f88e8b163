//! Secrets in what tools return, in one pass: keys by their shape, values by their names. Most bytes are looked at only in blocks: a key
//! has a run of letters and figures that ordinary text seldom has, and a name has a sign behind it.

use std::ops::Range;

use super::assigned::Named;
use super::formats;
use super::own_values::OwnValues;
use crate::scan::{self, Block};

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
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut runs = Runs { text: bytes, open: 0, before: u64::MAX, done: 0 };
    let mut named = Named::new(text);
    let mut fences = Vec::new();
    scan::blocks(bytes, marks, |block| {
        runs.see(block, &mut found);
        block.each(SIGN, |sign| {
            if bytes[sign] == b'-' {
                if bytes[..=sign].ends_with(b"-----") {
                    fences.push(sign + 1);
                }
            } else if let Some(secret) = named.behind(sign) {
                found.push(secret);
            }
        });
    });
    runs.end(&mut found);
    for range in private_keys(bytes, &fences) {
        found.push(Secret { range, keep: 0, kind: "private key".into(), certain: true });
    }
    own.find(text, &mut found);
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

/// The sign behind a name, or the last one before `BEGIN` and `END`.
const SIGN: u8 = 1;
/// What runs are made of: letters, figures, `_` and `-`.
const RUNS: u8 = 2;

#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep it from being done for many bytes at once"
)]
fn marks(_: u8, byte: u8, behind: u8) -> u8 {
    let fence = (behind == b'B') | (behind == b'E');
    let sign = (byte == b'=') | (byte == b':') | ((byte == b'-') & fence);
    u8::from(sign) | u8::from(is_run(byte)) << 1
}

/// Without branches.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep it from being done for many bytes at once"
)]
fn is_run(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | (byte == b'_') | (byte == b'-')
}

/// Goes from one long run to the next.
struct Runs<'a> {
    text: &'a [u8],
    /// How many bytes before the present ones belong to a run that has filled half a block, as every long one does.
    open: usize,
    /// The gaps in the half before.
    before: u64,
    /// Where the last key ends.
    done: usize,
}

impl Runs<'_> {
    #[inline]
    fn see(&mut self, block: Block, found: &mut Vec<Secret>) {
        let [low, high] = block.without(RUNS);
        if low == 0 || high == 0 || self.open > 0 {
            self.half(block.at, low, found);
            self.half(block.at + 8, high, found);
        }
        self.before = high;
    }

    fn half(&mut self, at: usize, gaps: u64, found: &mut Vec<Secret>) {
        if gaps == 0 {
            let before = if self.open == 0 { scan::behind(self.before) } else { self.open };
            self.open = before + 8;
        } else if self.open > 0 {
            let end = at + scan::before(gaps);
            let run = at - self.open;
            self.open = 0;
            if end - run >= RUN {
                self.keys(run, end, found);
            }
        }
        self.before = gaps;
    }

    /// The run that the text ends with.
    fn end(&mut self, found: &mut Vec<Secret>) {
        if self.open >= RUN {
            self.keys(self.text.len() - self.open, self.text.len(), found);
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
        if start > self.done && is_joint(&text[..start]) {
            let before = text[self.done.max(start.saturating_sub(BEFORE))..start].iter().rev();
            at -= before.take_while(|byte| CLASS[usize::from(**byte)] != 0).count();
        } else if text[..run].ends_with(b"FlyV1 ") {
            // The only one with a blank in its beginning.
            at = run - 6;
        }
        let open = is_open(text, at, start, end);
        while at < end {
            if begins(text, at) && CLASS[usize::from(text[at])] & FIRST != 0 {
                let open = || if open { formats::open_at(text, at) } else { None };
                if let Some(hit) = formats::at(text, at).or_else(open) {
                    found.push(Secret {
                        range: hit.from..hit.to,
                        keep: hit.keep,
                        kind: hit.kind.into(),
                        certain: true,
                    });
                    (at, self.done) = (hit.to, hit.to);
                    continue;
                }
            }
            at = next_word(text, at, start, end);
        }
    }
}

/// Letters and figures.
const WORD: u8 = 1;
/// What stands beside them in a key.
const JOINT: u8 = 2;
/// What a key begins with.
const FIRST: u8 = 4;

/// What each byte can be in a key.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::cast_possible_truncation, reason = "less than 128, and a constant has no try_from")]
        let it = byte as u8;
        classes[byte] = match it {
            b'_' | b'$' => JOINT | FIRST,
            b'-' | b'.' | b'~' | b':' | b'/' | b'=' | b'|' | b'!' | b'+' | b'%' => JOINT,
            _ if it.is_ascii_alphanumeric() => WORD | FIRST,
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

/// Whether one of those shapes may be here that begin with anything: they have figures, and a sign in the middle or a word at the end.
fn is_open(text: &[u8], from: usize, run: usize, end: usize) -> bool {
    let sign = |byte: &u8| matches!(byte, b'.' | b'~' | b'|' | b':' | b'%');
    let signed = text.get(end).is_some_and(sign)
        || text[from..run].iter().any(sign)
        || text[run..end].ends_with(b"_mmk");
    signed && text[from..end].iter().any(u8::is_ascii_digit)
}

/// Whether a word begins here: no letter or figure before it, but for those of `\n` and its like.
fn begins(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let byte = text[before];
    !byte.is_ascii_alphanumeric() && byte != b'_' || is_escape(text, before)
}

/// The letter of `\n`, `\t` or `\r`.
fn is_escape(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1] == b'\\' && matches!(text[at], b'n' | b't' | b'r')
}

/// Where the next word may begin, in what is joined to a run or in the run.
fn next_word(text: &[u8], at: usize, run: usize, end: usize) -> usize {
    if is_escape(text, at) {
        return at + 1;
    }
    // Most runs are one word.
    if at >= run && !has_dash(&text[at..end]) {
        return end;
    }
    let rest = text[at..end].iter();
    let word =
        rest.clone().take_while(|byte| CLASS[usize::from(**byte)] & WORD != 0 || **byte == b'_').count();
    // Lines are drawn with dashes.
    let joints = rest.skip(word).take_while(|byte| CLASS[usize::from(**byte)] & FIRST == 0);
    at + (word + joints.count()).max(1)
}

/// Eight bytes at a time.
fn has_dash(text: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (eights, rest) = text.as_chunks::<8>();
    let has = |eight: &[u8; 8]| {
        let differs = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b'-'));
        differs.wrapping_sub(ONES) & !differs & (ONES << 7) != 0
    };
    eights.iter().any(has) || rest.contains(&b'-')
}
