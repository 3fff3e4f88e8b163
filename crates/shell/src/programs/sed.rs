//! The little language of `sed`, as far as it says what happens to files: those that a script writes, and the lines that it changes.
//!
//! Patterns are not run but taken for the widest shell pattern that they could be: a line that may change counts as changed.

use super::Role;
use crate::reading::Call;

/// Its name in the tables.
pub(crate) const LANGUAGE: &str = "sed";

/// One command of a script.
#[derive(Debug, Default)]
struct Command<'a> {
    from: Address<'a>,
    to: Option<Address<'a>>,
    negated: bool,
    verb: char,
    /// What is looked for and put in its place, of `s` and `y`.
    pattern: &'a str,
    replacement: &'a str,
    flags: &'a str,
    /// The file, text or label of all others.
    text: &'a str,
}

#[derive(Clone, Copy, Debug, Default)]
enum Address<'a> {
    #[default]
    Every,
    Line(usize),
    Last,
    Pattern(&'a str),
}

/// The files that a script writes: `w file`, `1,5w file`, `s/a/b/w file`.
pub(crate) fn written(script: &str) -> Vec<&str> {
    parse(script).iter().filter_map(Command::file).filter(|path| !path.is_empty()).collect()
}

/// The files whose text a script prints: `r file`, `$R file`.
pub(crate) fn read(script: &str) -> Vec<&str> {
    let reads = |command: &Command<'_>| matches!(command.verb, 'r' | 'R');
    let commands = parse(script);
    let files = commands.iter().filter(|command| reads(command)).map(|command| command.text.trim());
    files.filter(|path| !path.is_empty()).collect()
}

/// Whether a script leaves nothing of any file.
pub(crate) fn empties(script: &str) -> bool {
    parse(script).iter().any(|command| {
        let all = match (command.from, command.to) {
            (Address::Every, None) | (Address::Line(1), Some(Address::Last)) => true,
            (Address::Pattern(pattern), None) => matches!(pattern, "" | "." | "^" | ".*" | "$"),
            _ => false,
        };
        command.verb == 'd' && all && !command.negated
    })
}

/// A text as it would be after the script of a call has edited it in its place. A line whose new text is not known is left out. `None`
/// where the script is not in the call's words.
pub fn edited(call: &Call, text: &str) -> Option<String> {
    let scripts: Vec<&str> = call.with_role(Role::Code).collect();
    if scripts.is_empty() || call.with_role(Role::Script).next().is_some() {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let quiet = call.chose("quiet");
    let mut made = String::new();
    for (index, line) in lines.iter().enumerate() {
        let mut now = Some((*line).to_owned());
        for command in scripts.iter().flat_map(|script| parse(script)) {
            if command.covers(index + 1, &lines) {
                now = command.applied(now, quiet);
            }
        }
        if let Some(now) = now {
            made.push_str(&now);
            made.push('\n');
        }
    }
    Some(made)
}

impl<'a> Command<'a> {
    fn file(&self) -> Option<&'a str> {
        match self.verb {
            'w' | 'W' => Some(self.text.trim()),
            's' => self.flags.split_once('w').map(|(_, file)| file.trim()),
            _ => None,
        }
    }

    /// Whether a line is among those that it is for.
    fn covers(&self, number: usize, lines: &[&str]) -> bool {
        let at = |address: &Address<'_>, number: usize| match address {
            Address::Every => true,
            Address::Line(wanted) => number == *wanted,
            Address::Last => number == lines.len(),
            Address::Pattern(pattern) => {
                lines.get(number - 1).is_some_and(|line| may_match(pattern, line, false))
            }
        };
        let within = match &self.to {
            None => at(&self.from, number),
            // From the last line that begins it to the first that ends it.
            Some(to) => match (1..=number).rev().find(|line| at(&self.from, *line)) {
                Some(begin) => (begin + 1..number).all(|line| !at(to, line)),
                None => false,
            },
        };
        within != self.negated
    }

    fn applied(&self, line: Option<String>, quiet: bool) -> Option<String> {
        let line = line?;
        let plain =
            |text: &str| !text.contains(['\\', '*', '.', '[', '^', '$', '+', '?', '(', '|', '{', '&']);
        match self.verb {
            's' if plain(self.pattern)
                && plain(self.replacement)
                && !self.flags.contains(['i', 'I', 'e']) =>
            {
                Some(if self.flags.contains('g') {
                    line.replace(self.pattern, self.replacement)
                } else {
                    line.replacen(self.pattern, self.replacement, 1)
                })
            }
            's' => {
                let fold = self.flags.contains(['i', 'I']);
                // What is put in is known even where what it is put in for is not.
                let new = self.replacement.replace("\\n", "\n");
                if may_match(self.pattern, &line, fold) {
                    Some(new).filter(|new| plain(new))
                } else {
                    Some(line)
                }
            }
            'a' | 'i' => Some(format!("{line}\n{}", self.text.replace("\\n", "\n"))),
            'c' => Some(self.text.replace("\\n", "\n")),
            'd' | 'D' | 'y' | 'e' | 'z' | 'N' | 'G' | 'x' | 'g' => None,
            'p' if quiet => Some(line),
            _ => Some(line),
        }
    }
}

