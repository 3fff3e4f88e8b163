//! The process that began a session. Only from there does the user speak: what an agent feeds to a hook itself, and what a
//! client says that an agent has started, is not their word.
//!
//! The client starts a hook directly or through a shell, and an agent's command runs through a shell of the same client. So what
//! counts besides the client itself is how it starts hooks: what is between, and what stdin is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use model::SessionId;
use model::environment::{self, Variable};
use serde_json::{Value as Json, json};

use crate::ancestry::{self, Live, Process, Processes};
use crate::{Machine, Project, atomic, files};

/// Set by clients for what they start: hooks, and the commands of their agents.
pub(crate) static SIGNS: &[Variable] = &[
    environment::CLAUDECODE,
    environment::CLAUDE_CODE_ENTRYPOINT,
    environment::AI_AGENT,
    environment::CODEX_SANDBOX,
    environment::COPILOT_CLI,
    environment::FACTORY_PROJECT_DIR,
    environment::GEMINI_CLI,
    environment::GROK_SESSION_ID,
    environment::HERMES_SESSION_ID,
    environment::KILO,
    environment::OPENCODE,
    environment::PI_CODING_AGENT,
    environment::QWEN_CODE,
];

/// Clients that set nothing, by their program.
const UNSIGNED: &[&str] = &["codex", "kimi", "goose", "droid", "cline", "cursor-agent", "claude"];

/// How this process came to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Caller {
    client: Process,
    /// The names of those between, nearest first; a shell and its own forks are one.
    between: Vec<String>,
    stdin: &'static str,
    /// Another client is above this one.
    nested: bool,
}

/// A client, as it was when it first spoke.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    pid: u32,
    began: u64,
    between: Vec<String>,
    stdin: String,
}

impl Record {
    fn of(json: &Json) -> Option<Self> {
        let names = json["between"].as_array()?.iter().filter_map(Json::as_str).map(str::to_owned);
        Some(Self {
            pid: u32::try_from(json["pid"].as_u64()?).ok()?,
            began: json["began"].as_u64()?,
            between: names.collect(),
            stdin: json["stdin"].as_str()?.to_owned(),
        })
    }

    fn is(&self, process: &Process) -> bool {
        (self.pid, self.began) == (process.pid, process.began)
    }

    fn lives(&self, processes: &dyn Processes) -> bool {
        processes.get(self.pid).is_some_and(|process| self.is(&process))
    }

    /// Whether this is how that client starts its hooks.
    fn fits(&self, caller: &Caller) -> bool {
        self.stdin == caller.stdin
            && (caller.between == self.between || caller.between.len() < self.between.len())
    }
}

/// Everything that is asked of the machine, so that tests can make it up.
struct World<'a> {
    machine: &'a Machine,
    processes: &'a dyn Processes,
    pid: u32,
    stdin: &'static str,
}

/// Whether the event that this process was started for comes from the client that began the session, and no agent is above it.
/// Where processes cannot be looked at, nothing speaks against it.
pub(crate) fn speaks(machine: &Machine, project: &Project, session: &SessionId) -> bool {
    if is_hidden(machine) {
        return false;
    }
    let processes = Live::default();
    World { machine, processes: &processes, pid: std::process::id(), stdin: stdin_kind() }
        .speaks(project, session)
}

/// How long a client that is not seen is taken to be there. Longer ago it was in a container that is gone.
const REMEMBERED: u64 = 24 * 60 * 60;

/// Whether the processes above cannot be seen from here although clients have been at work: in a namespace of their own, or with
/// another `/proc`, an agent's commands have nobody above them.
pub(crate) fn is_hidden(machine: &Machine) -> bool {
    let records = if cfg!(target_os = "linux") { files::list(&folder(machine)) } else { Vec::new() };
    if records.is_empty() {
        return false;
    }
    let here = namespace();
    records.iter().any(|file| {
        let recent = files::modified(file).is_some_and(|at| machine.now().saturating_sub(at) < REMEMBERED);
        let there = files::read_json(file).and_then(|record| record["namespace"].as_str().map(str::to_owned));
        recent && there.is_some() && there != here
    })
}

/// What the kernel calls the set of processes that this one can see.
fn namespace() -> Option<String> {
    let link = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(link.to_string_lossy().into_owned())
}

