//! What a planner leaves behind: `subagent/planner`.

use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use super::{Kind, last_words, persist, waits_for_approval};
use crate::work::picture::Picture;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "subagent/planner",
    summary: "a planner that ends without a plan to work by",
    docs: "\
When a planner ends, six things are looked at: there is a `MASTER_PLAN.md`; it has `## Phase N` headings; it says what the user wants; it has issues
or tasks; the planner has not stopped at a question that nobody will answer; and a plan of several phases has requirements. What is open is
shown to the user and told to the agent with the next prompt (`.claude/.agent-findings`). It holds nothing.
",
    cases: include_str!("planner.toml"),
    on: &[On::event(EventName::SubagentStop)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

/// Headings under which the user's wish may stand.
const INTENT: &[&str] =
    &["intent", "vision", "purpose", "problem", "overview", "goal", "what", "why", "background", "summary"];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !Kind::Planner.is(event) {
        return;
    }
    let picture = Picture::of(event, cx);
    let mut issues: Vec<String> = Vec::new();
    match &picture.plan {
        None => issues.push("MASTER_PLAN.md was not created".into()),
        Some(plan) => {
            if plan.phases.is_empty() {
                issues.push("MASTER_PLAN.md has no `## Phase N` headings".into());
            }
            if !plan.has_heading(|_, title| INTENT.iter().any(|word| title.contains(word))) {
                issues.push("MASTER_PLAN.md has no section on the intent: what the user wants".into());
            }
            let work = plan.lines.iter().map(|line| line.trim_start().to_lowercase()).any(|line| {
                line.starts_with("- [")
                    || line.contains("issue")
                    || line.contains("task")
                    || line.contains("todo")
            });
            if !work {
                issues.push("MASTER_PLAN.md has no issues or tasks".into());
            }
            // A plan of one phase is expected to be brief.
            let requirements = plan
                .has_heading(|_, title| title.contains("requirement") || title.contains("must-have"))
                || !plan.ids("REQ-").is_empty();
            if plan.phases.len() > 1 && !requirements {
                issues.push("MASTER_PLAN.md has several phases and no requirements".into());
            }
        }
    }
    if waits_for_approval(last_words(event)) {
        issues.push("it ended with a question instead of a finished plan".into());
    }
    persist("planner", &issues, out);
}
