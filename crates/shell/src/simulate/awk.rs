//! The little of awk that cuts and prints: `{print $2}`, `BEGIN{printf "…"}`, with or without `-F`.

use super::write::{printf, unescape};

/// What an awk program prints, where it is as simple as that.
pub(crate) fn run(args: &[&str], program: &str, input: &str) -> Option<String> {
    let program = program.trim();
    if args.contains(&"-f") {
        return None;
    }
    let separator = args.iter().enumerate().find_map(|(at, a)| match a.strip_prefix("-F")? {
        "" => args.get(at + 1).copied(),
        rest => Some(rest),
    });
    let mut out = String::new();
    if let Some(body) = block(program, "BEGIN") {
        for statement in body.split(';') {
            out.push_str(&print(statement.trim(), &[])?);
        }
        return Some(out);
    }
    if matches!(program, "1" | "{print}" | "{print;}" | "{print $0}" | "{ print }") {
        return Some(input.to_owned());
    }
    let body = block(program, "")?;
    for line in input.lines() {
        let mut fields = vec![line.to_owned()];
        match separator {
            Some(separator) => fields.extend(line.split(&unescape(separator, false)).map(str::to_owned)),
            None => fields.extend(line.split_whitespace().map(str::to_owned)),
        }
        for statement in body.split(';') {
            out.push_str(&print(statement.trim(), &fields)?);
        }
    }
    Some(out)
}

/// The inside of a program that is one block.
fn block<'a>(program: &'a str, head: &str) -> Option<&'a str> {
    let inside = program.strip_prefix(head)?.trim().strip_prefix('{')?.strip_suffix('}')?;
    (!inside.contains(['{', '}'])).then_some(inside)
}

fn print(statement: &str, fields: &[String]) -> Option<String> {
    if statement.is_empty() {
        return Some(String::new());
    }
    let (formats, rest) = match statement.strip_prefix("printf") {
        Some(rest) => (true, rest),
        None => (false, statement.strip_prefix("print")?),
    };
    if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') || rest.contains(['|', '>']) {
        return None;
    }
    let rest = rest.trim();
    let rest = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(rest);
    if rest.is_empty() {
        return Some(fields.first().cloned().unwrap_or_default() + "\n");
    }
    let values: Vec<String> = split(rest).iter().map(|part| value(part, fields)).collect::<Option<_>>()?;
    if formats {
        let words: Vec<&str> = values.iter().map(String::as_str).collect();
        // A number for `%c` is a character's.
        let chars: Vec<String> = words
            .iter()
            .map(|w| {
                w.parse::<u32>()
                    .ok()
                    .and_then(char::from_u32)
                    .map_or_else(|| (*w).to_owned(), |c| c.to_string())
            })
            .collect();
        let by_code = words[0].contains("%c");
        let list: Vec<&str> = words
            .iter()
            .take(1)
            .copied()
            .chain(if by_code {
                chars[1..].iter().map(String::as_str).collect::<Vec<_>>()
            } else {
                words[1..].to_vec()
            })
            .collect();
        return Some(printf(&list));
    }
    Some(values.join(" ") + "\n")
}

/// At commas outside quotes.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '\\' if quoted && !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            ',' if !quoted => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    parts.push(&text[begin..]);
    parts
}

/// Literals and fields, one after the other: that is how awk joins text.
fn value(expression: &str, fields: &[String]) -> Option<String> {
    let mut out = String::new();
    let mut rest = expression.trim();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('"') {
            let end = literal_end(inside)?;
            out.push_str(&unescape(&inside[..end], false));
            rest = inside[end + 1..].trim_start();
        } else if let Some(field) = rest.strip_prefix('$') {
            if let Some(after) = field.strip_prefix("NF") {
                out.push_str(fields.last()?);
                rest = after.trim_start();
            } else {
                let digits = field.bytes().take_while(u8::is_ascii_digit).count();
                let number: usize = field[..digits].parse().ok()?;
                out.push_str(fields.get(number).map_or("", String::as_str));
                rest = field[digits..].trim_start();
            }
        } else {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                return None;
            }
            out.push_str(&rest[..digits]);
            rest = rest[digits..].trim_start();
        }
    }
    Some(out)
}

fn literal_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => return Some(at),
            _ => {}
        }
        escaped = false;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_prints() {
        assert_eq!(run(&[], "{print $2, $1}", "a b\nc d\n").as_deref(), Some("b a\nd c\n"));
        assert_eq!(run(&["-F:"], "{print $2}", "a:b\n").as_deref(), Some("b\n"));
        assert_eq!(run(&[], "BEGIN{printf \"%c%c -rf\",114,109}", "").as_deref(), Some("rm -rf"));
        assert_eq!(run(&[], "/x/{print}", "x\n"), None);
    }
}
