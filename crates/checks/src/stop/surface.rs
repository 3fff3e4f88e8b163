//! Decisions in code against the plan: `stop/surface`.

use std::path::Path;

use model::state_files::Drift;
use model::state_files::Record;
use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Role, source};

use super::is_first;
use crate::plan::{Annotation, DECISIONS, Plan, Status, annotations, audit, from_digest};
use crate::work::counted;
use crate::work::picture::{Picture, sources};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "stop/surface",
    summary: "the audit of decisions when source has changed",
    docs: "\
At a stop, when the session has changed source: collects every `@decision` of the project, looks whether changed files of fifty lines or more have
one with a rationale, compares the decisions in code with those in `MASTER_PLAN.md` in both directions (what is deprecated or superseded does
not count), and looks for `REQ-P0` requirements that no decision addresses. What it finds is shown to the user, and written to
`.claude/.plan-drift`, by which `file/plan-check` judges later writes. It holds no stop.
",
    cases: include_str!("surface.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

/// The mark of what was said last.
const SAID: &str = "surface";

const LARGE: usize = 50;
/// Names in a message; the rest is counted.
const NAMED: usize = 5;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !is_first(event) {
        return;
    }
    let picture = Picture::of(event, cx);
    let changes = picture.changes(event);
    let changed = sources(&changes);
    if changed.is_empty() {
        return;
    }
    let (mut all, mut files): (Vec<Annotation>, u64) = (Vec::new(), 0);
    for said in cx.facts.source_digests(&DECISIONS) {
        files += 1;
        all.extend(from_digest(&said));
    }
    let (missing, bare) = undecided(&changed, cx);
    let plan = picture.plan.clone().unwrap_or_default();
    let found = audit(&plan, &all);
    let drift = Drift {
        audited_at: cx.facts.now(),
        // Without a plan nothing is planned, and nothing has drifted from it.
        unplanned: if picture.plan.is_some() { found.unplanned.len() as u64 } else { 0 },
        unimplemented: found.unimplemented.len() as u64,
        missing: missing.len() as u64,
        total: files,
        source_files_changed: changed.len() as u64,
        unaddressed_p0s: found.unaddressed.len() as u64,
        nogo_count: found.nogo as u64,
    };
    out.effects.push(Effect::Record(Drift::FILE.into(), Record::Write(drift.to_string())));
    report(&drift, &missing, &bare, picture.plan.as_ref(), &found, cx, out);
}

/// Changed files of some size without a decision, and those whose decision gives no reason.
fn undecided(changed: &[&std::path::PathBuf], cx: &Context<'_>) -> (Vec<String>, Vec<String>) {
    let (mut missing, mut bare) = (Vec::new(), Vec::new());
    for path in changed {
        let below = path.strip_prefix(cx.facts.project()).unwrap_or(path);
        if source::is_skippable(below) || source::is_test(below) {
            continue;
        }
        let Ok(Some(text)) = cx.facts.read(path) else { continue };
        let found = annotations(&text);
        if found.is_empty() {
            if text.lines().count() >= LARGE {
                missing.push(name(below));
            }
        } else if !found.iter().any(|decision| decision.has_rationale) {
            bare.push(name(below));
        }
    }
    (missing, bare)
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" (+{more} more)") } else { String::new() };
    format!("{}{more}", names[..names.len().min(NAMED)].join(", "))
}

fn report(
    drift: &Drift,
    missing: &[String],
    bare: &[String],
    plan: Option<&Plan>,
    found: &crate::plan::Audit,
    cx: &Context<'_>,
    out: &mut Findings,
) {
    let mut lines = vec![format!(
        "{} changed, {} need @decision{}",
        counted(drift.source_files_changed, "source file", "source files"),
        drift.missing,
        if missing.is_empty() { String::new() } else { format!(": {}", listed(missing)) }
    )];
    if !bare.is_empty() {
        lines.push(format!("Decisions without a rationale: {}", listed(bare)));
    }
    if drift.ids() > 0 {
        lines.push(format!(
            "Plan drift: {} decisions in code not in plan, {} in plan not in code",
            drift.unplanned, drift.unimplemented
        ));
        for (title, ids) in [("not in plan", &found.unplanned), ("not in code", &found.unimplemented)] {
            if !ids.is_empty() && (title == "not in code" || plan.is_some()) {
                lines.push(format!("  {title}: {}", listed(ids)));
            }
        }
    }
    if let Some(plan) = plan.filter(|plan| !plan.phases.is_empty()) {
        lines.push(format!(
            "Phase status: {}/{} completed",
            plan.count(Status::Completed),
            plan.phases.len()
        ));
    }
    if !found.unaddressed.is_empty() {
        lines.push(format!("Unaddressed P0 reqs: {}", listed(&found.unaddressed)));
    }
    if !missing.is_empty() {
        out.effects.push(Effect::Audit { event: "decision_gap", detail: listed(missing) });
    }
    if drift.ids() > 0 {
        let detail = format!("{} unplanned, {} unimplemented", drift.unplanned, drift.unimplemented);
        out.effects.push(Effect::Audit { event: "plan_drift", detail });
    }
    let text = lines.join("\n");
    // What has been said, and is still so, is not news.
    if cx.facts.said_text(SAID).as_deref() != Some(&text) {
        out.effects.push(Effect::SaidText(SAID, text.clone()));
        out.notices.push(text);
    }
}
