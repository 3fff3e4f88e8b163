//! Fuzzing with plain Rust: every saved input once, then so many damaged ones. Counted, not timed: a slow machine tries the same.
//!
//!     replay TARGET ARTIFACTS NUMBER SEED INPUTS...
//!
//! INPUTS are files, or folders that are read with all below them. An input that breaks a promise is kept in ARTIFACTS. One
//! that ends the whole process (a stack that is used up, memory) is found there as `running`.

#![expect(clippy::disallowed_methods, reason = "the bans are for what is shipped")]

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plimsoll_fuzz::{Mutator, TARGETS};

/// More CPU than this for one input is a failure. An agent waits for every hook.
const MOST_CPU: Duration = Duration::from_secs(5);

/// Longer than this on the clock is a hang: reading what never ends, waiting for what never comes.
const HANG: Duration = Duration::from_secs(10);

/// Less than the program has, so that recursion without a limit is found with inputs of moderate size.
const STACK: usize = 2 * 1024 * 1024;

/// Different ways to fail, after which it is enough.
const MOST_FAILURES: usize = 20;

fn main() -> ExitCode {
    let run = std::thread::Builder::new().name("replay".into()).stack_size(STACK).spawn(replay);
    run.expect("a thread can be started").join().unwrap_or(ExitCode::FAILURE)
}

fn replay() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, artifacts, number, seed, inputs @ ..] = &args[..] else {
        return wrong("usage: replay TARGET ARTIFACTS NUMBER SEED INPUTS...");
    };
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        return wrong(&format!("there is no target {name}"));
    };
    let (Ok(number), Ok(seed)) = (number.parse::<u64>(), seed.parse()) else {
        return wrong("NUMBER and SEED are numbers");
    };
    let mut files = Vec::new();
    for input in inputs {
        collect(Path::new(input), &mut files);
    }
    if files.is_empty() {
        return wrong("there is no input");
    }
    fs::create_dir_all(artifacts).expect("the artifacts' folder can be made");

    let mut runner = Runner::new(target.check, artifacts);
    let mut corpus = Vec::new();
    for file in &files {
        let bytes = fs::read(file).expect("a saved input can be read");
        runner.run(&bytes, &file.display().to_string());
        corpus.push(bytes);
    }
    let mut mutator = Mutator::new(seed, corpus, target.dictionary);
    let mut made = 0;
    while made < number && runner.failures.len() < MOST_FAILURES {
        made += 1;
        runner.run(&mutator.make(), &format!("input {made} of seed {seed}"));
    }
    let (saved, slowest, failed) = (files.len(), runner.slowest, runner.failures.len());
    println!(
        "{name}: {saved} saved and {made} made inputs (seed {seed}), slowest {slowest:.3?} of CPU, {failed} failures"
    );
    runner.finish()
}

struct Runner {
    check: fn(&[u8]),
    artifacts: PathBuf,
    slowest: Duration,
    /// By message: the same fault is found again and again.
    failures: BTreeMap<String, PathBuf>,
    since: Arc<Mutex<Option<Instant>>>,
}

impl Runner {
    fn new(check: fn(&[u8]), artifacts: &str) -> Self {
        let since = Arc::new(Mutex::new(None));
        watch(Arc::clone(&since));
        Self { check, artifacts: artifacts.into(), slowest: Duration::ZERO, failures: BTreeMap::new(), since }
    }

    fn run(&mut self, bytes: &[u8], label: &str) {
        let running = self.artifacts.join("running");
        fs::write(&running, bytes).expect("an artifact can be written");
        *self.since.lock().expect("nobody panics with it") = Some(Instant::now());
        let before = cpu();
        let result = catch_unwind(|| (self.check)(bytes));
        let used = cpu().saturating_sub(before);
        *self.since.lock().expect("nobody panics with it") = None;
        self.slowest = self.slowest.max(used);
        let fault = match result {
            Ok(()) if used <= MOST_CPU => return,
            Ok(()) => format!("more than {MOST_CPU:?} of CPU"),
            Err(panic) => match panic.downcast::<String>() {
                Ok(text) => *text,
                Err(_) => "a panic without a text".into(),
            },
        };
        // Numbers differ from input to input; the fault is the same.
        let kind: String = fault
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .filter(|c| !c.is_ascii_digit())
            .take(160)
            .collect();
        if !self.failures.contains_key(&kind) {
            let file = self.artifacts.join(format!("failure-{}", self.failures.len() + 1));
            fs::write(&file, bytes).expect("an artifact can be written");
            eprintln!(
                "FAILED after {used:.3?} of CPU: {label}, {} bytes, kept as {}\n{fault}",
                bytes.len(),
                file.display()
            );
            self.failures.insert(kind, file);
        }
    }

    fn finish(self) -> ExitCode {
        let _ = fs::remove_file(self.artifacts.join("running"));
        if self.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Ends the process when one input takes too long on the clock. The input is in `running`.
fn watch(since: Arc<Mutex<Option<Instant>>>) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let hangs = since.lock().is_ok_and(|since| since.is_some_and(|since| since.elapsed() > HANG));
            if hangs {
                eprintln!("FAILED: one input took longer than {HANG:?}");
                std::process::exit(3);
            }
        }
    });
}

/// CPU used by this thread. Where the system does not say, the clock is near enough.
fn cpu() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        entries.sort();
        for entry in entries {
            collect(&entry, files);
        }
    } else if path.extension().is_none_or(|kind| kind == "json") {
        // Saved inputs have no extension, payloads are JSON; snapshots and the like lie between them.
        files.push(path.to_owned());
    }
}

fn wrong(text: &str) -> ExitCode {
    eprintln!("{text}");
    ExitCode::from(64)
}
