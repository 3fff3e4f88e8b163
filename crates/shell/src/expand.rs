//! Words to fields: tildes, braces, parameters, substitutions, splitting. Commands in substitutions are followed as they are met.

use crate::path;
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::syntax::{Index, Operation, Parameter, Part, Word};
use crate::text::{ANY, SECRET, UNSET, is_hole, is_known};

/// A brace that would make more words than this is left as an unknown one.
const MOST_FIELDS: usize = 512;
/// Longer texts are cut to their holes.
const LONGEST: usize = 256 * 1024;

/// A word on its way to fields: text with marks for what quoting protects.
#[derive(Clone, Debug, Default)]
struct Draft {
    /// Character, and whether it was quoted, and whether an unquoted expansion brought it (so that it is split).
    chars: Vec<(char, Mark)>,
    /// A quoted empty string makes a field of its own.
    quoted: bool,
    /// `"$@"` and arrays: a field ends here.
    breaks: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Bare,
    Quoted,
    Expanded,
}

impl Draft {
    fn push(&mut self, text: &str, mark: Mark) {
        self.chars.extend(text.chars().map(|c| (c, mark)));
    }
}

impl Reader<'_> {
    /// A word as fields: none, one or several.
    pub(crate) fn fields(&mut self, word: &Word, state: &mut State) -> Vec<Arg> {
        let span = self.span(word);
        // The common word: one piece of plain text.
        if let [Part::Bare(text)] = word.parts.as_slice()
            && !text.contains(['{', '~', '*', '?', '['])
        {
            return vec![Arg { text: text.clone(), span, glob: false }];
        }
        let mut fields = Vec::new();
        for parts in braces(&word.parts) {
            let mut draft = Draft::default();
            self.draft(&parts, state, false, &mut draft);
            tilde(&mut draft, self.home());
            split(&draft, &field_separators(state), span.as_ref(), &mut fields);
            if fields.len() > MOST_FIELDS {
                fields.truncate(MOST_FIELDS);
                fields.push(Arg::new(ANY));
                break;
            }
        }
        fields
    }

    /// A word as one text: assignments, redirections, here-documents, `case`.
    pub(crate) fn text(&mut self, word: &Word, state: &mut State) -> String {
        let mut draft = Draft::default();
        self.draft(&word.parts, state, true, &mut draft);
        tilde(&mut draft, self.home());
        let mut text: String = draft.chars.into_iter().map(|(c, _)| c).collect();
        if text.len() > LONGEST {
            self.bound("a text that is too long");
            text = crate::text::holes(&text) + &ANY.to_string();
        }
        text
    }

    fn span(&self, word: &Word) -> Option<std::ops::Range<usize>> {
        (self.outermost() && !word.span.is_empty()).then(|| word.span.clone())
    }

    fn draft(&mut self, parts: &[Part], state: &mut State, quoted: bool, out: &mut Draft) {
        for part in parts {
            match part {
                Part::Bare(text) => out.push(text, if quoted { Mark::Quoted } else { Mark::Bare }),
                Part::Quoted(text) => {
                    out.push(text, Mark::Quoted);
                    out.quoted = true;
                }
                Part::Double(inner) => {
                    out.quoted = !matches!(inner.as_slice(), [Part::Parameter(p)] if p.name == "@" || matches!(p.index, Some(Index::All)));
                    self.draft(inner, state, true, out);
                }
                Part::Parameter(parameter) => self.parameter(parameter, state, quoted, out),
                Part::Substitution(script) => {
                    let text = self.substitute(script, state);
                    out.push(&text, if quoted { Mark::Quoted } else { Mark::Expanded });
                }
                Part::Arithmetic(word) => {
                    let text = self.text(word, state);
                    let value = crate::arithmetic::value(&text);
                    out.push(&value.map_or_else(|| ANY.to_string(), |n| n.to_string()), Mark::Quoted);
                }
                Part::Process { script, input } => {
                    let name = self.process(script, *input, state);
                    out.push(&name, Mark::Quoted);
                }
            }
        }
    }

    /// The values of a variable: one for a plain one, several for a list.
    pub(crate) fn lookup(&mut self, name: &str, state: &State) -> Option<Vec<String>> {
        match name {
            "@" | "*" => return Some(state.positional.get(1..).unwrap_or_default().to_vec()),
            "#" => return Some(vec![state.positional.len().saturating_sub(1).to_string()]),
            "?" | "$" | "!" | "-" | "RANDOM" | "SECONDS" | "LINENO" | "PPID" | "BASHPID" => {
                return Some(vec![ANY.to_string()]);
            }
            "PWD" => return Some(vec![state.cwd()]),
            "OLDPWD" if !state.previous.is_empty() => return Some(vec![state.previous.clone()]),
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            return state.positional.get(number).map(|text| vec![text.clone()]);
        }
        if let Some(variable) = state.variables.get(name) {
            if variable.reference
                && let Some(target) = variable.values.last().and_then(|v| v.first())
                && target != name
            {
                let target = target.clone();
                return self.lookup(&target, state);
            }
            return Some(self.pick(name, &variable.values));
        }
        match name {
            "HOME" => return self.home().map(|home| vec![home]),
            "IFS" => return Some(vec![" \t\n".into()]),
            "0" => return Some(vec!["bash".into()]),
            "SHELL" => return Some(vec!["/bin/bash".into()]),
            _ => {}
        }
        if is_secret_name(name) {
            return Some(vec![SECRET.to_string()]);
        }
        self.variable_of_world(name).map(|text| vec![text])
    }

    fn parameter(&mut self, parameter: &Parameter, state: &mut State, quoted: bool, out: &mut Draft) {
        let mark = if quoted { Mark::Quoted } else { Mark::Expanded };
        let mut values = self.lookup(&parameter.name, state);
        if parameter.indirect {
            values = match values.as_deref() {
                Some([name]) if is_known(name) => {
                    let name = name.clone();
                    self.lookup(&name, state)
                }
                _ => Some(vec![ANY.to_string()]),
            };
        }
        let all = matches!(parameter.index, Some(Index::All)) || matches!(parameter.name.as_str(), "@" | "*");
        if parameter.length {
            let length = match &values {
                Some(list) if all => Some(list.len()),
                Some(list) => list.first().filter(|text| is_known(text)).map(|text| text.chars().count()),
                None => Some(0),
            };
            out.push(&length.map_or_else(|| ANY.to_string(), |n| n.to_string()), Mark::Quoted);
            return;
        }
        if let Some(Index::At(word)) = &parameter.index {
            let index = self.text(word, state);
            values = values.map(|list| match index.parse::<usize>() {
                Ok(number) => list.get(number).cloned().into_iter().collect(),
                // An associative list, or an index that is not known: any of them.
                Err(_) => vec![if list.len() == 1 { list[0].clone() } else { ANY.to_string() }],
            });
        } else if !all {
            values = values.map(|list| list.into_iter().take(1).collect());
        }
        if let Some((operation, word)) = &parameter.operation {
            values = self.operate(*operation, word, &parameter.name, values, state);
        }
        let Some(values) = values else {
            // Nobody has set it in this script; the environment may have.
            let unset = if parameter.name.parse::<usize>().is_ok() { ANY } else { UNSET };
            out.push(&unset.to_string(), mark);
            return;
        };
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                out.breaks.push(out.chars.len());
            }
            out.push(value, mark);
        }
        if quoted && all && !values.is_empty() {
            out.quoted = true;
        }
    }

    fn operate(
        &mut self,
        operation: Operation,
        word: &Word,
        name: &str,
        values: Option<Vec<String>>,
        state: &mut State,
    ) -> Option<Vec<String>> {
        let empty = values.as_ref().is_none_or(|list| list.iter().all(String::is_empty));
        match operation {
            Operation::Default | Operation::Assign => {
                // Also when the value is there: its commands do not run then, but nobody would write one that must not.
                let other = self.text(word, state);
                if empty {
                    if operation == Operation::Assign {
                        state.variables.insert(name.to_owned(), crate::state::Variable::text(other.clone()));
                    }
                    return Some(vec![other]);
                }
                values
            }
            Operation::Alternative => {
                let other = self.text(word, state);
                if empty && values.is_some() { Some(vec![String::new()]) } else { Some(vec![other]) }
            }
            Operation::Error => {
                let _ = self.text(word, state);
                // Behind it the variable is set and not empty, whatever it is.
                Some(values.unwrap_or_else(|| vec![ANY.to_string()]))
            }
            _ => {
                let operand = self.text(word, state);
                let change = |text: &String| match operation {
                    Operation::TrimStart { longest } => trim(text, &operand, true, longest),
                    Operation::TrimEnd { longest } => trim(text, &operand, false, longest),
                    Operation::Replace { all } => replace(text, &operand, all),
                    Operation::Slice => slice(text, &operand),
                    Operation::Upper => text.to_uppercase(),
                    Operation::Lower => text.to_lowercase(),
                    // `@Q`, `@P`, `^`: the same words, or nearly.
                    _ => text.clone(),
                };
                values.map(|list| list.iter().map(change).collect())
            }
        }
    }
}

