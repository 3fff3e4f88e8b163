//! Case files: tests, documentation and corpus at once. Each check has one beside its source, in TOML:
//!
//! ```toml
//! [[case]]
//! file = ".ruff.toml"        # or `command = "…"`, or `tool = "mcp__fs__write_file"` and `input = { path = "…" }`
//! expect = "deny"
//! why = "the rules are the user's"
//! show = true                # also on the docs page
//! given = { files = { "…" = "…" } }
//! ```
//!
//! Only for tests, and for `dev`, which puts them on the docs pages: nothing of this ships. The world they happen in is `imagined`.

use model::{Config, Decision, Event};
use toml::{Table as Toml, Value};

use crate::imagined::happening;
pub use crate::imagined::{PROJECT, Table, shell_event, tool_event};

#[derive(Debug)]
pub struct Case {
    pub event: Event,
    pub table: Table,
    pub config: Config,
    pub expect: Decision,
    /// Texts that the answer (reason, context or notice) must contain.
    pub contains: Vec<String>,
    pub why: String,
    pub show: bool,
    /// What the agent does, for people.
    pub title: String,
}

/// All cases of a file; the error names the case.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let toml: Toml = toml::from_str(text).map_err(|error| error.to_string())?;
    let Some(Value::Array(list)) = toml.get("case") else { return Err("no [[case]]".into()) };
    list.iter()
        .enumerate()
        .map(|(index, value)| {
            let table = value.as_table().ok_or("a case is a table")?;
            one(table).map_err(|error| format!("case {}: {error}", index + 1))
        })
        .collect()
}

fn one(toml: &Toml) -> Result<Case, String> {
    const KEYS: &[&str] = &[
        "event", "tool", "file", "content", "old", "new", "all", "command", "active", "source", "mode",
        "expect", "contains", "why", "show", "given", "prompt", "read", "search", "agent", "message", "kind",
        "input", "output", "error", "repeat",
    ];
    if let Some(key) = toml.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key {key}"));
    }
    let text = |key: &str| toml.get(key).and_then(Value::as_str);
    let flag = |key: &str| toml.get(key).and_then(Value::as_bool).unwrap_or(false);
    let expect = text("expect").ok_or("expect is missing")?;
    let expect = Decision::ALL
        .into_iter()
        .find(|d| d.as_str() == expect)
        .ok_or("expect is none, allow, ask or deny")?;
    let contains = match toml.get("contains") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(value) => value.as_str().map(str::to_owned).into_iter().collect(),
        None => Vec::new(),
    };
    let (event, table, config, title) = happening(toml)?;
    let why = text("why").ok_or("why is missing")?.to_owned();
    Ok(Case { event, table, config, expect, contains, why, show: flag("show"), title })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Options, all, run};

    /// The harness: every case of every check, through the real pipeline, with only that check.
    #[test]
    fn cases_hold() {
        let mut failures = Vec::new();
        for check in all() {
            let meta = check.meta;
            let cases = parse(meta.cases).unwrap_or_else(|error| panic!("{}: {error}", meta.id));
            assert!(
                cases.iter().any(|c| c.expect != Decision::None || !c.contains.is_empty()),
                "{}: no case in which it speaks",
                meta.id
            );
            assert!(
                cases.iter().any(|c| c.expect == Decision::None && c.contains.is_empty()),
                "{}: no case in which it is silent",
                meta.id
            );
            for case in cases {
                let only = [meta.id.to_owned()];
                let mut config = case.config.clone();
                // A case is about the check, not about the profile it is on in.
                config.checks.entry(meta.id.into()).or_insert(model::Level::On);
                let cx = Context::new(&config, &case.table);
                let report = run(&case.event, &cx, &Options { only: Some(&only), ..Options::default() });
                let verdict = report.verdict;
                let said = [
                    verdict.reason(),
                    verdict.context.join("\n"),
                    verdict.background.join("\n"),
                    verdict.notices.join("\n"),
                    format!("{:?}", report.effects),
                    report.account.aloud.join("\n"),
                    report.account.ran.join("\n"),
                    verdict.output.as_ref().map(ToString::to_string).unwrap_or_default(),
                ]
                .join("\n");
                if verdict.decision != case.expect {
                    failures.push(format!(
                        "{}: {}: expected {}, got {}: {}",
                        meta.id, case.title, case.expect, verdict.decision, said
                    ));
                }
                for part in &case.contains {
                    if !said.contains(part) {
                        failures.push(format!("{}: {}: «{part}» is not in: {said}", meta.id, case.title));
                    }
                }
                if case.expect == Decision::None && case.contains.is_empty() && !verdict.is_silent() {
                    failures.push(format!("{}: {}: should be silent, said {said}", meta.id, case.title));
                }
            }
        }
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }
}
