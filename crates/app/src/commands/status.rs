//! `plimsoll status`: what is in force here.

use model::{Level, time};
use serde_json::json;
use state::config::{self, Trust};
use state::{Machine, Project, git, log, session};

use super::setup::registration;
use super::work;
use crate::exit;
use crate::ui::{Printer, Tone};

/// What is in force here: profile, hooks, session, allowances, problems.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List every check with its level
    #[arg(long)]
    checks: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    let levels: Vec<(&str, Level, &str)> = checks::all()
        .map(|check| {
            let meta = check.meta();
            (meta.id, checks::level(meta, &loaded.config), meta.summary)
        })
        .collect();
    let hooks = registration::registered(machine, &project);
    let head = git::Repository::find(&project.root).map(|repository| repository.head());
    let latest = session::latest(&project);
    let edits = session::open_edits(machine);
    let allowed = state::allowances::list(machine);
    let work = work::look(machine, &project);
    if args.json {
        printer.json(&json!({
            "project": project.root,
            "enabled": loaded.config.hook_enabled,
            "profile": loaded.config.profile.as_str(),
            "branch": head.as_ref().and_then(|head| head.branch.clone()),
            "session": latest.as_ref().map(model::SessionId::as_str),
            "hooks": hooks.iter().map(|(file, events)| json!({"file": file, "events": events})).collect::<Vec<_>>(),
            "edits": edits.iter().map(|(path, seconds)| json!({"path": path, "seconds": seconds})).collect::<Vec<_>>(),
            "allowed": allowed.iter().map(|one| json!({"id": one.id, "command": one.text, "in": one.cwd, "holds": one.holds})).collect::<Vec<_>>(),
            "checks": levels.iter().map(|(id, level, _)| json!({"id": id, "level": level.as_str()})).collect::<Vec<_>>(),
            "problems": loaded.problems.iter().map(|p| p.text.clone()).collect::<Vec<_>>(),
            "work": work.json,
            "log": log::file(machine),
        }));
        return Ok(exit::OK);
    }
    printer.toned(Tone::Title, &project.root.display().to_string());
    let enabled = if loaded.config.hook_enabled { "" } else { ", switched off by hook_enabled" };
    let on = levels.iter().filter(|(_, level, _)| *level != Level::Off).count();
    printer.line(&format!(
        "profile   {}{enabled}; {on} of {} checks on",
        loaded.config.profile.as_str(),
        levels.len()
    ));
    if let Some(branch) = head.and_then(|head| head.branch) {
        printer.line(&format!("branch    {branch}"));
    }
    if let Some(session) = &latest {
        printer.line(&format!("session   {}", session.as_str()));
    }
    if hooks.is_empty() {
        printer.toned(Tone::Warning, "hooks     not registered; run `plimsoll init`");
    }
    for (file, events) in &hooks {
        printer.line(&format!("hooks     {} in {}", events.join(", "), file.display()));
    }
    for (path, seconds) in &edits {
        printer.toned(Tone::Warning, &format!("allowed   {path} may be edited for {seconds} s more"));
    }
    for one in &allowed {
        let text = format!("allowed   {} ({}, {}, in {})", one.text, one.id, one.holds, one.cwd.display());
        printer.toned(Tone::Warning, &text);
    }
    for (tone, line) in &work.lines {
        printer.toned(*tone, line);
    }
    let (day, now) = (24 * 3600, machine.now());
    let since = time::rfc3339(now.saturating_sub(day));
    let root = project.root.to_string_lossy().into_owned();
    let recent: Vec<_> = log::read(machine)
        .into_iter()
        .filter(|entry| {
            entry["project"] == root.as_str() && entry["time"].as_str().is_some_and(|t| t >= since.as_str())
        })
        .collect();
    let count = |verdict: &str| recent.iter().filter(|entry| entry["verdict"] == verdict).count();
    printer.line(&format!(
        "last day  {} hook calls: {} denied, {} asked, {} allowed",
        recent.len(),
        count("deny"),
        count("ask"),
        count("allow")
    ));
    if args.checks {
        let rows: Vec<Vec<String>> = levels
            .iter()
            .map(|(id, level, summary)| vec![(*id).to_owned(), level.to_string(), (*summary).to_owned()])
            .collect();
        printer.line("");
        printer.table(&rows);
    }
    for problem in &loaded.problems {
        printer.note(&printer.paint(Tone::Warning, &problem.text));
    }
    Ok(exit::OK)
}
