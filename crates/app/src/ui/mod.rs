//! How commands speak to a user.

pub(crate) mod human;
mod printer;
mod prompt;
mod wrap;

pub(crate) use printer::{Printer, Tone};
pub(crate) use prompt::Prompt;

/// The name most like `word`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (far, name) = names.map(|name| (strsim::damerau_levenshtein(word, name), name)).min()?;
    (far <= 2.max(word.len() / 4) && far < word.len()).then_some(name)
}
