//! Plan against code: which decisions are in one and not in the other, and which requirements nothing answers.

use std::collections::BTreeSet;

use super::{Annotation, Plan, ids};

/// A decision that the plan names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub id: String,
    /// The plan says that it no longer stands.
    pub retired: bool,
}

/// What the comparison gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    pub planned: Vec<Planned>,
    /// In the code and not in the plan.
    pub unplanned: Vec<String>,
    /// In the plan and not in the code.
    pub unimplemented: Vec<String>,
    /// `REQ-P0-…` of the plan that no decision addresses.
    pub unaddressed: Vec<String>,
    /// `REQ-NOGO-…` of the plan.
    pub nogo: usize,
}

/// Compares once, by sets: its cost does not grow with decisions times files.
pub fn audit<'a>(plan: &Plan, code: impl IntoIterator<Item = &'a Annotation>) -> Audit {
    let planned = planned(plan);
    let known: BTreeSet<&str> = planned.iter().map(|decision| decision.id.as_str()).collect();
    let (mut written, mut live): (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    for annotation in code {
        if let Some(id) = annotation.id.as_deref() {
            written.insert(id);
            if !annotation.is_retired() {
                live.insert(id);
            }
        }
    }
    let own = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect();
    let unplanned = own(live.difference(&known).copied().collect());
    let open = planned.iter().filter(|decision| !decision.retired && !written.contains(decision.id.as_str()));
    let unimplemented = open.map(|decision| decision.id.clone()).collect();
    let requirements = plan.ids("REQ-");
    let addressed = addressed(plan);
    // Without any decision there is nothing that could address a requirement yet.
    let unaddressed = requirements
        .iter()
        .filter(|id| !planned.is_empty() && id.starts_with("REQ-P0-") && !addressed.contains(id.as_str()));
    Audit {
        unplanned,
        unimplemented,
        unaddressed: unaddressed.cloned().collect(),
        nogo: requirements.iter().filter(|id| id.starts_with("REQ-NOGO-")).count(),
        planned,
    }
}

/// The plan's decisions. One counts as retired when a line with its id, or one of the two after it, gives it such a status.
fn planned(plan: &Plan) -> Vec<Planned> {
    let mut found: Vec<Planned> = Vec::new();
    for (index, line) in plan.lines.iter().enumerate() {
        for id in ids("DEC-", line) {
            let near = plan.lines.iter().skip(index).take(3).enumerate();
            let retired = near
                .take_while(|(step, line)| *step == 0 || !line.contains("DEC-"))
                .any(|(_, line)| retires(line));
            match found.iter_mut().find(|known| known.id == id.text) {
                Some(known) => known.retired |= retired,
                None => found.push(Planned { id: id.text, retired }),
            }
        }
    }
    found
}

fn retires(line: &str) -> bool {
    let line = line.to_lowercase();
    line.find("status")
        .is_some_and(|at| line[at..].contains("deprecated") || line[at..].contains("superseded"))
}

/// Requirements behind `Addresses:`.
fn addressed(plan: &Plan) -> BTreeSet<String> {
    let after = plan.lines.iter().filter_map(|line| line.find("Addresses:").map(|at| &line[at..]));
    after.flat_map(|rest| ids("REQ-", rest)).map(|id| id.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::annotations;

    const PLAN: &str = "## Requirements\n- REQ-P0-001: a\n- REQ-P0-002: b\n- REQ-NOGO-001: no\n### Planned Decisions\n\
                        - DEC-A1-001: x — y — Addresses: REQ-P0-001\n- DEC-B1-002: old\n  **Status:** superseded\n- DEC-C1-003: open\n";

    #[test]
    fn both_directions_and_what_is_retired() {
        let code = annotations(
            "// @decision DEC-A1-001\n// @decision DEC-X1-009\n// @decision DEC-Y1-010\n// @status deprecated\n",
        );
        let found = audit(&Plan::read(PLAN), &code);
        assert_eq!(found.unplanned, ["DEC-X1-009"]);
        assert_eq!(found.unimplemented, ["DEC-C1-003"]);
        assert_eq!(found.unaddressed, ["REQ-P0-002"]);
        assert_eq!((found.nogo, found.planned.len()), (1, 3));
    }

    #[test]
    fn a_plan_without_decisions_leaves_no_requirement_open() {
        let found = audit(&Plan::read("- REQ-P0-001: a\n"), &[]);
        assert_eq!(found.unaddressed, Vec::<String>::new());
    }
}