/// The commands of a script.
fn parse(script: &str) -> Vec<Command<'_>> {
    let mut found = Vec::new();
    // The lines that the blocks around are for.
    let mut blocks: Vec<(Address<'_>, Option<Address<'_>>, bool)> = Vec::new();
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';', '\n']);
        if let Some(after) = rest.strip_prefix('}') {
            blocks.pop();
            rest = after;
            continue;
        }
        let mut command = Command::default();
        if let Some((from, to, negated)) = blocks.last() {
            (command.from, command.to, command.negated) = (*from, *to, *negated);
        }
        if let Some((from, after)) = address(rest) {
            (command.from, command.to, command.negated) = (from, None, false);
            rest = after;
            if let Some((to, after)) =
                rest.trim_start().strip_prefix(',').and_then(|rest| address(rest.trim_start()))
            {
                command.to = Some(to);
                rest = after;
            }
        }
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('!') {
            command.negated = true;
            rest = after.trim_start();
        }
        let Some(verb) = rest.chars().next() else { return found };
        command.verb = verb;
        rest = &rest[verb.len_utf8()..];
        let line = |text: &str| text.find('\n').unwrap_or(text.len());
        match verb {
            '{' => {
                blocks.push((command.from, command.to, command.negated));
                continue;
            }
            's' | 'y' => {
                let Some(delimiter) = rest.chars().next() else { return found };
                let Some((pattern, after)) = until(&rest[delimiter.len_utf8()..], delimiter) else {
                    return found;
                };
                let Some((replacement, after)) = until(after, delimiter) else { return found };
                let flags = after.find(['\n', ';', '}']).unwrap_or(after.len());
                // A file takes the rest of the line.
                let letters = &after[..flags];
                let end = if letters.contains('w') { line(after) } else { flags };
                (command.pattern, command.replacement, command.flags) = (pattern, replacement, &after[..end]);
                rest = &after[end..];
            }
            'a' | 'i' | 'c' | 'w' | 'W' | 'r' | 'R' | 'e' => {
                let end = if matches!(verb, 'a' | 'i' | 'c') { rest.len() } else { line(rest) };
                command.text = rest[..end].trim_start_matches(['\\', ' ', '\t', '\n']);
                rest = &rest[end..];
            }
            '#' => rest = &rest[line(rest)..],
            _ => rest = &rest[rest.find(['\n', ';', '}']).unwrap_or(rest.len())..],
        }
        found.push(command);
    }
}

/// `5`, `$`, `/text/`, `\,text,`, with what follows.
fn address(text: &str) -> Option<(Address<'_>, &str)> {
    if let Some(rest) = text.strip_prefix('$') {
        return Some((Address::Last, rest));
    }
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if digits > 0 {
        return Some((Address::Line(text[..digits].parse().ok()?), &text[digits..]));
    }
    let body = text.strip_prefix('/').map(|rest| (rest, '/'));
    let (body, delimiter) = body.or_else(|| {
        let rest = text.strip_prefix('\\')?;
        let delimiter = rest.chars().next()?;
        Some((&rest[delimiter.len_utf8()..], delimiter))
    })?;
    let (pattern, rest) = until(body, delimiter)?;
    Some((Address::Pattern(pattern), rest.trim_start_matches(['I', 'M'])))
}

