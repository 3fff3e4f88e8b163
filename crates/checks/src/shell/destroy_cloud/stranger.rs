//! Programs that no table describes, told in plain words to destroy something: nobody here knows what goes, or whose it is.

use shell::Call;
use shell::text::is_known;

/// Verbs that hardly mean anything else. `remove` and `clear` mostly mean something small.
const VERBS: &[&str] = &[
    "delete",
    "deprovision",
    "destroy",
    "implode",
    "nuke",
    "purge",
    "rdelete",
    "terminate",
    "undeploy",
    "unregister",
];

pub(super) fn destroys(call: &Call) -> bool {
    let Some(program) = call.argv.first().map(|arg| arg.text.as_str()) else { return false };
    // A program by its path is mostly the project's own, and its scripts are read.
    let stranger = call.words().program.is_none() && is_known(program) && !program.contains('/');
    stranger
        && call.script.is_none()
        && !asks_only(call)
        && commands(call).any(is_verb)
        && !is_misspelt(program)
}

/// A known name with a letter too many or too few, or two in the wrong order: there is no such program, and nothing happens.
fn is_misspelt(name: &str) -> bool {
    if !name.is_ascii() || name.len() > 24 {
        return false;
    }
    let known = |text: &str| shell::programs::find(text).is_some();
    let letters = || ('a'..='z').map(String::from);
    (0..=name.len()).any(|at| {
        let (before, after) = name.split_at(at);
        let rest = after.get(1..);
        let swapped = after.get(..2).map(|two| two.chars().rev().collect::<String>());
        rest.is_some_and(|rest| known(&format!("{before}{rest}")))
            || swapped.is_some_and(|two| known(&format!("{before}{two}{}", &after[2..])))
            || letters().any(|letter| known(&format!("{before}{letter}{after}")))
    })
}

/// What it is told, before what it is told it about.
fn commands(call: &Call) -> impl Iterator<Item = &str> {
    call.texts().filter(|text| !text.starts_with('-')).take(3)
}

fn asks_only(call: &Call) -> bool {
    call.texts().any(|text| matches!(text, "--help" | "-h" | "help" | "--dry-run" | "--dryrun" | "--what-if"))
}

/// `delete`, `delete-project`, `service:delete`; not a path, a sentence or a name in capitals.
fn is_verb(word: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b':' | b'_');
    let mut parts = word.split(['-', ':', '_']);
    let (first, last) = (parts.next(), parts.next_back());
    word.bytes().all(plain) && [first, last].into_iter().flatten().any(|part| VERBS.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::{is_misspelt, is_verb};

    #[test]
    fn names_that_were_meant_to_be_others() {
        for name in ["awss", "kubectll", "kubeclt", "herokuu", "ntlify"] {
            assert!(is_misspelt(name), "{name}");
        }
        for name in ["fastly", "some-tool"] {
            assert!(!is_misspelt(name), "{name}");
        }
    }

    #[test]
    fn verbs_by_themselves_and_in_names() {
        for word in ["delete", "delete-project", "service:destroy", "repo-delete", "rdelete"] {
            assert!(is_verb(word), "{word}");
        }
        for word in ["deleted", "src/delete", "undelete", "DELETE", "delete me", "no-delete-lock", "clear"] {
            assert!(!is_verb(word), "{word}");
        }
    }
}