/// Whether this process was left running by itself beside a client that is at work in this project.
pub(crate) fn is_orphan(machine: &Machine, project: &Project) -> bool {
    let processes = Live::default();
    World { machine, processes: &processes, pid: std::process::id(), stdin: "none" }.is_orphan(project)
}

/// Takes note of who began a session, at the first event that is asked about. A later process takes the session over when the
/// first is gone: it was resumed.
///
/// `guards`: all checks run for it, so that its agent is asked about the user's commands.
pub fn note(machine: &Machine, project: &Project, session: &SessionId, guards: bool) -> io::Result<()> {
    let processes = Live::default();
    World { machine, processes: &processes, pid: std::process::id(), stdin: stdin_kind() }
        .note(project, session, guards)
}

impl World<'_> {
    fn caller(&self) -> Option<Caller> {
        let chain = ancestry::above(self.processes, self.pid);
        let known = chain.iter().position(|process| record(self.machine, process).is_some());
        let told = self.machine.var(&environment::CLAUDE_PID).and_then(|pid| pid.parse().ok());
        let told = chain.iter().position(|process| Some(process.pid) == told);
        let nearest = told.or_else(|| chain.iter().position(|process| !ancestry::passes_on(process)));
        // Nothing but shells: the last of them is who types.
        let nearest = nearest.unwrap_or(chain.len().checked_sub(1)?);
        let at = known.map_or(nearest, |known| known.min(nearest));
        let mut between: Vec<String> = chain[..at].iter().map(|process| process.name.clone()).collect();
        between.dedup();
        Some(Caller {
            client: chain[at].clone(),
            between,
            stdin: self.stdin,
            nested: known.is_some_and(|known| known > at),
        })
    }

    fn speaks(&self, project: &Project, session: &SessionId) -> bool {
        let Some(caller) = self.caller() else { return true };
        if caller.nested || record(self.machine, &caller.client).is_some_and(|record| !record.fits(&caller)) {
            return false;
        }
        let began = of_session(project, session);
        if began.as_ref().is_some_and(|began| began.is(&caller.client)) {
            return began.is_some_and(|began| began.fits(&caller));
        }
        !began.is_some_and(|began| began.lives(self.processes)) && !self.is_cut_loose(project, &caller)
    }

    /// Whether nothing is above this process but the first one, and a client is at work in this project that could have started it.
    fn is_orphan(&self, project: &Project) -> bool {
        let Some(own) = self.processes.get(self.pid) else { return false };
        let chain = ancestry::above(self.processes, self.pid);
        let alone = chain.iter().all(ancestry::passes_on) && !own.has_terminal;
        alone && self.has_client(project, None)
    }

    fn has_client(&self, project: &Project, besides: Option<&Process>) -> bool {
        files::list(&project.records.join("sessions")).iter().any(|dir| {
            read(&dir.join(FILE)).is_some_and(|other| {
                !besides.is_some_and(|process| other.is(process))
                    && files::exists(&place(self.machine, other.pid, other.began))
                    && other.lives(self.processes)
            })
        })
    }

    /// A process without a terminal, beside a client that is at work here, may be what its agent has left running by itself.
    fn is_cut_loose(&self, project: &Project, caller: &Caller) -> bool {
        !caller.client.has_terminal && self.has_client(project, Some(&caller.client))
    }

    fn note(&self, project: &Project, session: &SessionId, guards: bool) -> io::Result<()> {
        let Some(caller) = self.caller().filter(|caller| !caller.nested) else { return Ok(()) };
        let Process { pid, began, name, .. } = &caller.client;
        let json = json!({
            "pid": pid,
            "began": began,
            "between": caller.between,
            "stdin": caller.stdin,
            "namespace": namespace(),
        });
        let signed =
            SIGNS.iter().any(|sign| self.machine.var(sign).is_some()) || UNSIGNED.contains(&name.as_str());
        let client = place(self.machine, *pid, *began);
        if guards && signed && !files::exists(&client) {
            self.sweep();
            atomic::write_cache(&client, format!("{json}\n").as_bytes())?;
        }
        // Whoever cannot speak for a session does not take it over either.
        if session.is_known()
            && self.speaks(project, session)
            && of_session(project, session).is_none_or(|record| !record.is(&caller.client))
        {
            atomic::write_cache(&project.session_dir(session).join(FILE), format!("{json}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Clients that are gone.
    fn sweep(&self) {
        for file in files::list(&folder(self.machine)) {
            if read(&file).is_none_or(|record| !record.lives(self.processes)) {
                let _ = files::remove(&file);
            }
        }
    }
}

const FILE: &str = "client.json";

fn folder(machine: &Machine) -> PathBuf {
    machine.state_dir().join("clients")
}

/// Where a client of this number and age is recorded. After a restart of the machine both may come again.
fn place(machine: &Machine, pid: u32, began: u64) -> PathBuf {
    static BOOT: OnceLock<String> = OnceLock::new();
    let boot = BOOT.get_or_init(|| {
        let boot =
            files::read(Path::new("/proc/sys/kernel/random/boot_id")).ok().flatten().unwrap_or_default();
        boot.chars().take(8).filter(char::is_ascii_hexdigit).collect()
    });
    folder(machine).join(format!("{boot}-{pid}-{began}.json"))
}

fn record(machine: &Machine, process: &Process) -> Option<Record> {
    read(&place(machine, process.pid, process.began)).filter(|record| record.is(process))
}

/// The client that is above this process, if one is.
pub(crate) fn recorded_above(machine: &Machine, processes: &dyn Processes, pid: u32) -> Vec<Process> {
    // Most machines have none, and then nothing is looked for.
    if !files::is_dir(&folder(machine)) {
        return Vec::new();
    }
    let chain = ancestry::above(processes, pid).into_iter();
    chain.filter(|process| record(machine, process).is_some()).collect()
}

fn of_session(project: &Project, session: &SessionId) -> Option<Record> {
    session.is_known().then(|| read(&project.session_dir(session).join(FILE)))?
}

fn read(file: &Path) -> Option<Record> {
    Record::of(&files::read_json(file)?)
}

/// What the payload comes through.
#[cfg(unix)]
fn stdin_kind() -> &'static str {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let stdin = io::stdin();
    let Ok(owned) = stdin.as_fd().try_clone_to_owned() else { return "none" };
    match std::fs::File::from(owned).metadata().map(|meta| meta.file_type()) {
        Ok(kind) if kind.is_fifo() => "pipe",
        Ok(kind) if kind.is_socket() => "socket",
        Ok(kind) if kind.is_file() => "file",
        _ => "other",
    }
}

#[cfg(not(unix))]
fn stdin_kind() -> &'static str {
    "other"
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::testing::Made;

    /// A client (5) that starts its hooks through a shell that goes away, in a terminal's shell (3).
    struct Place {
        _dir: tempfile::TempDir,
        machine: Machine,
        project: Project,
    }

    fn somewhere(signed: bool) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let state = base.join("state").to_string_lossy().into_owned();
        let sign = if signed { "1" } else { "" };
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state), ("CLAUDECODE", sign)], &base);
        let project = Project::at(&machine, base);
        Place { _dir: dir, machine, project }
    }

    impl Place {
        fn seen(&self, rows: &[(u32, u32, &'static str)], stdin: &'static str) -> (Made, &'static str) {
            let base = [(2, 1, "sshd"), (3, 2, "bash"), (5, 3, "claude")];
            (Made([&base, rows].concat()), stdin)
        }

        fn note(&self, session: &str, rows: &[(u32, u32, &'static str)]) {
            let (processes, stdin) = self.seen(rows, "socket");
            let world = World { machine: &self.machine, processes: &processes, pid: 99, stdin };
            world.note(&self.project, &SessionId::new(session), true).unwrap();
        }

        fn speaks(&self, session: &str, rows: &[(u32, u32, &'static str)], stdin: &'static str) -> bool {
            let (processes, stdin) = self.seen(rows, stdin);
            let world = World { machine: &self.machine, processes: &processes, pid: 99, stdin };
            world.speaks(&self.project, &SessionId::new(session))
        }
    }

    #[test]
    fn only_the_client_speaks_for_its_session() {
        for signed in [true, false] {
            let place = somewhere(signed);
            place.note("s", &[(99, 5, "plimsoll")]);
            for (what, rows, stdin, expected) in [
                ("the client itself", &[(99, 5, "plimsoll")][..], "socket", true),
                ("a pipe in the agent's shell", &[(99, 50, "plimsoll"), (50, 5, "bash")], "pipe", false),
                ("in place of that shell", &[(99, 5, "plimsoll")], "pipe", false),
                (
                    "a program of the agent",
                    &[(99, 50, "plimsoll"), (50, 51, "python3"), (51, 5, "bash")],
                    "pipe",
                    false,
                ),
                (
                    "another client, started by the agent",
                    &[(99, 60, "plimsoll"), (60, 50, "claude"), (50, 5, "bash")],
                    "socket",
                    false,
                ),
                ("left running by itself", &[(99, 70, "plimsoll"), (70, 1, "python3")], "pipe", false),
            ] {
                assert_eq!(place.speaks("s", rows, stdin), expected, "{what}, signed: {signed}");
            }
        }
    }

    #[test]
    fn a_made_up_session_has_no_word_either() {
        let place = somewhere(true);
        place.note("s", &[(99, 5, "plimsoll")]);
        for rows in [
            &[(99, 50, "plimsoll"), (50, 5, "bash")][..],
            &[(99, 60, "plimsoll"), (60, 50, "claude"), (50, 5, "bash")],
            &[(99, 70, "plimsoll"), (70, 1, "python3")],
        ] {
            place.note("other", rows);
            assert!(!place.speaks("other", rows, "pipe"), "{rows:?}");
            assert!(!place.speaks("", rows, "pipe"), "{rows:?}");
        }
        assert!(
            place.speaks("cleared", &[(99, 5, "plimsoll")], "socket"),
            "a new session of the same client"
        );
    }

    #[test]
    fn what_was_left_running_by_itself_is_known_by_the_client_beside_it() {
        let place = somewhere(true);
        let orphan = |rows: &[(u32, u32, &'static str)]| {
            let (processes, _) = place.seen(rows, "none");
            World { machine: &place.machine, processes: &processes, pid: 99, stdin: "none" }
                .is_orphan(&place.project)
        };
        assert!(!orphan(&[(99, 1, "plimsoll")]), "no client is here");
        place.note("s", &[(99, 5, "plimsoll")]);
        assert!(orphan(&[(99, 1, "plimsoll")]));
        assert!(orphan(&[(99, 80, "plimsoll"), (80, 1, "setsid")]));
        assert!(
            !orphan(&[(99, 80, "plimsoll"), (80, 81, "runner"), (81, 1, "systemd")]),
            "a service of its own"
        );
    }

    #[test]
    fn a_resumed_session_is_taken_over_when_its_first_client_is_gone() {
        let place = somewhere(true);
        place.note("s", &[(99, 5, "plimsoll")]);
        let resumed = Made(vec![(3, 1, "bash"), (8, 3, "claude"), (99, 8, "plimsoll")]);
        let world = World { machine: &place.machine, processes: &resumed, pid: 99, stdin: "socket" };
        let session = SessionId::new("s");
        assert!(world.speaks(&place.project, &session));
        world.note(&place.project, &session, true).unwrap();
        assert_eq!(of_session(&place.project, &session).unwrap().pid, 8);
    }

    #[test]
    fn hooks_by_a_shell_that_stays_are_known_by_it() {
        let place = somewhere(true);
        place.note("s", &[(99, 90, "plimsoll"), (90, 5, "sh")]);
        assert!(place.speaks("s", &[(99, 91, "plimsoll"), (91, 5, "sh")], "socket"));
        assert!(place.speaks("s", &[(99, 5, "plimsoll")], "socket"));
        assert!(!place.speaks("s", &[(99, 91, "plimsoll"), (91, 92, "sh"), (92, 5, "bash")], "socket"));
    }

    #[test]
    fn nothing_is_held_against_those_whose_processes_cannot_be_seen() {
        let place = somewhere(true);
        let world = World { machine: &place.machine, processes: &Made(vec![]), pid: 99, stdin: "pipe" };
        assert!(world.speaks(&place.project, &SessionId::new("s")));
        world.note(&place.project, &SessionId::new("s"), true).unwrap();
    }
}
