//! Where the work stands, for `plimsoll status`: plan, drift, decisions, tests, proof, strikes, findings. Only what there is.

use checks::plan::{Status, audit};
use model::state_files::{AgentFindings, Drift, Proof, Strikes, TestResult, TestStatus};
use model::{Tested, Tree, time};
use serde_json::{Value as Json, json};
use state::written::{self, Belief};
use state::{Machine, Project, evidence};

use super::decisions;
use crate::ui::Tone;

/// A line of the status, and how it looks.
type Line = (Tone, String);

pub(crate) struct Work {
    pub(crate) json: Json,
    pub(crate) lines: Vec<Line>,
}

/// Findings that are shown.
const SHOWN: usize = 3;

pub(crate) fn look(machine: &Machine, project: &Project) -> Work {
    let read =
        |name: &str| written::read(machine, &project.claude_dir().join(name), Belief::Ours).ok().flatten();
    let mut work = Work { json: json!({}), lines: Vec::new() };
    plan(&mut work, project, read(Drift::FILE));
    tests(&mut work, machine, project, read(TestStatus::FILE));
    let proof = read(Proof::FILE).and_then(|text| Proof::parse(&text));
    work.json["proof"] = json!(proof.map(|proof| proof.word()));
    if let Some(proof) = proof {
        let tone = if proof.verified { Tone::Good } else { Tone::Warning };
        work.lines.push((tone, format!("proof     {}, {}", proof.word(), ago(machine, proof.at))));
    }
    let strikes = |name: &str| read(name).map_or(0, |text| Strikes::parse(&text).count);
    let (by_tests, by_mocks) = (strikes(Strikes::TESTS), strikes(Strikes::MOCKS));
    work.json["strikes"] = json!({"tests": by_tests, "mocks": by_mocks});
    if by_tests + by_mocks > 0 {
        work.lines
            .push((Tone::Warning, format!("strikes   {by_tests} for failing tests, {by_mocks} for mocks")));
    }
    let found = AgentFindings::show(&read(AgentFindings::FILE).unwrap_or_default());
    work.json["findings"] = json!(found);
    for line in found.iter().rev().take(SHOWN).rev() {
        work.lines.push((Tone::Warning, format!("finding   {line}")));
    }
    work
}

fn plan(work: &mut Work, project: &Project, drift: Option<String>) {
    let plan = decisions::plan(project);
    let code = decisions::in_code(&project.root);
    let found = audit(&plan.clone().unwrap_or_default(), code.iter().map(|(_, decision)| decision));
    if let Some(plan) = &plan {
        let (done, all) = (plan.count(Status::Completed), plan.phases.len());
        let active = plan.active().map(|phase| phase.title.clone());
        let phases: Vec<Json> = plan
            .phases
            .iter()
            .map(|phase| json!({"title": phase.title, "status": phase.status.as_ref().and_then(|status| status.as_ref().ok()).map(|status| status.as_str())}))
            .collect();
        work.json["plan"] = json!({"completed": done, "phases": phases, "active": active});
        let active = active.map(|title| format!(", active: {title}")).unwrap_or_default();
        work.lines.push((Tone::Faint, format!("plan      {done} of {all} phases completed{active}")));
    }
    let drift = drift.map(|text| Drift::parse(&text));
    let unplanned = if plan.is_some() { found.unplanned.len() } else { 0 };
    work.json["decisions"] = json!({
        "in_code": code.len(), "unplanned": unplanned, "unimplemented": found.unimplemented.len(), "unaddressed": found.unaddressed.len(),
        "audited_at": drift.map(|drift| drift.audited_at),
    });
    if !code.is_empty() || !found.planned.is_empty() {
        let drifted = unplanned + found.unimplemented.len();
        let tone = if drifted > 0 { Tone::Warning } else { Tone::Faint };
        let text = format!(
            "decisions {} in code; {unplanned} of them not in the plan, {} only in the plan; `plimsoll decisions` lists them",
            code.len(),
            found.unimplemented.len()
        );
        work.lines.push((tone, text));
    }
}

fn tests(work: &mut Work, machine: &Machine, project: &Project, text: Option<String>) {
    let status = text.and_then(|text| TestStatus::parse(&text));
    let tested = evidence::tested(machine, &project.root, &Tree::Present);
    let runner = evidence::runner(machine, &project.root);
    work.json["tests"] = json!(status.map(|status| json!({
        "result": status.result.as_str(),
        "failures": status.failures,
        "at": time::rfc3339(status.at),
        "runner": runner,
        "current": match tested { Tested::Same => json!(true), Tested::Unrecorded | Tested::NoTests => Json::Null, _ => json!(false) },
    })));
    let Some(status) = status else { return };
    let by = runner.map(|runner| format!(" ({runner})")).unwrap_or_default();
    let since = match tested {
        Tested::Changed => "; source has changed since",
        Tested::Forged => "; not as recorded",
        Tested::Part(_) => "; of this code only a part was tested",
        Tested::Same | Tested::Unrecorded | Tested::Failed | Tested::NoTests => "",
    };
    let (tone, word) = match status.result {
        TestResult::Pass if since.is_empty() => (Tone::Good, "passing".to_owned()),
        TestResult::Pass => (Tone::Warning, "passed".to_owned()),
        TestResult::Fail => (Tone::Bad, format!("{} failing", status.failures)),
        TestResult::None => (Tone::Warning, "no result".to_owned()),
    };
    work.lines.push((tone, format!("tests     {word}{by}, {}{since}", ago(machine, status.at))));
}

/// How long ago something was, as a user would say it.
fn ago(machine: &Machine, at: u64) -> String {
    match machine.now().saturating_sub(at) {
        0..60 => "just now".to_owned(),
        seconds => format!("{} ago", time::said_seconds(seconds)),
    }
}
