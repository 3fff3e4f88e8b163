//! Work of which only the newest request counts: it waits for quiet, keeps a distance to the last run, and gives way to a newer one.
//!
//! Nobody ends anybody else: a run looks whether it has been overtaken, and ends what it has started itself.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::SessionId;

use crate::written::{self, Belief};
use crate::{Lock, LockError, Machine, Project, atomic, files};

/// How long quiet lasts before a run, and how long there is none after one.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub quiet: Duration,
    pub distance: Duration,
}

/// Between two looks at whether a newer request is there.
const LOOK: Duration = Duration::from_millis(100);
/// An overtaken run needs a moment to end what it has started.
const GIVE_WAY: Duration = Duration::from_secs(30);

/// The right to run, as long as it is held.
#[derive(Debug)]
pub struct Turn {
    _lock: Lock,
    request: Request,
    running: PathBuf,
    last_run: PathBuf,
}

#[derive(Clone, Debug)]
struct Request {
    file: PathBuf,
    id: String,
    looked: Cell<Instant>,
}

impl Request {
    fn is_overtaken(&self) -> bool {
        self.looked.set(Instant::now());
        files::read(&self.file).ok().flatten().is_some_and(|newest| newest != self.id)
    }

    /// Sleeps; `false` when a newer request came.
    fn rest(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while Instant::now() < end {
            std::thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
            if self.is_overtaken() {
                return false;
            }
        }
        true
    }
}

impl Turn {
    /// Asks for the next run below `root`, and waits for it. `None` when a newer request has come: it runs for this one too.
    pub fn wait(machine: &Machine, root: &Path, session: &SessionId, pace: Pace) -> io::Result<Option<Self>> {
        let records = Project::at(machine, files::resolve(root)).records;
        let claude = root.join(".claude");
        let id = format!("{} {}-{}\n", session.as_str(), std::process::id(), machine.nanos());
        let request = Request { file: records.join("tests.request"), id, looked: Cell::new(Instant::now()) };
        atomic::write(&request.file, request.id.as_bytes())?;
        if !request.rest(pace.quiet) {
            return Ok(None);
        }
        let last_run = claude.join(".test-runner.last-run");
        let before = written::read(machine, &last_run, Belief::Ours)?
            .and_then(|text| text.trim().parse::<u64>().ok())
            .unwrap_or(0);
        let since = Duration::from_secs(machine.now().saturating_sub(before));
        if !request.rest(pace.distance.saturating_sub(since)) {
            return Ok(None);
        }
        let lock = match Lock::take_turn(&records.join("tests.lock"), GIVE_WAY) {
            Ok(lock) => lock,
            Err(LockError::Busy(_)) => return Err(io::Error::other("an earlier test run does not give way")),
            Err(LockError::Io(error)) => return Err(error),
        };
        if request.is_overtaken() {
            return Ok(None);
        }
        let running = claude.join(".test-runner.lock");
        atomic::write(&running, format!("{}\n", std::process::id()).as_bytes())?;
        Ok(Some(Self { _lock: lock, request, running, last_run }))
    }

    /// Says whether a newer request waits. Cheap enough to be asked all the time.
    pub fn watch(&self) -> impl Fn() -> bool + 'static {
        let request = self.request.clone();
        move || request.looked.get().elapsed() >= LOOK && request.is_overtaken()
    }

    /// Notes the time from which the distance counts.
    pub fn finish(self, machine: &Machine) -> io::Result<()> {
        written::write(machine, &self.last_run, &format!("{}\n", machine.now()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = files::remove(&self.running);
    }
}

/// Asks a run of this session that is going on to end itself, or that waits. What another has asked for last stays: it tests the same code.
pub fn cancel(machine: &Machine, root: &Path, session: &SessionId) -> io::Result<()> {
    let records = Project::at(machine, files::resolve(root)).records;
    let file = records.join("tests.request");
    let asked = files::read(&file)?.unwrap_or_default();
    if asked.split_once(' ').is_none_or(|(by, _)| by != session.as_str()) {
        return Ok(());
    }
    atomic::write(&file, format!("cancelled-{}\n", machine.nanos()).as_bytes())?;
    let last_run = root.join(".claude/.test-runner.last-run");
    let _lock = written::lock(machine, &last_run)?;
    written::remove(machine, &last_run)
}

/// Whether a run is going on.
pub fn is_running(machine: &Machine, root: &Path) -> bool {
    let lock = Project::at(machine, files::resolve(root)).records.join("tests.lock");
    lock.exists() && matches!(Lock::take(&lock, Duration::ZERO), Err(LockError::Busy(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { quiet: Duration::from_millis(200), distance: Duration::ZERO };

    #[test]
    fn of_many_requests_the_newest_runs_and_a_run_gives_way() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], dir.path());
        let root = dir.path().join("p");
        let session = SessionId::new("one");
        let wait = || Turn::wait(&machine, &root, &session, PACE).unwrap();
        let ran: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..5).map(|_| scope.spawn(|| wait().is_some())).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
        });
        assert_eq!(ran, 1);

        let first = wait().unwrap();
        assert!(root.join(".claude/.test-runner.lock").exists() && is_running(&machine, &root));
        std::thread::scope(|scope| {
            let second = scope.spawn(wait);
            let overtaken = first.watch();
            while !overtaken() {
                std::thread::sleep(Duration::from_millis(5));
            }
            drop(first);
            let second = second.join().unwrap().unwrap();
            let overtaken = second.watch();
            cancel(&machine, &root, &SessionId::new("two")).unwrap();
            std::thread::sleep(LOOK * 2);
            assert!(!overtaken(), "another session's end is not this one's");
            cancel(&machine, &root, &session).unwrap();
            while !overtaken() {
                std::thread::sleep(Duration::from_millis(5));
            }
            second.finish(&machine).unwrap();
        });
        assert!(!root.join(".claude/.test-runner.lock").exists() && !is_running(&machine, &root));
        assert!(root.join(".claude/.test-runner.last-run").exists());
    }
}
