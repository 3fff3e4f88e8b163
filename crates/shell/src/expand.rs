//! Words to fields: tildes, parameters, substitutions, splitting. Commands in substitutions are followed as they are met.
//! Braces come first, in `brace`; what `${name…}` does to a value is in `value`.

mod parameter;

use crate::brace::braces;
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::syntax::{Index, Operation, Parameter, Part, Word};
use crate::text::{ANY, UNSET, is_hole, is_known};
use crate::value::Pattern;

/// A word that would become more is cut.
const MOST_FIELDS: usize = 1024;
/// Longer texts are cut to their holes.
const LONGEST: usize = 256 * 1024;

/// A word on its way to fields: characters, and what quoting did to each.
#[derive(Clone, Debug, Default)]
struct Draft {
    chars: Vec<(char, Mark)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// As it stands in the command, without quotes.
    Bare,
    Quoted,
    /// An unquoted expansion brought it, so that it is split.
    Expanded,
    /// No character: a quoted nothing, which makes a field all the same.
    Empty,
    /// No character: `$@` and lists end a field here.
    Break,
}

impl Draft {
    fn push(&mut self, text: &str, mark: Mark) {
        self.chars.extend(text.chars().map(|c| (c, mark)));
    }

    fn mark(&mut self, mark: Mark) {
        self.chars.push(('\0', mark));
    }

    /// All of it as one text.
    fn text(self) -> String {
        let plain = |(c, mark): (char, Mark)| match mark {
            Mark::Empty => None,
            Mark::Break => Some(' '),
            _ => Some(c),
        };
        self.chars.into_iter().filter_map(plain).collect()
    }

    /// As a pattern: what was quoted in it stands for itself.
    fn pattern(self) -> Pattern {
        let mut text = String::new();
        for (c, mark) in self.chars {
            match mark {
                Mark::Empty => {}
                Mark::Quoted if matches!(c, '*' | '?' | '[' | ']' | '\\') => text.extend(['\\', c]),
                _ => text.push(c),
            }
        }
        Pattern(text)
    }
}

/// What becomes of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Words of a command: split into fields.
    Fields,
    /// Between double quotes.
    Double,
    /// One text, as in an assignment.
    Text,
}

/// What makes an unquoted text more than itself.
const EXPANDS: [bool; 256] = {
    let mut expands = [false; 256];
    let bytes = b"{~*?[";
    let mut at = 0;
    while at < bytes.len() {
        expands[bytes[at] as usize] = true;
        at += 1;
    }
    expands
};

/// The text of a word in which nothing is expanded and nothing matches names of files.
fn constant(parts: &[Part]) -> Option<String> {
    let plain = |text: &str| !text.bytes().any(|b| EXPANDS[usize::from(b)]);
    match parts {
        [] => return None,
        [Part::Bare(text)] => return plain(text).then(|| text.clone()),
        [Part::Quoted(text)] => return Some(text.clone()),
        _ => {}
    }
    let mut whole = String::new();
    for part in parts {
        match part {
            Part::Bare(text) if plain(text) => whole.push_str(text),
            Part::Quoted(text) => whole.push_str(text),
            Part::Double(inner) => {
                for part in inner {
                    let (Part::Bare(text) | Part::Quoted(text)) = part else { return None };
                    whole.push_str(text);
                }
            }
            _ => return None,
        }
    }
    Some(whole)
}

