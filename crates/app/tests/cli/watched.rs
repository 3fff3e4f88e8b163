//! A program that may hang: it is ended after a time, and where it hung is said.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value as Json;

/// What is left of a run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// It did not end by itself; what it had open then.
    pub(crate) hung: Option<String>,
    /// It ended, but its output stayed open.
    pub(crate) held: bool,
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = |text: &str| text.chars().take(300).collect::<String>();
        write!(
            f,
            "code {:?}, signal {:?}, stdout «{}», stderr «{}»",
            self.code,
            self.signal,
            short(&self.stdout),
            short(&self.stderr)
        )
    }
}

impl Seen {
    /// stdout, where it is one JSON object.
    pub(crate) fn json(&self) -> Option<Json> {
        serde_json::from_str(&self.stdout).ok().filter(Json::is_object)
    }

    /// Whether the client takes it for a refusal or asks the user.
    pub(crate) fn stops_the_call(&self) -> bool {
        if self.code == Some(2) {
            return true;
        }
        let decision = self.json().map(|json| json["hookSpecificOutput"]["permissionDecision"].clone());
        self.code == Some(0) && decision.is_some_and(|word| matches!(word.as_str(), Some("deny" | "ask")))
    }
}

/// Time for output to arrive after a program has ended.
const DRAIN: Duration = Duration::from_secs(3);

/// Runs it with this input. `ours` tells the processes that come from it, by a text in their environment.
pub(crate) fn run(command: Command, stdin: &[u8], limit: Duration, ours: &str) -> Seen {
    let mut watched = Watched::start(command, ours);
    watched.give(stdin.to_vec());
    watched.finish(limit)
}

/// A program that was started, and waits for its input.
pub(crate) struct Watched {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    ours: String,
}

impl Watched {
    pub(crate) fn start(mut command: Command, ours: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (stdout, stderr) = (reader(child.stdout.take().unwrap()), reader(child.stderr.take().unwrap()));
        Self { stdin: child.stdin.take(), child, stdout, stderr, ours: ours.to_owned() }
    }

    /// All of its input, and the end of it. A program that ends before it has read everything breaks the pipe, which is its
    /// right.
    pub(crate) fn give(&mut self, bytes: Vec<u8>) {
        let pipe = self.stdin.take();
        std::thread::spawn(move || pipe.map(|mut pipe| pipe.write_all(&bytes)));
    }

    /// The same without the end, for what goes into a pipe at once; returns when it waits for more.
    pub(crate) fn keep_waiting(&mut self, bytes: &[u8]) {
        let _ = self.stdin.as_mut().map(|pipe| pipe.write_all(bytes));
        for _ in 0..5000 {
            let call =
                std::fs::read_to_string(format!("/proc/{}/syscall", self.child.id())).unwrap_or_default();
            let mut words = call.split(' ');
            // `read`, by its numbers on the systems that we build for, from stdin.
            let reads = matches!(words.next(), Some("0" | "63")) && words.next() == Some("0x0");
            if reads || call.trim().is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn send(&self, signal: Signal) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            let _ = kill(Pid::from_raw(pid), signal);
        }
    }

    pub(crate) fn finish(mut self, limit: Duration) -> Seen {
        let mut seen = Seen::default();
        match wait(&mut self.child, Instant::now() + limit) {
            Some(status) => (seen.code, seen.signal) = (status.code(), status.signal()),
            None => {
                seen.hung = Some(open_files(self.child.id()));
                for (pid, _) in descendants(&self.ours) {
                    let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
                }
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
        }
        drop(self.stdin.take());
        for (receiver, text) in [(self.stdout, &mut seen.stdout), (self.stderr, &mut seen.stderr)] {
            match receiver.recv_timeout(DRAIN) {
                Ok(bytes) => *text = String::from_utf8_lossy(&bytes).into_owned(),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => seen.held = true,
            }
        }
        seen
    }
}

fn wait(child: &mut Child, end: Instant) -> Option<std::process::ExitStatus> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Everything that it prints, of which a flood is cut.
fn reader(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.take(16 << 20).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

fn open_files(pid: u32) -> String {
    let folder = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten();
    let links = folder.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    let mut names: Vec<String> = links.map(|link| link.to_string_lossy().into_owned()).collect();
    names.sort();
    let call = std::fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
    format!("in call {} with open {}", call.split(' ').next().unwrap_or_default(), names.join(" "))
}

/// Processes with this text in their environment, and what they are. The kernel hides those of other users.
pub(crate) fn descendants(ours: &str) -> Vec<(i32, String)> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let entry = entry.ok()?;
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        let has = environment.windows(ours.len()).any(|part| part == ours.as_bytes());
        let words = std::fs::read(entry.path().join("cmdline")).ok()?;
        (has && !words.is_empty())
            .then(|| (pid, String::from_utf8_lossy(&words).replace('\0', " ").trim().to_owned()))
    });
    all.collect()
}

/// Kilobytes that the largest of the programs that were run has held.
pub(crate) fn most_memory() -> i64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss())
}
