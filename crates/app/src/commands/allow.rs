//! `plimsoll allow`: the user lets a command through. Run by an agent it is a question to the user, whatever the wrapper.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use model::{Decision, SessionId, environment, path, time};
use serde_json::json;
use state::allowances::{self, Span};
use state::{Approvals, DiskFacts, Machine, Project, config, files, session};

use super::explain;
use crate::hook;
use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Let the agent run a command that is refused or asked about, or edit a protected file, for a while.
///
/// `plimsoll allow 'docker compose down -v' --for 10m` is for exactly that call, by what the command comes down to and not by its
/// text: in another wrapper or quoting it is the same call, with another word or in another folder it is not. What else stands in the
/// agent's command is judged as ever, and Plimsoll's own parts stay out of reach. `--edit FILE` is for a file instead.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The command
    #[arg(required_unless_present_any = ["edit", "list", "revoke"], conflicts_with_all = ["edit", "list", "revoke"])]
    command: Option<String>,
    /// How long, such as 90s, 10m, 2h (one day at most) [default: 10m]
    #[arg(long = "for", value_name = "TIME", conflicts_with_all = ["once", "session", "project"])]
    span: Option<String>,
    /// For the next call that needs it
    #[arg(long, conflicts_with_all = ["session", "project", "edit"])]
    once: bool,
    /// For the rest of the session that was started last in this project
    #[arg(long, conflicts_with_all = ["project", "edit"])]
    session: bool,
    /// In this project, until it is taken back
    #[arg(long, conflicts_with = "edit")]
    project: bool,
    /// The folder that the command starts in; the present one, if not given
    #[arg(long = "in", value_name = "DIR", conflicts_with_all = ["edit", "list", "revoke"])]
    folder: Option<PathBuf>,
    /// Let this file be edited instead
    #[arg(long, value_name = "FILE")]
    edit: Vec<PathBuf>,
    /// Show what is allowed now
    #[arg(long, conflicts_with = "edit")]
    list: bool,
    /// Take an allowance back, by its id or its command; all of them without one
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["edit", "list"])]
    revoke: Option<String>,
    /// Print JSON, with --list
    #[arg(long, requires = "list")]
    json: bool,
    /// Agree, where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

pub(super) const LONGEST: u64 = 24 * 3600;

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    if args.list {
        list(machine, printer, args.json);
        return Ok(exit::OK);
    }
    if let Some(which) = &args.revoke {
        // Less is allowed afterwards, so nobody has to be asked.
        let which = Some(which.as_str()).filter(|which| !which.is_empty());
        let gone = allowances::revoke(machine, which).context("the list could not be written")?;
        if gone == 0 && which.is_some() {
            bail!("there is no such allowance; `plimsoll allow --list` shows them");
        }
        printer.toned(Tone::Good, &format!("{gone} taken back"));
        return Ok(exit::OK);
    }
    let Some(command) = &args.command else {
        return allow_edits(machine, printer, &args.edit, args.span.as_deref(), args.yes);
    };
    allow(machine, printer, args, command)
}

/// Seconds, from one to a day.
pub(super) fn seconds(span: &str) -> anyhow::Result<u64> {
    let seconds = time::parse_span(span).with_context(|| format!("--for {span} is not a time; try 10m"))?;
    if seconds == 0 || seconds > LONGEST {
        bail!("--for {span} is out of range: one second to one day");
    }
    Ok(seconds)
}

