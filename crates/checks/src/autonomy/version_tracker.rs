//! Commands after which what was verified is another version: `autonomy/version-tracker`.

use model::deed::Verb;
use model::{Bookkeeping, Effect, Event, EventName, Findings, Meta, On, Role};
use serde_json::Value as Json;
use shell::Call;

use super::AUTONOMOUS;
use crate::shell::words::{only_looks, subcommands};
use crate::stop::CHECKPOINT;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "autonomy/version-tracker",
    summary: "a command that makes verified fields of the checkpoint stale",
    docs: "\
After a command that changes the version (a commit, a merge, a deployment), what `.claude/completion-checkpoint.json` says was
verified was verified on something else. The fields that no longer hold fall to `false`, their `…_at_version` becomes empty, and
the agent is told which.

| command | falls |
| --- | --- |
| `git commit` | `deployed`, `web_testing_done`, `console_errors_checked`, `api_testing_done` |
| `git merge`, `rebase`, `cherry-pick`, `revert`, `pull`, `am` | the same and `linters_pass`: the code is another one |
| `az containerapp`, `webapp`, `functionapp`, `keyvault`, `storage` that change something | `web_testing_done`, `console_errors_checked`, `api_testing_done`; sets `az_cli_changes_made` |
| `gh workflow run` | `deployed`, `web_testing_done`, `console_errors_checked`, `api_testing_done`: how it ends is not known yet |

Commands that only look (`az webapp show`, `--dry-run`, `git merge --abort`) change nothing, and neither does a command that
failed.
",
    cases: include_str!("version_tracker.toml"),
    on: &[On::shell(EventName::PostToolUse)],
    role: Role::Guard,
    levels: AUTONOMOUS,
    since: "0.1",
};

const DEPLOYED: &[&str] = &["web_testing_done", "console_errors_checked", "api_testing_done"];
const COMMITTED: &[&str] = &["deployed", "web_testing_done", "console_errors_checked", "api_testing_done"];
const REWRITTEN: &[&str] =
    &["linters_pass", "deployed", "web_testing_done", "console_errors_checked", "api_testing_done"];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    let changes: Vec<(String, &[&'static str])> = reading.calls.iter().filter_map(changes).collect();
    if changes.is_empty() {
        return;
    }
    let Ok(Some(text)) = cx.facts.read(&cx.facts.project().join(CHECKPOINT)) else { return };
    let Ok(checkpoint) = serde_json::from_str::<Json>(&text) else { return };
    let mut fallen: Vec<&'static str> = Vec::new();
    for field in changes.iter().flat_map(|(_, fields)| fields.iter()) {
        if checkpoint["self_report"][field] == Json::Bool(true) && !fallen.contains(field) {
            fallen.push(field);
        }
    }
    let azure = changes.iter().any(|(command, _)| command.starts_with("az "));
    if !fallen.is_empty() {
        let commands: Vec<String> = changes.iter().map(|(command, _)| format!("`{command}`")).collect();
        out.context.push(format!(
            "{} changed the version. In {CHECKPOINT} these no longer hold and were set to false: {}. Verify them again on \
             the new version.",
            commands.join(", "),
            fallen.join(", ")
        ));
    }
    if !fallen.is_empty() || azure {
        out.effects.push(Effect::Bookkeeping(Bookkeeping::CheckpointStale { fields: fallen, azure }));
    }
}

/// What a call changes: its name, and the fields that fall.
fn changes(call: &Call) -> Option<(String, &'static [&'static str])> {
    if only_looks(call) {
        return None;
    }
    // A rebase makes commits, too.
    if call.does(Verb::Replays) || call.does(Verb::Merges) || call.concerns("what the upstream has") {
        return Some((call.path().join(" "), REWRITTEN));
    }
    if call.does(Verb::Commits) || call.concerns("a run of a workflow") {
        return Some((call.path().join(" "), COMMITTED));
    }
    let words =
        subcommands(call, &["-g", "--resource-group", "-n", "--name", "--subscription", "-R", "--repo"]);
    let [service @ ("containerapp" | "webapp" | "functionapp" | "keyvault" | "storage"), verb, ..] =
        words.as_slice()
    else {
        return None;
    };
    let cloud = call.words().program.filter(|program| program.style.service && program.style.deep)?;
    let reads = words.iter().skip(1).any(|word| looks(word));
    (!reads).then(|| (format!("{} {service} {verb}", cloud.name()), DEPLOYED))
}

/// Verbs of `az` that change nothing.
fn looks(word: &str) -> bool {
    matches!(
        word,
        "show"
            | "list"
            | "exists"
            | "log"
            | "logs"
            | "browse"
            | "wait"
            | "download"
            | "tail"
            | "url"
            | "metadata"
    ) || ["list-", "show-", "get-", "check-", "download-"].iter().any(|start| word.starts_with(start))
}
