//! Brace expansion: `{a,b}`, `{1..3}`, nested and in sequence. It comes before every other one and knows nothing of them.

use crate::syntax::Part;
use crate::text::ANY;

/// More words than this are not made; the rest is one unknown word.
const MOST: usize = 512;
/// Braces in braces, and braces that turn out to be none.
const DEEPEST: usize = 48;

/// The words that a word's parts become, and whether all of them are there.
pub(crate) fn braces(parts: &[Part]) -> (Vec<Vec<Part>>, bool) {
    let mut whole = true;
    let words = expanded(parts, 0, &mut whole).into_iter().map(renamed).collect();
    (words, whole)
}

/// `$a{b,c}` is `$ab $ac`: braces come before names.
fn renamed(parts: Vec<Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match (out.last_mut(), part) {
            (Some(Part::Parameter(parameter)), Part::Bare(text)) if parameter.open => {
                let length = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                parameter.name.push_str(&text[..length]);
                if length < text.len() {
                    out.push(Part::Bare(text[length..].to_owned()));
                }
            }
            (_, part) => out.push(part),
        }
    }
    out
}

fn expanded(parts: &[Part], depth: usize, whole: &mut bool) -> Vec<Vec<Part>> {
    let Some((index, open)) = parts.iter().enumerate().find_map(|(i, part)| match part {
        Part::Bare(text) => text.find('{').map(|at| (i, at)),
        _ => None,
    }) else {
        return vec![parts.to_vec()];
    };
    if depth > DEEPEST {
        *whole = false;
        return vec![vec![Part::Quoted(ANY.to_string())]];
    }
    let Some(group) = group(parts, index, open) else {
        // No brace expression begins here; look on behind it.
        let Part::Bare(text) = &parts[index] else { return vec![parts.to_vec()] };
        let (head, tail) = text.split_at(open + 1);
        let mut rest: Vec<Part> = vec![Part::Bare(tail.to_owned())];
        rest.extend_from_slice(&parts[index + 1..]);
        let with_head = |tail: Vec<Part>| {
            let mut all = parts[..index].to_vec();
            all.push(Part::Bare(head.to_owned()));
            all.extend(tail);
            all
        };
        return expanded(&rest, depth + 1, whole).into_iter().map(with_head).collect();
    };
    let mut words = Vec::new();
    let tails = expanded(&group.after, depth + 1, whole);
    for choice in &group.choices {
        for middle in expanded(choice, depth + 1, whole) {
            for tail in &tails {
                if words.len() == MOST {
                    *whole &= is_plain(parts);
                    words.push(vec![Part::Quoted(ANY.to_string())]);
                    return words;
                }
                let mut word = group.before.clone();
                word.extend(middle.iter().cloned());
                word.extend(tail.iter().cloned());
                words.push(word);
            }
        }
    }
    words
}

/// Letters and digits: however many words they make, none of them is a path or a flag.
fn is_plain(parts: &[Part]) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'{' | b'}' | b',' | b'.' | b'_');
    // `..` between two ends is a sequence, and by itself the folder above.
    let is_above = |text: &str| ["{..", ",..", "..,", "..}"].iter().any(|dots| text.contains(dots));
    parts.iter().all(|part| matches!(part, Part::Bare(text) if text.bytes().all(plain) && !is_above(text)))
}

struct Group {
    before: Vec<Part>,
    choices: Vec<Vec<Part>>,
    after: Vec<Part>,
}

/// The brace expression that begins in `parts[index]` at byte `open`, if it is one.
fn group(parts: &[Part], index: usize, open: usize) -> Option<Group> {
    let Part::Bare(first) = &parts[index] else { return None };
    let mut before = parts[..index].to_vec();
    if open > 0 {
        before.push(Part::Bare(first[..open].to_owned()));
    }
    let mut choices: Vec<Vec<Part>> = vec![Vec::new()];
    let mut depth = 0usize;
    let mut at_part = index;
    let mut text = &first[open + 1..];
    loop {
        let mut plain = String::new();
        for (at, c) in text.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    push_plain(&mut choices, &plain);
                    let mut after = Vec::new();
                    if at + 1 < text.len() {
                        after.push(Part::Bare(text[at + 1..].to_owned()));
                    }
                    after.extend_from_slice(&parts[at_part + 1..]);
                    if choices.len() == 1 {
                        choices = sequence(&choices[0])?;
                    }
                    return Some(Group { before, choices, after });
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    push_plain(&mut choices, &plain);
                    plain.clear();
                    choices.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            plain.push(c);
        }
        push_plain(&mut choices, &plain);
        loop {
            at_part += 1;
            match parts.get(at_part)? {
                Part::Bare(next) => {
                    text = next;
                    break;
                }
                other => {
                    if let Some(last) = choices.last_mut() {
                        last.push(other.clone());
                    }
                }
            }
        }
    }
}

