//! A tool's version. Asking takes about as long as linting, so the answer is remembered, by the executable's own stamp.

use std::path::PathBuf;
use std::time::Duration;

use state::{Machine, atomic, files, sha256};

use crate::definition::Linter;
use crate::find::Place;

/// More than any of them takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the tool says its version is: the first word in its answer that is one.
pub fn version_of(machine: &Machine, linter: &Linter, place: &Place) -> Option<String> {
    version_within(machine, linter, place, PATIENCE)
}

/// The same for somebody who has not much time left.
pub(crate) fn version_within(
    machine: &Machine,
    linter: &Linter,
    place: &Place,
    limit: Duration,
) -> Option<String> {
    if linter.version.is_empty() || limit.is_zero() {
        return None;
    }
    let mut asked = place.start(machine).args(linter.version);
    for (name, value) in linter.env {
        asked = asked.env(name, value);
    }
    let answer = asked.within(limit.min(PATIENCE)).run().ok()?;
    let text = [answer.stdout, answer.stderr].concat();
    first_version(&String::from_utf8_lossy(&text)).map(str::to_owned)
}

fn first_version(text: &str) -> Option<&str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'));
    let mut versions = words
        // `go version go1.27.3 linux/amd64`
        .map(|word| word.strip_prefix("go").unwrap_or(word).trim_start_matches(['v', 'V']))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'));
    versions.next()
}

/// The same, remembered since the executable was last changed.
pub fn known_version(machine: &Machine, linter: &Linter, place: &Place) -> Option<String> {
    let stamp = files::stamp(&place.program)?;
    let file = remembered(machine, &stamp);
    if let Ok(Some(text)) = files::read(&file) {
        return Some(text.trim().to_owned());
    }
    let version = version_of(machine, linter, place)?;
    // Not remembered, it is asked again.
    let _ = atomic::write_cache(&file, format!("{version}\n").as_bytes());
    Some(version)
}

fn remembered(machine: &Machine, stamp: &str) -> PathBuf {
    machine.cache_dir().join("versions").join(sha256(stamp.as_bytes()).short())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        assert_eq!(first_version("go version go1.27.3 linux/amd64\n"), Some("1.27.3"));
        assert_eq!(first_version("v10.14.0\n"), Some("10.14.0"));
        assert_eq!(
            first_version("black, 26.10.1 (compiled: yes)\nPython (CPython) 3.11.7\n"),
            Some("26.10.1")
        );
        assert_eq!(first_version("no number\n"), None);
    }
}