/// Names whose value must not leave the machine.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL"]
        .iter()
        .any(|word| upper.contains(word))
}

fn trim(text: &str, pattern: &str, start: bool, longest: bool) -> String {
    if !is_known(pattern) {
        return ANY.to_string();
    }
    if !pattern.contains(['*', '?', '[']) {
        let cut = if start { text.strip_prefix(pattern) } else { text.strip_suffix(pattern) };
        return cut.unwrap_or(text).to_owned();
    }
    let mut cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).take(512).collect();
    // Try the shortest removal first, or the longest.
    if start == longest {
        cuts.reverse();
    }
    for at in cuts {
        let (head, tail) = text.split_at(at);
        if start && path::matches(pattern, head) {
            return tail.to_owned();
        }
        if !start && path::matches(pattern, tail) {
            return head.to_owned();
        }
    }
    text.to_owned()
}

/// `old/new` applied to `text`.
fn replace(text: &str, operand: &str, all: bool) -> String {
    let (old, new) = operand.split_once('/').unwrap_or((operand, ""));
    if old.is_empty() {
        return text.to_owned();
    }
    if old.contains(['*', '?', '[']) || !is_known(old) {
        return crate::text::holes(text) + &ANY.to_string();
    }
    match old.strip_prefix(['#', '%']) {
        Some(anchored) if old.starts_with('#') => {
            text.strip_prefix(anchored).map_or_else(|| text.to_owned(), |rest| format!("{new}{rest}"))
        }
        Some(anchored) => {
            text.strip_suffix(anchored).map_or_else(|| text.to_owned(), |rest| format!("{rest}{new}"))
        }
        None if all => text.replace(old, new),
        None => text.replacen(old, new, 1),
    }
}

