//! Holds a stop while files of the session have violations that were found late, or that waited: `stop/lint`.

use std::fmt::Write as _;

use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Role, Unknown};

use super::hold::hold;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "stop/lint",
    summary: "violations in files of this session that were found after their edit, or that waited for a later one",
    docs: "\
With `pace: fast` an edit does not wait for slow linters, and rules in `defer` do not count on the edit that broke them. Nothing of
that is lost: when the agent stops, what is still open is looked at, and holds the stop until it is settled. Linters of whole
projects (tsgo, knip, clippy, go vet) run here, once for all files of the session.

The same reasons hold a stop three times, different ones five times; then it goes through and you see what is open.
",
    cases: include_str!("lint.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Advisory,
    levels: Levels::TIDY,
    since: "0.2",
};

const MOST_LINES: usize = 20;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let linted = match cx.facts.lint_open(event) {
        Ok(linted) => linted,
        Err(Unknown(why)) => {
            out.failures.push(why);
            return;
        }
    };
    if !linted.looked.is_empty() {
        out.effects.push(Effect::Linted(Box::new(linted.clone())));
    }
    out.notices.extend(linted.said);
    if linted.violations.is_empty() {
        return;
    }
    let project = cx.facts.project();
    let mut text =
        format!("[hook] {} violation(s) are open in files of this session\n", linted.violations.len());
    for found in linted.violations.iter().take(MOST_LINES) {
        let file = found.file.strip_prefix(project).unwrap_or(&found.file).display();
        let _ = writeln!(
            text,
            "{file}:{}:{} {} {} ({})",
            found.line,
            found.column,
            found.code,
            found.message,
            found.by()
        );
    }
    if let Some(more) = linted.violations.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more");
    }
    text.push_str(
        "Fix each at its place with a small edit; do not disable rules or change their configuration.",
    );
    hold(META.id, event, cx, &[text], out);
}
