//! Text as `echo` and `printf` write it, escapes and all.

use crate::text::ANY;

pub(crate) fn echo(args: &[&str]) -> String {
    let mut escapes = false;
    let mut newline = true;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg.len() > 1 && arg.starts_with('-') && arg[1..].chars().all(|c| matches!(c, 'n' | 'e' | 'E')) {
            // The last of `e` and `E` counts.
            for c in arg[1..].chars() {
                match c {
                    'n' => newline = false,
                    c => escapes = c == 'e',
                }
            }
            at += 1;
        } else {
            break;
        }
    }
    let mut text = args[at..].join(" ");
    if escapes {
        text = unescape(&text, true);
        // `\c` ends everything.
        if let Some((head, _)) = text.split_once("\\c") {
            return head.to_owned();
        }
    }
    if newline {
        text.push('\n');
    }
    text
}

pub(crate) fn printf(args: &[&str]) -> String {
    let args = args.strip_prefix(&["--"]).unwrap_or(args);
    let Some((format, mut rest)) = args.split_first() else { return String::new() };
    let mut out = String::new();
    loop {
        let before = rest.len();
        let mut pieces = format.split('%');
        out.push_str(&unescape(pieces.next().unwrap_or_default(), false));
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                // `%%`
                out.push('%');
                out.push_str(&unescape(pieces.next().unwrap_or_default(), false));
                continue;
            }
            let tail = conversion(piece, &mut rest, &mut out);
            out.push_str(&unescape(tail, false));
        }
        // The format is used again while arguments are left.
        if rest.is_empty() || rest.len() == before || out.len() > 65_536 {
            return out;
        }
    }
}

/// One `%…`: what it prints goes to `out`, what follows it is given back.
fn conversion<'a>(piece: &'a str, rest: &mut &[&str], out: &mut String) -> &'a str {
    let flags = piece.len() - piece.trim_start_matches(['-', '+', ' ', '#', '0', '\'']).len();
    let (flags, piece) = piece.split_at(flags);
    let (width, piece) = size(piece, rest);
    let (precision, piece) = match piece.strip_prefix('.') {
        Some(more) => {
            let (precision, piece) = size(more, rest);
            (Some(precision.unwrap_or(0)), piece)
        }
        None => (None, piece),
    };
    if let Some((_, tail)) = piece.strip_prefix('(').and_then(|date| date.split_once(")T")) {
        take(rest);
        out.push(ANY);
        return tail;
    }
    let Some(kind) = piece.chars().next() else { return piece };
    let value = take(rest);
    let cut =
        |text: &str| precision.map_or_else(|| text.to_owned(), |most| text.chars().take(most).collect());
    let text = match kind {
        's' => cut(value),
        'b' => cut(&unescape(value, true)),
        'q' => crate::quote(value).into_owned(),
        'c' => value.chars().take(1).collect(),
        'd' | 'i' | 'u' => integer(value).map_or_else(|| ANY.to_string(), |n| n.to_string()),
        'x' => integer(value).map_or_else(|| ANY.to_string(), |n| format!("{n:x}")),
        'X' => integer(value).map_or_else(|| ANY.to_string(), |n| format!("{n:X}")),
        'o' => integer(value).map_or_else(|| ANY.to_string(), |n| format!("{n:o}")),
        _ => ANY.to_string(),
    };
    let missing = width.unwrap_or(0).saturating_sub(text.chars().count());
    let zero = flags.contains('0') && !matches!(kind, 's' | 'b' | 'q' | 'c');
    match (flags.contains('-'), zero) {
        (true, _) => out.extend(text.chars().chain(std::iter::repeat_n(' ', missing))),
        (_, true) => out.extend(std::iter::repeat_n('0', missing).chain(text.chars())),
        _ => out.extend(std::iter::repeat_n(' ', missing).chain(text.chars())),
    }
    &piece[kind.len_utf8()..]
}

/// A width or precision; `*` takes it from the arguments.
fn size<'a>(piece: &'a str, rest: &mut &[&str]) -> (Option<usize>, &'a str) {
    if let Some(tail) = piece.strip_prefix('*') {
        return (take(rest).parse().ok().map(|n: usize| n.min(4096)), tail);
    }
    let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
    (piece[..digits].parse().ok().map(|n: usize| n.min(4096)), &piece[digits..])
}

/// `12`, `0x1f`, `'a`.
fn integer(text: &str) -> Option<i64> {
    match text.strip_prefix(['\'', '"']) {
        Some(c) => c.chars().next().map(|c| i64::from(u32::from(c))),
        None if text.is_empty() => Some(0),
        None => crate::arithmetic::value(text, &|_| None),
    }
}

fn take<'a>(rest: &mut &[&'a str]) -> &'a str {
    match rest.split_first() {
        Some((first, tail)) => {
            *rest = tail;
            first
        }
        None => "",
    }
}

/// `\n`, `\x41`, `\101` and the like. `echo -e` and `%b` want a zero before octal digits.
pub(crate) fn unescape(text: &str, zero: bool) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('e' | 'E') => out.push('\u{1b}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some('\\') => out.push('\\'),
            Some('"') => out.push('"'),
            Some('\'') if !zero => out.push('\''),
            Some('x') => out.extend(code(&mut chars, 16, 2)),
            Some('u') => out.extend(code(&mut chars, 16, 4)),
            Some('U') => out.extend(code(&mut chars, 16, 8)),
            Some('0') if zero => out.extend(code(&mut chars, 8, 3)),
            Some(digit @ '0'..='7') => {
                let first = digit.to_digit(8).unwrap_or(0);
                let mut value = first;
                for _ in 0..2 {
                    match chars.peek().and_then(|c| c.to_digit(8)) {
                        Some(next) => {
                            value = value * 8 + next;
                            chars.next();
                        }
                        None => break,
                    }
                }
                out.extend(char::from_u32(value & 0xff));
            }
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}

fn code(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize) -> Option<char> {
    let mut value = 0u32;
    for _ in 0..most {
        match chars.peek().and_then(|c| c.to_digit(radix)) {
            Some(digit) => {
                value = value.wrapping_mul(radix).wrapping_add(digit);
                chars.next();
            }
            None => break,
        }
    }
    char::from_u32(if radix == 8 { value & 0xff } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_bash_writes_them() {
        assert_eq!(printf(&["%s %s\\n", "a", "b", "c"]), "a b\nc \n");
        assert_eq!(
            printf(&["%3s|%-3s|%03d|%x|%.2s|%c|%%", "a", "b", "7", "255", "xyz", "rm"]),
            "  a|b  |007|ff|xy|r|%"
        );
        assert_eq!(printf(&["\\162\\155 %b", "\\0162"]), "rm r");
        assert_eq!(echo(&["-ne", "\\x72m"]), "rm");
        assert_eq!(echo(&["-x", "a"]), "-x a\n");
    }
}
