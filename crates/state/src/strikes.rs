//! How often a gate has warned a session. Each session has its own count; the file of old in `.claude` mirrors the session that wrote last.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use model::SessionId;
use model::practice::{Record, Strikes};
use serde_json::{Value as Json, json};

use crate::written::{self, Belief};
use crate::{Lock, Machine, Project, atomic, files, records};

const GATES: &[&str] = &[Strikes::TESTS, Strikes::MOCKS];

fn file(project: &Project, session: &SessionId, gate: &str) -> PathBuf {
    project.session_dir(session).join(format!("strikes{gate}.json"))
}

/// Who wrote the mirror.
fn writer(project: &Project, gate: &str) -> PathBuf {
    project.records.join(format!("writer{gate}"))
}

/// When this process began: what was written since then comes from a call beside it.
fn began(machine: &Machine) -> u128 {
    machine.nanos().saturating_sub(u128::from(machine.micros()) * 1000)
}

struct Known {
    count: u64,
    nanos: u128,
    about: u64,
}

fn known(json: &Json) -> Known {
    let nanos = json["nanos"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0);
    Known { count: json["count"].as_u64().unwrap_or(0), nanos, about: json["about"].as_u64().unwrap_or(0) }
}

/// Strikes before this call, as far as they are about the same thing (a test run, by its time). A call beside this one, of the same
/// turn, could not heed the warning that the other one got.
pub(crate) fn count(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    belief: Belief,
    gate: &str,
    about: u64,
) -> u64 {
    if belief == Belief::Everything || !session.is_known() {
        let text = written::read(machine, &project.claude_dir().join(gate), belief).ok().flatten();
        let strikes = text.map(|text| Strikes::parse(&text)).unwrap_or_default();
        return if strikes.at < about { 0 } else { strikes.count };
    }
    let known = known(&files::read_json(&file(project, session, gate)).unwrap_or_default());
    if known.about != about {
        return 0;
    }
    let beside = u64::from(known.nanos >= began(machine));
    known.count.saturating_sub(beside)
}

/// One more.
pub(crate) fn add(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    gate: &str,
    about: u64,
) -> io::Result<()> {
    if !session.is_known() {
        let text = files::read(&project.claude_dir().join(gate))?.unwrap_or_default();
        if Strikes::parse(&text).at < about {
            records::change(machine, project, gate, &Record::Remove)?;
        }
        return records::change(machine, project, gate, &Record::Strike);
    }
    let file = file(project, session, gate);
    let count = {
        let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
        let known = known(&files::read_json(&file).unwrap_or_default());
        let count =
            if known.about == about { known.count + u64::from(known.nanos < began(machine)) } else { 1 };
        let json = json!({"count": count, "nanos": machine.nanos().to_string(), "about": about});
        atomic::write(&file, json.to_string().as_bytes())?;
        count
    };
    atomic::write(&writer(project, gate), session.as_str().as_bytes())?;
    let strikes = Strikes { count, at: machine.now() };
    records::change(machine, project, gate, &Record::Write(strikes.to_string()))
}

/// The session has made good, or has ended. Another's are left alone.
pub(crate) fn clear(machine: &Machine, project: &Project, session: &SessionId, gate: &str) -> io::Result<()> {
    if session.is_known() {
        files::remove(&file(project, session, gate))?;
        let by = files::read(&writer(project, gate))?;
        if by.is_some_and(|by| by != session.as_str()) {
            return Ok(());
        }
    }
    records::change(machine, project, gate, &Record::Remove)
}

pub(crate) fn clear_all(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<()> {
    GATES.iter().try_for_each(|gate| clear(machine, project, session, gate))
}
