//! Calls in code that matter, by name, with their arguments.

use super::table::Does::{self, Deletes, Evaluates, Finds, Like, Reads, RunsWords, Writes};
use super::table::known;
use super::text::{end_of_string, matching};
use super::value::{Names, Value, arguments, value};

pub(super) struct Found {
    pub(super) name: String,
    pub(super) does: Does,
    pub(super) args: Vec<Value>,
    /// The arguments as they are written.
    pub(super) raw: String,
    /// The text right behind the call: `.write('…')`.
    pub(super) after: String,
}

/// The calls of `code` that matter, with their arguments.
pub(super) fn calls(code: &str, names: &Names) -> Vec<Found> {
    let language = names.language;
    let renamed = renamed(language, code);
    let mut found = Vec::new();
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() && found.len() < 200 {
        let b = bytes[at];
        if b == b'\'' || b == b'"' {
            at = end_of_string(code, at);
            continue;
        }
        if b == b'#'
            && matches!(language, "python" | "ruby" | "perl" | "r")
            && (at == 0 || bytes[at - 1].is_ascii_whitespace())
        {
            at = code[at..].find('\n').map_or(bytes.len(), |i| at + i);
            continue;
        }
        // `x['sys' + 'tem']('…')`
        if b == b']' && bytes.get(at + 1) == Some(&b'(') {
            if let Some(call) = by_index(code, at, names) {
                found.push(call);
            }
            at += 1;
            continue;
        }
        if !(b.is_ascii_alphabetic() || b == b'_') {
            at += 1;
            continue;
        }
        let begin = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_alphanumeric()
                || matches!(bytes[at], b'_' | b'.' | b':' | b'$')
                || (bytes[at] == b'-' && bytes.get(at + 1) == Some(&b'>'))
                || (bytes[at] == b'>' && bytes[at - 1] == b'-'))
        {
            at += 1;
        }
        let name = code[begin..at].trim_end_matches(['.', ':']);
        let written = renamed.iter().find(|(new, _)| new == name).map_or(name, |(_, old)| old.as_str());
        // Ruby's `Dir["…"]`
        if name == "Dir" && language == "ruby" && bytes.get(at) == Some(&b'[') {
            let inside = &code[at + 1..];
            let raw = &inside[..matching(inside)];
            found.push(Found {
                name: "glob".into(),
                does: Finds,
                args: arguments(raw, names),
                raw: raw.to_owned(),
                after: String::new(),
            });
            continue;
        }
        // `getattr(os, 'system')('…')`
        if name == "getattr" && bytes.get(at) == Some(&b'(') {
            if let Some(call) = by_attribute(code, at, names) {
                found.push(call);
            }
            continue;
        }
        if let Some((call, next)) = named_call(code, begin..at, written, names) {
            found.push(call);
            at = next;
        }
    }
    found
}

