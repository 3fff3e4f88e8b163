//! What a terminal would obey. Colours are ordinary everywhere, and so is all that a program does with its own screen, also in a log of it;
//! text that is made invisible and the clipboard are not, and nothing but colours in what comes from somewhere else.

use super::{Hidden, Source};

pub(super) fn at(text: &str, place: usize, source: Source) -> Option<Hidden> {
    let rest = &text[place..];
    let first = rest.chars().next()?;
    let body = match first {
        '\u{1b}' => &rest[1..],
        // The same in one character.
        '\u{9b}' | '\u{9d}' => {
            return (source == Source::Elsewhere).then(|| hit(place, first.len_utf8(), rest));
        }
        _ => return None,
    };
    let kind = body.chars().next();
    let (long, worth_telling) = match kind {
        Some('[') => {
            let inner = &body[1..];
            let end = inner.find(|c: char| ('@'..='~').contains(&c));
            let colour = end.is_some_and(|end| inner[end..].starts_with('m'));
            let hides =
                colour && conceals(&inner[..end.unwrap_or(0)]) && has_words(&inner[end.unwrap_or(0)..]);
            (2 + end.map_or(0, |end| end + 1), hides || !colour && source == Source::Elsewhere)
        }
        Some(']' | 'P' | '^' | '_' | 'X') => {
            let inner = &body[1..];
            let end = inner.find(['\u{7}', '\u{1b}', '\n']).unwrap_or(inner.len());
            let clipboard = inner.starts_with("52;");
            (2 + end, clipboard || source == Source::Elsewhere)
        }
        _ => (1, source == Source::Elsewhere),
    };
    worth_telling.then(|| hit(place, long.min(rest.len()), rest))
}

/// Whether this begins with a colour that hides nothing, as most escapes do.
pub(super) fn is_colour(rest: &[u8]) -> bool {
    let Some(inner) = rest.get(1..).and_then(|rest| rest.strip_prefix(b"[")) else { return false };
    let end = inner.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';'));
    end.is_some_and(|end| inner[end] == b'm' && !inner[..end].contains(&b'8'))
}

fn hit(place: usize, long: usize, rest: &str) -> Hidden {
    let says = crate::visible(&rest[..long]).into_owned();
    let instead = Some(says.clone());
    Hidden { range: place..place + long, how: "escapes that a terminal obeys", says, instead }
}

/// Whether something is said up to the next escape: a list of codes has none of it between them.
fn has_words(behind: &str) -> bool {
    let hidden = &behind[1..];
    let hidden = hidden.split('\u{1b}').next().unwrap_or(hidden);
    hidden.chars().filter(char::is_ascii_alphabetic).count() >= 4
}

/// `8` by itself: text that is there and not shown. `38;5;8` is a colour.
fn conceals(parameters: &str) -> bool {
    let mut list = parameters.split([';', ':']);
    while let Some(one) = list.next() {
        match one {
            "8" => return true,
            "38" | "48" | "58" => {
                let skipped = if list.next() == Some("5") { 1 } else { 3 };
                list.by_ref().take(skipped).for_each(drop);
            }
            _ => {}
        }
    }
    false
}
