//! `plimsoll checkpoint`: the report that a stop after changes needs.

use anyhow::{Context, bail};
use model::{AgentId, Body, Event, EventName, PermissionMode, SessionId, Stop, environment};
use state::config::{self, Trust};
use state::{Machine, Project, beneath, checkpoint, files, session};

use crate::ui::{Printer, Tone};
use crate::{exit, hook};

/// The report that an agent that works alone owes before it finishes: write a template, show it, check it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Write a template to `.claude/completion-checkpoint.json`
    New {
        /// Replace the one that is there
        #[arg(long)]
        force: bool,
    },
    /// Print it
    Show,
    /// Say what a stop would say of it now
    Check {
        /// The session to check for; the one started last in this project, if not given
        #[arg(long)]
        session: Option<String>,
    },
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let file = checkpoint::file(&project);
    match &args.verb {
        Verb::New { force } => {
            if files::exists(&file) && !force {
                bail!("{} is there already; --force replaces it", file.display());
            }
            let (_, template) = checks::checkpoint_template();
            beneath::write(&project.root, &file, template.as_bytes())
                .with_context(|| format!("{} could not be written", file.display()))?;
            printer.toned(Tone::Good, &format!("wrote {}", file.display()));
        }
        Verb::Show => {
            match files::read(&file).with_context(|| format!("{} cannot be read", file.display()))? {
                Some(text) => printer.text(&text),
                None => bail!("there is no {}; `plimsoll checkpoint new` writes one", file.display()),
            }
        }
        Verb::Check { session } => return Ok(check(machine, printer, &project, session.as_deref())),
    }
    Ok(exit::OK)
}

/// As a stop of this session would see it.
fn check(machine: &Machine, printer: &Printer, project: &Project, told: Option<&str>) -> u8 {
    let told = told.map(str::to_owned).or_else(|| machine.var(&environment::CLAUDE_CODE_SESSION_ID));
    let session =
        told.map(|text| SessionId::new(&text)).or_else(|| session::latest(project)).unwrap_or_default();
    let event = Event {
        agent: AgentId("plimsoll"),
        name: EventName::Stop,
        session,
        cwd: Some(project.root.clone()),
        transcript: None,
        prompt: None,
        mode: PermissionMode::Default,
        subagent: None,
        body: Body::Stop(Stop { active: false, last_message: String::new() }),
    };
    let ids = ["stop/checkpoint", "stop/change-types"];
    let terms = hook::Terms {
        // Whoever asks wants to know, whatever the profile.
        adjust: |loaded| {
            for id in ["stop/checkpoint", "stop/change-types"] {
                loaded.config.checks.insert(id.to_owned(), model::Level::On);
            }
        },
        ..hook::Terms::only(&ids)
    };
    let loaded = config::load(machine, project, checks::role, Trust::Recorded);
    let is_off = checks::find("stop/checkpoint")
        .is_none_or(|check| checks::level(check.meta, &loaded.config) == model::Level::Off);
    if is_off {
        printer.note(&format!(
            "stop/checkpoint is off here (profile {}), so no stop asks for this; what it would say:",
            loaded.config.profile.as_str()
        ));
    }
    let verdict = hook::judge(machine, &terms, &event, hook::Look::EXPLAINING).report.verdict;
    if verdict.findings.is_empty() {
        for notice in &verdict.notices {
            printer.toned(Tone::Warning, notice);
        }
        printer.toned(Tone::Good, "a stop would go through");
        return exit::OK;
    }
    printer.line(&verdict.reason());
    exit::FAILED
}