fn push_plain(choices: &mut [Vec<Part>], plain: &str) {
    if !plain.is_empty()
        && let Some(last) = choices.last_mut()
    {
        last.push(Part::Bare(plain.to_owned()));
    }
}

/// `1..5`, `01..10`, `a..e`, `1..9..2`.
fn sequence(choice: &[Part]) -> Option<Vec<Vec<Part>>> {
    let [Part::Bare(text)] = choice else { return None };
    let mut ends = text.split("..");
    let (from, to, step) = (ends.next()?, ends.next()?, ends.next());
    if ends.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |text| text.parse::<i64>().ok())?.unsigned_abs().max(1);
    let one = |text: String| vec![Part::Bare(text)];
    if let (Some(first), Some(last)) = (number(from), number(to)) {
        let count = first.abs_diff(last) / step + 1;
        if count > MOST as u64 {
            return Some(vec![vec![Part::Quoted(ANY.to_string())]]);
        }
        let padded = |text: &str| {
            text.trim_start_matches('-').len() > 1 && text.trim_start_matches('-').starts_with('0')
        };
        let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
        let step = i64::try_from(step).ok()?;
        let numbers = (0..i64::try_from(count).ok()?)
            .map(|i| if first <= last { first + i * step } else { first - i * step });
        return Some(numbers.map(|n| one(format!("{n:0width$}"))).collect());
    }
    let letter =
        |text: &str| matches!(text.as_bytes(), [b] if b.is_ascii_alphabetic()).then(|| text.as_bytes()[0]);
    let (first, last) = (letter(from)?, letter(to)?);
    let mut list: Vec<u8> = (first.min(last)..=first.max(last)).collect();
    if first > last {
        list.reverse();
    }
    let step = usize::try_from(step).ok()?;
    Some(list.into_iter().step_by(step).map(|b| one(char::from(b).to_string())).collect())
}

fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    (digits.len() <= 18 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let join = |parts: Vec<Part>| {
            parts
                .iter()
                .map(|part| if let Part::Bare(text) | Part::Quoted(text) = part { text.as_str() } else { "" })
                .collect()
        };
        braces(&[Part::Bare(text.into())]).0.into_iter().map(join).collect()
    }

    #[test]
    fn what_was_left_out_is_said_where_it_may_matter() {
        let whole = |text: &str| braces(&[Part::Bare(text.into())]).1;
        assert!(whole("{a,b}{1..400}"));
        assert!(!whole("{a{1..600},b{1..400},c{1..400},..}"));
        assert!(!whole("{a,b}{1..400}/"));
    }

    #[test]
    fn words_are_made_as_in_bash() {
        assert_eq!(words("a{b,c}d"), ["abd", "acd"]);
        assert_eq!(words("{a,{b,c}}{1,2}"), ["a1", "a2", "b1", "b2", "c1", "c2"]);
        assert_eq!(words("{08..10}"), ["08", "09", "10"]);
        assert_eq!(words("{e..a..2}"), ["e", "c", "a"]);
        assert_eq!(words("{a} {} {{b,c}}"), ["{a} {} {b}", "{a} {} {c}"]);
        assert_eq!(words("{a..3}"), ["{a..3}"]);
    }

    #[test]
    fn bombs_end() {
        let bomb = |text: &str| braces(&[Part::Bare(text.into())]);
        assert_eq!(bomb(&"{a,b}".repeat(20)).0.len(), MOST + 1);
        assert!(bomb(&"{a,b}".repeat(20)).1, "letters are not paths");
        assert!(!bomb(&("{a,b}".repeat(20) + "{/,~}")).1);
        assert!(!bomb(&"{".repeat(100_000)).1);
    }
}
