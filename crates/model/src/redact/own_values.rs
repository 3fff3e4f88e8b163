//! The values of a project's own `.env`, looked for wherever they turn up. They live as long as the process, which has just read the
//! file; nothing of them is kept.

use super::detect::Secret;
use super::looks::{Looks, is_placeholder};
use super::names;

/// Shorter ones are in every text by chance.
const SHORTEST: usize = 8;
/// Values of one file that are looked for.
const MOST: usize = 64;
const BUCKETS: usize = 1024;

/// Values to look for, all in one pass: how far to move on is looked up by the two bytes at the end of the shortest value's length.
#[derive(Debug, Default)]
pub struct OwnValues {
    /// The name and the value.
    values: Vec<(String, String)>,
    shifts: Vec<usize>,
}

impl OwnValues {
    /// From the text of environment files.
    pub fn of(files: &[String]) -> Self {
        let mut own = Self::default();
        for (name, value) in files.iter().flat_map(|text| text.lines()).filter_map(assignment) {
            if own.values.len() < MOST && is_secret_value(name, value) {
                own.values.push((name.to_owned(), value.to_owned()));
            }
        }
        if own.values.is_empty() {
            return own;
        }
        own.shifts = vec![SHORTEST - 1; BUCKETS];
        for (_, value) in &own.values {
            for (at, pair) in value.as_bytes()[..SHORTEST].windows(2).enumerate() {
                let left = SHORTEST - 2 - at;
                let shift = &mut own.shifts[bucket(pair[0], pair[1])];
                *shift = left.min(*shift);
            }
        }
        own
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Secret>) {
        let bytes = text.as_bytes();
        let mut end = SHORTEST - 1;
        while !self.values.is_empty() && end < bytes.len() {
            let shift = self.shifts[bucket(bytes[end - 1], bytes[end])];
            if shift > 0 {
                end += shift;
                continue;
            }
            let from = end + 1 - SHORTEST;
            let here = self.values.iter().filter(|(_, value)| bytes[from..].starts_with(value.as_bytes()));
            match here.max_by_key(|(_, value)| value.len()) {
                Some((name, value)) => {
                    let to = from + value.len();
                    found.push(Secret {
                        range: from..to,
                        keep: 0,
                        kind: format!("value of {name}"),
                        certain: true,
                    });
                    end = to + SHORTEST - 1;
                }
                None => end += 1,
            }
        }
    }
}

fn bucket(first: u8, second: u8) -> usize {
    ((usize::from(first) * 31) ^ (usize::from(second) * 7)) % BUCKETS
}

/// `export NAME="value" # note`
pub(super) fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let value = value.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.split(quote).next());
    Some((name, quoted.unwrap_or_else(|| value.split(" #").next().unwrap_or(value).trim_end())))
}

/// Whether a value would give something away: one of a secret's name, or one that looks like a key. Words, numbers, places and
/// addresses stay, or every second line would have a mark.
fn is_secret_value(name: &str, value: &str) -> bool {
    let looks = Looks::of(value.as_bytes());
    if value.len() < SHORTEST
        || is_placeholder(value.as_bytes())
        || value.contains("://")
        || value.starts_with(['/', '$'])
    {
        return false;
    }
    let word = looks.lower == looks.len || looks.upper == looks.len || looks.digits == looks.len;
    names::is_secret(name) && !(word && looks.len < 16) || looks.is_random(value.as_bytes())
}
