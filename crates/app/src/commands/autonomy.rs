//! `plimsoll autonomy`: lets an agent work alone for a while, and ends that.

use std::path::PathBuf;

use anyhow::{Context, bail};
use model::{SessionId, environment, path, time};
use serde_json::json;
use state::autonomy::{self, Grant};
use state::config::{self, Trust};
use state::written::Belief;
use state::{Machine, Project, files};

use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Let an agent work without asking for a while: start it, see its state, stop it.
///
/// While it is active and the profile is `autonomous`, tool calls that no guard objects to run without asking. What a guard
/// refuses or asks about stays refused and asked about.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Begin: write `.claude/autonomous-state.json`
    Start(Start),
    /// Show whether it is active here, and what it covers
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// End: remove every state that counts here
    Stop,
}

#[derive(Debug, clap::Args)]
struct Start {
    /// What it is about, as answers name it
    #[arg(long, default_value = "")]
    mode: String,
    /// How long, such as 30m, 2h (eight hours at most, and at most as long as something happens)
    #[arg(long = "for", value_name = "TIME")]
    span: Option<String>,
    /// Only edits and commands in this directory
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Only commands that begin like this, `cargo test` or `npm run *`
    #[arg(long = "command", value_name = "WORDS")]
    commands: Vec<String>,
    /// What the plan allows besides, such as `deploy to production`
    #[arg(long = "allow", value_name = "WORDS")]
    allowed: Vec<String>,
    /// For an agent that works for another one: it does not deploy
    #[arg(long)]
    subagent: bool,
    /// Only this session
    #[arg(long, default_value = "")]
    session: String,
    /// In `~/.claude`, for this project from wherever the agent stands
    #[arg(long)]
    user: bool,
    /// Agree, where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

const LONGEST: u64 = 8 * 3600;

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    match &args.verb {
        Verb::Start(start) => {
            if !person::agrees(machine, printer, "Let the agent work alone?", start.yes) {
                return Ok(exit::FAILED);
            }
            begin(machine, printer, &project, start)?;
        }
        Verb::Status { json } => status(machine, printer, &project, *json),
        Verb::Stop => {
            let removed = autonomy::stop(machine, &project, &machine.cwd())
                .context("autonomous work could not be ended")?;
            for file in &removed {
                printer.toned(Tone::Good, &format!("removed {}", file.display()));
            }
            if removed.is_empty() {
                printer.line("no autonomous work is active here");
            }
        }
    }
    Ok(exit::OK)
}

fn begin(machine: &Machine, printer: &Printer, project: &Project, start: &Start) -> anyhow::Result<()> {
    let lasts = match &start.span {
        Some(span) => {
            let seconds =
                time::parse_span(span).with_context(|| format!("--for {span} is not a time; try 2h"))?;
            if seconds == 0 || seconds > LONGEST {
                bail!("--for {span} is out of range: one second to eight hours");
            }
            Some(seconds)
        }
        None => None,
    };
    let absolute =
        |dir: &PathBuf| files::resolve(&path::absolute(dir, &machine.cwd(), machine.home().as_deref()));
    for dir in &start.dirs {
        if !files::is_dir(&absolute(dir)) {
            bail!("--dir {}: there is no such folder", dir.display());
        }
    }
    // An agent that asks means its own session; a user in a terminal, whichever works here.
    let own = machine.var(&environment::CLAUDE_CODE_SESSION_ID).unwrap_or_default();
    let grant = Grant {
        mode: start.mode.clone(),
        session: SessionId::new(if start.session.is_empty() { &own } else { &start.session }),
        coordinator: !start.subagent,
        allowed_prompts: start.allowed.clone(),
        directories: start.dirs.iter().map(absolute).collect(),
        commands: start.commands.clone(),
        lasts,
    };
    let file =
        autonomy::start(machine, project, &grant, start.user).context("the state could not be written")?;
    printer.toned(Tone::Good, &format!("autonomous work is active: {}", file.display()));
    let loaded = config::load(machine, project, checks::role, Trust::Recorded);
    let profile = loaded.config.profile;
    if profile != model::config::Profile::Autonomous {
        // Where a file of the project says otherwise, the user's own does not help.
        let missing = match loaded.source("profile") {
            config::Layer::Project | config::Layer::Local => {
                "a file in .claude/hooks/ of this project says so; take `profile` out of it, or set it to \"autonomous\" there"
            }
            _ => "set \"profile\": \"autonomous\" in ~/.claude/hooks/config.json",
        };
        printer.note(&format!(
            "the profile here is {}, which approves nothing by itself: {missing}",
            profile.as_str()
        ));
    }
    Ok(())
}

fn status(machine: &Machine, printer: &Printer, project: &Project, as_json: bool) {
    let session = machine.var(&environment::CLAUDE_CODE_SESSION_ID).unwrap_or_default();
    let session = SessionId::new(&session);
    let config = config::load(machine, project, checks::role, Trust::Recorded).config;
    let ttl = config.autonomy_ttl_hours;
    let found = autonomy::find(machine, project, &session, &machine.cwd(), ttl, Belief::Ours);
    let active = autonomy::active(machine, project, &session, &machine.cwd(), &config, Belief::Ours);
    if as_json {
        printer.json(&json!({
            "active": active.is_some(),
            "file": found.as_ref().map(|(file, _)| file),
            "state": found.as_ref().map(|(_, state)| state),
        }));
        return;
    }
    let Some(active) = active else {
        printer.line("no autonomous work is active here");
        return;
    };
    match &found {
        Some((file, state)) => {
            printer.toned(Tone::Warning, &format!("active by {}", file.display()));
            for key in ["started_at", "last_activity_at", "session_id", "iteration"] {
                if !state[key].is_null() && state[key] != "" {
                    printer.line(&format!("  {key:16} {}", plain(&state[key])));
                }
            }
            if let Some(ends) = ends(state, ttl) {
                printer.line(&format!("  {:16} {}", "ends", ends));
            }
        }
        None => printer.toned(Tone::Warning, "active by GODO_ACTIVE or APPFIX_ACTIVE"),
    }
    printer.line(&format!("  {:16} {}", "mode", active.title()));
    if !active.coordinator {
        printer.line("  deploys nothing: it works for another agent");
    }
    for dir in &active.directories {
        printer.line(&format!("  {:16} {}", "only in", dir.display()));
    }
    for command in &active.commands {
        printer.line(&format!("  {:16} {command}", "only"));
    }
    for (tool, prompt) in &active.allowed_prompts {
        printer.line(&format!("  {:16} {tool}: {prompt}", "allowed"));
    }
}

/// When it ends: at the time that was given, or so long after the last sign of life, whichever is first.
fn ends(state: &serde_json::Value, ttl_hours: u64) -> Option<String> {
    let at = |key: &str| state[key].as_str().and_then(time::parse_rfc3339);
    let silent = at("last_activity_at").or_else(|| at("started_at")).map(|last| last + ttl_hours * 3600);
    match (at("expires_at"), silent) {
        (Some(given), silent) if silent.is_none_or(|silent| given <= silent) => Some(time::rfc3339(given)),
        (_, Some(silent)) => {
            Some(format!("{}, {ttl_hours} h after the last sign of life", time::rfc3339(silent)))
        }
        (_, None) => None,
    }
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
