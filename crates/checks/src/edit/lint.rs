//! Says what is wrong with an edited file: `edit/lint`. Formatting, linting and fixing happen behind `Facts::lint`.

use std::fmt::Write as _;
use std::path::Path;

use model::{Effect, Event, EventName, Findings, Levels, Linted, Meta, On, Role, Unknown};

use crate::violations::{self, MOST};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "edit/lint",
    summary: "violations that are left in an edited file after formatting and fixing",
    docs: "\
After an edit the file is linted, and what the edit did is told to the agent, one line each: place, rule, words, linter. Nothing is said
when all is well and the file is as the agent wrote it. A finding counts when it lies on lines that the edit has written, or when it is new against the file as it was before; of the latter it
is said first since which of its lines.
Of a linter that the project has chosen everything counts; of any other only plain faults: what does not parse, names that are not
defined, certain crashes. With `boy_scout: true` all of the file counts, with `unconfigured: all` all linters do.

The edit's lines are formatted where the project has chosen a formatter and the file was formatted by it before; a file that was not
stays as the agent wrote it (`formatting`). What was rewritten, and by whom, is said. A model fixes what is left where you have said yes to it
(`phases.subprocess_delegation`), and the linters look again to see whether it did.

A linter that is not installed is left out, and the user is told once. A linter that fails, hangs, or prints something that
cannot be read is named in a line that begins with `[hook:warning]`: a file that was not looked at does not pass for clean.

Rules in `defer` (an import that nothing uses yet) are left alone on the edit that broke them and count when the agent stops.
`languages.*` switches single languages off, `pace` and `engine` choose what runs.
",
    cases: include_str!("lint.toml"),
    on: &[On::edits(EventName::PostToolUse)],
    role: Role::Advisory,
    levels: Levels::TIDY,
    since: "0.2",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let linted = match cx.facts.lint(event) {
        Ok(linted) => linted,
        Err(Unknown(why)) => {
            out.failures.push(why);
            return;
        }
    };
    say_once(&linted, cx, out);
    out.effects.extend(linted.later.iter().cloned().map(Effect::Start));
    out.account.ran.extend_from_slice(&linted.trace);
    if linted != Linted::default() {
        out.account.lint = Some(Box::new(linted.clone()));
    }
    if !linted.violations.is_empty() {
        let what = told(&linted, cx.config.boy_scout, cx.facts.project());
        out.deny(META.id, what, "").instead = Some(instead(&linted));
    }
    out.context.extend(linted.said);
}

fn told(linted: &Linted, whole_file: bool, project: &Path) -> String {
    let found = &linted.violations;
    let place = match linted.since.iter().flatten().count() {
        _ if whole_file => "in this file".to_owned(),
        0 => "in the lines you just changed".to_owned(),
        all if all == found.len() => "made elsewhere in the file by the lines you just changed".to_owned(),
        some => format!("made by the lines you just changed, {some} elsewhere in the file"),
    };
    let mut what = format!(
        "{} {place}:\n{}",
        violations::count(found),
        violations::list_since(found, &linted.since, project, MOST)
    );
    if linted.already_there > 0 {
        let _ = writeln!(what, "already there before this edit: {}", linted.already_there);
    }
    what
}

fn instead(linted: &Linted) -> String {
    let mut text = violations::FIX.to_owned();
    if linted.rewritten {
        let mut by = linted.rewriters.clone();
        by.dedup();
        let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(" and ")) };
        let _ = write!(text, " The file was rewritten{by}, so read it again before you edit it.");
    }
    text
}

/// What is missing on this machine is for the user, once.
fn say_once(linted: &Linted, cx: &Context<'_>, out: &mut Findings) {
    for notice in &linted.notices {
        let key: String =
            notice.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(120).collect();
        if !cx.facts.was_said(&key) {
            out.notices.push(notice.clone());
            out.effects.push(Effect::Said(key));
        }
    }
}
