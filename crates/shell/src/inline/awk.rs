//! Awk: the commands that it starts by its pipes, and the files that it names.

use super::text::end_of_string;
use crate::text::ANY;

/// What stands at both ends of a pipe.
struct Pipe<'a> {
    left: &'a str,
    right: &'a str,
}

/// The commands of `print … | "cmd"` and `"cmd" | getline`, and the files of `getline < "file"` as commands that show them.
pub(super) fn commands(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for Pipe { left, right } in pipes(code) {
        let target = right.trim_start_matches(['&', ' ', '\n']);
        if let Some(rest) = target.strip_prefix("getline") {
            let Some(command) = last_expression(left).and_then(|text| text_of(text, code)) else { continue };
            // What it prints is run, under the name that it was given.
            let given: String = rest.trim_start().chars().take_while(|c| is_of_a_name(*c)).collect();
            let runs = !given.is_empty() && code.contains(&format!("system({given})"));
            found.push(if runs { format!("{command} | sh") } else { command });
            continue;
        }
        let Some(command) = text_of(target, code) else { continue };
        let mut words = command.split_whitespace();
        let shell = words.next().map(crate::path::name).is_some_and(crate::code::is_shell);
        // A shell by itself runs what is printed to it.
        if shell
            && words.all(|word| matches!(word, "-" | "-s"))
            && let Some(printed) = last_literal(left)
        {
            found.push(printed);
            continue;
        }
        found.push(command);
    }
    // What was read is printed sooner or later.
    for piece in code.split("getline").skip(1) {
        let source = piece.split_once('<').filter(|(name, _)| name.trim().chars().all(is_of_a_name));
        let file = source.and_then(|(_, file)| text_of(file.trim_start(), code));
        found.extend(file.map(|file| format!("cat {file}")));
    }
    found
}

/// The pipes of a program, outside of its texts, each with the statement around it.
fn pipes(code: &str) -> Vec<Pipe<'_>> {
    let bytes = code.as_bytes();
    let (mut begin, mut at) = (0, 0);
    let mut marks = Vec::new();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = end_of_string(code, at);
                at = end;
                continue;
            }
            b'/' if begins_pattern(&code[..at]) => at += pattern_length(&code[at + 1..]),
            b';' | b'\n' | b'{' | b'}' => begin = at + 1,
            b'|' if bytes.get(at + 1) == Some(&b'|') => at += 1,
            b'|' => {
                marks.push((begin, at));
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let pipe = |&(begin, at): &(usize, usize)| Pipe { left: &code[begin..at], right: &code[at + 1..] };
    marks.iter().take(64).map(pipe).collect()
}

/// Whether a slash behind this begins a pattern, and does not divide.
fn begins_pattern(before: &str) -> bool {
    before.trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| "~({;\n}!&|,".contains(c))
}

/// How long a pattern is, with the slash that ends it; none in this line and it is no pattern.
fn pattern_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return 0,
            '/' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    0
}

/// The expression that a text ends with: texts and names beside each other.
fn last_expression(text: &str) -> Option<&str> {
    let mut begin = 0;
    let mut at = 0;
    while let Some(&b) = text.as_bytes().get(at) {
        match b {
            b'"' => {
                at = end_of_string(text, at);
                continue;
            }
            b'(' | b',' | b'=' | b'<' | b'>' | b'!' => begin = at + 1,
            _ => {}
        }
        at += 1;
    }
    let text = text.get(begin..)?.trim();
    (!text.is_empty()).then_some(text)
}

/// The last text that is printed before a pipe.
fn last_literal(text: &str) -> Option<String> {
    let mut last = None;
    let mut at = 0;
    while let Some(next) = text.get(at..)?.find('"').map(|i| at + i) {
        let end = end_of_string(text, next);
        last = text.get(next + 1..end.saturating_sub(1)).map(unescaped);
        at = end;
    }
    last
}

fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What an expression comes to, as words for a shell: texts beside each other, variables of the environment, and names that were given
/// such a text. `None` where it has neither a text nor such a name.
fn text_of(expression: &str, code: &str) -> Option<String> {
    let mut text = String::new();
    let mut known = false;
    let mut rest = expression;
    loop {
        rest = rest.trim_start_matches(' ');
        if let Some(variable) = rest.strip_prefix("ENVIRON[\"") {
            let (name, after) = variable.split_once("\"]")?;
            text.extend(["${", name, "}"]);
            (rest, known) = (after, true);
        } else if rest.starts_with('"') {
            let end = end_of_string(rest, 0);
            text.push_str(&unescaped(rest.get(1..end.checked_sub(1)?)?));
            (rest, known) = (rest.get(end..)?, true);
        } else {
            let name = &rest[..rest.find(|c| !is_of_a_name(c)).unwrap_or(rest.len())];
            if name.is_empty()
                || name.starts_with(|c: char| c.is_ascii_digit())
                || rest[name.len()..].starts_with('(')
            {
                return known.then_some(text);
            }
            match given(name, code) {
                Some(value) => {
                    text.push_str(&value);
                    known = true;
                }
                None if known => text.push(ANY),
                None => return None,
            }
            rest = &rest[name.len()..];
        }
    }
}

/// The text that a name was given.
fn given(name: &str, code: &str) -> Option<String> {
    let (_, given) =
        code.split_once(&format!("{name}=")).or_else(|| code.split_once(&format!("{name} =")))?;
    let given = given.trim_start();
    // Without the program, no name leads on to another.
    if given.starts_with(['"', 'E']) { text_of(given, "") } else { None }
}

/// The files of `print … > "file"`.
pub(super) fn printed_to(code: &str) -> impl Iterator<Item = &str> {
    let statements =
        code.split([';', '\n', '{', '}']).filter(|statement| statement.trim_start().starts_with("print"));
    statements.filter_map(|statement| {
        let (_, target) = statement.rsplit_once('>')?;
        target.trim_start().strip_prefix('"')?.split('"').next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_at_the_ends_of_pipes() {
        let rows: &[(&str, &[&str])] = &[
            (r#"BEGIN { "rm -rf " "~" | getline }"#, &["rm -rf ~"]),
            (r#"BEGIN { while (("ls " d | getline x) > 0) print x }"#, &["ls …"]),
            (r#"{ print "x" | "sh -c \"rm -rf /srv\"" }"#, &[r#"sh -c "rm -rf /srv""#]),
            (r#"{ print "rm -rf ~" | "sh" }"#, &["rm -rf ~"]),
            (r#"BEGIN { c = "rm -rf ~"; c | getline }"#, &["rm -rf ~"]),
            (r#"{ "date" | getline d; system(d) }"#, &["date | sh"]),
            (r#"{ print | "sort -u" }"#, &["sort -u"]),
            (r#"/a|b/ { print } $1 == "x" || $2 == "y" { print "a|b" }"#, &[]),
            (r#"/"/ { print | "sort" }"#, &["sort"]),
        ];
        for (code, expected) in rows {
            let expected: Vec<String> =
                expected.iter().map(|text| text.replace('…', &ANY.to_string())).collect();
            assert_eq!(commands(code), expected, "{code}");
        }
    }
}
