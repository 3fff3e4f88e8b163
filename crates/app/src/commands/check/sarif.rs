//! SARIF 2.1.0, for code scanning: one run per linter, and one of our own that says what could not be looked at.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use model::Violation;
use serde_json::{Value, json};

use super::report::Report;

/// Where the files of a report are relative to.
const BASE: &str = "%SRCROOT%";

pub(super) fn sarif(report: &Report, relative: &dyn Fn(&Path) -> String) -> Value {
    let mut by_linter: BTreeMap<Cow<'static, str>, Vec<&Violation>> = BTreeMap::new();
    for found in &report.found {
        by_linter.entry(found.by()).or_default().push(found);
    }
    let mut runs = vec![own(&report.left(relative))];
    runs.extend(by_linter.iter().map(|(linter, found)| run(linter, found, relative)));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    })
}

/// Also where nothing was found: an upload without any run is refused, and one that did not look everywhere must say so.
fn own(left: &[String]) -> Value {
    let note = |text: &String| json!({"level": "error", "message": {"text": text}});
    let notes: Vec<Value> = left.iter().map(note).collect();
    json!({
        "tool": {"driver": {"name": "plimsoll", "version": env!("CARGO_PKG_VERSION"), "rules": []}},
        "invocations": [{"executionSuccessful": notes.is_empty(), "toolExecutionNotifications": notes}],
        "results": [],
    })
}

fn run(linter: &str, found: &[&Violation], relative: &dyn Fn(&Path) -> String) -> Value {
    let rules: Vec<&str> =
        found.iter().map(|found| &*found.code).collect::<BTreeSet<_>>().into_iter().collect();
    let result = |found: &&Violation| {
        json!({
            "ruleId": found.code,
            "ruleIndex": rules.iter().position(|rule| *rule == found.code),
            "level": "error",
            "message": {"text": found.message},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri(&relative(&found.file)), "uriBaseId": BASE},
                "region": {"startLine": found.line.max(1), "startColumn": found.column.max(1)},
            }}],
        })
    };
    json!({
        "tool": {"driver": {"name": linter, "rules": rules.iter().map(|id| json!({"id": id})).collect::<Vec<_>>()}},
        "results": found.iter().map(result).collect::<Vec<_>>(),
    })
}

/// A path as a reference: whatever has a meaning there, and every byte that is not ASCII, is written by its number.
fn uri(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    // A first part with a colon would be a scheme; that is written by its number already. A slash at the front means the machine.
    if text.starts_with('/') { format!("file://{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a b/ü#1?.py"), "a%20b/%C3%BC%231%3F.py");
        assert_eq!(uri("/tmp/x:y.sh"), "file:///tmp/x%3Ay.sh");
    }
}
