//! Whether a plan has the form that gates and audits rely on.

use super::{Plan, Status, ids};

/// What is wrong with a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// To be fixed now, each with how.
    pub issues: Vec<String>,
    /// Worth knowing.
    pub warnings: Vec<String>,
}

pub fn validate(plan: &Plan) -> Validation {
    let mut found = Validation::default();
    if !plan.has_intent() {
        found.issues.push(
            "the section with the user's original intent is missing: add a heading `## Original Intent` with their words".into(),
        );
    }
    for phase in &plan.phases {
        let title = &phase.title;
        match &phase.status {
            None => found.issues.push(format!("{title} has no status: add a line `**Status:** planned` ({})", Status::NAMES)),
            Some(Err(word)) => {
                found.issues.push(format!("{title} has the status \"{word}\": use {}", Status::NAMES));
            }
            Some(Ok(Status::Completed)) => match &phase.log {
                None => found.issues.push(format!(
                    "{title} is completed and has no Decision Log: add `### Decision Log` with what was decided and why"
                )),
                Some(log) if log.is_empty() => found
                    .issues
                    .push(format!("{title} is completed and its Decision Log is empty: say there what was decided and why")),
                Some(_) => {}
            },
            Some(Ok(_)) => {}
        }
        if phase.is(Status::Completed) && phase.requirements.is_empty() {
            found.warnings.push(format!("{title} is completed and names no REQ-ID that it fulfils"));
        }
    }
    for (prefix, form) in [
        ("DEC-", "DEC-COMPONENT-NNN, such as DEC-AUTH-001"),
        ("REQ-", "REQ-CATEGORY-NNN with GOAL, NOGO, UJ, P0, P1, P2 or MET, such as REQ-P0-001"),
    ] {
        let mut bad: Vec<String> = Vec::new();
        for id in plan.lines.iter().flat_map(|line| ids(prefix, line)) {
            if !id.well_formed && !bad.contains(&id.text) {
                bad.push(id.text);
            }
        }
        found.issues.extend(bad.into_iter().map(|id| format!("{id} must look like {form}")));
    }
    warn_of_missing_sections(plan, &mut found.warnings);
    found
}

fn warn_of_missing_sections(plan: &Plan, warnings: &mut Vec<String>) {
    let section = |name: &str| plan.has_heading(|depth, title| depth == 2 && title.starts_with(name));
    if !section("goals") {
        warnings.push("there is no section `## Goals & Non-Goals`".into());
    } else if !plan.has_heading(|_, title| title.contains("non-goal")) {
        warnings.push("the goals have no `### Non-Goals`".into());
    }
    if !section("requirements")
        && !plan.has_heading(|depth, title| depth == 3 && title.starts_with("must-have"))
    {
        warnings.push("there is no section `## Requirements`".into());
    } else if !plan.ids("REQ-").iter().any(|id| id.starts_with("REQ-P0-")) {
        warnings.push("the requirements have no REQ-P0 that must be met".into());
    }
    if !section("success metrics") {
        warnings.push("there is no section `## Success Metrics`".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues(text: &str) -> Vec<String> {
        validate(&Plan::read(text)).issues
    }

    const GOOD: &str = "# P\n## Original Intent\nx\n## Goals & Non-Goals\n### Non-Goals\n## Requirements\n- REQ-P0-001: x\n## Success Metrics\n\
                        ## Phase 1: A\n**Status:** completed\n**Requirements:** REQ-P0-001\n### Decision Log\n- DEC-CORE-001: y\n\
                        ## Phase 2: B\n**Status:** planned\n";

    #[test]
    fn a_good_plan_has_nothing_wrong_whatever_its_line_ends() {
        assert_eq!(validate(&Plan::read(GOOD)), Validation::default());
        assert_eq!(validate(&Plan::read(&GOOD.replace('\n', "\r\n"))), Validation::default());
    }

    #[test]
    fn each_fault_is_named() {
        for (from, to, part) in [
            ("## Original Intent", "## Words", "original intent is missing"),
            ("**Status:** planned", "", "Phase 2: B has no status"),
            ("**Status:** planned", "**Status:** done", "has the status \"done\""),
            ("### Decision Log\n- DEC-CORE-001: y\n", "", "has no Decision Log"),
            ("- DEC-CORE-001: y\n", "<!-- later -->\n", "Decision Log is empty"),
            // A heading after an empty log is not content of it.
            ("- DEC-CORE-001: y\n", "### Notes\nx\n", "Decision Log is empty"),
            ("DEC-CORE-001", "DEC-CORE-1", "DEC-CORE-1 must look like"),
            ("REQ-P0-001", "REQ-P9-001", "REQ-P9-001 must look like"),
        ] {
            let found = issues(&GOOD.replace(from, to));
            assert!(found.len() == 1 && found[0].contains(part), "{part}: {found:?}");
        }
    }

    #[test]
    fn missing_sections_are_only_a_warning() {
        let found = validate(&Plan::read(
            "# Original intent\n## Phase 1\n**Status:** completed\n### Decision Log\nx\n",
        ));
        assert_eq!(found.issues, Vec::<String>::new());
        assert_eq!(found.warnings.len(), 4, "{:?}", found.warnings);
    }
}
