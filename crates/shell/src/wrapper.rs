//! Programs that start another one: what comes after their own options is the command that counts.

mod away;
mod each;

use crate::programs::{Program, Role, find};
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;

impl Reader<'_> {
    /// The output of what is wrapped; `None` when `name` wraps nothing.
    pub(crate) fn wrapper(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        if matches!(name, "ssh" | "mosh") {
            return self.ssh(argv, state);
        }
        let searches = |program: &Program| {
            program.operands.unwrap_or_default().iter().any(|operand| operand.role == Role::Search)
        };
        if find(name).is_some_and(searches) { self.find(argv, state) } else { self.follow(argv, state) }
    }
}

/// Words of a text as `env -S` reads them: at blanks, with quotes and backslashes.
pub(crate) fn split_string(text: &str) -> Vec<Arg> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() || c == '\0' => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words.into_iter().map(Arg::new).collect()
}

pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// How many words are options and their values. A `--` is among them.
pub(crate) fn skip_options(args: &[Arg], values: &[&str]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        if text == "--" {
            return at + 1;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        if values.contains(&text) {
            at += 1;
        } else if !text.starts_with("--") {
            // A cluster: its last letter may want a value.
            let last = text.chars().last().map(|c| format!("-{c}")).unwrap_or_default();
            if text.len() > 2
                && values.contains(&last.as_str())
                && !values.iter().any(|v| v.len() == 2 && text.starts_with(v))
            {
                at += 1;
            }
        }
        at += 1;
    }
    at.min(args.len())
}

/// The value of the first of `options`: the next word, or what follows in the same one.
pub(crate) fn option_value(args: &[Arg], options: &[&str]) -> Option<String> {
    for (index, arg) in args.iter().enumerate() {
        for option in options {
            if arg.text == *option {
                return args.get(index + 1).map(|a| a.text.clone());
            }
            if let Some(rest) = arg.text.strip_prefix(option) {
                if option.starts_with("--") {
                    if let Some(value) = rest.strip_prefix('=') {
                        return Some(value.to_owned());
                    }
                } else if !rest.is_empty() && option.len() == 2 {
                    return Some(rest.to_owned());
                }
            }
            // A cluster such as `-lc`.
            let is_cluster = arg.text.strip_prefix('-').is_some_and(|rest| {
                (2..6).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_alphabetic())
            });
            if option.len() == 2 && is_cluster && arg.text.ends_with(&option[1..]) {
                return args.get(index + 1).map(|a| a.text.clone());
            }
        }
    }
    None
}
