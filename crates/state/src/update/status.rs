//! `<project>/.claude/.update-status`, `status|local_ver|remote_ver|count|timestamp|summary`: what the next session of the project tells
//! its agent, once. While the road is gone, `.update-check.lock` has the process that goes it.

use std::io;
use std::path::Path;

use model::state_files::Record;

use super::{Found, Outcome, Way, run};
use crate::{Machine, Project, records};

const STATUS: &str = ".update-status";
const LOCK: &str = ".update-check.lock";

/// Goes the road and leaves the line. No remote, no news: then nothing is left.
pub fn write(machine: &Machine, project: &Project, root: &Path, way: Way) -> io::Result<Option<Found>> {
    records::change(machine, project, LOCK, &Record::Write(std::process::id().to_string()))?;
    let found = run(machine, root, way);
    records::change(machine, project, LOCK, &Record::Remove)?;
    if let Some(line) = found.as_ref().and_then(|found| line(machine, root, found)) {
        records::change(machine, project, STATUS, &Record::Write(line))?;
    }
    Ok(found)
}

fn line(machine: &Machine, root: &Path, found: &Found) -> Option<String> {
    let sides = &found.sides;
    let (status, summary) = match &found.outcome {
        Outcome::UpToDate | Outcome::LocalAhead => ("up-to-date", String::new()),
        Outcome::Breaking => ("breaking", format!("read its notes, then update {} by hand", root.display())),
        Outcome::Conflict(why) => ("conflict", why.short().to_owned()),
        Outcome::Updated { .. } => ("updated", sides.newest.clone()),
        Outcome::Newer | Outcome::CheckFailed(_) | Outcome::FetchFailed(_) => return None,
    };
    let summary = summary.replace(['|', '\n'], " ");
    let (local, remote, behind) = (&sides.version, &sides.new_version, sides.behind);
    Some(format!("{status}|{local}|{remote}|{behind}|{}|{summary}", machine.now()))
}
