//! Texts that match a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// A small generator, so that a run can be repeated.
#[derive(Debug)]
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % most.max(1)
    }
}

/// What an expression is, read once.
pub(super) fn parse(pattern: &str) -> anyhow::Result<Hir> {
    Ok(regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern)?)
}

/// One text that it matches.
pub(super) fn text(hir: &Hir, dice: &mut Dice) -> String {
    let mut out = Vec::new();
    write(hir, dice, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// What its first group matches.
pub(super) fn group(hir: &Hir, dice: &mut Dice) -> Option<String> {
    match hir.kind() {
        HirKind::Capture(capture) => Some(text(&capture.sub, dice)),
        HirKind::Repetition(repetition) => group(&repetition.sub, dice),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().find_map(|part| group(part, dice))
        }
        _ => None,
    }
}

fn write(hir: &Hir, dice: &mut Dice, out: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
        HirKind::Class(class) => out.push(one_of(class, dice)),
        HirKind::Repetition(repetition) => {
            let least = repetition.min as usize;
            let most = repetition.max.map_or(least + 8, |most| most as usize).min(least + 24);
            for _ in 0..least + dice.below(most - least + 1) {
                write(&repetition.sub, dice, out);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, dice, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, dice, out)),
        HirKind::Alternation(parts) => write(&parts[dice.below(parts.len())], dice, out),
    }
}

/// A letter or a figure where the class has one, so that what comes out looks like a key.
fn one_of(class: &Class, dice: &mut Dice) -> u8 {
    let within = |byte: u8| match class {
        Class::Bytes(bytes) => bytes.iter().any(|range| range.start() <= byte && byte <= range.end()),
        Class::Unicode(chars) => {
            chars.iter().any(|range| range.start() <= char::from(byte) && char::from(byte) <= range.end())
        }
    };
    let plain: Vec<u8> = (0..128).filter(|byte: &u8| byte.is_ascii_alphanumeric() && within(*byte)).collect();
    // One letter, large or small: keys begin with the small one.
    if let [_, small] = plain[..]
        && plain[0].eq_ignore_ascii_case(&small)
    {
        return small;
    }
    let any: Vec<u8> = (32..127).filter(|byte| within(*byte)).collect();
    // Now and then one of the signs, too.
    let from = if plain.is_empty() || dice.below(32) == 0 && !any.is_empty() { &any } else { &plain };
    from.get(dice.below(from.len())).copied().unwrap_or(b' ')
}
