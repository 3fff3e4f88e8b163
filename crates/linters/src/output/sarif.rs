//! SARIF 2.1, the common report format of static analysis.

use serde_json::Value;

use super::json::{at, find};
use super::{Cause, Entry};

pub(super) fn read(text: &str) -> Result<Vec<Entry>, Cause> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let document =
        find(text, |value| value.get("runs").is_some_and(Value::is_array)).ok_or(Cause::Without("SARIF"))?;
    let runs = document["runs"].as_array().into_iter().flatten();
    let results = runs.filter_map(|run| run["results"].as_array()).flatten();
    Ok(results.map(one).collect())
}

fn one(result: &Value) -> Entry {
    let place = at(result, "locations.0.physicalLocation").unwrap_or(&Value::Null);
    let number =
        |path: &str| at(place, path).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    let words = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let uri = words(at(place, "artifactLocation.uri"));
    Entry {
        file: Some(uri.trim_start_matches("file://").to_owned()).filter(|uri| !uri.is_empty()),
        line: number("region.startLine"),
        column: number("region.startColumn"),
        code: words(result.get("ruleId").or_else(|| at(result, "rule.id"))),
        message: words(at(result, "message.text")),
    }
}