/// What comes before the next delimiter that no backslash and no bracket takes along, and what comes after.
fn until(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == delimiter && !escaped {
            return Some((&text[..at], &text[at + c.len_utf8()..]));
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// Whether a line may have what a regular expression is for.
fn may_match(pattern: &str, line: &str, fold: bool) -> bool {
    let mut wide = String::new();
    let mut chars = pattern.chars().peekable();
    if chars.next_if_eq(&'^').is_none() {
        wide.push('*');
    }
    let mut open = true;
    while let Some(c) = chars.next() {
        let mut one = match c {
            '$' if chars.peek().is_none() => {
                open = false;
                continue;
            }
            '|' => return true,
            '\\' => match chars.next() {
                Some('|') => return true,
                Some(c @ ('.' | '*' | '[' | ']' | '$' | '^' | '/' | '\\' | '-')) => format!("\\{c}"),
                Some('(' | ')') => continue,
                _ => "*".to_owned(),
            },
            '.' => "?".to_owned(),
            '(' | ')' | '{' | '}' => "*".to_owned(),
            '[' => {
                // A bracket that comes first is a member.
                let first = chars.next();
                if !chars.any(|c| c == ']') && first.is_none() {
                    return true;
                }
                "?".to_owned()
            }
            '*' | '?' | '+' => "*".to_owned(),
            c => c.to_string(),
        };
        // As often as one likes, or not at all.
        let again = chars.peek().is_some_and(|next| matches!(next, '*' | '?' | '+' | '{'))
            || pattern.len() > 2
                && matches!(chars.clone().take(2).collect::<String>().as_str(), "\\?" | "\\+" | "\\{");
        if again {
            "*".clone_into(&mut one);
        }
        wide.push_str(&one);
    }
    if open {
        wide.push('*');
    }
    if fold {
        return crate::path::matches(&wide.to_lowercase(), &line.to_lowercase());
    }
    crate::path::matches(&wide, line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Arg;

    #[test]
    fn files_that_a_script_writes() {
        for (script, files) in [
            ("w out", &["out"][..]),
            ("1,5w /etc/x", &["/etc/x"]),
            ("s/a/b/w c/d", &["c/d"]),
            ("/x/{s/a/b/gw y\np}", &["y"]),
            ("s/w /x/; p", &[]),
            ("s,w ,x,;w z", &["z"]),
        ] {
            assert_eq!(written(script), files, "{script}");
        }
    }

    #[test]
    fn lines_that_a_script_changes() {
        let text = "[project]\nversion = 1\n[tool.ruff]\nline-length = 88\n";
        let after = |words: &[&str]| {
            let argv = ["sed", "-i"].iter().chain(words).chain(&["f"]).map(|word| Arg::new(*word)).collect();
            edited(&Call { argv, ..Call::default() }, text).unwrap()
        };
        let kept = "[tool.ruff]\nline-length = 88\n";
        for words in [
            &["s/^version = .*/version = 2/"][..],
            &["2d"],
            &["/^ver/d"],
            &["-e", "1,2s/1/3/"],
            &["s/\\(v\\)ersion/\\1/"],
        ] {
            assert!(after(words).ends_with(kept), "{words:?}: {}", after(words));
        }
        for words in [
            &["s/88/120/"][..],
            &["s/= [0-9]*/= 1/"],
            &["$d"],
            &["/ruff/,$d"],
            &["/line.length/s/8*/9/"],
            &["$!d;d"],
            &["4c x"],
            &["-E", "s/(88|90)/1/"],
        ] {
            assert!(!after(words).ends_with(kept), "{words:?}");
        }
        assert_eq!(after(&["s/88/120/"]), text.replace("88", "120"));
    }
}
