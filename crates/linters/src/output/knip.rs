//! Knip's report: below each file a list per kind of issue.

use serde_json::Value;

use super::json::find;
use super::{Cause, Entry};

pub(super) fn read(text: &str) -> Result<Vec<Entry>, Cause> {
    let document = find(text, |value| value.get("issues").is_some_and(Value::is_array));
    let document = document.ok_or(Cause::Without("JSON of this form"))?;
    let mut entries = Vec::new();
    for file in document["issues"].as_array().into_iter().flatten() {
        let name = file["file"].as_str().map(str::to_owned);
        for (kind, issues) in file.as_object().into_iter().flatten() {
            for issue in issues.as_array().into_iter().flatten() {
                let number = |key: &str| issue[key].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
                let what = issue["name"].as_str().unwrap_or_default();
                let message = match kind.as_str() {
                    "files" => "nothing uses this file".to_owned(),
                    "unlisted" => format!("{what} is used but not listed in package.json"),
                    "unresolved" => format!("{what} cannot be resolved"),
                    _ => format!("nothing uses {what}"),
                };
                entries.push(Entry {
                    file: name.clone(),
                    line: number("line"),
                    column: number("col"),
                    code: kind.clone(),
                    message,
                });
            }
        }
    }
    Ok(entries)
}