/// Where a statement ends: at its mark or at the end of the block around it, not in a text or in brackets of its own.
fn statement_end(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while let Some(&b) = text.as_bytes().get(at) {
        match b {
            b'"' | b'\'' => {
                at = end_of_string(text, at);
                continue;
            }
            b';' | b'\n' => return at,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            b'{' => depth += 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// A call by its name, which stands at `place`, and where to go on.
fn named_call(
    code: &str,
    place: std::ops::Range<usize>,
    written: &str,
    names: &Names,
) -> Option<(Found, usize)> {
    let (language, begin, at) = (names.language, place.start, place.end);
    let library = if language == "python" { library_program(written, code) } else { None };
    let does = known(language, written).or(library.as_ref().map(|_| RunsWords))?;
    let rest = code[at..].trim_start_matches([' ', '\t']);
    let open = code.len() - rest.len();
    let (raw, after) = if let Some(inside) = rest.strip_prefix('(') {
        let end = matching(inside);
        (&inside[..end], inside.get(end + 1..).unwrap_or_default())
    } else if matches!(language, "perl" | "ruby") && takes_bare(does, rest) {
        let end = [" if ", " unless ", " while ", " for ", " or ", " and "]
            .iter()
            .filter_map(|word| rest.find(word))
            .chain([statement_end(rest)])
            .min()
            .unwrap_or(rest.len());
        (&rest[..end], "")
    } else {
        return None;
    };
    let mut args = arguments(raw, names);
    args.splice(0..0, library.into_iter().flatten().map(Value::Text));
    // A method of a path: `Path('x').unlink()`, `p.write_text('…')`.
    let method = code[..begin].ends_with(['.', ')']) || written.contains('.');
    let of_path = language == "python"
        && method
        && matches!(does, Writes | Reads | Deletes | Finds | Like(_))
        && !matches!(written, "os.open" | "io.open" | "codecs.open" | "os.truncate" | "shutil.copyfile")
        && (raw.trim().is_empty()
            || !written.starts_with("os.")
                && !written.starts_with("shutil.")
                && !written.starts_with("glob."));
    if of_path && let Some(value) = receiver(&code[..begin], written, names) {
        match does {
            Finds => {
                args = vec![Value::Text(format!(
                    "{}/{}",
                    value.text().trim_end_matches('/'),
                    args.first().map_or_else(|| "*".to_owned(), Value::text)
                ))];
            }
            _ => args.insert(0, value),
        }
    }
    let line = after.split('\n').next().unwrap_or_default();
    let does = if does == Writes
        && written.rsplit('.').next().is_some_and(|name| matches!(name, "open" | "fopen"))
        && !writes(&args)
    {
        Reads
    } else {
        does
    };
    let call = Found {
        name: written.rsplit(['.', ':']).next().unwrap_or(written).to_owned(),
        does,
        args,
        raw: raw.to_owned(),
        after: line.to_owned(),
    };
    Some((call, open + usize::from(rest.starts_with('('))))
}

/// Programs as functions: `sh.rm('-rf', 'x')`, and `repo.git.reset('--hard')`.
fn library_program(name: &str, code: &str) -> Option<Vec<String>> {
    let (owner, program) = name.rsplit_once('.')?;
    if owner == "sh" && code.contains("import sh") {
        return Some(vec![program.to_owned()]);
    }
    let is_git = owner == "git" || owner.ends_with(".git");
    (is_git && (code.contains("from git import") || code.contains("import git")))
        .then(|| vec!["git".to_owned(), program.replace('_', "-")])
}

/// Whether `open` is asked to write.
fn writes(args: &[Value]) -> bool {
    let mode = args.get(1).map(Value::text).unwrap_or_default();
    mode.len() <= 4 && mode.contains(['w', 'a', 'x', '+'])
}

/// What may follow the name of a call that needs no parentheses.
fn takes_bare(does: Does, rest: &str) -> bool {
    does == Evaluates
        || rest.starts_with(|c: char| {
            matches!(c, '"' | '\'' | '<' | '$' | '@' | '[' | '{' | '%') || c.is_ascii_alphanumeric()
        })
}

/// What stands before a method call: a variable, `Path("…")`, `Path.home()`.
fn receiver(before: &str, written: &str, names: &Names) -> Option<Value> {
    if let Some((owner, _)) = written.rsplit_once('.') {
        return Some(value(owner, names)).filter(|value| *value != Value::default());
    }
    let trimmed = before.trim_end_matches('.').trim_end();
    let inside = trimmed.strip_suffix(')')?;
    let mut depth = 1;
    let open = inside.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let head = inside[..open]
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
        .map_or(0, |at| at + inside[at..].chars().next().map_or(1, char::len_utf8));
    Some(value(&trimmed[head..], names)).filter(|value| *value != Value::default())
}

fn by_attribute(code: &str, at: usize, names: &Names) -> Option<Found> {
    let inside = &code[at + 1..];
    let end = matching(inside);
    let name = arguments(&inside[..end], names).get(1)?.text();
    let call = inside.get(end + 1..)?.strip_prefix('(')?;
    let raw = &call[..matching(call)];
    let does = known(names.language, &name)?;
    Some(Found { name, does, args: arguments(raw, names), raw: raw.to_owned(), after: String::new() })
}

fn by_index(code: &str, at: usize, names: &Names) -> Option<Found> {
    let open = code[..at].rfind('[')?;
    let name = value(&code[open + 1..at], names).text();
    let call = &code[at + 2..];
    let raw = &call[..matching(call)];
    let mut args = arguments(raw, names);
    // A library of programs: `local['rm']('-rf', 'x')`.
    let does = match known(names.language, &name) {
        Some(does) => does,
        None if code.contains("plumbum") => {
            args.insert(0, Value::Text(name.clone()));
            RunsWords
        }
        None => return None,
    };
    Some(Found { name, does, args, raw: raw.to_owned(), after: String::new() })
}

/// `from os import system as s`, `const {execSync: x} = …`, `x = os.system`: what a name stands for.
fn renamed(language: &'static str, code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for statement in code.split(['\n', ';']).take(400) {
        let statement = statement.trim();
        if let Some((_, list)) = statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            for name in list.trim_matches(['(', ')']).split(',') {
                if let Some((old, new)) = name.split_once(" as ") {
                    found.push((new.trim().to_owned(), old.trim().to_owned()));
                }
            }
        }
        if language == "javascript" {
            for list in
                statement.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(list, _)| list)
            {
                for name in list.split(',') {
                    if let Some((old, new)) = name.split_once(':').or(name.split_once(" as ")) {
                        found.push((new.trim().to_owned(), old.trim().to_owned()));
                    }
                }
            }
        }
        if let Some((left, right)) = statement.split_once('=') {
            let name = left.trim().rsplit(' ').next().unwrap_or_default().trim_start_matches('$');
            let right = right.trim();
            let end = right.rsplit('.').next().unwrap_or(right);
            if crate::wrapper::is_name(name)
                && crate::wrapper::is_name(end)
                && right.contains('.')
                && known(language, end).is_some()
            {
                found.push((name.to_owned(), end.to_owned()));
            }
        }
    }
    found
}

