//! What a repository's own settings make git run while it only looks: a monitor, a filter, a program that shows differences. They
//! come with a folder that somebody else has packed, and no word of the command names them.

use std::path::Path;

use model::deed::Verb;
use shell::{Call, Reading};

use crate::Context;

/// Whether git would run something that nobody has heard of in the repository that one of these calls works in.
pub(super) fn runs_something(reading: &Reading, cx: &Context<'_>) -> bool {
    let mut seen: Vec<(&str, bool)> = Vec::new();
    reading.calls.iter().filter(|call| call.script.is_none() && call.keeps_versions()).any(|call| {
        let speaks = speaks(call);
        if seen.contains(&(&call.cwd, speaks)) {
            return false;
        }
        seen.push((&call.cwd, speaks));
        of_call(call, speaks, cx)
    })
}

/// The same of one call.
pub(super) fn runs_for(call: &Call, cx: &Context<'_>) -> bool {
    call.keeps_versions() && of_call(call, speaks(call), cx)
}

fn of_call(call: &Call, speaks: bool, cx: &Context<'_>) -> bool {
    // Most repositories are the project's, and say nothing of the kind.
    let project = cx.facts.project();
    if *call.cwd == *project.to_string_lossy()
        && let Ok(Some(text)) = cx.facts.read(&project.join(".git/config"))
        && !may_run_something(&text)
    {
        return false;
    }
    let settings = crate::context::repository_settings(cx.facts, Path::new(&*call.cwd));
    settings.iter().any(|(key, value)| {
        let key = key.to_ascii_lowercase();
        let begins = |names: &[&str]| names.iter().any(|name| key.starts_with(name));
        (begins(LOOKING) || speaks && begins(SPEAKING)) && crate::git_config::runs_something(&key, value)
    })
}

/// Whether a line begins with a word by which such settings, or files that may have some, are named.
fn may_run_something(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "[credential",
        "[diff",
        "[filter",
        "[include",
        "[interactive",
        "[pager",
        "[protocol",
        "alternaterefs",
        "askpass",
        "fsmonitor",
        "gitproxy",
        "pager",
        "receivepack",
        "sshcommand",
        "uploadpack",
        "vcs",
        "worktreeconfig",
    ];
    text.lines().any(|line| {
        let line = line.trim_start();
        // What stands behind a header on its line is looked at with all the rest.
        let crowded = line.starts_with('[') && !line.trim_end().ends_with(']');
        let begins =
            |word: &&str| line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        crowded || WORDS.iter().any(begins) || line.contains("ext::")
    })
}

/// Settings that count for whatever git does with files; those for editors, hooks and mail count where one commits.
const LOOKING: &[&str] = &[
    "core.alternaterefscommand",
    "core.fsmonitor",
    "core.pager",
    "diff.",
    "filter.",
    "interactive.",
    "pager.",
];

/// Those that count where it speaks to another machine.
const SPEAKING: &[&str] =
    &["core.askpass", "core.gitproxy", "core.sshcommand", "credential.", "protocol.", "remote.", "url."];

fn speaks(call: &Call) -> bool {
    call.does(Verb::Fetches) || call.does(Verb::Queries)
}
