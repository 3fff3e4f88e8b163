//! `plimsoll approve`: the user's word. Run by an agent it is a question to the user, whatever the wrapper.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use model::{ContentHash, SessionId, environment, path};
use state::{Machine, Project, files, session};

use super::allow::absolute;
use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Accept changes of protected files that keep the agent from finishing, or let it edit one for a while.
///
/// `plimsoll approve FILE…` keeps the changes of these files, exactly as they are now, for the current session.
/// `plimsoll approve --edit FILE` lets the agent edit a protected file for ten minutes, or for as long as `--for` says.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files whose present content is approved
    #[arg(required_unless_present = "edit")]
    files: Vec<PathBuf>,
    /// Let this file be edited instead
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    edit: Vec<PathBuf>,
    /// How long, such as 90s, 10m, 2h (one day at most) [default: 10m]
    #[arg(long = "for", value_name = "TIME", conflicts_with = "files")]
    span: Option<String>,
    /// The session to approve for; the one started last in this project, if not given
    #[arg(long)]
    session: Option<String>,
    /// Agree, where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    if args.edit.is_empty() {
        return approve(machine, printer, args);
    }
    super::allow::allow_edits(machine, printer, &args.edit, args.span.as_deref(), args.yes)
}

/// What cannot be approved is said before anybody is asked.
fn approve(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let told = args.session.clone().or_else(|| machine.var(&environment::CLAUDE_CODE_SESSION_ID));
    let told = told.map(|text| SessionId::new(&text));
    let project =
        told.as_ref().map_or_else(|| Project::here(machine), |told| Project::of_session(machine, told));
    let session = told.or_else(|| session::latest(&project)).with_context(|| {
        format!(
            "no session is known in {}; give --session, as the held stop names it. To let the agent edit a file: plimsoll approve --edit FILE",
            project.root.display()
        )
    })?;
    let mut hashes = Vec::new();
    for file in &args.files {
        hashes.push(content(machine, &project, &session, file)?);
    }
    if !person::agrees(machine, printer, "Keep these changes?", args.yes) {
        return Ok(exit::FAILED);
    }
    session::approve(machine, &session::approvals_file(&project, &session), &hashes)
        .context("the approval could not be recorded")?;
    state::open_changes::settle(&project, &hashes).context("the approval could not be recorded")?;
    for (name, hash) in hashes {
        let what = if hash.is_absent() { "its removal" } else { "as it is now" };
        printer.toned(Tone::Good, &format!("approved: {name}, {what}, for session {}", session.as_str()));
    }
    Ok(exit::OK)
}

/// A file's name in the project, and what is approved of it.
fn content(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    file: &Path,
) -> anyhow::Result<(String, ContentHash)> {
    let path = absolute(machine, file);
    // The file itself may be a link or gone; only where it lies is resolved.
    let parent = files::resolve(path.parent().unwrap_or(Path::new("/")));
    let place = parent.join(path.file_name().unwrap_or_default());
    let name = path::below(&place, &project.root)
        .with_context(|| format!("{} is not in {}", place.display(), project.root.display()))?;
    let hash = session::content_hash(&place);
    if hash.is_unreadable() {
        bail!("{} cannot be read, so there is nothing to approve", place.display());
    }
    // Most likely a typing error, which must not look like a settled stop.
    if hash.is_absent() && !state::was_there(project, session, &name) {
        bail!("{} is not there, and was not when the session began", place.display());
    }
    Ok((name, hash))
}
