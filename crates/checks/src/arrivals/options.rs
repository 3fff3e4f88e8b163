//! The words of a call, taken apart as `getopt_long` does it: clusters, values attached or apart, long names by any beginning.

use shell::Arg;

use super::programs::Program;

#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// Names without dashes, with their values, in order.
    options: Vec<(&'a str, Option<&'a str>)>,
    pub(super) operands: Vec<&'a Arg>,
}

impl<'a> Words<'a> {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }

    /// All values of an option, in order.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        let found = self.options.iter().filter(|(name, _)| names.contains(name));
        found.filter_map(|(_, value)| *value).collect::<Vec<_>>().into_iter()
    }

    /// The last one, which wins.
    pub(super) fn value(&self, names: &[&str]) -> Option<&'a str> {
        self.values(names).last()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.operands.iter().map(|arg| arg.text.as_str())
    }
}

/// `program` says which options take a value.
pub(super) fn decode<'a>(args: &'a [Arg], program: &Program) -> Words<'a> {
    let mut words = Words::default();
    let mut rest = args.iter().enumerate();
    // The values of an old bundle follow it, in the order of its letters: `tar xfC a.tar dir`.
    let mut waiting: Vec<&'a str> = Vec::new();
    while let Some((index, arg)) = rest.next() {
        let text = arg.text.as_str();
        if text == "--" {
            words.operands.extend(rest.map(|(_, arg)| arg));
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let full = program.long.iter().find(|known| **known == name).or_else(|| {
                // A beginning that fits only one of them.
                let mut fits = program.long.iter().filter(|known| known.starts_with(name) && name.len() > 2);
                fits.next().filter(|_| fits.next().is_none())
            });
            let value = match (value, full) {
                (None, Some(_)) => rest.next().map(|(_, arg)| arg.text.as_str()),
                (value, _) => value,
            };
            words.options.push((full.copied().unwrap_or(name), value));
        } else if let Some(name) = single_dash(text, program) {
            let value = rest.next().map(|(_, arg)| arg.text.as_str());
            words.options.push((name, value));
        } else if text.len() > 1 && text.starts_with('-') || index == 0 && program.bundles && text != "-" {
            let old = !text.starts_with('-');
            let cluster = text.trim_start_matches('-');
            for (at, letter) in cluster.char_indices() {
                let name = &cluster[at..at + letter.len_utf8()];
                let attached = &cluster[at + letter.len_utf8()..];
                if !program.short.contains(letter) {
                    words.options.push((name, None));
                } else if old {
                    waiting.push(name);
                } else if attached.is_empty() {
                    words.options.push((name, rest.next().map(|(_, arg)| arg.text.as_str())));
                } else {
                    words.options.push((name, Some(attached)));
                    break;
                }
            }
        } else if waiting.is_empty() {
            words.operands.push(arg);
        } else {
            words.options.push((waiting.remove(0), Some(text)));
        }
    }
    words
}

/// Words of more than one letter after a single dash, that take the next word: `jar`, PowerShell.
fn single_dash<'a>(text: &'a str, program: &Program) -> Option<&'a str> {
    let name = text.strip_prefix('-')?;
    program.single.iter().any(|known| known.eq_ignore_ascii_case(name)).then_some(name)
}