impl Reader<'_> {
    /// A word as fields: none, one or several.
    pub(crate) fn fields(&mut self, word: &Word, state: &mut State) -> Vec<Arg> {
        let mut fields = Vec::new();
        self.fields_into(word, state, &mut fields);
        fields
    }

    /// The same, behind those of the words before it.
    pub(crate) fn fields_into(&mut self, word: &Word, state: &mut State, all: &mut Vec<Arg>) {
        // The common word: nothing in it is expanded.
        match constant(&word.parts) {
            Some(text) => {
                self.worked += text.len() + 8;
                all.push(Arg { text, span: self.span(word), glob: false });
            }
            None => all.extend(self.expanded_fields(word, state)),
        }
    }

    fn expanded_fields(&mut self, word: &Word, state: &mut State) -> Vec<Arg> {
        if self.worked > self.most_text {
            self.bound("too much text");
            return vec![Arg::new(ANY)];
        }
        let mut fields = Vec::new();
        if word.parts.iter().any(|part| matches!(part, Part::Bare(text) if text.contains('{'))) {
            let (words, whole) = braces(&word.parts);
            if !whole {
                self.bound("a word that becomes too many");
            }
            for parts in words {
                self.fields_of(&parts, state, &mut fields);
            }
        } else {
            self.fields_of(&word.parts, state, &mut fields);
        }
        if fields.len() > MOST_FIELDS {
            fields.truncate(MOST_FIELDS);
            fields.push(Arg::new(ANY));
            self.bound("a word that becomes too many");
        }
        self.worked += fields.iter().map(|field| field.text.len() + 8).sum::<usize>();
        // Several fields of one word cannot be rewritten one by one.
        if let [only] = fields.as_mut_slice() {
            only.span = self.span(word);
        }
        fields
    }

    fn fields_of(&mut self, parts: &[Part], state: &mut State, fields: &mut Vec<Arg>) {
        let mut draft = Draft::default();
        self.draft(parts, state, Use::Fields, &mut draft);
        self.tilde(parts, &mut draft, Use::Fields, state);
        split(&draft, &self.ifs(state), fields);
    }

    /// A word as one text: assignments, redirections, here-documents, `case`.
    pub(crate) fn text(&mut self, word: &Word, state: &mut State) -> String {
        // Text that doubles with every assignment is worked on only so long.
        if self.worked > self.most_text {
            self.bound("too much text");
            return ANY.to_string();
        }
        let text = constant(&word.parts).unwrap_or_else(|| self.whole(word, state).text());
        self.worked += text.len();
        if text.len() > LONGEST {
            self.bound("a text that is too long");
            return crate::text::holes(&text) + &ANY.to_string();
        }
        text
    }

    /// A word as a pattern.
    pub(crate) fn pattern(&mut self, word: &Word, state: &mut State) -> Pattern {
        self.whole(word, state).pattern()
    }

    fn whole(&mut self, word: &Word, state: &mut State) -> Draft {
        let mut draft = Draft::default();
        self.draft(&word.parts, state, Use::Text, &mut draft);
        self.tilde(&word.parts, &mut draft, Use::Text, state);
        draft
    }

    fn span(&self, word: &Word) -> Option<std::ops::Range<usize>> {
        (self.outermost() && !word.span.is_empty()).then(|| word.span.clone())
    }

    /// What fields are split at.
    pub(crate) fn ifs(&self, state: &State) -> String {
        match state.variables.get("IFS").and_then(|v| v.values.last()?.first()) {
            Some(text) if is_known(text) => text.clone(),
            _ => " \t\n".into(),
        }
    }

    fn draft(&mut self, parts: &[Part], state: &mut State, how: Use, out: &mut Draft) {
        let expanded = if how == Use::Fields { Mark::Expanded } else { Mark::Quoted };
        for part in parts {
            match part {
                Part::Bare(text) => {
                    out.push(text, if how == Use::Double { Mark::Quoted } else { Mark::Bare });
                }
                Part::Quoted(text) if text.is_empty() => out.mark(Mark::Empty),
                Part::Quoted(text) => out.push(text, Mark::Quoted),
                Part::Double(inner) => {
                    let before = out.chars.len();
                    self.draft(inner, state, Use::Double, out);
                    // `"$x"` is a field though it be empty; `"$@"` is as many as there are.
                    if out.chars.len() == before
                        && !matches!(inner.as_slice(), [Part::Parameter(p)] if is_several(p) && !is_joined(p))
                    {
                        out.mark(Mark::Empty);
                    }
                }
                Part::Parameter(parameter) => self.parameter(parameter, state, how, out),
                Part::Substitution(script) => {
                    let text = self.substitute(script, state);
                    out.push(&text, expanded);
                }
                Part::Arithmetic(word) => {
                    let text =
                        self.arithmetic(word, state).map_or_else(|| ANY.to_string(), |n| n.to_string());
                    out.push(&text, Mark::Quoted);
                }
                Part::Process { script, input } => {
                    let name = self.process(script, *input, state);
                    out.push(&name, Mark::Quoted);
                }
            }
        }
    }

    /// The value of an expression; what it assigns is not known afterwards.
    pub(crate) fn arithmetic(&mut self, word: &Word, state: &mut State) -> Option<i64> {
        let text = self.text(word, state);
        let value = self.number(&text, state);
        // The value of a variable is an expression again, with whatever is in its indices.
        for word in text
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|word| crate::wrapper::is_name(word))
            .take(16)
        {
            if let Some(code) = self
                .lookup(word, state)
                .and_then(|values| values.into_iter().next())
                .filter(|value| value.contains("[$(") || value.contains("[`"))
            {
                self.expanded(&code, &mut state.clone());
            }
        }
        for name in crate::arithmetic::assigned(&text) {
            state.variables.insert(name.to_owned(), crate::state::Variable::text(ANY));
        }
        value
    }

    pub(crate) fn number(&self, text: &str, state: &State) -> Option<i64> {
        if !is_known(text) || !crate::arithmetic::assigned(text).is_empty() {
            return None;
        }
        crate::arithmetic::value(text, &|name| {
            let values = self.lookup(name, state)?;
            values.into_iter().next().filter(|value| is_known(value))
        })
    }

    /// A leading unquoted `~`; in assignments also after `=` and `:`.
    fn tilde(&self, parts: &[Part], draft: &mut Draft, how: Use, state: &State) {
        if !draft.chars.iter().any(|&(c, mark)| c == '~' && mark == Mark::Bare) {
            return;
        }
        let mut at = 0;
        // What stands before it counts, though it be nothing.
        let mut begins = matches!(parts.first(), Some(Part::Bare(_)));
        while at < draft.chars.len() {
            let (c, mark) = draft.chars[at];
            if begins && c == '~' && mark == Mark::Bare {
                let ends = |&(c, mark): &(char, Mark)| {
                    mark == Mark::Break || (mark == Mark::Bare && matches!(c, '/' | ':'))
                };
                let length = draft.chars[at..].iter().position(ends).unwrap_or(draft.chars.len() - at);
                let prefix = &draft.chars[at + 1..at + length];
                let name: Option<String> =
                    prefix.iter().map(|&(c, mark)| (mark == Mark::Bare).then_some(c)).collect();
                if let Some(place) = name.and_then(|name| self.home_of(&name, state)) {
                    let grown = place.chars().count();
                    draft.chars.splice(at..at + length, place.chars().map(|c| (c, Mark::Quoted)));
                    at += grown;
                    begins = false;
                    continue;
                }
            }
            begins = mark == Mark::Bare
                && match c {
                    // `dd if=~/x`: a word that looks like an assignment.
                    '=' => how == Use::Fields && is_assigned(&draft.chars[..at]),
                    c => c == ':' && how == Use::Text,
                };
            at += 1;
        }
    }

    /// The directory that `~name` means.
    fn home_of(&self, name: &str, state: &State) -> Option<String> {
        match name {
            "" => self.lookup("HOME", state)?.into_iter().next(),
            "+" => Some(state.folder().to_owned()),
            "-" => Some(state.previous.clone()).filter(|dir| !dir.is_empty()),
            "root" => Some("/root".into()),
            name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => Some(format!("/home/{name}")),
            _ => None,
        }
    }
}

