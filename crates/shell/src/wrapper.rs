//! Programs that start another one: what comes after their own options is the command that counts.

mod each;

use crate::programs::{Program, Role};
use crate::reader::Reader;
use crate::reading::{Arg, Argv};
use crate::state::State;

impl Reader<'_> {
    /// The output of what is wrapped; `None` when it wraps nothing.
    pub(crate) fn wrapper(
        &mut self,
        program: &'static Program,
        argv: &Argv,
        state: &mut State,
    ) -> Option<String> {
        let searches =
            program.operands.unwrap_or_default().iter().any(|operand| operand.role == Role::Search);
        if searches { self.find(argv, state) } else { self.follow_as(program, argv, state) }
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
            ('\\', None | Some('"')) => match (chars.next(), quote) {
                // A blank that `env` itself makes one.
                (Some('_'), None) => words.extend(word.take()),
                (Some('_'), Some(_)) => word.get_or_insert_default().push(' '),
                (next, _) => word.get_or_insert_default().extend(next),
            },
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
