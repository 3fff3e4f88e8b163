//! Says what is wrong with an edited file: `edit/lint`. Formatting, linting and fixing happen behind `Facts::lint`.

use std::fmt::Write as _;
use std::path::Path;

use model::{Effect, Event, EventName, Findings, Levels, Linted, Meta, On, Role, Unknown, Violation};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "edit/lint",
    summary: "violations that are left in an edited file after formatting and fixing",
    docs: "\
After an edit the file is linted, and what the edit did is told to the agent, one line each: place, rule, words, linter. Nothing is said
when all is well. A finding counts when it lies on lines that the edit has written, or when it is new against the file as it was before.
Of a linter that the project has chosen everything counts; of any other only plain faults: what does not parse, names that are not
defined, certain crashes. With `boy_scout: true` all of the file counts, with `unconfigured: all` all linters do.

The edit's lines are formatted where the project has chosen a formatter and the file was formatted by it before; a file that was not
stays as the agent wrote it (`formatting`). A model fixes what is left where you have said yes to it
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

/// More lines than this are not read, and the model would pay for them at every turn.
const MOST_LINES: usize = 20;
const LONGEST_MESSAGE: usize = 240;

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
    if !linted.trace.is_empty() {
        out.effects.push(Effect::Trace(linted.trace.clone()));
    }
    if linted != Linted::default() {
        out.effects.push(Effect::Linted(Box::new(linted.clone())));
    }
    let project = cx.facts.project();
    let open = linted.violations.len();
    if open == 0 {
        out.context.extend(linted.said);
        return;
    }
    let mut what =
        format!("[hook] {open} violation(s) remain after delegation\n{}", lines(&linted.violations, project));
    if linted.already_there > 0 {
        let _ = writeln!(what, "already there before this edit: {}", linted.already_there);
    }
    out.deny(META.id, what, "").instead = Some(instead(&linted));
    out.context.extend(linted.said);
}

fn instead(linted: &Linted) -> String {
    let mut text =
        "Fix each at its place with a small edit; do not disable rules or change their configuration."
            .to_owned();
    if linted.rewritten {
        text.push_str(" The file was reformatted, so read it again before you edit it.");
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

fn lines(violations: &[Violation], project: &Path) -> String {
    let mut text = String::new();
    for violation in violations.iter().take(MOST_LINES) {
        let file = violation.file.strip_prefix(project).unwrap_or(&violation.file).display();
        let mut message = violation.message.replace(['\n', '\r'], " ");
        if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        let Violation { line, column, code, .. } = violation;
        let _ = writeln!(text, "{file}:{line}:{column} {code} {message} ({})", violation.by());
    }
    if let Some(more) = violations.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more");
    }
    text
}
