//! A place to run scripts in: a directory, programs that write down their arguments, and bounds.
#![expect(clippy::disallowed_methods, reason = "this test is about a real shell")]

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Programs that only write down how they were called.
const RECORDERS: &[&str] = &["one", "two", "three"];
/// Text tools that do their work besides.
const TOOLS: &[&str] =
    &["cat", "tr", "rev", "cut", "head", "tail", "sort", "sed", "tac", "xargs", "basename", "dirname"];

/// Those that start another program: that one is what is predicted.
const WRAPPERS: &[&str] = &["env"];

/// What stands behind the last argument.
const END: char = '\u{1e}';

/// Only against waiting for ever; a busy machine is slow.
const LIMIT: Duration = Duration::from_secs(150);

pub(crate) struct Machine {
    root: PathBuf,
    bash: PathBuf,
    /// What makes a process of root one of nobody.
    lowered: Vec<String>,
}

impl Machine {
    /// `None` where bash is missing, or where it could only run as root.
    pub(crate) fn new() -> Option<Self> {
        let find = |name: &str| {
            ["/bin", "/usr/bin", "/usr/local/bin"]
                .iter()
                .map(|dir| Path::new(dir).join(name))
                .find(|path| path.is_file())
        };
        let bash = find("bash")?;
        let lowered = match (is_root(), find("setpriv")) {
            (false, _) => Vec::new(),
            (true, Some(setpriv)) => {
                let options = ["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"];
                std::iter::once(setpriv.to_string_lossy().into_owned())
                    .chain(options.map(str::to_owned))
                    .collect()
            }
            (true, None) => return None,
        };
        let root = std::env::temp_dir().join(format!("plimsoll-bash-{}", std::process::id()));
        let machine = Self { root, bash, lowered };
        for dir in ["bin", "work", "home"] {
            fs::create_dir_all(machine.root.join(dir)).ok()?;
            fs::set_permissions(machine.root.join(dir), fs::Permissions::from_mode(0o777)).ok()?;
        }
        fs::set_permissions(&machine.root, fs::Permissions::from_mode(0o755)).ok()?;
        for name in RECORDERS.iter().chain(TOOLS).chain(WRAPPERS).chain(&["bash"]) {
            let real = if RECORDERS.contains(name) { None } else { Some(find(name)?) };
            let run = real.map_or_else(String::new, |path| format!("exec {} \"$@\"\n", path.display()));
            // One write, so that commands of a pipeline do not mix.
            let note = format!("printf '%s\\037' {name} \"$@\" \"{END}\" >> \"$PLIMSOLL_CALLS\"\n");
            let note = if WRAPPERS.contains(name) { "" } else { &note };
            let shim = format!("#!/bin/sh\n{note}{run}");
            let path = machine.root.join("bin").join(name);
            fs::write(&path, shim).ok()?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).ok()?;
        }
        Some(machine)
    }

    /// The calls that each script made.
    pub(crate) fn run(&self, scripts: &[String]) -> Vec<Vec<Vec<String>>> {
        let work = self.root.join("work");
        let mut driver = String::from("ulimit -t 10; ulimit -f 256; ulimit -n 64\n");
        // What patterns find is outside the text.
        driver.push_str("set -f; export SHELLOPTS\n");
        for (number, script) in scripts.iter().enumerate() {
            fs::write(work.join(format!("script{number}")), script).expect("a script is written");
            let _ = writeln!(
                driver,
                "(mkdir() {{ :; }}; export PLIMSOLL_CALLS=../calls{number}; . ./script{number}) < /dev/null > /dev/null 2>&1"
            );
        }
        let calls = |number: usize| self.root.join(format!("calls{number}"));
        for number in 0..scripts.len() {
            fs::write(calls(number), "").expect("a log is made");
            fs::set_permissions(calls(number), fs::Permissions::from_mode(0o666)).expect("a log is opened");
        }
        self.finish(&driver);
        (0..scripts.len()).map(|number| recorded(&fs::read(calls(number)).unwrap_or_default())).collect()
    }

    fn finish(&self, driver: &str) {
        let words: Vec<&str> = self
            .lowered
            .iter()
            .map(String::as_str)
            .chain([self.bash.to_str().unwrap_or("bash"), "--noprofile", "--norc", "-c", driver])
            .collect();
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", self.root.join("home"))
            .current_dir(self.root.join("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("bash starts");
        let begin = Instant::now();
        while child.try_wait().expect("bash is watched").is_none() {
            if begin.elapsed() > LIMIT {
                child.kill().expect("bash is stopped");
                panic!("the scripts did not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0)
}

fn recorded(bytes: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(bytes);
    let words =
        |call: &str| call.strip_suffix('\u{1f}').unwrap_or(call).split('\u{1f}').map(str::to_owned).collect();
    text.split(&format!("{END}\u{1f}")).filter(|call| !call.is_empty()).map(words).collect()
}

/// The same place, for the reader.
pub(crate) struct World<'a>(pub(crate) &'a Machine);

impl shell::World for World<'_> {
    fn home(&self) -> Option<String> {
        Some(self.0.root.join("home").to_string_lossy().into_owned())
    }

    fn cwd(&self) -> String {
        self.0.root.join("work").to_string_lossy().into_owned()
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }

    fn var(&self, _: &str) -> Option<String> {
        None
    }
}
