//! A plan that gates cannot read: `edit/plan-validate`.

use std::fmt::Write;

use model::state_files::PLAN;
use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use crate::file::Target;
use crate::plan::{Plan, validate};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "edit/plan-validate",
    summary: "a MASTER_PLAN.md that does not have the form that gates and audits need",
    docs: "\
Reads `MASTER_PLAN.md` after each change of it. To be fixed at once are: a missing section with the user's original intent, a phase without
`**Status:** planned | in-progress | completed`, a completed phase without a filled `### Decision Log`, and ids that are not
`DEC-COMPONENT-NNN` or `REQ-CATEGORY-NNN`. Missing sections for goals, requirements and success metrics, and completed phases that name no
requirement, are only advised about.
",
    cases: include_str!("plan_validate.toml"),
    on: &[On::edits(EventName::PostToolUse)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if event.edit().is_none_or(|edit| edit.path.file_name().is_none_or(|name| name != PLAN)) {
        return;
    }
    let Some(target) = Target::of(event, cx) else { return };
    let text = match cx.facts.read(&target.real) {
        Ok(Some(text)) => text,
        Ok(None) => return,
        Err(unknown) => return out.failures.push(format!("{PLAN} cannot be read: {}", unknown.0)),
    };
    let found = validate(&Plan::read(&text));
    if !found.warnings.is_empty() {
        out.context.push(format!("{PLAN}, worth adding: {}.", found.warnings.join("; ")));
    }
    if !found.issues.is_empty() {
        let mut what = format!("{PLAN} does not have the form that it needs:");
        for issue in &found.issues {
            let _ = write!(what, "\n  - {issue}");
        }
        out.deny(META.id, what, "").instead = Some("\nFix these now; the gates read this file.".into());
    }
}
