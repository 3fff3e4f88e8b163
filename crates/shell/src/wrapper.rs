//! Programs that start another one: what comes after their own options is the command that counts.

mod each;

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;

impl Reader<'_> {
    /// The output of what is wrapped; `None` when `name` wraps nothing.
    pub(crate) fn wrapper(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        match name {
            "find" | "gfind" | "fd" | "fdfind" => self.find(argv, state),
            _ => self.follow(argv, state),
        }
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
