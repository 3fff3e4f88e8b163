//! `COMPARISON.md`: this run beside the one before.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::Ran;
use super::record::{Outcome, outcome};

/// A case is known by its script and name: two suites have a `live_trigger`.
fn by_name<'a>(records: impl Iterator<Item = &'a Json>) -> BTreeMap<(String, String), &'a Json> {
    let word = |record: &Json, key: &str| record[key].as_str().unwrap_or_default().to_owned();
    records.map(|record| ((word(record, "hook"), word(record, "test_name")), record)).collect()
}

/// What became of a case.
fn delta(before: Option<&Json>, now: Option<&Json>) -> Option<&'static str> {
    Some(match (before, now) {
        (None, Some(_)) => "added",
        (Some(_), None) => "removed",
        (Some(before), Some(now)) => match (outcome(before), outcome(now)) {
            (Outcome::Failed, Outcome::Failed)
            | (Outcome::Passed | Outcome::Skipped, Outcome::Passed | Outcome::Skipped) => {
                let same = ["actual_exit", "note"].iter().all(|key| before[key] == now[key]);
                return if same { None } else { Some("changed") };
            }
            (_, Outcome::Failed) => "regression",
            (Outcome::Failed, _) => "resolved",
        },
        (None, None) => return None,
    })
}

pub(crate) fn page(stamp: &str, ran: &[Ran], (before_stamp, before): &(String, Vec<Json>)) -> String {
    let records: Vec<Json> = ran.iter().flat_map(|suite| &suite.records).map(super::Record::json).collect();
    let (old, new) = (by_name(before.iter()), by_name(records.iter()));
    let mut text = format!(
        "# Comparison\n\nThis run: {stamp}. The run before: {before_stamp}.\n\n## Environment delta\n\n"
    );
    let start = text.len();
    for (name, now) in new.iter().filter(|(_, now)| now["category"] == "dependency") {
        let said = |record: &Json| format!("{} {}", record["actual_decision"], record["actual_output"]);
        if let Some(then) = old.get(name)
            && said(then) != said(now)
        {
            let _ = writeln!(text, "- {}: {} → {}", name.1, then["actual_output"], now["actual_output"]);
        }
    }
    if text.len() == start {
        text.push_str("None.\n");
    }
    text.push_str("\n## Results delta\n\n| case | before | now | delta |\n| --- | --- | --- | --- |\n");
    let mut open = Vec::new();
    let names: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (then, now) = (old.get(name).copied(), new.get(name).copied());
        let Some(kind) = delta(then, now) else { continue };
        let show = |record: Option<&Json>| {
            record.map_or_else(
                || "-".into(),
                |record| {
                    let word = if record["pass"] == true { "pass" } else { "fail" };
                    format!("{word}, exit {}, {}", record["actual_exit"], record["note"])
                },
            )
        };
        let _ = writeln!(text, "| {} | {} | {} | {kind} |", name.1, show(then), show(now));
        match kind {
            "regression" => open.push(format!("- {}: investigate the regression", name.1)),
            "resolved" => open.push(format!("- {}: confirm that it is resolved", name.1)),
            "changed" => open.push(format!("- {}: document what changed", name.1)),
            _ => {}
        }
    }
    text.push_str("\n## To do\n\n");
    text.push_str(&if open.is_empty() { "Nothing.\n".to_owned() } else { open.join("\n") + "\n" });
    text
}
