//! How the project's commands ended before the session changed anything: what failed then is not the agent's fault.

use std::path::PathBuf;
use std::time::Duration;

use model::SessionId;
use serde_json::{Map, Value as Json};

use super::{Action, Gates, cache};
use crate::{Machine, Project, atomic, files};

/// For each command; nobody waits.
const LIMIT: Duration = Duration::from_mins(10);

fn file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("quality-before.json")
}

/// Runs what may hold the agent, and remembers what failed. Not in a hook: the task `quality-before` does it.
pub fn look(machine: &Machine, project: &Project, session: &SessionId) -> std::io::Result<()> {
    let Some(gates) = Gates::load(machine, project, &project.root) else { return Ok(()) };
    if !gates.is_trusted(machine, project) {
        return Ok(());
    }
    let mut failed = Map::new();
    for name in gates.holding() {
        let Some((command, dir)) = gates.command(&name) else { continue };
        let before = cache::key(machine, project, command, dir);
        let Some(outcome) = gates.run(machine, project, &name, LIMIT) else { continue };
        machine.forget_status();
        // What ran while code was changed says nothing about either.
        let same = before.is_some() && before == cache::key(machine, project, command, dir);
        if !outcome.passed && same {
            failed.insert(name, plain(&outcome.output).into());
        }
    }
    // Where all records were taken away meanwhile, none is made again.
    if !files::is_dir(&machine.state_dir()) {
        return Ok(());
    }
    atomic::write(&file(project, session), format!("{}\n", Json::Object(failed)).as_bytes())
}

/// Whether a command failed in the same way before.
pub(super) fn failed_alike(project: &Project, session: &SessionId, name: &str, output: &str) -> bool {
    let known = files::read_json(&file(project, session)).unwrap_or_default();
    known[name].as_str().is_some_and(|before| before == plain(output))
}

/// An output without what differs from run to run: numbers, in times and counts and lines.
fn plain(output: &str) -> String {
    let mut text = String::new();
    for c in output.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text
}

impl Gates {
    /// Those that may hold the agent and have a command.
    pub(super) fn holding(&self) -> Vec<String> {
        let holds = |on_fail: &Action| matches!(on_fail, Action::Block | Action::Stop);
        let gates = self.plan.gates.iter().filter(|(_, gate)| holds(&gate.on_fail));
        gates.map(|(name, _)| name.clone()).filter(|name| self.command(name).is_some()).collect()
    }
}

/// Whether there is anything to look at.
pub(crate) fn is_wanted(machine: &Machine, project: &Project) -> bool {
    Gates::load(machine, project, &project.root)
        .is_some_and(|gates| !gates.holding().is_empty() && gates.is_trusted(machine, project))
}
