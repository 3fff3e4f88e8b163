//! Other programs: started with a time limit, in a process group of their own, ended as a whole. What they print is kept up
//! to a bound, so that a program that runs wild costs its time and not our memory.

mod apart;
mod groups;
mod pipes;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pipes::{Keep, Pipes};

#[cfg(unix)]
pub use groups::end_all;

use crate::reach::Fence;

/// Of each of stdout and stderr, unless the caller says otherwise.
const MOST: usize = 16 * 1024 * 1024;
/// What a program's own children get after it has ended, if they still hold its pipes.
const GRACE: Duration = Duration::from_millis(250);
/// Every pipe takes this much at once, whether somebody reads or not.
const SMALL: usize = 4096;

/// The system's own shell, wherever PATH leads.
pub const SHELL: &str = if cfg!(unix) { "/bin/sh" } else { "sh" };

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
    until: Option<&'static str>,
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
            until: None,
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

    /// Where it runs. A program that is to run where we are is not told so: without a change of directory it can be started
    /// without a copy of ourselves, which is the quicker way.
    #[must_use]
    pub fn cwd(mut self, dir: &Path) -> Self {
        if std::env::current_dir().is_ok_and(|here| here == dir) {
            return self;
        }
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

    /// Keeps it apart from a project that is not trusted: neither PATH nor the places where interpreters look for modules lead there,
    /// and no variable names code to load first.
    #[must_use]
    pub fn apart_from(mut self, fence: &Fence) -> Self {
        for name in apart::LISTS {
            match apart::list(name, fence) {
                apart::Value::Same => {}
                apart::Value::Without(rest) => {
                    self.command.env(name, rest);
                }
                apart::Value::Nothing => {
                    self.command.env_remove(name);
                }
            }
        }
        for name in apart::LOADERS {
            self.command.env_remove(name);
        }
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

    /// Its stdin stays open until it has printed this, because a server ends with its input, and with questions that it has not
    /// answered yet. For an input that a pipe takes at once.
    #[must_use]
    pub fn until(mut self, printed: &'static str) -> Self {
        self.until = Some(printed);
        self
    }

    /// Runs to the end, or ends it. A missing program and a time-out are errors that name the program; the latter is a
    /// `Stopped`.
    pub fn run(self) -> io::Result<Finished> {
        self.start()?.finish()
    }

    /// Starts it, so that something else can be done meanwhile.
    pub fn start(self) -> io::Result<Running> {
        let Self { mut command, stdin, limit, keep, unwanted, until } = self;
        let mut held = None;
        let end = Instant::now() + limit;
        let program = command.get_program().to_string_lossy().into_owned();
        command.stdin(if stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(target_os = "linux")]
        end_with_us(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if command.get_current_dir().is_none_or(Path::is_dir) => {
                io::Error::new(error.kind(), format!("{program} is not installed"))
            }
            _ => io::Error::new(error.kind(), format!("cannot start {program}: {error}")),
        })?;
        if let Some(mut pipe) = child.stdin.take() {
            // One that ends without reading closes the pipe; its exit code says more than that.
            if stdin.len() <= SMALL {
                let _ = pipe.write_all(&stdin);
                held = until.map(|printed| (pipe, printed));
            } else {
                // Beside the reading, because a program may want to write before it has read everything.
                std::thread::spawn(move || pipe.write_all(&stdin));
            }
        }
        groups::started(child.id());
        let pipes = Pipes::of(&mut child, keep);
        Ok(Running { child, pipes, program, limit, end, unwanted, held, ended: false })
    }
}

/// Where we are killed without a chance to do anything (`groups` has the others), the kernel ends it. Whoever starts a
/// program waits for it in the same thread: for the kernel, that thread is the parent.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the one call is allowed between fork and exec")]
fn end_with_us(command: &mut Command) {
    use nix::sys::{prctl::set_pdeathsig, signal::Signal};
    // SAFETY: a plain system call.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, || Ok(set_pdeathsig(Signal::SIGKILL)?));
    }
}

