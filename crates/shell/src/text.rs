//! Text of which parts are not known. A hole is one character of Unicode's private use area, so that cutting, joining and
//! replacing text carry it along; which character says where the unknown text comes from.

/// Nothing is known about it.
pub const ANY: char = '\u{F8F0}';
/// An environment variable that is not set here: perhaps empty.
pub const UNSET: char = '\u{F8F1}';
/// It came over the network.
pub const NET: char = '\u{F8F2}';
/// It was read from a secret.
pub const SECRET: char = '\u{F8F3}';
/// It was decoded from something that is not known.
pub const DECODED: char = '\u{F8F4}';

/// A shell printed it that runs whatever it is told.
pub const SHELL: char = '\u{F8F5}';

/// One name after the other of all that are in a folder, as `*` finds them.
pub const EACH: char = '\u{F8F6}';

/// It was typed some time before, by whoever it was.
pub const PAST: char = '\u{F8F7}';

/// The range that holes are taken from. A command that contains such a character itself is treated as unknown there.
pub const fn is_hole(c: char) -> bool {
    matches!(c, '\u{F8F0}'..='\u{F8FF}')
}

/// Whether every character of it is known.
pub fn is_known(text: &str) -> bool {
    !may_have_holes(text) || !text.contains(is_hole)
}

/// Whether a hole of this kind is in it. For the usual text this is much cheaper than `contains`.
pub fn has_hole(text: &str, hole: char) -> bool {
    may_have_holes(text) && text.contains(hole)
}

/// All holes begin with this byte, and hardly anything else does.
fn may_have_holes(text: &str) -> bool {
    !text.is_ascii() && text.as_bytes().contains(&0xEF)
}

/// The holes of `text`, each kind once, as text: what remains of its origin when its content is gone.
pub fn holes(text: &str) -> String {
    let mut found = String::new();
    if !may_have_holes(text) {
        return found;
    }
    // The usual one: nothing is known.
    let mut chars = text.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        found.extend(is_hole(only).then_some(only));
        return found;
    }
    for c in text.chars().filter(|&c| is_hole(c)) {
        if !found.contains(c) {
            found.push(c);
        }
    }
    found
}

/// For people: holes become `…`.
pub fn show(text: &str) -> String {
    text.chars().map(|c| if is_hole(c) { '…' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_survive_and_are_counted_once() {
        let text = format!("a{NET}b{NET}{ANY}");
        assert!(!is_known(&text) && is_known("ab"));
        assert_eq!(holes(&text), format!("{NET}{ANY}"));
        assert_eq!(show(&text), "a…b……");
    }
}
