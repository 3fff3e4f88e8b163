//! Words of programs that do not read them as `getopt_long` does: parameters of cmdlets, slashes, signals, old bundles.

use super::super::{Opt, Role, Takes, kind};
use super::{Decoder, Value, is_no};

impl Decoder<'_> {
    /// `-Recurse`, `-rec`, `-Path x`, `-Confirm:$false`
    pub(super) fn parameter(&mut self, text: &str) {
        let word = self.at;
        self.at += 1;
        let (name, given) = match text.split_once(':') {
            Some((name, _)) => (&name[1..], Some(Value::rest(word, name.len() + 1))),
            None => (&text[1..], None),
        };
        let option = self.in_any_case(&name.to_ascii_lowercase());
        let value = match (option.map(|option| option.takes), given) {
            (Some(Takes::Nothing), Some(value)) if is_no(value.text(self.argv).trim_start_matches('$')) => {
                return;
            }
            (_, Some(value)) => Some(value),
            (Some(Takes::Value), None) => self.next(option),
            _ => None,
        };
        if let Some(value) =
            value.filter(|value| value.from == 0 && option.is_some_and(|option| option.role == Role::Operand))
        {
            self.made.operands.insert(self.named_operands, value.word);
            self.named_operands += 1;
        }
        self.choose(option, word, value);
    }

    fn in_any_case(&self, name: &str) -> Option<&'static Opt> {
        let options = self.chain.last()?.options;
        let exact = options.iter().find(|option| option.names.contains(&name));
        exact.or_else(|| {
            // What all cmdlets take comes after what is its own.
            let fits = |option: &&Opt| option.names.iter().any(|known| known.starts_with(name));
            let own =
                options.iter().position(|option| option.names == ["verbose", "vb"]).unwrap_or(options.len());
            let (own, common) = options.split_at(own);
            let among = if own.iter().any(|option| fits(&option)) { own } else { common };
            let mut found = among.iter().filter(fits);
            found.next().filter(|_| found.next().is_none())
        })
    }

    /// `/s`, `/s/q`, `/a:h`; a word with a slash that is not an option is an operand.
    pub(super) fn slashed(&mut self, text: &str) -> bool {
        let Some(bare) =
            text.strip_prefix(['/', '-']).map(|rest| rest.trim_start_matches('/').to_ascii_lowercase())
        else {
            return false;
        };
        let find = |decoder: &Self, name: &str| decoder.find(&mut |option| option.names.contains(&name));
        let word = self.at;
        let (name, given) = bare.split_once([':', '=']).map_or((bare.as_str(), None), |(name, _)| {
            (name, Some(Value::rest(word, text.len() - bare.len() + name.len() + 1)))
        });
        if let Some(option) = find(self, name) {
            self.at += 1;
            let value = match (option.takes, given) {
                (_, Some(value)) => Some(value),
                (Takes::Value, None) => self.next(Some(option)),
                _ => None,
            };
            self.choose(Some(option), word, value);
            return true;
        }
        let all: Option<Vec<_>> =
            bare.split('/').map(|name| find(self, name.split(':').next().unwrap_or(name))).collect();
        let Some(all) = all.filter(|all| all.len() > 1) else { return false };
        self.at += 1;
        all.into_iter().for_each(|option| self.choose(Some(option), word, None));
        true
    }

    /// `kill -KILL 12`, `kill -9 -1`: a signal is not a cluster of options, and after it a number with a dash is not an option.
    pub(super) fn signal(&mut self, text: &str) -> bool {
        let Some(word) = text.strip_prefix('-').filter(|word| !word.is_empty()) else { return false };
        let number = word.bytes().all(|b| b.is_ascii_digit());
        if self.find(&mut |option| option.names.contains(&word)).is_some() {
            return false;
        }
        if number && (self.signal || self.made.options.iter().any(|chosen| chosen.value.is_some())) {
            self.operand();
        } else if number || kind::is_signal(word) {
            self.signal = true;
            self.at += 1;
        } else {
            return false;
        }
        true
    }

    /// `tar xfz FILE`: the first word is a cluster, and its values are the words after it.
    pub(super) fn bundle(&mut self) {
        let Some(first) = self.argv.get(1).filter(|_| self.style().bundle) else { return };
        if first.text.starts_with('-') || first.text.is_empty() {
            return;
        }
        let mut next = 2;
        for letter in first.text.chars() {
            let option = self.letter(letter);
            let takes = option.is_some_and(|option| option.takes == Takes::Value);
            let value = (takes && next < self.argv.len()).then(|| Value::whole(next));
            next += usize::from(value.is_some());
            self.choose(option, 1, value);
        }
        self.at = next;
    }
}

/// How many digits a text begins with: octal ones, or hexadecimal ones behind an `x`.
pub(super) fn digits(text: &str) -> usize {
    let hex =
        text.strip_prefix(['x', 'X']).map(|rest| rest.bytes().take_while(u8::is_ascii_hexdigit).count());
    match hex {
        Some(count) if count > 0 => count + 1,
        _ => text.bytes().take_while(|b| matches!(b, b'0'..=b'7')).count(),
    }
}

/// Whether it looks like a parameter of a cmdlet.
pub(super) fn is_parameter(text: &str) -> bool {
    let name = text.strip_prefix('-').map(|name| name.split(':').next().unwrap_or(name));
    name.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '?'))
            && !name.contains(char::is_whitespace)
    })
}
