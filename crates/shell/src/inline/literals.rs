//! Texts in code: those that it holds, those that it hands to a shell, those that it prints.

use super::call::constants;
use super::text::end_of_string;
use super::{is_command, value};
use crate::text::is_known;

/// Code without the texts in it that are more than a word: what is only said is not done.
pub fn without_texts(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    while let Some(next) = code[at..].find(['"', '\'']).map(|i| at + i) {
        out.push_str(&code[at..next]);
        let end = end_of_string(code, next);
        let text = &code[next..end];
        // A quote that does not close is an apostrophe.
        if end == code.len() && !text[1..].ends_with(&text[..1]) {
            out.push_str(&text[..1]);
            at = next + 1;
            continue;
        }
        out.push_str(if text.contains(char::is_whitespace) { "\"\"" } else { text });
        at = end;
    }
    out + &code[at..]
}

/// The string literals of code in whatever language, backticks included.
pub(super) fn literals(code: &str) -> Vec<String> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < 200 {
        if matches!(bytes[at], b'"' | b'\'' | b'`') {
            let end = end_of_string(code, at);
            // A lone quote is an apostrophe, or a quoted symbol of a Lisp.
            if end > at + 1 && bytes.get(end - 1) == Some(&bytes[at]) {
                found.extend(code.get(at + 1..end - 1).map(|text| text.replace("\\\"", "\"")));
                at = end;
                continue;
            }
        }
        at += 1;
    }
    found
}

/// Commands in backticks, `qx`, `%x`, and a pipe to a shell in awk.
pub(super) fn backticks(language: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    match language {
        "perl" | "ruby" | "php" => {
            let pieces: Vec<&str> = code.split('`').collect();
            found.extend(pieces.iter().skip(1).step_by(2).map(|p| (*p).to_owned()));
            for (open, close) in [
                ("qx{", '}'),
                ("qx(", ')'),
                ("qx/", '/'),
                ("qx[", ']'),
                ("%x(", ')'),
                ("%x{", '}'),
                ("%x[", ']'),
            ] {
                for piece in code.split(open).skip(1) {
                    found.extend(piece.split(close).next().map(str::to_owned));
                }
            }
        }
        // Bun's `$`…``.
        "javascript" => {
            for piece in code.split("$`").skip(1) {
                // `${process.env.HOME}` is `$HOME` to a shell.
                let text = piece.split('`').next().map(|text| text.replace("${process.env.", "${"));
                found.extend(text);
            }
        }
        "awk" => {
            // `print "cmd" | "sh"` and `"cmd" | getline`.
            let pieces: Vec<&str> = code.split('|').collect();
            for (index, piece) in pieces.iter().enumerate().skip(1) {
                let target = piece.trim_start_matches(['&', ' ']);
                let name =
                    target.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
                let command = match target.strip_prefix('"') {
                    Some(text) => text.split('"').next(),
                    // The name of a text.
                    None => code
                        .split_once(&format!("{name}=\""))
                        .and_then(|(_, text)| text.split('"').next())
                        .filter(|_| !name.is_empty()),
                };
                let program = command.and_then(|c| c.split_whitespace().next()).map(crate::path::name);
                if program.is_some_and(crate::code::is_shell) || target.starts_with("getline") {
                    let command = pieces[index - 1].rsplit('"').nth(1).unwrap_or_default();
                    // What it prints is run, under the name that it was given.
                    let given = target
                        .strip_prefix("getline ")
                        .and_then(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next());
                    let runs = given.is_some_and(|name| code.contains(&format!("system({name})")));
                    found.push(if runs { format!("{command} | sh") } else { command.to_owned() });
                } else if let Some(command) = command {
                    found.push(command.to_owned());
                }
            }
            // `getline line < "file"` reads it, and what was read is printed sooner or later.
            for piece in code.split("getline").skip(1) {
                let source = piece.split_once('<').filter(|(name, _)| name.trim().chars().all(is_of_a_name));
                let file = source.and_then(|(_, file)| awk_text(file.trim_start(), code));
                found.extend(file.map(|file| format!("cat {file}")));
            }
        }
        "osascript" => {
            for piece in code
                .split("do shell script")
                .chain(code.split("do script"))
                .filter(|piece| piece.trim_start().starts_with('"'))
            {
                found.extend(piece.split('"').nth(1).map(str::to_owned));
            }
            // Its JavaScript: `$.system("…")`.
            if code.contains(".system(") || code.contains("doShellScript(") {
                found.extend(literals(code).into_iter().filter(|text| is_command(text)));
            }
        }
        _ => {}
    }
    found
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What an expression of awk comes to, as a word for a shell: texts beside each other, the home, and a name that was given such a text.
fn awk_text(expression: &str, code: &str) -> Option<String> {
    let name: String = expression.chars().take_while(|c| is_of_a_name(*c)).collect();
    if !name.is_empty() && name != "ENVIRON" {
        let (_, given) =
            code.split_once(&format!("{name}=")).or_else(|| code.split_once(&format!("{name} =")))?;
        let given = given.trim_start();
        return if given.starts_with(['"', 'E']) { awk_text(given, "") } else { None };
    }
    let mut text = String::new();
    let mut rest = expression;
    loop {
        rest = rest.trim_start();
        if let Some(variable) = rest.strip_prefix("ENVIRON[\"") {
            let (name, after) = variable.split_once("\"]")?;
            text.extend(["${", name, "}"]);
            rest = after;
        } else if let Some(literal) = rest.strip_prefix('"') {
            let (literal, after) = literal.split_once('"')?;
            text.push_str(literal);
            rest = after;
        } else {
            return (!text.is_empty()).then_some(text);
        }
    }
}

/// The files of awk's `print … > "file"`.
pub(super) fn printed_to(code: &str) -> impl Iterator<Item = &str> {
    let statements =
        code.split([';', '\n', '{', '}']).filter(|statement| statement.trim_start().starts_with("print"));
    statements.filter_map(|statement| {
        let (_, target) = statement.rsplit_once('>')?;
        target.trim_start().strip_prefix('"')?.split('"').next()
    })
}

/// What `print("…")` alone prints.
pub(super) fn printed(language: &'static str, code: &str) -> Option<String> {
    let trimmed = code.trim().trim_end_matches(';');
    let inside = match language {
        "python" => trimmed.rsplit([';', '\n']).next()?.trim().strip_prefix("print(")?.strip_suffix(')')?,
        "javascript" => trimmed
            .strip_prefix("console.log(")
            .or(trimmed.strip_prefix("process.stdout.write("))?
            .strip_suffix(')')?,
        "perl" | "ruby" => trimmed
            .strip_prefix("print ")
            .or(trimmed.strip_prefix("puts "))
            .or(trimmed.strip_prefix("say "))?,
        "php" => trimmed.strip_prefix("echo ")?,
        _ => return None,
    };
    let names = constants(language, code);
    let text = value::value(inside, &names).text();
    is_known(&text).then(|| text + "\n")
}
