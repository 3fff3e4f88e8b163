//! The decision log: one JSON line per hook run, in the user's state directory, rotated by size.

mod tail;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use model::{Event, redact, time};
use serde_json::{Map, Value as Json, json};

use crate::{Lock, Machine, append_line};

pub use tail::Tail;

/// The log is moved aside at this size; one older file is kept.
const LARGEST: u64 = 8 * 1024 * 1024;

/// One run of a hook.
#[derive(Debug)]
pub struct Entry<'a> {
    pub event: &'a Event,
    pub verdict: &'a str,
    pub rules: Vec<&'a str>,
    /// What was said besides: a rewrite, context, a notice.
    pub besides: Vec<&'static str>,
    pub micros: u64,
    /// What went wrong on our side, for `plimsoll log`.
    pub failures: Vec<String>,
    /// What was run, and how long it took.
    pub trace: Vec<String>,
    /// Only decided and logged, not said: `profile: observe`.
    pub observed: bool,
    pub project: &'a str,
}

pub fn file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("log.jsonl")
}

pub fn older(machine: &Machine) -> PathBuf {
    machine.state_dir().join("log.1.jsonl")
}

pub fn append(machine: &Machine, entry: &Entry<'_>) -> io::Result<()> {
    let mut line = Map::new();
    let mut put = |key: &str, value: Json| {
        line.insert(key.to_owned(), value);
    };
    put("time", time::rfc3339(machine.now()).into());
    put("session", entry.event.session.as_str().into());
    put("event", entry.event.name.as_str().into());
    if let Some(use_) = entry.event.tool_use() {
        put("tool", use_.name.as_str().into());
    }
    put("verdict", entry.verdict.into());
    put("rules", json!(entry.rules));
    if !entry.besides.is_empty() {
        put("besides", json!(entry.besides));
    }
    put("micros", entry.micros.into());
    put("subject", redact(&entry.event.subject()).into());
    put("project", entry.project.into());
    if !entry.trace.is_empty() {
        put("trace", entry.trace.iter().map(|text| redact(text)).collect());
    }
    if entry.observed {
        put("observed", true.into());
    }
    if !entry.failures.is_empty() {
        put("failures", entry.failures.iter().map(|text| redact(text)).collect());
    }
    // Straight to text: `to_string` of a value goes through a formatter, at three times the cost.
    write(machine, &serde_json::to_string(&line)?)
}

/// A run whose input could not be read.
pub fn append_unreadable(machine: &Machine, reason: &str) -> io::Result<()> {
    let line = json!({
        "time": time::rfc3339(machine.now()),
        "event": "",
        "verdict": "ask",
        "rules": [],
        "micros": machine.micros(),
        "failures": [redact(reason)],
    });
    write(machine, &line.to_string())
}

fn write(machine: &Machine, line: &str) -> io::Result<()> {
    let file = file(machine);
    if file.metadata().is_ok_and(|meta| meta.len() > LARGEST) {
        // Whoever gets the lock moves it; the others find it moved, or write to a file a little over the limit.
        rotate(machine);
    }
    append_line(&file, line)
}

fn rotate(machine: &Machine) {
    let file = file(machine);
    let Ok(_lock) = Lock::take(&file.with_extension("lock"), Duration::ZERO) else { return };
    if file.metadata().is_ok_and(|meta| meta.len() > LARGEST) {
        let _ = std::fs::rename(&file, older(machine));
    }
}

/// All lines that can be read, oldest first.
pub fn read(machine: &Machine) -> Vec<Json> {
    read_on(machine).0
}

/// The same, with what continues exactly where they end.
pub fn read_on(machine: &Machine) -> (Vec<Json>, Tail) {
    let older = crate::files::read(&older(machine)).ok().flatten().unwrap_or_default();
    let mut lines: Vec<Json> = older.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut tail = Tail::new(machine);
    lines.extend(tail.more().unwrap_or_default());
    (lines, tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_log_is_moved_aside_once() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", dir.path().to_str().unwrap())], dir.path());
        let big = usize::try_from(LARGEST).unwrap() + 1;
        std::fs::write(file(&machine), "x".repeat(big)).unwrap();
        append_unreadable(&machine, "no input").unwrap();
        append_unreadable(&machine, "no input").unwrap();
        assert_eq!(std::fs::metadata(older(&machine)).unwrap().len(), LARGEST + 1);
        assert_eq!(read(&machine).len(), 2);
    }
}
