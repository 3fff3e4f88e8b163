//! Proof before a commit or a merge: `shell/evidence`.

use std::path::{Path, PathBuf};

use model::practice::{Proof, TestStatus};
use model::{Event, Findings, Levels, Meta, Tested, Unknown};

use super::commit_on_main::is_meta;
use super::commits::{Made, calls, makes_commit};
use crate::practice::evidence_roots;
use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels::STRICT,
    ..super::guard(
        "shell/evidence",
        "a commit or merge without passing tests and a person's proof",
        "\
`git commit`, `git merge` and whatever else puts a commit on a branch (`cherry-pick`, `revert`, `am`, `rebase`, `commit-tree`, `update-ref`, an
alias from git's own files, a work tree that the same command makes) need `.claude/.test-status` to say `pass` and `.claude/.proof-status` to say `verified`, in the repository that
the command is about. A missing file, a recent failure (with its count), an older one and an unknown status each have their own
reason. So has a pass that was for other code than is there now: the run that Plimsoll started remembers what it tested. Only Plimsoll
writes these files, and only what it wrote counts: a file that came with a clone, or that anybody else has written, is no evidence. The repository in `~/.claude` is exempt.
",
        include_str!("evidence.toml"),
    )
};

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        let mut made = Made::default();
        for call in calls(reading) {
            made.note(call, cx);
            if !makes_commit(call) {
                continue;
            }
            let Some(repository) = made.repository(call, event, cx) else { continue };
            if is_meta(&repository.root, cx) || is_meta(&repository.main_root, cx) {
                continue;
            }
            // A linked work tree has its own evidence, or that of the first one, or of the project in it.
            let roots = evidence_roots(Some(&repository), cx.facts.project());
            let missing: Vec<Missing> =
                [tests(&roots, cx), proof(&roots, cx)].into_iter().flatten().collect();
            // One commit that may not be is enough; one that may be says nothing about the next.
            if missing.is_empty() {
                continue;
            }
            for missing in missing {
                let what = format!("Cannot {}: {}.", call.path().last().unwrap_or(&"commit"), missing.what);
                let finding = out.deny(META.id, what, "Work is committed when it is known to work.");
                finding.instead = Some(missing.instead.into());
                finding.at.clone_from(&call.span);
            }
            return;
        }
    }
}

struct Missing {
    what: String,
    instead: &'static str,
}

/// The first of the files that is there, and where.
fn status<'a>(
    roots: &'a [PathBuf],
    file: &str,
    cx: &Context<'_>,
) -> Result<Option<(&'a Path, String)>, Unknown> {
    for root in roots {
        if let Some(text) = cx.facts.record(root, file)? {
            return Ok(Some((root, text)));
        }
    }
    Ok(None)
}

fn tests(roots: &[PathBuf], cx: &Context<'_>) -> Option<Missing> {
    const RUN: &str = "Run the tests; Plimsoll records what they give.";
    let missing = |what: String| Some(Missing { what, instead: RUN });
    let (root, text) = match status(roots, TestStatus::FILE, cx) {
        Ok(Some(found)) => found,
        Ok(None) => return missing("there are no test results".into()),
        Err(unknown) => return missing(format!("the test results cannot be read ({})", unknown.0)),
    };
    let mut fields = text.trim().split('|');
    let (result, count, time) =
        (fields.next().unwrap_or_default(), fields.next().unwrap_or("?"), fields.next());
    let age = time.and_then(|t| t.parse::<u64>().ok()).map(|t| cx.facts.now().saturating_sub(t));
    match (result, age) {
        // What was passed must be what is committed, as far as we have seen the run ourselves.
        ("pass", _) => match cx.facts.tested(root) {
            Tested::Same => None,
            Tested::Unrecorded => missing("the test results are of no run that Plimsoll has seen".into()),
            Tested::Changed => missing("source has changed since the tests passed".into()),
            Tested::Forged => missing("the test results are not those of the run that was recorded".into()),
        },
        ("fail", Some(age)) if age < TestStatus::RECENT => {
            missing(format!("tests are failing ({count} failed, {age} s ago)"))
        }
        ("fail", _) => missing("the last tests did not pass".into()),
        (other, _) => missing(format!("the test status is not known ({other})")),
    }
}

fn proof(roots: &[PathBuf], cx: &Context<'_>) -> Option<Missing> {
    const ASK: &str =
        "Show the person how it works; they confirm it by saying so, or with `plimsoll proof verify`.";
    let missing = |what: &str| Some(Missing { what: what.into(), instead: ASK });
    match status(roots, Proof::FILE, cx) {
        Ok(Some((_, text))) => match text.trim().split('|').next() {
            Some("verified") => None,
            Some("pending") => missing("the work has changed since the person last saw it"),
            _ => missing("the proof of work has a status that is not known"),
        },
        Ok(None) => missing("the person has not seen it work"),
        Err(_) => missing("the proof of work cannot be read"),
    }
}