fn slice(text: &str, operand: &str) -> String {
    if !is_known(text) {
        return text.to_owned();
    }
    let (offset, length) = operand.split_once(':').unwrap_or((operand, ""));
    let chars: Vec<char> = text.chars().collect();
    let count = i64::try_from(chars.len()).unwrap_or(i64::MAX);
    let Some(offset) = crate::arithmetic::value(offset) else { return ANY.to_string() };
    let begin = if offset < 0 { count + offset } else { offset }.clamp(0, count);
    let end = if length.is_empty() {
        count
    } else {
        match crate::arithmetic::value(length) {
            Some(length) if length < 0 => count + length,
            Some(length) => begin.saturating_add(length),
            None => return ANY.to_string(),
        }
    }
    .clamp(begin, count);
    let (begin, end) = (usize::try_from(begin).unwrap_or(0), usize::try_from(end).unwrap_or(0));
    chars[begin..end].iter().collect()
}

/// A leading unquoted `~`, also after `=` or `:` of an assignment-like word.
fn tilde(draft: &mut Draft, home: Option<String>) {
    let Some(home) = home else { return };
    let bare = |at: usize| draft.chars.get(at).is_some_and(|&(c, mark)| c == '~' && mark == Mark::Bare);
    let ends = |at: usize| draft.chars.get(at).is_none_or(|&(c, _)| matches!(c, '/' | ':'));
    let at = if bare(0) && ends(1) {
        0
    } else {
        let equals = draft.chars.iter().position(|&(c, mark)| c == '=' && mark == Mark::Bare);
        match equals {
            Some(at) if bare(at + 1) && ends(at + 2) => at + 1,
            _ => {
                // `~name` is somebody's home.
                if bare(0) && draft.chars.get(1).is_some_and(|&(c, _)| c.is_ascii_alphabetic()) {
                    let name: String =
                        draft.chars[1..].iter().map(|&(c, _)| c).take_while(|&c| c != '/').collect();
                    let place = if name == "root" { "/root".to_owned() } else { format!("/home/{name}") };
                    let length = name.chars().count() + 1;
                    draft.chars.splice(0..length, place.chars().map(|c| (c, Mark::Quoted)));
                }
                return;
            }
        }
    };
    draft.chars.splice(at..=at, home.chars().map(|c| (c, Mark::Quoted)));
}

