//! `plimsoll decisions`: the decisions in code, against the plan.

use std::path::Path;

use checks::plan::{Annotation, Plan, annotations, audit};
use model::source;
use model::state_files::PLAN;
use serde_json::json;
use state::{Machine, Project, files, git};

use crate::exit;
use crate::ui::{Printer, Tone};

/// List the decisions in code (`@decision`) against the plan (`MASTER_PLAN.md`).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Every decision in the code of a project, with its file.
pub(crate) fn in_code(root: &Path) -> Vec<(String, Annotation)> {
    let mut paths = files::find_below(root, source::is_source);
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let Ok(Some(text)) = files::read(&path) else { continue };
        let name = model::path::below(&path, root).unwrap_or_default();
        found.extend(annotations(&text).into_iter().map(|decision| (name.clone(), decision)));
    }
    found
}

/// The plan of the project, or of the work tree around it.
pub(crate) fn plan(project: &Project) -> Option<Plan> {
    let around = git::Repository::find(&project.root).map(|repository| repository.root);
    let places = [Some(project.root.clone()), around];
    places
        .into_iter()
        .flatten()
        .find_map(|dir| files::read(&dir.join(PLAN)).ok().flatten())
        .map(|text| Plan::read(&text))
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let found = in_code(&project.root);
    let plan = plan(&project);
    let result = audit(&plan.clone().unwrap_or_default(), found.iter().map(|(_, decision)| decision));
    let standing = |decision: &Annotation| match &decision.id {
        _ if decision.is_retired() => "retired",
        None => "without an id",
        Some(_) if plan.is_none() => "no plan",
        Some(id) if result.unplanned.contains(id) => "not in plan",
        Some(_) => "planned",
    };
    if args.json {
        printer.json(&json!({
            "project": project.root,
            "plan": plan.is_some(),
            "decisions": found.iter().map(|(file, decision)| json!({
                "id": decision.id,
                "title": decision.title,
                "status": decision.status,
                "rationale": decision.has_rationale,
                "file": file,
                "line": decision.line,
                "standing": standing(decision),
            })).collect::<Vec<_>>(),
            "unplanned": if plan.is_some() { result.unplanned.clone() } else { Vec::new() },
            "unimplemented": result.unimplemented,
            "unaddressed": result.unaddressed,
        }));
        return Ok(exit::OK);
    }
    if found.is_empty() && result.unimplemented.is_empty() {
        printer.line("there is no decision in the code or in the plan");
        return Ok(exit::OK);
    }
    let mut rows: Vec<Vec<String>> = found
        .iter()
        .map(|(file, decision)| {
            let id = decision.id.clone().unwrap_or_else(|| "-".into());
            vec![
                id,
                standing(decision).to_owned(),
                format!("{file}:{}", decision.line),
                decision.title.clone(),
            ]
        })
        .collect();
    rows.extend(
        result
            .unimplemented
            .iter()
            .map(|id| vec![id.clone(), "not in code".into(), PLAN.into(), String::new()]),
    );
    rows.sort();
    printer.table(&rows);
    if !result.unaddressed.is_empty() {
        printer.toned(
            Tone::Warning,
            &format!("requirements that no decision addresses: {}", result.unaddressed.join(", ")),
        );
    }
    Ok(exit::OK)
}
