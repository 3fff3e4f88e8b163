//! Texts in code: those that it holds, those that it hands to a shell, those that it prints.

use super::call::constants;
use super::text::{end_of_string, interpolated, matching};
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

/// Puts what is known into commands before a shell reads them. Ruby's `#{x}` would be a comment to it; a variable that Perl or PHP has
/// not set may well be the shell's.
fn fill_in(language: &'static str, code: &str, commands: &mut Vec<String>) {
    let open = if language == "ruby" { "#{" } else { "$" };
    if !commands.iter().any(|command| command.contains(open)) {
        return;
    }
    let names = constants(language, code);
    let filled: Vec<String> = commands
        .iter()
        .filter(|command| command.contains(open))
        .map(|command| interpolated(command, &names, 0))
        .collect();
    commands.retain(|command| language != "ruby" || !command.contains(open));
    commands.extend(filled.into_iter().filter(|command| language == "ruby" || is_known(command)));
}

/// Commands in backticks, `qx`, `%x`.
pub(super) fn backticks(language: &'static str, code: &str) -> Vec<String> {
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
                    // Brackets inside have their own ends: `qx{ls $ENV{HOME}}`.
                    let end = if close == '/' { piece.find(close) } else { Some(matching(piece)) };
                    found.extend(piece.get(..end.unwrap_or(piece.len())).map(str::to_owned));
                }
            }
            fill_in(language, code, &mut found);
        }
        // Bun's `$`…``.
        "javascript" => {
            for piece in code.split("$`").skip(1) {
                // `${process.env.HOME}` is `$HOME` to a shell.
                let text = piece.split('`').next().map(|text| text.replace("${process.env.", "${"));
                found.extend(text);
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
