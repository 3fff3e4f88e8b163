//! `plimsoll worktree`: a folder and a branch for each agent that works beside others.

use anyhow::{Context, anyhow};
use model::Decision;
use serde_json::{Value as Json, json};
use state::worktree::{self, Failed};
use state::{Machine, files};

use super::explain::tool_event;
use crate::ui::{Printer, Tone};
use crate::{exit, hook};

/// A folder and a branch for each agent that works beside others: create, merge, clean up.
///
/// Exit code 1 is a failure, 2 a refusal: work that would be lost, a merge that conflicts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Make a work tree for an agent, from the last commit; the path is the last line printed
    Create {
        agent: String,
        /// Drop what an earlier work tree of the same name holds
        #[arg(long)]
        force: bool,
    },
    /// Remove an agent's work tree and branch, unless it is in use or holds unmerged work
    Cleanup {
        agent: String,
        /// Remove it all the same
        #[arg(long)]
        force: bool,
    },
    /// Merge an agent's branch into the one that the repository is on, where the gates allow it; a conflict changes nothing
    Merge { agent: String },
    /// All that are known
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The path of an agent's work tree
    Path { agent: String },
    /// Whether this folder is in an agent's work tree: JSON, and exit code 0 or 1
    IsWorktree,
    /// Remove work trees that were left behind, with nobody in them and nothing to lose
    Gc {
        /// Older than this
        #[arg(default_value_t = 8)]
        ttl_hours: u64,
        /// Only say what would go
        #[arg(long)]
        dry_run: bool,
    },
    /// Answer Claude Code's `WorktreeCreate` and `WorktreeRemove` hooks: payload on stdin
    Hook,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let done = match &args.verb {
        Verb::Create { agent, force } => create(machine, printer, agent, *force),
        Verb::Cleanup { agent, force } => worktree::cleanup(machine, &machine.cwd(), agent, *force)
            .map(|()| printer.toned(Tone::Good, &format!("removed the work tree of {agent}"))),
        Verb::Merge { agent } => {
            worktree::merge(machine, &machine.cwd(), agent, |known| objection(machine, known))
                .map(|how| printer.toned(Tone::Good, &how))
        }
        Verb::List { json } => {
            list(machine, printer, *json)?;
            Ok(())
        }
        Verb::Path { agent } => match worktree::find(machine, &machine.cwd(), agent) {
            Ok((_, one)) => {
                printer.line(&one.path.display().to_string());
                Ok(())
            }
            Err(failed) => return Err(anyhow!("{failed}")),
        },
        Verb::IsWorktree => {
            let found = worktree::around(machine, &machine.cwd());
            printer.json(&match &found {
                Some((_, one)) => json!({
                    "is_worktree": true, "agent_id": one.agent, "path": one.path, "branch": one.branch, "main_repo": one.main_repo,
                }),
                None => json!({"is_worktree": false}),
            });
            return Ok(if found.is_some() { exit::OK } else { exit::FAILED });
        }
        Verb::Gc { ttl_hours, dry_run } => {
            let found = worktree::collect(machine, *ttl_hours, *dry_run)
                .context("the work trees could not be looked through")?;
            let verb = if *dry_run { "would remove" } else { "removed" };
            for id in &found.removed {
                printer.toned(Tone::Good, &format!("{verb} {id}"));
            }
            for (id, why) in &found.kept {
                printer.toned(Tone::Warning, &format!("kept {id}: it {why}"));
            }
            Ok(())
        }
        Verb::Hook => return hook(machine, printer),
    };
    match done {
        Ok(()) => Ok(exit::OK),
        Err(Failed::Refused(why)) => {
            printer.note(&format!("plimsoll: {why}"));
            Ok(exit::BLOCKED)
        }
        Err(Failed::Io(error)) => Err(error.into()),
    }
}

fn create(machine: &Machine, printer: &Printer, agent: &str, force: bool) -> Result<(), Failed> {
    begin_anew(machine, printer)?;
    let made = worktree::create(machine, &machine.cwd(), agent, force)?;
    printer.line(&format!(
        "work tree of {agent} on branch {}, from {}",
        made.branch,
        made.main_repo.display()
    ));
    printer.line(&made.path.display().to_string());
    Ok(())
}

/// What the gates have to say to this merge, whoever has asked for it: they judge it as the command that git would be given.
fn objection(machine: &Machine, known: &worktree::Worktree) -> Option<String> {
    let command = shell::join(["git", "merge", "--no-edit", &known.branch]);
    let event = tool_event(&known.main_repo, "Bash", &json!({"command": command}));
    let judged = hook::judge(machine, &hook::Terms::default(), &event, hook::Look::EXPLAINING);
    if !judged.loaded.config.hook_enabled {
        return None;
    }
    let denied = judged.report.verdict.findings.iter().filter(|finding| finding.decision == Decision::Deny);
    let reasons: Vec<String> = denied.map(model::Finding::text).collect();
    (!reasons.is_empty()).then(|| reasons.join("\n"))
}

/// A list that cannot be read does not keep anybody from working, and is not lost either.
fn begin_anew(machine: &Machine, printer: &Printer) -> Result<(), Failed> {
    if let Some(what) = worktree::put_aside(machine)? {
        printer.note(&format!("plimsoll: {what}"));
    }
    Ok(())
}

fn list(machine: &Machine, printer: &Printer, as_json: bool) -> anyhow::Result<()> {
    let all = worktree::all(machine)?;
    if as_json {
        let entries: serde_json::Map<String, Json> = all
            .iter()
            .map(|(id, one)| {
                let entry = json!({"agent_id": one.agent, "path": one.path, "branch": one.branch, "main_repo": one.main_repo, "created_at": one.created_at});
                (id.clone(), entry)
            })
            .collect();
        printer.json(&Json::Object(entries));
        return Ok(());
    }
    if all.is_empty() {
        printer.line("no agent has a work tree");
    }
    let rows = all.values().map(|one| {
        let (path, of) = (one.path.display().to_string(), format!("of {}", one.main_repo.display()));
        vec![one.agent.clone(), one.branch.clone(), one.created_at.clone(), path, of]
    });
    printer.table(&rows.collect::<Vec<_>>());
    Ok(())
}

/// The client reads the last line as the path, and takes any failure for a failure.
fn hook(machine: &Machine, printer: &Printer) -> anyhow::Result<u8> {
    let bytes = files::read_stdin(agents::LARGEST).context("the hook's input could not be read")?;
    let payload: Json = serde_json::from_slice(&bytes).context("the hook's input is not JSON")?;
    let text = |key: &str| payload[key].as_str();
    let dir = text("cwd").map_or_else(|| machine.cwd(), Into::into);
    let done = match text("hook_event_name") {
        Some("WorktreeCreate") => {
            let name = text("name").context("WorktreeCreate has no name")?;
            begin_anew(machine, printer)
                .and_then(|()| worktree::create(machine, &dir, name, false))
                .map(|made| printer.line(&made.path.display().to_string()))
        }
        Some("WorktreeRemove") => {
            let path = text("worktree_path").context("WorktreeRemove has no worktree_path")?;
            match worktree::around(machine, path.as_ref()) {
                Some((key, known)) => worktree::give_back(machine, &key, &known),
                // Somebody else's.
                None => Ok(()),
            }
        }
        other => return Err(anyhow!("{} is not an event of work trees", other.unwrap_or("nothing"))),
    };
    match done {
        Ok(()) => Ok(exit::OK),
        Err(failed) => Err(anyhow!("{failed}")),
    }
}
