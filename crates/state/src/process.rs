//! Other programs: started with a time limit, in a process group of their own, ended as a whole. What they print is kept up
//! to a bound, so that a program that runs wild costs its time and not our memory.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Of each of stdout and stderr, unless the caller says otherwise.
const MOST: usize = 16 * 1024 * 1024;
/// What a program's own children get after it has ended, if they still hold its pipes.
const GRACE: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub struct Finished {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// It printed more than was kept.
    pub cut: bool,
}

/// The error of a program that was ended before its time, with what it had printed until then.
#[derive(Debug)]
pub struct Stopped {
    why: String,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Stopped {
    /// Of an error of `run`, where it is one.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Stopped {}

/// A program that is about to be run.
#[expect(missing_debug_implementations, reason = "a question is part of it")]
pub struct Program {
    command: Command,
    stdin: Vec<u8>,
    limit: Duration,
    keep: Keep,
    unwanted: Box<dyn Fn() -> bool>,
}

/// How much is kept of each of stdout and stderr, and which part.
#[derive(Clone, Copy)]
struct Keep {
    most: usize,
    /// The end, where a person would look; else the beginning, where what a program reads begins.
    end: bool,
}

impl Program {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let command = Command::new(program);
        Self {
            command,
            stdin: Vec::new(),
            limit: Duration::from_mins(1),
            keep: Keep { most: MOST, end: false },
            unwanted: Box::new(|| false),
        }
    }

    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    #[must_use]
    pub fn cwd(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without any of our own variables; those to have come after this.
    #[must_use]
    pub fn clean(mut self) -> Self {
        self.command.env_clear();
        self
    }

    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    #[must_use]
    pub fn stdin(mut self, bytes: &[u8]) -> Self {
        bytes.clone_into(&mut self.stdin);
        self
    }

    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Bytes that are kept of each of stdout and stderr.
    #[must_use]
    pub fn keeping(mut self, most: usize) -> Self {
        self.keep.most = most;
        self
    }

    /// The same, of its end.
    #[must_use]
    pub fn keeping_end(mut self, most: usize) -> Self {
        self.keep = Keep { most, end: true };
        self
    }

    /// Asked again and again while it runs: once the answer is yes, it is ended, and that is an error of kind `Interrupted`.
    #[must_use]
    pub fn unless(mut self, unwanted: impl Fn() -> bool + 'static) -> Self {
        self.unwanted = Box::new(unwanted);
        self
    }

    /// Runs to the end, or ends it. A missing program and a time-out are errors that name the program; the latter is a
    /// `Stopped`.
    pub fn run(self) -> io::Result<Finished> {
        finish(self.command, self.stdin, self.limit, self.keep, &*self.unwanted)
    }
}

/// Runs a program to its end, or ends it. A missing program and a time-out are errors that name the program.
pub fn run(program: &str, args: &[&str], cwd: &Path, limit: Duration) -> io::Result<Finished> {
    Program::new(program).args(args).cwd(cwd).within(limit).run()
}

/// The same with more variables and something to read.
pub fn run_with(
    program: &str,
    args: &[&str],
    cwd: &Path,
    variables: &[(&str, &str)],
    stdin: &[u8],
    limit: Duration,
) -> io::Result<Finished> {
    let mut ready = Program::new(program).args(args).cwd(cwd).stdin(stdin).within(limit);
    for (name, value) in variables {
        ready = ready.env(name, value);
    }
    ready.run()
}

/// Starts a command that is ready but for its pipes, and waits for its end.
fn finish(
    mut command: Command,
    stdin: Vec<u8>,
    limit: Duration,
    keep: Keep,
    unwanted: &dyn Fn() -> bool,
) -> io::Result<Finished> {
    let end = Instant::now() + limit;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(if stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if command.get_current_dir().is_none_or(Path::is_dir) => {
            io::Error::new(error.kind(), format!("{program} is not installed"))
        }
        _ => io::Error::new(error.kind(), format!("cannot start {program}: {error}")),
    })?;
    if let Some(mut pipe) = child.stdin.take() {
        // Beside the reading, because a program may want to write before it has read everything. One that ends without
        // reading closes the pipe; its exit code says more than that.
        std::thread::spawn(move || pipe.write_all(&stdin));
    }
    let (sender, closed) = channel();
    let stdout = Kept::of(child.stdout.take(), keep, sender.clone());
    let stderr = Kept::of(child.stderr.take(), keep, sender);
    let Some(status) = wait(&mut child, &closed, end, unwanted)? else {
        let (kind, why) = if Instant::now() < end {
            (io::ErrorKind::Interrupted, format!("{program} was ended"))
        } else {
            (io::ErrorKind::TimedOut, format!("{program} did not end within {} s", limit.as_secs_f32()))
        };
        // Everything that held the pipes is gone, so what was printed arrives at once.
        while closed.recv_timeout(GRACE).is_ok() {}
        let (stdout, stderr) = (stdout.take(keep).0, stderr.take(keep).0);
        return Err(io::Error::new(kind, Stopped { why, stdout, stderr }));
    };
    let (stdout, stderr) = (stdout.take(keep), stderr.take(keep));
    Ok(Finished { code: status.code(), stdout: stdout.0, stderr: stderr.0, cut: stdout.1 || stderr.1 })
}

/// What a pipe has given so far. Shared with the thread that reads it, so that it can be had although a pipe stays open.
struct Kept(Arc<Mutex<(Vec<u8>, bool)>>);

impl Kept {
    fn of<R: Read + Send + 'static>(pipe: Option<R>, keep: Keep, closed: Sender<()>) -> Self {
        let kept = Arc::new(Mutex::new((Vec::new(), false)));
        if let Some(pipe) = pipe {
            let shared = Arc::clone(&kept);
            std::thread::spawn(move || {
                drain(pipe, keep, &shared);
                let _ = closed.send(());
            });
        }
        Self(kept)
    }

