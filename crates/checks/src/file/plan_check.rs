//! Code without a plan, or past it: `file/plan-check`.

use model::environment::{self, Variable};
use model::state_files::Drift;
use model::{Change, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::work::{Code, counted, own_record, plan_file};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/plan-check",
    summary: "source code written without a plan, or with one that is out of date",
    docs: "\
Refuses to write a source file of twenty lines or more while the repository has no `MASTER_PLAN.md`. With a plan, two signals say how far the code
has moved away from it: the share of source files that commits have changed since the plan was last updated (15 % warns, 35 %
refuses; `PLAN_CHURN_WARN`, `PLAN_CHURN_DENY`), and the decisions that plan and code do not agree on, by the last audit (2 warn, 5
refuse). Before the first audit commits since the plan count instead (40, 100). The worse of the two decides.

Free are edits, shorter files, tests, files that are not source, and folders without git.
",
    cases: include_str!("plan_check.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

/// A file shorter than this needs no plan.
const SMALL: usize = 20;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(Change::Write { content }) = event.edit().map(|edit| &edit.change) else { return };
    let Some(code) = Code::of(event, cx).filter(|code| !code.is_test() && code.is_ours(cx)) else {
        return;
    };
    let Some(repository) = &code.repository else { return };
    let lines = content.lines().count();
    if lines < SMALL {
        out.context.push(format!(
            "Fast-mode bypass: {} has {}, which needs no plan. Larger changes do.",
            code.name(),
            counted(lines as u64, "line", "lines")
        ));
        return;
    }
    let Some(plan) = plan_file(cx, Some(repository)) else {
        let what = format!("There is no MASTER_PLAN.md, and {} has {lines} lines.", code.name());
        out.deny(META.id, what, "Changes of this size need a plan first.").instead = Some(
            "Write MASTER_PLAN.md in the project's root first: `## Original Intent`, `## Phase N` with `**Status:** planned`, and decisions as DEC-COMPONENT-NNN."
                .into(),
        );
        return;
    };
    let signals = match cx.facts.churn(&plan) {
        Ok(churn) => {
            let drift = own_record(cx, Drift::FILE).map(|text| Drift::parse(&text));
            signals(churn.unwrap_or_default(), drift, cx)
        }
        Err(unknown) => {
            out.failures.push(format!("could not count what changed since the plan: {}", unknown.0));
            return;
        }
    };
    let worst = signals.iter().map(|signal| signal.tier).max().unwrap_or(Tier::Fresh);
    let texts: Vec<_> = signals
        .iter()
        .filter(|signal| signal.tier > Tier::Fresh)
        .map(|signal| signal.text.as_str())
        .collect();
    match worst {
        Tier::Fresh => {}
        Tier::Stale => out.context.push(format!(
            "The plan is getting out of date: {}. Update MASTER_PLAN.md soon.",
            texts.join("; ")
        )),
        Tier::Lost => {
            let what = format!("MASTER_PLAN.md is out of date: {}.", texts.join("; "));
            out.deny(META.id, what, "A plan that does not match the code is misleading.").instead = Some(
                "Update MASTER_PLAN.md: the status of its phases, what was decided, what comes next; commit it, and write on.".into(),
            );
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Fresh,
    Stale,
    Lost,
}

struct Signal {
    tier: Tier,
    text: String,
}

impl Signal {
    fn new(value: u64, [warn, deny]: [u64; 2], text: String) -> Self {
        let tier = if value >= deny {
            Tier::Lost
        } else if value >= warn {
            Tier::Stale
        } else {
            Tier::Fresh
        };
        Self { tier, text }
    }
}

fn signals(churn: model::state_files::Churn, drift: Option<Drift>, cx: &Context<'_>) -> [Signal; 2] {
    let limit = |variable: &Variable, default| {
        cx.facts.env(variable).and_then(|text| text.trim().parse().ok()).unwrap_or(default)
    };
    let limits = [limit(&environment::PLAN_CHURN_WARN, 15), limit(&environment::PLAN_CHURN_DENY, 35)];
    let percent = churn.percent();
    let text = format!(
        "{percent} % of the source files have changed since it was updated ({} of {})",
        churn.changed, churn.total
    );
    let first = Signal::new(percent, limits, text);
    let second = match drift.filter(|drift| drift.audited_at > 0) {
        Some(drift) => {
            let text = format!(
                "{} in code and not in the plan, {} in the plan and not in code",
                counted(drift.unplanned, "decision is", "decisions are"),
                drift.unimplemented
            );
            Signal::new(drift.ids(), [2, 5], text)
        }
        None => Signal::new(
            churn.commits,
            [40, 100],
            format!("{} since it was updated", counted(churn.commits, "commit", "commits")),
        ),
    };
    [first, second]
}
