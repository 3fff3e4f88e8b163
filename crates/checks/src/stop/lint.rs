//! Holds a stop while files of the session have violations that were found late, or that waited: `stop/lint`.

use model::{Event, EventName, Findings, Levels, Meta, On, Role, Unknown};

use super::hold::hold;
use crate::violations::{self, MOST};
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
        out.account.lint = Some(Box::new(linted.clone()));
    }
    out.notices.extend(linted.said);
    let found = &linted.violations;
    if found.is_empty() {
        return;
    }
    let are = if found.len() == 1 { "is" } else { "are" };
    let list = violations::list(found, cx.facts.project(), MOST);
    let text = format!(
        "{} {are} open in files of this session:\n{list}{}",
        violations::count(found),
        violations::FIX
    );
    hold(META.id, event, cx, &[text], out);
}
