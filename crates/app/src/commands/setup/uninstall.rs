//! `plimsoll uninstall`: the hooks go, everything else in the settings stays.

use state::{Machine, Project, exclude, files};

use super::plan::Plan;
use super::{Scope, peers, registration};
use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Take the hooks out of the settings again.
///
/// The config file and our records stay; `--purge` removes our records of this project too.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Agree, where there is no terminal to ask on
    #[arg(short, long)]
    yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Only from these agents, by name; from all that name us, if not given
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 1..)]
    agent: Vec<String>,
    /// Only from this settings file
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Also remove our records of this project: baselines and approvals. Backups of your files stay
    #[arg(long)]
    purge: bool,
}

impl Args {
    /// From one settings file, asking nothing.
    pub(crate) fn quiet(scope: Scope) -> Self {
        Self { yes: true, dry_run: false, agent: vec!["claude".into()], scope: Some(scope), purge: false }
    }
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let mut plan = Plan::default();
    let means = |name: &str| args.agent.is_empty() || args.agent.iter().any(|agent| agent == name);
    for dialect in peers::all().filter(|dialect| means(dialect.id)) {
        peers::unregister(machine, &project, &mut plan, dialect, args.scope)?;
    }
    let claude = means("claude") || means("claude-code");
    for scope in Scope::ALL.into_iter().filter(|scope| claude && args.scope.is_none_or(|only| only == *scope))
    {
        if let Some(file) = scope.file(machine, &project).filter(|file| files::is_file(file)) {
            plan.take_out(machine, &file, registration::unregister)?;
        }
    }
    if let Some(file) =
        exclude::file(&project).filter(|file| files::is_file(file) && claude && args.scope.is_none())
    {
        plan.take_out(machine, &file, |text| Ok(exclude::remove(text)))?;
    }
    let purge = args.purge && files::is_dir(&project.records);
    if plan.is_empty() {
        printer.line("no hooks of ours are registered");
    }
    if args.dry_run || !args.yes {
        plan.show(printer);
        if purge {
            printer.toned(Tone::Bad, &format!("{} is removed", project.records.display()));
        }
    }
    if args.dry_run {
        printer.line("nothing was changed");
        return Ok(exit::OK);
    }
    if plan.is_empty() && !purge {
        return Ok(exit::OK);
    }
    if !person::agrees(machine, printer, "Take the hooks out?", args.yes) {
        return Ok(exit::FAILED);
    }
    plan.write(machine, &project, printer)?;
    if purge {
        files::remove_dir(&project.records)?;
        printer.toned(Tone::Good, &format!("removed {}", project.records.display()));
    }
    Ok(exit::OK)
}