fn split(draft: &Draft, ifs: &str, span: Option<&std::ops::Range<usize>>, fields: &mut Vec<Arg>) {
    let before = fields.len();
    let mut current = Arg { text: String::new(), span: span.cloned(), glob: false };
    let mut open = false;
    let finish = |current: &mut Arg, open: &mut bool, fields: &mut Vec<Arg>| {
        if *open {
            fields.push(std::mem::replace(
                current,
                Arg { text: String::new(), span: span.cloned(), glob: false },
            ));
            *open = false;
        }
    };
    for (index, &(c, mark)) in draft.chars.iter().enumerate() {
        if draft.breaks.contains(&index) {
            open = true;
            finish(&mut current, &mut open, fields);
        }
        if mark == Mark::Expanded && ifs.contains(c) && !is_hole(c) {
            finish(&mut current, &mut open, fields);
            continue;
        }
        open = true;
        if mark != Mark::Quoted && matches!(c, '*' | '?' | '[') {
            current.glob = true;
        }
        current.text.push(c);
    }
    finish(&mut current, &mut open, fields);
    if fields.len() == before && draft.quoted {
        fields.push(Arg { text: String::new(), span: span.cloned(), glob: false });
    }
    // Several fields of one word cannot be rewritten one by one.
    if fields.len() > before + 1 {
        for field in &mut fields[before..] {
            field.span = None;
        }
    }
}

/// Brace expansion on the parts of a word: `{a,b}`, `{1..3}`, nested and in sequence.
fn braces(parts: &[Part]) -> Vec<Vec<Part>> {
    let Some((index, open)) = parts.iter().enumerate().find_map(|(i, part)| match part {
        Part::Bare(text) => text.find('{').map(|at| (i, at)),
        _ => None,
    }) else {
        return vec![parts.to_vec()];
    };
    let Some(group) = group(parts, index, open) else {
        // No brace expression begins here; look on behind it.
        let Part::Bare(text) = &parts[index] else { return vec![parts.to_vec()] };
        let (head, tail) = text.split_at(open + 1);
        let mut rest: Vec<Part> = vec![Part::Bare(tail.to_owned())];
        rest.extend_from_slice(&parts[index + 1..]);
        return braces(&rest)
            .into_iter()
            .map(|tail| {
                let mut all = parts[..index].to_vec();
                all.push(Part::Bare(head.to_owned()));
                all.extend(tail);
                all
            })
            .collect();
    };
    let mut words = Vec::new();
    let tails = braces(&group.after);
    'all: for choice in &group.choices {
        for middle in braces(choice) {
            for tail in &tails {
                let mut word = group.before.clone();
                word.extend(middle.iter().cloned());
                word.extend(tail.iter().cloned());
                words.push(word);
                if words.len() > MOST_FIELDS {
                    words.push(vec![Part::Quoted(ANY.to_string())]);
                    break 'all;
                }
            }
        }
    }
    words
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
    let mut text = first[open + 1..].to_owned();
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
                    text.clone_from(next);
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

/// `1..5`, `a..e`, `1..9..2`.
fn sequence(choice: &[Part]) -> Option<Vec<Vec<Part>>> {
    let [Part::Bare(text)] = choice else { return None };
    let mut ends = text.split("..");
    let (from, to, step) = (ends.next()?, ends.next()?, ends.next());
    let step = step.map_or(Some(1), |text| text.parse::<i64>().ok())?.unsigned_abs().max(1);
    let one = |text: String| vec![Part::Bare(text)];
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let count = from.abs_diff(to) / step + 1;
        if count > MOST_FIELDS as u64 {
            return Some(vec![vec![Part::Quoted(ANY.to_string())]]);
        }
        let step = i64::try_from(step).ok()?;
        let numbers = (0..i64::try_from(count).ok()?)
            .map(|i| if from <= to { from + i * step } else { from - i * step });
        return Some(numbers.map(|n| one(n.to_string())).collect());
    }
    let (mut from_chars, mut to_chars) = (from.chars(), to.chars());
    let (from, to) = (from_chars.next()?, to_chars.next()?);
    if from_chars.next().is_some() || to_chars.next().is_some() || !from.is_ascii() || !to.is_ascii() {
        return None;
    }
    let (low, high) = (from.min(to), from.max(to));
    let mut list: Vec<_> = (low..=high).map(|c| one(c.to_string())).collect();
    if from > to {
        list.reverse();
    }
    Some(list)
}

fn field_separators(state: &State) -> String {
    match state.variables.get("IFS").and_then(|v| v.values.last()?.first().cloned()) {
        Some(text) if is_known(&text) => text,
        _ => " \t\n".into(),
    }
}
