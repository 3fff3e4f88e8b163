//! `cargo dev live`: runs every scenario in the real client, and writes `docs/internals/live.md` from what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value as Json;

use crate::workspace;

/// Run the live scenarios in the real client and write `docs/internals/live.md`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

const FILE: &str = "docs/internals/live.md";

/// The suite promises as many.
const FEWEST: usize = 40;

const HEAD: &str = "\
<!-- Written by `cargo dev live` from a run; its source is `crates/dev/src/live.rs`. -->

# In the real client

Each scenario starts the real Claude Code against a scripted model on this machine and lets it work in a scratch project with
Plimsoll's hooks; those of `screen` give it a terminal and press the keys that a user would. *answered* is what our log says, or, in
`answers`, the bytes that a hook printed as we would print them; *reached the model* is what the client put into its next request. A
verdict `none` means that Plimsoll had nothing against it.
";

pub(crate) fn run(_: &Args) -> anyhow::Result<()> {
    if std::env::var_os("PLIMSOLL_TEST_CLIENT").is_none() {
        bail!("PLIMSOLL_TEST_CLIENT names no client; scripts/test installs one and says where");
    }
    let notes = tempfile::tempdir()?;
    let status = Command::new(env!("CARGO"))
        .args(["nextest", "run", "--package", "plimsoll", "-E", "test(/^live::/)"])
        .env("PLIMSOLL_LIVE_NOTES", notes.path())
        .status()
        .context("cargo nextest cannot be started")?;
    if !status.success() {
        bail!("a scenario failed; the page is left as it was");
    }
    let mut runs = Vec::new();
    let mut coverage = Json::Null;
    for entry in std::fs::read_dir(notes.path())? {
        let path = entry?.path();
        let note: Json = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        if path.file_name().is_some_and(|name| name == "coverage.json") {
            coverage = note;
        } else {
            runs.push(note);
        }
    }
    runs.sort_by_key(|run: &Json| (text(run, "scenario").to_owned(), run.to_string()));
    let scenarios: BTreeSet<&str> = runs.iter().map(|run| text(run, "scenario")).collect();
    if scenarios.len() < FEWEST {
        bail!(
            "{} scenarios, and at least {FEWEST} are promised; the page is left as it was",
            scenarios.len()
        );
    }
    let path = workspace::root().join(FILE);
    std::fs::write(&path, page(&runs, &coverage)).with_context(|| format!("{FILE} cannot be written"))?;
    println!("wrote {FILE}: {} scenarios, {} runs", scenarios.len(), runs.len());
    Ok(())
}

fn page(runs: &[Json], coverage: &Json) -> String {
    let mut out = HEAD.to_owned();
    let scenarios: BTreeSet<&str> = runs.iter().map(|run| text(run, "scenario")).collect();
    by_event(&mut out, runs, scenarios.len());
    by_form(&mut out, coverage);
    out.push_str("\n## By scenario\n\n| scenario | answered | reached the model |\n| --- | --- | --- |\n");
    for run in runs {
        let scenario = words(text(run, "scenario"));
        let shown: Vec<String> = list(run, "shown").filter_map(Json::as_str).map(short).collect();
        let shown = if shown.is_empty() { "nothing of ours".to_owned() } else { shown.join("<br>") };
        let _ = writeln!(out, "| {scenario} | {} | {shown} |", answered(run));
    }
    out
}

fn by_event(out: &mut String, runs: &[Json], scenarios: usize) {
    let mut events: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for answer in runs.iter().flat_map(|run| list(run, "answers")) {
        let event = events.entry(text(answer, "event")).or_default();
        let besides = list(answer, "besides").filter_map(Json::as_str);
        for word in std::iter::once(text(answer, "verdict")).chain(besides) {
            *event.entry(word.to_owned()).or_default() += 1;
        }
    }
    let _ = write!(
        out,
        "\n## By event\n\n{scenarios} scenarios, {} runs. What our checks answered in them, without what a hook printed for us:\n\n\
         | event | answered |\n| --- | --- |\n",
        runs.len()
    );
    for (event, counts) in &events {
        let list: Vec<String> = counts.iter().map(|(word, count)| format!("{word} × {count}")).collect();
        let _ = writeln!(out, "| {event} | {} |", list.join(", "));
    }
}

fn by_form(out: &mut String, coverage: &Json) {
    out.push_str(
        "\n## By form of answer\n\nEvery event that a check looks at, and every form that an answer can have there. A test fails when \
         one has no scenario.\n\n| event | form | shown by |\n| --- | --- | --- |\n",
    );
    for row in coverage.as_array().into_iter().flatten() {
        let scenarios: Vec<String> = list(row, "scenarios").filter_map(Json::as_str).map(words).collect();
        let shown = if scenarios.is_empty() { text(row, "why").to_owned() } else { scenarios.join("<br>") };
        let _ = writeln!(out, "| {} | {} | {shown} |", text(row, "event"), text(row, "form"));
    }
}

/// What our log says, else what was printed for us; each once.
fn answered(run: &Json) -> String {
    let mut said: Vec<String> = Vec::new();
    for answer in list(run, "answers") {
        let besides: Vec<&str> = list(answer, "besides").filter_map(Json::as_str).collect();
        let rules: Vec<&str> = list(answer, "rules").filter_map(Json::as_str).collect();
        let mut line = format!("{} {}", text(answer, "event"), text(answer, "verdict"));
        for part in
            [rules.join(", "), besides.iter().map(|word| format!("+{word}")).collect::<Vec<_>>().join(" ")]
        {
            if !part.is_empty() {
                line = format!("{line} {part}");
            }
        }
        let silent = text(answer, "verdict") == "none" && besides.is_empty();
        if !silent && !said.contains(&line) {
            said.push(line);
        }
    }
    said.extend(
        list(run, "printed").map(|one| format!("{}: `{}`", text(one, "event"), short(text(one, "text")))),
    );
    if said.is_empty() { "nothing".to_owned() } else { said.join("<br>") }
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> {
    value[key].as_array().into_iter().flatten()
}

/// A test's name as a sentence.
fn words(name: &str) -> String {
    name.trim_start_matches("live::").replace("::", ": ").replace('_', " ")
}

/// One line of a table.
fn short(line: &str) -> String {
    let mut text: String = line.trim().chars().take(140).collect();
    if text.chars().count() == 140 {
        text.push('…');
    }
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_does_not_break_the_table() {
        assert_eq!(short("hook error: a | b\nand <c>"), "hook error: a \\| b and &lt;c>");
        assert_eq!(words("live::shell::a_forced_push"), "shell: a forced push");
    }

    #[test]
    fn what_was_answered_is_said_once_and_silence_not_at_all() {
        let run = serde_json::json!({"answers": [
            {"event": "Stop", "verdict": "none", "rules": []},
            {"event": "PreToolUse", "verdict": "none", "rules": [], "besides": ["rewrite", "context"]},
            {"event": "PreToolUse", "verdict": "deny", "rules": ["a/b"]},
            {"event": "PreToolUse", "verdict": "deny", "rules": ["a/b"]},
        ]});
        assert_eq!(answered(&run), "PreToolUse none +rewrite +context<br>PreToolUse deny a/b");
    }
}