    fn take(&self, keep: Keep) -> (Vec<u8>, bool) {
        let (mut bytes, mut cut) =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if bytes.len() > keep.most {
            bytes.drain(..bytes.len() - keep.most);
            cut = true;
        }
        (bytes, cut)
    }
}

/// Reads to the end and keeps its part. The rest is read too: a full pipe would keep the program from ending.
fn drain<R: Read>(mut pipe: R, keep: Keep, kept: &Mutex<(Vec<u8>, bool)>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = if keep.end { count } else { keep.most.saturating_sub(kept.0.len()).min(count) };
                kept.0.extend_from_slice(&buffer[..room]);
                kept.1 |= room < count;
                // Cut at twice the size, so that each byte is moved once at the most.
                if kept.0.len() > keep.most.saturating_mul(2) {
                    let before = kept.0.len() - keep.most;
                    kept.0.drain(..before);
                    kept.1 = true;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Waits for both pipes to close, which is how most programs end, and then for the program. `None` when the time was up and it
/// was ended with everything that it had started.
fn wait(
    child: &mut Child,
    closed: &Receiver<()>,
    end: Instant,
    unwanted: &dyn Fn() -> bool,
) -> io::Result<Option<ExitStatus>> {
    let mut open = 2;
    let mut pause = Duration::from_millis(2);
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        let now = Instant::now();
        match ended {
            Some((status, _)) if open == 0 => return Ok(Some(status)),
            // A child of its own still holds the pipes. What it would say is not awaited.
            Some((status, since)) if now >= since + GRACE || now >= end => {
                end_group(child);
                return Ok(Some(status));
            }
            None if now >= end || unwanted() => {
                end_group(child);
                child.wait()?;
                return Ok(None);
            }
            _ => {}
        }
        if open > 0 {
            match closed.recv_timeout(pause.min(end.saturating_duration_since(now))) {
                Ok(()) => {
                    open -= 1;
                    pause = Duration::from_micros(50);
                }
                Err(RecvTimeoutError::Timeout) => pause = (pause * 2).min(Duration::from_millis(20)),
                Err(RecvTimeoutError::Disconnected) => open = 0,
            }
        } else {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
        if ended.is_none() {
            ended = child.try_wait()?.map(|status| (status, Instant::now()));
        }
    }
}

/// Whether a process of this number is running.
pub fn is_alive(pid: u32) -> bool {
    #[cfg(unix)]
    {
        // Signal 0 is none: it only asks. Somebody else's process is alive too.
        let Ok(pid) = i32::try_from(pid) else { return false };
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None) != Err(nix::errno::Errno::ESRCH)
    }
    #[cfg(not(unix))]
    {
        let _ = pid;
        true
    }
}

/// Ends the whole group, so that nothing that the program started outlives it.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, killpg};
        if let Ok(id) = i32::try_from(child.id()) {
            // It may have ended in this moment; then there is nobody to tell.
            let _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
        }
    }
    let _ = child.kill();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn output_and_code_come_back() {
        let done =
            run_with("sh", &["-c", "cat; echo no >&2; exit 3"], Path::new("/"), &[], b"yes", LONG).unwrap();
        assert_eq!((done.code, done.stdout, done.stderr), (Some(3), b"yes".to_vec(), b"no\n".to_vec()));
    }

    #[test]
    fn a_missing_program_and_a_slow_one_are_named() {
        let missing = run("no-such-program", &[], Path::new("/"), LONG).unwrap_err();
        assert_eq!(missing.to_string(), "no-such-program is not installed");
        let slow =
            run("sh", &["-c", "sleep 60 & sleep 60"], Path::new("/"), Duration::from_millis(20)).unwrap_err();
        assert_eq!(slow.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn of_too_much_output_the_beginning_is_kept() {
        let done = Program::new("sh")
            .args(["-c", "echo first; head -c 100000000 /dev/zero; echo end >&2"])
            .keeping(1000)
            .run()
            .unwrap();
        assert!(done.cut);
        assert_eq!((done.stdout.len(), &done.stdout[..6]), (1000, &b"first\n"[..]));
        assert_eq!(done.stderr, b"end\n");
    }

    #[test]
    fn of_too_much_output_the_end_is_kept_where_that_is_wanted() {
        let done = Program::new("sh")
            .args(["-c", "head -c 10000000 /dev/zero; echo; echo last"])
            .keeping_end(1000)
            .run()
            .unwrap();
        assert!(done.cut);
        assert_eq!((done.stdout.len(), &done.stdout[994..]), (1000, &b"\nlast\n"[..]));
        let short = Program::new("echo").arg("x").keeping_end(1000).run().unwrap();
        assert_eq!((short.stdout, short.cut), (b"x\n".to_vec(), false));
    }

    #[test]
    fn what_was_printed_before_the_end_of_its_time_comes_with_the_error() {
        let dir = tempfile::tempdir().unwrap();
        // It is ended when it has printed, whenever that is.
        let printed = dir.path().join("printed");
        let script = format!("echo begun; echo bad >&2; : > '{}'; sleep 60", printed.display());
        let ended = Program::new("sh")
            .args(["-c", &script])
            .unless(move || printed.exists())
            .within(LONG)
            .run()
            .unwrap_err();
        let stopped = Stopped::of(&ended).unwrap();
        assert_eq!((&stopped.stdout[..], &stopped.stderr[..]), (&b"begun\n"[..], &b"bad\n"[..]));
        assert_eq!(ended.to_string(), "sh was ended");
    }

    #[test]
    fn what_stays_behind_is_ended_and_not_awaited() {
        let dir = tempfile::tempdir().unwrap();
        let script = "sleep 60 & echo $! > pid; echo done";
        let done = Program::new("sh").args(["-c", script]).cwd(dir.path()).within(LONG).run().unwrap();
        assert_eq!((done.code, done.stdout), (Some(0), b"done\n".to_vec()));
        let pid = std::fs::read_to_string(dir.path().join("pid")).unwrap();
        let alive = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        // Killed, it is either gone or waiting for somebody to take note of it.
        while alive().is_ok_and(|stat| !stat.contains(") Z ")) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn what_nobody_wants_any_more_is_ended() {
        let asked = std::cell::Cell::new(0);
        let unwanted = move || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        let ended =
            Program::new("sh").args(["-c", "sleep 60 & sleep 60"]).unless(unwanted).run().unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn a_large_input_and_a_large_output_do_not_block_each_other() {
        let input = vec![b'x'; 4_000_000];
        let done = Program::new("cat").stdin(&input).within(LONG).run().unwrap();
        assert_eq!(done.stdout.len(), input.len());
    }
}
