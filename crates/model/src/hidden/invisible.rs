//! Characters that show nothing: tags, variation selectors, blanks without width, and those that turn the direction of writing.

use super::Hidden;

const WITHOUT_WIDTH: &str = "characters without width";

/// A character that takes no room. One between emoji or in some scripts is ordinary.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' | '\u{180e}')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_turn(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text begins with a character of those here, or one that a terminal obeys.
pub(super) fn may_begin(text: &[u8]) -> bool {
    match text {
        [0xc2, second, ..] => matches!(second, 0xad | 0x9b | 0x9d),
        [0xe1 | 0xf3, second, ..] => *second == 0xa0,
        [0xe2, 0x80, third, ..] => matches!(third, 0x8b..=0x8d | 0xaa..=0xae),
        [0xe2, 0x81, third, ..] => matches!(third, 0xa0..=0xa9),
        [0xef, second, ..] => matches!(second, 0xb8..=0xbb),
        _ => false,
    }
}

/// What begins at a byte that is not ASCII.
pub(super) fn at(text: &str, place: usize) -> Option<Hidden> {
    let rest = text.get(place..)?;
    let first = rest.chars().next()?;
    // Most characters are letters: no range of the ones looked for is near them.
    if !matches!(first, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{2069}' | '\u{fe00}'..='\u{feff}' | '\u{e0000}'..='\u{e01ef}')
    {
        return None;
    }
    let run =
        |part: fn(char) -> bool| rest.chars().take_while(|c| part(*c)).map(char::len_utf8).sum::<usize>();
    if is_tag(first) {
        // The rest of a flag.
        if text[..place].ends_with(is_tag) {
            return None;
        }
        let long = run(is_tag);
        let says = tags(&rest[..long]);
        // The flags of England, Scotland and Wales are written so.
        let flag = text[..place].ends_with('\u{1f3f4}') && says.len() <= 6;
        return (!flag && says.len() >= 2).then(|| hit(place, long, "tag characters", says));
    }
    if is_selector(first) {
        let long = run(is_selector);
        let count = rest[..long].chars().count();
        let says = selected(&rest[..long]);
        return (count >= 3 && says.len() >= 3).then(|| hit(place, long, "variation selectors", says));
    }
    if is_turn(first) {
        return turned(text, place);
    }
    if is_blank(first) {
        let long = run(is_blank);
        let count = rest[..long].chars().count();
        let says = bits(&rest[..long]);
        return (count >= 24 && says.len() >= 3 || count >= 64)
            .then(|| hit(place, long, WITHOUT_WIDTH, says));
    }
    None
}

fn hit(from: usize, long: usize, how: &'static str, says: String) -> Hidden {
    let instead = Some(format!("‹hidden: {how}{}›", quoted(&says)));
    Hidden { range: from..from + long, how, says, instead }
}

fn quoted(says: &str) -> String {
    if says.is_empty() { String::new() } else { format!(" that spell {says:?}") }
}

fn tags(run: &str) -> String {
    let letters = run.chars().filter_map(|c| char::from_u32(u32::from(c) - 0xe0000));
    letters.filter(|c| c.is_ascii_graphic() || *c == ' ').collect()
}

/// Selectors stand for bytes: sixteen, and then the other 240.
fn selected(run: &str) -> String {
    let bytes = run.chars().filter_map(|c| match u32::from(c) {
        code @ 0xfe00..=0xfe0f => u8::try_from(code - 0xfe00).ok(),
        code => u8::try_from(code - 0xe0100 + 16).ok(),
    });
    printable(&bytes.collect::<Vec<_>>())
}

/// Two kinds of blanks for the bits of letters; whichever of them is the one.
fn bits(run: &str) -> String {
    let mut kinds: Vec<char> = run.chars().collect();
    kinds.sort_unstable();
    kinds.dedup();
    let [low, high, ..] = kinds[..] else { return String::new() };
    let read = |one: char| {
        let bits: Vec<bool> = run.chars().filter(|c| *c == low || *c == high).map(|c| c == one).collect();
        let bytes =
            bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | u8::from(*bit)));
        printable(&bytes.collect::<Vec<_>>())
    };
    let (one, other) = (read(high), read(low));
    if one.len() >= other.len() { one } else { other }
}

/// Bytes as text, where that is what they are.
fn printable(bytes: &[u8]) -> String {
    let shown: String = bytes
        .iter()
        .filter(|byte| byte.is_ascii_graphic() || **byte == b' ')
        .map(|byte| char::from(*byte))
        .collect();
    if shown.len() * 10 >= bytes.len() * 8 { shown } else { String::new() }
}

/// A turn of the direction in a line without a letter that is written that way: the line reads otherwise than it is.
fn turned(text: &str, place: usize) -> Option<Hidden> {
    let start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let end = text[place..].find('\n').map_or(text.len(), |at| place + at);
    let line = &text[start..end];
    let leftwards =
        |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    let letters = line.chars().filter(char::is_ascii_alphabetic).count();
    if line.chars().any(leftwards) || letters < 3 {
        return None;
    }
    let from = place;
    let to = start + line.rfind(is_turn)? + line[line.rfind(is_turn)?..].chars().next()?.len_utf8();
    let inner: String = text[from..to].chars().filter(|c| !is_turn(*c)).collect();
    // A name that is written backwards for fun says nothing.
    let code = ["//", "/*", "#", "--"].iter().any(|sign| inner.contains(sign));
    if inner.chars().filter(char::is_ascii_alphabetic).count() < if code { 4 } else { 13 } {
        return None;
    }
    let shown: String = text[from..to].chars().map(|c| if is_turn(c) { '‹' } else { c }).collect();
    Some(Hidden {
        range: from..to,
        how: "characters that turn the direction of writing",
        says: inner,
        instead: Some(shown.replace('‹', "‹turn›")),
    })
}

/// A blank without width between two letters: where it begins and ends.
pub(super) fn between_letters(text: &str, place: usize) -> Option<(usize, usize)> {
    let blank = text[place..].chars().next().filter(|c| is_blank(*c))?;
    let (bytes, end) = (text.as_bytes(), place + blank.len_utf8());
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (letter(place.wrapping_sub(1)) && letter(end)).then_some((place, end))
}

/// Those that stand between the letters of words, one by one: no script that is written with these letters needs them.
pub(super) fn scattered(text: &str, places: &[(usize, usize)], found: &[Hidden]) -> Vec<Hidden> {
    const CLOSE: usize = 48;
    const MANY: usize = 4;
    let mut hits = Vec::new();
    let mut first = 0;
    while first < places.len() {
        let mut last = first;
        while last + 1 < places.len() && places[last + 1].0 - places[last].1 <= CLOSE {
            last += 1;
        }
        if last + 1 - first >= MANY {
            let range = places[first].0..places[last].1;
            if !found.iter().any(|hit| hit.range.start < range.end && range.start < hit.range.end) {
                let start = text[..range.start].rfind(char::is_whitespace).map_or(0, |at| at + 1);
                let says = text[start..range.end].chars().filter(|c| !is_blank(*c)).collect();
                let instead = text[range.clone()].chars().filter(|c| !is_blank(*c)).collect();
                hits.push(Hidden { range, how: WITHOUT_WIDTH, says, instead: Some(instead) });
            }
        }
        first = last + 1;
    }
    hits
}
