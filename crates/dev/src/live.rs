//! `cargo dev live`: runs every scenario in the real client, and writes `docs/live.md` from what happened.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value as Json;

use crate::workspace;

/// Run the live scenarios in the real client and write `docs/live.md`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

const FILE: &str = "docs/live.md";

const HEAD: &str = "\
<!-- Written by `cargo dev live` from a run; its source is `crates/dev/src/live.rs`. -->

# In the real client

Each scenario starts the real Claude Code against a scripted model on this machine and lets it work in a scratch project with
Plimsoll's hooks. *answered* is what our log says; *reached the model* is what the client put into its next request. A verdict `none`
means that Plimsoll had nothing against it; it may still have added context.
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
    for entry in std::fs::read_dir(notes.path())? {
        runs.push(serde_json::from_str(&std::fs::read_to_string(entry?.path())?)?);
    }
    runs.sort_by_key(|run: &Json| run["scenario"].as_str().unwrap_or_default().to_owned());
    let path = workspace::root().join(FILE);
    std::fs::write(&path, page(&runs)).with_context(|| format!("{FILE} cannot be written"))?;
    println!("wrote {FILE}: {} runs", runs.len());
    Ok(())
}

fn page(runs: &[Json]) -> String {
    let mut text = HEAD.to_owned();
    let mut events: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for answer in runs.iter().flat_map(answers) {
        let event = answer["event"].as_str().unwrap_or_default().to_owned();
        let verdict = answer["verdict"].as_str().unwrap_or_default().to_owned();
        *events.entry(event).or_default().entry(verdict).or_default() += 1;
    }
    let _ = write!(text, "\n## By event\n\n{} runs.\n\n| event | answered |\n| --- | --- |\n", runs.len());
    for (event, verdicts) in &events {
        let list: Vec<String> =
            verdicts.iter().map(|(verdict, count)| format!("{verdict} × {count}")).collect();
        let _ = writeln!(text, "| {event} | {} |", list.join(", "));
    }
    text.push_str("\n## By scenario\n\n| scenario | answered | reached the model |\n| --- | --- | --- |\n");
    for run in runs {
        let scenario =
            run["scenario"].as_str().unwrap_or_default().trim_start_matches("live::").replace('_', " ");
        let mut said: Vec<String> = Vec::new();
        for answer in answers(run) {
            let rules: Vec<&str> =
                answer["rules"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
            let word = |key: &str| answer[key].as_str().unwrap_or_default();
            let line = format!("{} {} {}", word("event"), word("verdict"), rules.join(", "));
            let line = line.trim().to_owned();
            if word("verdict") != "none" && !said.contains(&line) {
                said.push(line);
            }
        }
        let answered = if said.is_empty() { "nothing".to_owned() } else { said.join("<br>") };
        let shown: Vec<String> =
            run["shown"].as_array().into_iter().flatten().filter_map(Json::as_str).map(short).collect();
        let shown = if shown.is_empty() { "nothing of ours".to_owned() } else { shown.join("<br>") };
        let _ = writeln!(text, "| {scenario} | {answered} | {shown} |");
    }
    text
}

fn answers(run: &Json) -> impl Iterator<Item = &Json> {
    run["answers"].as_array().into_iter().flatten()
}

/// One line of a table, without the scratch folder's name.
fn short(line: &str) -> String {
    let mut text: String = line.trim().chars().take(140).collect();
    if text.chars().count() == 140 {
        text.push('…');
    }
    let text = text.replace('|', "\\|").replace('<', "&lt;");
    match text.find("/tmp/") {
        Some(start) => {
            let end = text[start..].find("/project").map_or(text.len(), |at| start + at + "/project".len());
            format!("{}PROJECT{}", &text[..start], &text[end..])
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_folders_do_not_get_into_the_page() {
        assert_eq!(short("hook error: /tmp/x/y/project/a.py | no"), "hook error: PROJECT/a.py \\| no");
    }
}