/// A program that was started. It is ended when nobody waits for it.
#[expect(missing_debug_implementations, reason = "a question is part of it")]
pub struct Running {
    child: Child,
    pipes: Pipes,
    program: String,
    limit: Duration,
    end: Instant,
    unwanted: Box<dyn Fn() -> bool>,
    /// Its stdin, and what it prints before that is closed.
    held: Option<(ChildStdin, &'static str)>,
    ended: bool,
}

impl Running {
    /// Waits for its end, or ends it when its time is up.
    pub fn finish(mut self) -> io::Result<Finished> {
        if let Some((stdin, printed)) = self.held.take() {
            while Instant::now() < self.end && self.pipes.are_open() && !self.pipes.has(printed) {
                self.pipes.wait(Duration::from_millis(20));
            }
            drop(stdin);
        }
        let status = wait(&mut self.child, &mut self.pipes, self.end, &*self.unwanted)?;
        self.ended = true;
        let Some(status) = status else {
            let program = &self.program;
            let (kind, why) = if Instant::now() < self.end {
                (io::ErrorKind::Interrupted, format!("{program} was ended"))
            } else {
                let seconds = self.limit.as_secs_f32();
                (io::ErrorKind::TimedOut, format!("{program} did not end within {seconds} s"))
            };
            // Everything that held the pipes is gone, so what was printed is there.
            self.pipes.drain();
            let [stdout, stderr] = self.pipes.take().map(|kept| kept.bytes);
            return Err(io::Error::new(kind, Stopped { why, stdout, stderr }));
        };
        let [stdout, stderr] = self.pipes.take();
        let cut = stdout.cut || stderr.cut;
        Ok(Finished { code: status.code(), stdout: stdout.bytes, stderr: stderr.bytes, cut })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            end_group(&mut self.child);
            // Killed, it ends; without this it would stay in the table of processes for as long as we do.
            let _ = self.child.wait();
        }
        groups::ended(self.child.id());
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

/// Waits for both pipes to close, which is how most programs end, and then for the program. `None` when the time was up and it
/// was ended with everything that it had started.
fn wait(
    child: &mut Child,
    pipes: &mut Pipes,
    end: Instant,
    unwanted: &dyn Fn() -> bool,
) -> io::Result<Option<ExitStatus>> {
    // While it prints, it is looked after now and then; when it has closed its pipes, it is about to end.
    let (mut pause, mut nap) = (Duration::from_millis(2), Duration::from_micros(20));
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        let now = Instant::now();
        match ended {
            Some((status, _)) if !pipes.are_open() => return Ok(Some(status)),
            // A child of its own still holds the pipes. What it would say is not awaited.
            Some((status, since)) if now >= since + GRACE || now >= end => {
                end_group(child);
                return Ok(Some(status));
            }
            None if now >= end || unwanted() => {
                // It may have ended long ago, and nobody has looked until now.
                if let Some(status) = child.try_wait()? {
                    pipes.drain();
                    return Ok(Some(status));
                }
                end_group(child);
                child.wait()?;
                return Ok(None);
            }
            _ => {}
        }
        if pipes.are_open() {
            let printed = pipes.wait(pause.min(end.saturating_duration_since(now)));
            if printed && ended.is_none() {
                continue;
            }
            pause = (pause * 2).min(Duration::from_millis(20));
        } else if ended.is_none() {
            std::thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(10));
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
    #[cfg(windows)]
    {
        // There are no groups there. The system's own program knows who was started by whom, as long as all of them run.
        let id = child.id().to_string();
        let mut end = std::process::Command::new("taskkill.exe");
        let quiet = end.args(["/T", "/F", "/PID", &id]).stdin(Stdio::null()).stdout(Stdio::null());
        // What cannot be ended has ended, or is not ours.
        let _ = quiet.stderr(Stdio::null()).status();
    }
    let _ = child.kill();
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
