//! A stop after changes needs a report that holds: `stop/checkpoint`.

mod report;
mod web_smoke;

use std::fmt::Write;
use std::path::Path;

use model::{
    Body, Bookkeeping, Decision, Effect, Event, EventName, Findings, Meta, On, Proof, Role, SessionChanges,
    ToolUse,
};
use serde_json::Value as Json;

use super::hold::hold;
use crate::autonomy::AUTONOMOUS;
use crate::memory::of_report;
use crate::{Check, Context, Options, violations};

pub(crate) use report::TEMPLATE;

static META: Meta = Meta {
    id: "stop/checkpoint",
    summary: "an agent that wants to finish without a valid report of its code changes",
    docs: "\
Compares the project with how the session found it. Where the session has changed nothing, the stop goes through. Where it has,
`.claude/completion-checkpoint.json` must be there and hold: the job is complete, nothing remains, what was done and what was
learned are said, search terms are given, linters pass. `plimsoll checkpoint new` writes a template, `plimsoll checkpoint check`
says what is missing.

The report is prose; the evidence is what Plimsoll saw itself. `code_changes_made: false` does not hold against changed files,
`linters_pass: true` not against a linter that was seen to fail after the last edit, nor against what Plimsoll's own linters find in
the lines of this session, and a job is not complete while the last test
run that was seen has failed. Types are checked: `\"true\"` is not a boolean, and a file that is not a JSON object is not a report.

While autonomous work is active, two things more are asked for. The work must be committed, unless a guard would not let the agent
commit. And where application code changed, `.claude/web-smoke/summary.json` must show that it was tried in a browser: passed, on
the current version, with at least one URL and one screenshot. Changes below `config/hooks/`, `config/skills/`, `config/commands/`,
`.claude/`, `prompts/config/`, `prompts/scripts/` and `scripts/` have no web page to look at and need none; `web_smoke: false`
switches it off for projects without one.

A report belongs to the code that it was written for: when code changes afterwards, a new one is asked for.

The stop is held until the report holds, but not for ever: after the same reasons three times, or five in all, it goes through and
the user is told what is open. A report that holds becomes a memory.
",
    cases: include_str!("checkpoint.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Guard,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) const FILE: &str = ".claude/completion-checkpoint.json";

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let judged = judge(event, cx, &mut out.notices);
    match judged {
        Judged::Unchanged(report) => {
            if let Some(report) = report.filter(report::is_whole) {
                let lesson = of_report(&report, &[]);
                out.effects.push(Effect::Bookkeeping(Bookkeeping::Remember { lesson }));
            }
        }
        Judged::Unknown(why) => out
            .notices
            .push(format!("[hook:warning] {}: could not tell what this session changed: {why}", META.id)),
        Judged::Open(text) => hold(META.id, event, cx, &[text], out),
        Judged::Holds(report, changes) => {
            let files: Vec<String> = changes.files.into_iter().map(|file| file.path).take(5).collect();
            let lesson = of_report(&report, &files);
            out.effects.push(Effect::Bookkeeping(Bookkeeping::Remember { lesson }));
            let ttl_hours = cx.config.autonomy_ttl_hours;
            out.effects.push(Effect::Bookkeeping(Bookkeeping::NextTask { ttl_hours }));
        }
    }
}

/// What there is to say about a stop now.
pub(super) enum Judged {
    Unknown(String),
    /// The session has changed nothing; the report, if there is one.
    Unchanged(Option<Json>),
    /// What is missing.
    Open(String),
    Holds(Json, SessionChanges),
}

/// What could not be looked at, so that nobody takes it for clean, goes to `unseen`.
pub(super) fn judge(event: &Event, cx: &Context<'_>, unseen: &mut Vec<String>) -> Judged {
    let text = cx.facts.read(&cx.facts.project().join(FILE));
    let changes = match cx.facts.session_changes() {
        Ok(changes) => changes,
        Err(unknown) => return Judged::Unknown(unknown.0),
    };
    let parsed = match &text {
        Ok(Some(text)) => Some(serde_json::from_str::<Json>(text).map_err(|error| error.to_string())),
        Ok(None) => None,
        Err(unknown) => Some(Err(unknown.0.clone())),
    };
    // Whoever works in the home directory itself works on no project.
    if changes.files.is_empty() || cx.facts.home() == Some(cx.facts.project()) {
        return Judged::Unchanged(parsed.and_then(Result::ok));
    }
    let wrong = match &parsed {
        None => return Judged::Open(report::missing()),
        Some(Err(error)) => vec![format!("it cannot be read: {error}")],
        Some(Ok(report)) => {
            let mut wrong = report::problems(report, &changes);
            if is_stale(text.as_ref().ok().and_then(Option::as_deref).unwrap_or_default(), &changes, cx) {
                wrong.push("the code has changed since it was written; write a new report".into());
            }
            contradictions(event, report, &changes, cx, &mut wrong);
            // Dear, so only when all else is settled.
            if wrong.is_empty() {
                violations(&changes, cx, &mut wrong, unseen);
            }
            wrong
        }
    };
    match parsed {
        Some(Ok(report)) if wrong.is_empty() => Judged::Holds(report, changes),
        _ => Judged::Open(report::invalid(&wrong)),
    }
}

/// A report belongs to the code that it was written for.
fn is_stale(report: &str, changes: &SessionChanges, cx: &Context<'_>) -> bool {
    let written = cx.facts.modified(&cx.facts.project().join(FILE));
    written.is_some_and(|written| written < changes.last_write()) || cx.facts.is_report_of_other_code(report)
}

/// Where what was seen says otherwise than the report, and what autonomous work asks for besides.
fn contradictions(
    event: &Event,
    report: &Json,
    changes: &SessionChanges,
    cx: &Context<'_>,
    wrong: &mut Vec<String>,
) {
    let last = |proof: Proof| {
        let runs = cx.facts.seen_runs();
        runs.into_iter().rev().find(|seen| seen.proof == proof && seen.at >= changes.last_write())
    };
    if let Some(seen) = last(Proof::Lint).filter(|seen| !seen.passed) {
        wrong.push(format!(
            "self_report.linters_pass does not hold: `{}` failed after the last edit; fix what it says and run it again",
            seen.command
        ));
    }
    // A failing test stays a failure until a run is seen to pass, whatever was edited since.
    let tests = cx.facts.seen_runs().into_iter().rev().find(|seen| seen.proof == Proof::Test);
    if let Some(seen) = tests.filter(|seen| !seen.passed) {
        wrong.push(format!(
            "self_report.is_job_complete does not hold: the last test run that was seen, `{}`, failed; run the tests until they pass",
            seen.command
        ));
    }
    // A page has to be looked at for changes that have one; the other tests are of all code.
    let has_page = changes.files.iter().any(|file| web_smoke::is_app_code(&file.path));
    for name in ["web-smoke", "validation-tests"] {
        if name == "web-smoke" && !has_page {
            continue;
        }
        let file = Path::new(".claude").join(name).join("summary.json");
        if let Some(summary) = web_smoke::read(&file, cx)
            && summary["passed"] == Json::Bool(false)
        {
            let count = ["error_count", "failed_count", "console_errors"]
                .iter()
                .find_map(|key| summary[key].as_u64());
            let count = count.map_or_else(String::new, |count| format!(" ({count} errors)"));
            wrong.push(format!(
                "{} says that it did not pass{count}: fix it and run it again",
                file.display()
            ));
        }
    }
    report::verification(report, || cx.facts.code_version(), wrong);
    if cx.facts.autonomy().is_none() {
        return;
    }
    if cx.config.web_smoke && has_page {
        web_smoke::problems(cx, wrong);
    }
    if changes.files.iter().any(|file| file.uncommitted) && may_commit(event, cx) {
        wrong.push("the work is not committed: commit it before you stop".into());
    }
}

/// What linters find in the lines that the session has added. They get half of what is left of the time: other checks come after
/// this one.
fn violations(changes: &SessionChanges, cx: &Context<'_>, wrong: &mut Vec<String>, unseen: &mut Vec<String>) {
    const SHOWN: usize = 5;
    let root = cx.facts.changes_root();
    let touched: Vec<_> = changes.files.iter().filter(|file| file.written_at.is_some()).collect();
    let paths: Vec<_> = touched.iter().map(|file| root.join(&file.path)).collect();
    let linted = cx.facts.lint_files(&paths, cx.remaining() / 2);
    unseen.extend(linted.said);
    let mut found = linted.violations;
    found.retain(|found| {
        let file = touched.iter().zip(&paths).find(|(_, path)| **path == found.file);
        let line = usize::try_from(found.line).unwrap_or(0);
        file.is_none_or(|(file, _)| line == 0 || file.added.iter().any(|range| range.contains(&line)))
    });
    if found.is_empty() {
        return;
    }
    let list = violations::list(&found, &root, SHOWN);
    let mut text = format!(
        "self_report.linters_pass does not hold: {} in lines of this session",
        violations::count(&found)
    );
    for line in list.lines() {
        let _ = write!(text, "\n      {line}");
    }
    wrong.push(text);
}

/// Whether the guards would let the agent commit. Where they would not, asking for it is a dead end.
fn may_commit(event: &Event, cx: &Context<'_>) -> bool {
    let body = Body::Tool(ToolUse::shell("git commit -m checkpoint"));
    let event =
        Event { name: EventName::PreToolUse, cwd: Some(cx.facts.changes_root()), body, ..event.clone() };
    let options = Options { explain: true, ..Options::default() };
    crate::run(&event, &Context::new(cx.config, cx.facts), &options).verdict.decision < Decision::Ask
}