/// Whether a word so far is a name that a value is given to.
fn is_assigned(chars: &[(char, Mark)]) -> bool {
    let name: Option<String> = chars.iter().map(|&(c, mark)| (mark == Mark::Bare).then_some(c)).collect();
    name.is_some_and(|name| crate::wrapper::is_name(&name))
}

fn is_several(parameter: &Parameter) -> bool {
    matches!(parameter.index, Some(Index::All | Index::Joined))
        || matches!(parameter.name.as_str(), "@" | "*")
        || parameter.operation.as_ref().is_some_and(|change| change.operation == Operation::Names)
}

/// Whether it may become more than one field.
pub(crate) fn may_split(parts: &[Part]) -> bool {
    let has_list =
        |inner: &Vec<Part>| inner.iter().any(|part| matches!(part, Part::Parameter(p) if is_several(p)));
    parts.iter().any(|part| match part {
        Part::Double(inner) => has_list(inner),
        Part::Parameter(_) | Part::Substitution(_) => true,
        _ => false,
    })
}

/// `$*`: between double quotes, all of them as one.
fn is_joined(parameter: &Parameter) -> bool {
    matches!(parameter.index, Some(Index::Joined)) || (parameter.name == "*" && parameter.index.is_none())
}

/// Whether there is no value; with `empty`, whether it has no characters either.
fn is_missing(values: Option<&[String]>, empty: bool) -> bool {
    let unset = |text: &String| !text.is_empty() && text.chars().all(|c| c == UNSET);
    match values {
        None => true,
        Some(list) => {
            list.is_empty()
                || list.iter().all(unset)
                || (empty && list.iter().all(|text| text.is_empty() || unset(text)))
        }
    }
}

/// Names whose value must not leave the machine.
pub fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL"]
        .iter()
        .any(|word| upper.contains(word))
}

/// Fields by the rules of `IFS`: blanks in it count once however many they are, other characters each by itself.
fn split(draft: &Draft, ifs: &str, fields: &mut Vec<Arg>) {
    let mut current = Arg::default();
    let mut open = false;
    // The last field was ended by blanks: a separator that follows belongs to them.
    let mut blank = false;
    // A bracket is a pattern only with the other one.
    let mut bracket = false;
    let finish = |current: &mut Arg, open: &mut bool, fields: &mut Vec<Arg>| {
        fields.push(std::mem::take(current));
        *open = false;
    };
    for &(c, mark) in &draft.chars {
        match mark {
            Mark::Break => {
                if open {
                    finish(&mut current, &mut open, fields);
                }
                blank = false;
            }
            Mark::Empty => open = true,
            Mark::Expanded if ifs.contains(c) && !is_hole(c) => {
                let white = matches!(c, ' ' | '\t' | '\n');
                if open {
                    finish(&mut current, &mut open, fields);
                    blank = white;
                } else if !white {
                    if !blank {
                        finish(&mut current, &mut open, fields);
                    }
                    blank = false;
                }
            }
            _ => {
                open = true;
                if mark != Mark::Quoted {
                    current.glob |= matches!(c, '*' | '?') || (c == ']' && bracket);
                    bracket = (bracket || c == '[') && c != '/';
                }
                current.text.push(c);
            }
        }
    }
    if open {
        finish(&mut current, &mut open, fields);
    }
}