fn allow(machine: &Machine, printer: &Printer, args: &Args, command: &str) -> anyhow::Result<u8> {
    let cwd = match &args.folder {
        Some(folder) => path::absolute(folder, &machine.cwd(), machine.home().as_deref()),
        None => machine.cwd(),
    };
    if !files::is_dir(&cwd) {
        bail!("{} is not a folder", cwd.display());
    }
    let project = Project::find(machine, &cwd);
    let span = match () {
        () if args.once => Span::Once,
        () if args.project => Span::Project,
        () if args.session => Span::Session(session_here(machine, &project)?),
        () => Span::For(seconds(args.span.as_deref().unwrap_or("10m"))?),
    };
    let mut event = explain::tool_event(&machine.cwd(), "Bash", &json!({"command": command}));
    event.cwd = Some(cwd.clone());
    let loaded = config::load(machine, &project, checks::role, config::Trust::Recorded);
    let facts = DiskFacts::new(machine, &project, &loaded, &event.session, cwd.clone(), Approvals::Session);
    let reading = checks::read(&event, &facts).unwrap_or_default();
    if !reading.doubts.is_empty() || reading.calls.is_empty() {
        bail!("this cannot be read as a command, so there is nothing that could be recognised later");
    }
    let judged = hook::judge(machine, &hook::Terms::default(), &event, hook::Look::EXPLAINING);
    let verdict = &judged.report.verdict;
    if verdict.decision < Decision::Ask {
        printer.line("nothing refuses this command or asks about it now: there is nothing to allow, or it is allowed already (`plimsoll allow --list`)");
        return Ok(exit::OK);
    }
    let kept = |finding: &&model::Finding| {
        finding.decision >= Decision::Ask
            && checks::find(finding.rule).is_some_and(|check| checks::is_kept(check.meta))
    };
    if let Some(finding) = verdict.findings.iter().find(kept) {
        bail!(
            "{}: {} That stays in force: run the command yourself, in a terminal of your own",
            finding.rule,
            finding.text()
        );
    }
    let mut loaded = loaded;
    let book = crate::rules::in_force(machine, &project, &mut loaded);
    let held = |finding: &&model::Finding| {
        finding.decision >= Decision::Ask && checks::is_held(finding.rule, &loaded.config, book.as_ref())
    };
    if let Some(finding) = verdict.findings.iter().find(held) {
        bail!(
            "{}: {} {} Run the command yourself, in a terminal of your own",
            finding.rule,
            finding.text(),
            HELD
        );
    }
    for finding in verdict.findings.iter().filter(|finding| finding.decision >= Decision::Ask) {
        printer.line(&format!("{}: {}", finding.rule, finding.text()));
    }
    if !person::agrees(machine, printer, "Let the agent run this?", args.yes) {
        return Ok(exit::FAILED);
    }
    let signature = checks::signature(&reading);
    let id = allowances::add(machine, &project, command, &cwd, &signature, &span)
        .context("the allowance could not be recorded")?;
    let how =
        allowances::list(machine).into_iter().find(|one| one.id == id).map_or(String::new(), |one| one.holds);
    printer.toned(Tone::Good, &format!("allowed {how}, in {} ({id}): {command}", cwd.display()));
    Ok(exit::OK)
}

/// Why an allowance would change nothing.
const HELD: &str = "The team's policy decides that: only `allow_by_hand` in it would let you.";

fn session_here(machine: &Machine, project: &Project) -> anyhow::Result<SessionId> {
    let told = machine.var(&environment::CLAUDE_CODE_SESSION_ID).map(|text| SessionId::new(&text));
    told.or_else(|| session::latest(project))
        .with_context(|| format!("no session is known in {}", project.root.display()))
}

/// Lets files be edited for a while; `approve --edit` says the same.
pub(super) fn allow_edits(
    machine: &Machine,
    printer: &Printer,
    edits: &[PathBuf],
    span: Option<&str>,
    yes: bool,
) -> anyhow::Result<u8> {
    let span = span.unwrap_or("10m");
    let seconds = seconds(span)?;
    let loaded = config::load(machine, &Project::here(machine), checks::role, config::Trust::Recorded);
    if checks::is_held("file/linter-config", &loaded.config, None) {
        printer.note(&format!("plimsoll: protected files stay protected. {HELD}"));
    }
    let reals: Vec<PathBuf> = edits.iter().map(|file| files::resolve(&absolute(machine, file))).collect();
    for real in reals.iter().filter(|real| !files::exists(real)) {
        printer.note(&format!(
            "plimsoll: {} is not there yet; check the name, unless the agent is to make it",
            real.display()
        ));
    }
    if !person::agrees(machine, printer, "Let the agent edit this?", yes) {
        return Ok(exit::FAILED);
    }
    for real in &reals {
        session::allow_edit(machine, real, seconds).context("the allowance could not be recorded")?;
        printer.toned(Tone::Good, &format!("{} may be edited for {span}", real.display()));
    }
    Ok(exit::OK)
}

pub(super) fn absolute(machine: &Machine, file: &Path) -> PathBuf {
    path::absolute(file, &machine.cwd(), machine.home().as_deref())
}

fn list(machine: &Machine, printer: &Printer, as_json: bool) {
    let (commands, edits) = (allowances::list(machine), session::open_edits(machine));
    if as_json {
        printer.json(&json!({
            "commands": commands.iter().map(|one| json!({"id": one.id, "command": one.text, "in": one.cwd, "holds": one.holds})).collect::<Vec<_>>(),
            "edits": edits.iter().map(|(path, seconds)| json!({"path": path, "seconds": seconds})).collect::<Vec<_>>(),
        }));
        return;
    }
    if commands.is_empty() && edits.is_empty() {
        printer.line("nothing is allowed beyond the rules");
    }
    for one in &commands {
        printer.line(&format!("{}  {}  in {}: {}", one.id, one.holds, one.cwd.display(), one.text));
    }
    for (path, seconds) in &edits {
        printer.line(&format!("edit    for {} more: {path}", time::said_seconds(*seconds)));
    }
}
