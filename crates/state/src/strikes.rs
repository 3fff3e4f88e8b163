//! How often a gate has warned a session. Each session has its own count; the file of old in `.claude` mirrors the session that wrote last.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::SessionId;
use model::state_files::{Record, Strikes};
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

#[derive(Default)]
struct Known {
    count: u64,
    /// When the last one was written.
    nanos: u128,
    about: u64,
    /// The call that got the last one. The client may write down what message it is of only a moment later, so that is asked when the
    /// next one comes.
    call: Option<String>,
    /// How many that call could heed.
    earlier: u64,
}

impl Known {
    fn read(file: &Path) -> Self {
        let json = files::read_json(file).unwrap_or_default();
        let number = |key: &str| json[key].as_u64().unwrap_or(0);
        Self {
            count: number("count"),
            nanos: json["nanos"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0),
            about: number("about"),
            call: json["call"].as_str().map(str::to_owned),
            earlier: number("earlier"),
        }
    }

    fn json(&self) -> Json {
        json!({
            "count": self.count, "nanos": self.nanos.to_string(), "about": self.about,
            "call": self.call, "earlier": self.earlier,
        })
    }
}

/// Strikes that this call could heed, as far as they are about the same thing (a test run, by its time).
pub(crate) fn count(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    belief: Belief,
    gate: &str,
    about: u64,
    is_beside: &dyn Fn(&str) -> bool,
) -> u64 {
    if belief == Belief::Everything || !session.is_known() {
        let text = written::read(machine, &project.claude_dir().join(gate), belief).ok().flatten();
        let strikes = text.map(|text| Strikes::parse(&text)).unwrap_or_default();
        return if strikes.at < about { 0 } else { strikes.count };
    }
    let known = Known::read(&file(project, session, gate));
    if known.about != about || known.count == 0 {
        return 0;
    }
    // Of a message all calls are decided on together, and of what runs beside it, a call knows nothing.
    let beside = known.nanos >= began(machine) || known.call.as_deref().is_some_and(is_beside);
    if beside { known.earlier } else { known.count }
}

/// One more, after so many that the call could heed.
pub(crate) fn add(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    gate: &str,
    about: u64,
    before: u64,
    call: Option<&str>,
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
        let next = Known {
            count: before + 1,
            nanos: machine.nanos(),
            about,
            call: call.map(str::to_owned),
            earlier: before,
        };
        atomic::write(&file, next.json().to_string().as_bytes())?;
        next.count
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
