//! `plimsoll status`: what is in force here.

use std::path::{Path, PathBuf};

use model::{Level, time};
use serde_json::json;
use state::allowances::Entry;
use state::config::{self, Trust};
use state::{Machine, Project, files, git, log, session};

use super::setup::registration;
use super::work;
use crate::exit;
use crate::ui::{Printer, Tone, human};

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
            let meta = check.meta;
            (meta.id, checks::level(meta, &loaded.config), meta.summary)
        })
        .collect();
    let hooks = registration::registered(machine, &project);
    let off = registration::switched_off(machine, &project);
    let head = git::Repository::find(&project.root).map(|repository| repository.head());
    let latest = session::latest(&project);
    // Of this project; what holds elsewhere is counted only.
    let is_here = |path: &Path| path.starts_with(&project.root);
    let (edits, other_edits): (Vec<_>, Vec<_>) =
        session::open_edits(machine).into_iter().partition(|(path, _)| is_here(Path::new(path)));
    let (allowed, other_allowed): (Vec<_>, Vec<_>) =
        state::allowances::list(machine).into_iter().partition(|one| is_here(&one.cwd));
    let elsewhere = other_edits.len() + other_allowed.len();
    let work = work::look(machine, &project);
    let standing = state::telemetry::standing(machine, &project, &loaded.config);
    if args.json {
        printer.json(&json!({
            "project": project.root,
            "enabled": loaded.config.hook_enabled,
            "profile": loaded.config.profile.as_str(),
            "branch": head.as_ref().and_then(|head| head.branch.clone()),
            "session": latest.as_ref().map(model::SessionId::as_str),
            "hooks_switched_off_by": off,
            "hooks": hooks.iter().map(|(file, events)| json!({"file": file, "events": events})).collect::<Vec<_>>(),
            "edits": edits.iter().map(|(path, seconds)| json!({"path": path, "seconds": seconds})).collect::<Vec<_>>(),
            "allowed": allowed.iter().map(|one| json!({"id": one.id, "command": one.text, "in": one.cwd, "holds": one.holds})).collect::<Vec<_>>(),
            "checks": levels.iter().map(|(id, level, _)| json!({"id": id, "level": level.as_str()})).collect::<Vec<_>>(),
            "policy": super::policy::json(machine, &loaded),
            "telemetry": super::telemetry::as_json(standing.as_ref()),
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
    for (tone, line) in super::policy::lines(machine, &loaded) {
        printer.toned(tone, &format!("policy    {line}"));
    }
    if let Some(branch) = head.and_then(|head| head.branch) {
        printer.line(&format!("branch    {branch}"));
    }
    if let Some(session) = &latest {
        printer.line(&format!("session   {}", session.as_str()));
    }
    print_hooks(printer, &hooks, &off);
    print_allowed(printer, &edits, &allowed, elsewhere);
    for (tone, line) in &work.lines {
        printer.toned(*tone, line);
    }
    if let Some(standing) = &standing {
        let (tone, text) = super::telemetry::line(machine, standing);
        printer.toned(tone, &format!("telemetry {text}"));
    }
    print_last_day(machine, printer);
    if args.checks {
        print_checks(printer, &levels);
    }
    for problem in &loaded.problems {
        printer.note(&printer.paint(Tone::Warning, &problem.text));
    }
    Ok(exit::OK)
}

fn print_hooks(printer: &Printer, hooks: &[(PathBuf, Vec<String>)], off: &[PathBuf]) {
    if hooks.is_empty() {
        printer.toned(Tone::Warning, "hooks     not registered; run `plimsoll init`");
    }
    for (file, events) in hooks {
        printer.labelled(None, "hooks", &format!("{} in {}", events.join(", "), file.display()));
        let text = files::read(file).ok().flatten().unwrap_or_default();
        if !registration::is_read_by_client(&text) {
            let why = "but that file has comments, or a comma after the last entry, so Claude Code ignores every hook in it: \
                       `plimsoll doctor --fix`";
            printer.labelled(Some(Tone::Bad), "", why);
        }
    }
    for file in off.iter().filter(|_| !hooks.is_empty()) {
        let why = format!("but no hook runs: disableAllHooks is true in {}", file.display());
        printer.labelled(Some(Tone::Bad), "", &why);
    }
}

/// What the user has let through for a while.
fn print_allowed(printer: &Printer, edits: &[(String, u64)], allowed: &[Entry], elsewhere: usize) {
    for (path, seconds) in edits {
        let text = format!("{path} may be edited for {} more", time::said_seconds(*seconds));
        printer.labelled(Some(Tone::Warning), "allowed", &text);
    }
    for one in allowed {
        let text = format!("{} ({}, {}, in {})", one.text, one.id, one.holds, one.cwd.display());
        printer.labelled(Some(Tone::Warning), "allowed", &text);
    }
    if elsewhere > 0 {
        printer.toned(
            Tone::Faint,
            &format!("          and {elsewhere} elsewhere; `plimsoll allow --list` names them"),
        );
    }
}

fn print_last_day(machine: &Machine, printer: &Printer) {
    let hour = machine.now() / 3600;
    let [none, allowed, asked, denied] =
        super::stats::summary(machine, false).since_hour(hour.saturating_sub(23));
    printer.line(&format!(
        "last day  {}: {denied} denied, {asked} asked, {allowed} allowed",
        human::plural(none + allowed + asked + denied, "hook call")
    ));
}

fn print_checks(printer: &Printer, levels: &[(&str, Level, &str)]) {
    let rows: Vec<Vec<String>> = levels
        .iter()
        .map(|(id, level, summary)| vec![(*id).to_owned(), level.to_string(), (*summary).to_owned()])
        .collect();
    printer.line("");
    printer.table(&rows);
}
