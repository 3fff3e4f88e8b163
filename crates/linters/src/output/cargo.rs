//! Cargo's messages: one JSON object per line, some of which are the compiler's.

use serde_json::Value;

use super::json::at;
use super::{Cause, Entry};

pub(super) fn read(text: &str) -> Result<Vec<Entry>, Cause> {
    let mut entries = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let message: Value = serde_json::from_str(line).map_err(|error| Cause::NotJson(error.to_string()))?;
        let words = |path: &str| at(&message, path).and_then(Value::as_str).unwrap_or_default().to_owned();
        if words("reason") != "compiler-message" {
            continue;
        }
        let spans =
            at(&message, "message.spans").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        // Without a place it is a count of the others.
        let Some(span) = spans.iter().find(|span| span["is_primary"] == true) else { continue };
        let number = |key: &str| span[key].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        entries.push(Entry {
            file: span["file_name"].as_str().map(str::to_owned),
            line: number("line_start"),
            column: number("column_start"),
            // What does not parse has no code.
            code: Some(words("message.code.code"))
                .filter(|code| !code.is_empty())
                .unwrap_or_else(|| words("message.level")),
            message: words("message.message"),
        });
    }
    Ok(entries)
}