/// The constants of a program: `name = expression`, the loops over lists that are written out.
pub(super) fn constants(language: &'static str, code: &str) -> Names {
    let mut names = Names { language, ..Names::default() };
    for statement in statements(language, code).into_iter().take(400) {
        let statement = statement.trim();
        // `[f(x) for x in ['a', '/']]`
        if let Some((_, rest)) = statement.split_once(" for ").filter(|_| language == "python")
            && let Some((name, list)) = rest.split_once(" in ")
        {
            let list = value(list, &names);
            if matches!(&list, Value::List(items) if !items.is_empty())
                && crate::wrapper::is_name(name.trim())
            {
                names.constants.insert(name.trim().to_owned(), list);
            }
        }
        // `for x in ['a', '/']`, `for (const x of […])`.
        if let Some(rest) = statement.strip_prefix("for ").or(statement.strip_prefix("for(")) {
            let split = rest.split_once(" in ").or(rest.split_once(" of "));
            if let Some((name, list)) = split {
                let name = name
                    .trim()
                    .trim_start_matches(['(', '$'])
                    .rsplit(' ')
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                let list = value(list.trim_end_matches([':', ')', '{', ' ']), &names);
                if matches!(&list, Value::List(items) if !items.is_empty()) && crate::wrapper::is_name(&name)
                {
                    names.constants.insert(name, list);
                }
            }
            continue;
        }
        // Perl's `push @words, "x"`.
        if let Some((name, rest)) = statement
            .strip_prefix("push @")
            .filter(|_| language == "perl")
            .and_then(|rest| rest.split_once(','))
        {
            let more = arguments(rest, &names);
            if let Some(Value::List(list)) = names.constants.get_mut(name.trim()) {
                list.extend(more.iter().flat_map(Value::texts));
            }
            continue;
        }
        let split = if language == "r" { statement.split_once("<-") } else { None };
        let Some((left, right)) = split.or(statement.split_once('=')) else { continue };
        if right.starts_with(['=', '~', '>'])
            || left.ends_with(['!', '<', '>', '+', '-', '*', '/', ':', '|'])
            || left.contains(['(', '"', '\'']) && !left.contains('{')
        {
            continue;
        }
        let name =
            left.trim().rsplit([' ', '{']).next().unwrap_or_default().trim_start_matches(['$', '@', '&']);
        if !crate::wrapper::is_name(name) {
            continue;
        }
        let value = value(right, &names);
        let hollow = matches!(&value, Value::Text(text) if super::value::is_hollow(text));
        if !hollow {
            names.constants.insert(name.to_owned(), value);
        }
    }
    names
}

/// Statements of code, at semicolons and newlines outside strings and brackets; what is in braces is statements too.
fn statements<'a>(language: &str, code: &'a str) -> Vec<&'a str> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let (mut begin, mut at, mut depth) = (0, 0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' => {
                at = end_of_string(code, at);
                continue;
            }
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            // Perl's `$ENV{HOME}` is not a block.
            b'{' if language == "perl" && at > 0 && bytes[at - 1].is_ascii_alphanumeric() => depth += 1,
            b'}' if language == "perl" && depth > 0 => depth -= 1,
            b';' | b'\n' | b'{' | b'}' if depth == 0 => {
                found.push(&code[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.push(code.get(begin..).unwrap_or_default());
    found
}
