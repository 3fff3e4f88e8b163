//! Rules about `LABEL`.

use parse_dockerfile::Instruction;

use super::settings::Settings;
use super::{Step, at};
use crate::problem::Problem;

pub(crate) fn lint(steps: &[Step<'_, '_>], settings: &Settings) -> Vec<Problem> {
    let mut found = Vec::new();
    // Labels of the stage so far, and where its `FROM` is.
    let mut stage: Option<(u32, Vec<String>)> = None;
    for step in steps {
        match step.instruction {
            Instruction::From(_) => {
                found.extend(missing(stage.take(), settings));
                stage = Some((step.line, Vec::new()));
            }
            Instruction::Label(label) => {
                for (key, value) in pairs(&label.arguments.value) {
                    if !is_valid(&key) {
                        found.push(at(step.line, "DL3048", format!("`{key}` is not a valid label key")));
                    }
                    found.extend(check(step.line, &key, &value, settings));
                    if let Some((_, keys)) = &mut stage {
                        keys.push(key);
                    }
                }
            }
            _ => {}
        }
    }
    found.extend(missing(stage, settings));
    found
}

fn missing(stage: Option<(u32, Vec<String>)>, settings: &Settings) -> Vec<Problem> {
    let Some((line, keys)) = stage else { return Vec::new() };
    let absent = settings.labels.iter().filter(|(label, _)| !keys.contains(label));
    absent.map(|(label, _)| at(line, "DL3049", format!("Label `{label}` is missing"))).collect()
}

fn check(line: u32, key: &str, value: &str, settings: &Settings) -> Option<Problem> {
    let Some((_, kind)) = settings.labels.iter().find(|(label, _)| label == key) else {
        return settings
            .strict_labels
            .then(|| at(line, "DL3050", format!("Label `{key}` is not in the schema of `.hadolint.yaml`")));
    };
    if value.is_empty() {
        return Some(at(line, "DL3051", format!("Label `{key}` is empty")));
    }
    // A value from a variable is not known before the build.
    if value.contains('$') {
        return None;
    }
    let (code, what, holds) = match kind.as_str() {
        "url" => (
            "DL3052",
            "URL",
            value.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty()),
        ),
        "rfc3339" => ("DL3053", "time as RFC 3339 has it", is_time(value)),
        "spdx" => (
            "DL3054",
            "SPDX licence identifier",
            value.chars().all(|c| c.is_ascii_alphanumeric() || "-.+() ".contains(c)),
        ),
        "hash" => (
            "DL3055",
            "git hash",
            matches!(value.len(), 7 | 40) && value.chars().all(|c| c.is_ascii_hexdigit()),
        ),
        "semver" => ("DL3056", "semantic version", is_version(value)),
        "email" => (
            "DL3058",
            "e-mail address",
            value.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')),
        ),
        _ => return None,
    };
    (!holds).then(|| at(line, code, format!("Label `{key}` is no {what}")))
}

fn is_time(value: &str) -> bool {
    let shape: String =
        value.chars().map(|c| if c.is_ascii_digit() { '0' } else { c.to_ascii_uppercase() }).collect();
    let Some(rest) = shape.strip_prefix("0000-00-00T00:00:00") else { return false };
    let rest = rest.strip_prefix('.').map_or(rest, |fraction| fraction.trim_start_matches('0'));
    matches!(rest, "Z" | "+00:00" | "-00:00")
}

fn is_version(value: &str) -> bool {
    let core = value.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Lower case, digits, single dots and hyphens between, and none of the names that Docker keeps for itself.
fn is_valid(key: &str) -> bool {
    let reserved = ["com.docker.", "io.docker.", "org.dockerproject."];
    key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_'))
        && !["..", "--", ".-", "-."].iter().any(|pair| key.contains(pair))
        && !reserved.iter().any(|prefix| key.starts_with(prefix))
}

/// `a=1 b="2 3"`, or the old form `a 1`.
pub(crate) fn pairs(arguments: &str) -> Vec<(String, String)> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = arguments.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) if chars.peek().is_some_and(|next| matches!(next, '\n' | '\r')) => {
                chars.next();
            }
            ('\\', Some('"') | None) => word.extend(chars.next()),
            ('"' | '\'', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            (_, None) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    if words.first().is_some_and(|first| !first.contains('=')) {
        let key = words.remove(0);
        return vec![(key, words.join(" "))];
    }
    words
        .iter()
        .map(|word| word.split_once('=').unwrap_or((word, "")))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::lint_with;
    use super::*;

    #[test]
    fn keys_and_schema() {
        assert_eq!(
            lint_with(None, "FROM a:1\nLABEL a=1 a-b.c=2\nLABEL A=1\nLABEL io.docker.x=1\n"),
            "3:DL3048 4:DL3048"
        );
        let schema = "label-schema:\n  maintainer: text\n  version: semver\n  url: url\n";
        assert_eq!(
            lint_with(Some(schema), "FROM a:1\nLABEL maintainer=me version=1 url=''\n"),
            "2:DL3051 2:DL3056"
        );
        assert_eq!(lint_with(Some(schema), "FROM a:1\nLABEL url=https://x version=1.2.3\n"), "1:DL3049");
        let strict = "strict-labels: true\nlabel-schema:\n  a: text\n";
        assert_eq!(lint_with(Some(strict), "FROM a:1\nLABEL a=1 b=2\n"), "2:DL3050");
    }

    #[test]
    fn pairs_are_read_in_both_forms() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(pairs("a=1 b=\"2 3\" \\\n c='x'"), [pair("a", "1"), pair("b", "2 3"), pair("c", "x")]);
        assert_eq!(pairs("a some text"), [pair("a", "some text")]);
    }
}
