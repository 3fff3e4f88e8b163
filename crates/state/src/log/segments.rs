//! The files of the log. One grows; full ones are moved aside under the id of their first record, so that their names sort by
//! time and never change again, and go when they are too old or too many.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Record;
use crate::{Lock, Machine, files};

/// A file is moved aside at this size.
pub(super) const LARGEST: u64 = 8 * 1024 * 1024;

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub days: u64,
    pub megabytes: u64,
}

impl Limits {
    pub fn of(config: &model::Config) -> Self {
        Self { days: config.log_days, megabytes: config.log_megabytes }
    }

    fn bytes(self) -> u64 {
        self.megabytes.saturating_mul(1024 * 1024)
    }

    /// Half of all that may be kept, where that is less than usual: with the one that grows it is at most all. Not so little
    /// that every call moves files about.
    fn largest(self) -> u64 {
        LARGEST.min(self.bytes() / 2).max(64 * 1024)
    }
}

/// The file that grows.
pub fn file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("log.jsonl")
}

/// All files of the log, oldest first, the one that grows last. It need not be there.
pub fn all(machine: &Machine) -> Vec<PathBuf> {
    let mut all = closed(machine);
    all.push(file(machine));
    all
}

/// Those that do not change any more, oldest first.
pub fn closed(machine: &Machine) -> Vec<PathBuf> {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut closed: Vec<PathBuf> = files::list(&machine.state_dir())
        .into_iter()
        .filter(|path| {
            let name = name(path);
            name == FIRST || name.starts_with("log-") && name.ends_with(".jsonl")
        })
        .collect();
    closed.sort_by_key(|path| (name(path) != FIRST, name(path)));
    closed
}

/// As the first version called the one file that it kept.
const FIRST: &str = "log.1.jsonl";

/// The first record of a file says what it will be called.
fn aside(machine: &Machine, file: &Path) -> PathBuf {
    let first = first_record(file).map(|record| record.id).filter(|id| is_plain(id));
    let name = first.unwrap_or_else(|| format!("{:016x}", written(file)));
    machine.state_dir().join(format!("log-{name}.jsonl"))
}

fn is_plain(id: &str) -> bool {
    (17..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn first_record(file: &Path) -> Option<Record> {
    Record::parse(&first_line(file)?)
}

/// With its end; `None` while there is none.
pub(super) fn first_line(file: &Path) -> Option<String> {
    const LONGEST: u64 = 256 * 1024;
    let mut line = String::new();
    BufReader::new(files::open(file).ok()?.take(LONGEST)).read_line(&mut line).ok()?;
    line.ends_with('\n').then_some(line)
}

/// In nanoseconds.
fn written(file: &Path) -> u128 {
    let modified = file.metadata().and_then(|meta| meta.modified());
    let since = modified.ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos())
}

/// Whether the file is due, by one look. Without limits nothing is removed.
pub(super) fn rotate_if_full(machine: &Machine, limits: Option<Limits>) {
    let largest = limits.map_or(LARGEST, Limits::largest);
    if file(machine).metadata().is_ok_and(|meta| meta.len() > largest) {
        rotate(machine, largest);
        if let Some(limits) = limits {
            prune(machine, limits);
        }
    }
}

/// Whoever gets the lock moves it; the others find it moved, or write to a file a little over the limit.
fn rotate(machine: &Machine, largest: u64) {
    let file = file(machine);
    let Ok(_lock) = Lock::take(&file.with_extension("lock"), Duration::ZERO) else { return };
    if file.metadata().is_ok_and(|meta| meta.len() > largest) {
        let _ = std::fs::rename(&file, aside(machine, &file));
    }
}

/// At the start of a session: what is too old goes. The file that grows is moved aside once it has lines of two days, so that
/// a day that is too old does not stay because of the days after it.
pub(crate) fn keep_to(machine: &Machine, limits: Limits) {
    const DAY: u64 = 24 * 3600;
    let file = file(machine);
    let begun = first_record(&file).map(|record| record.seconds());
    if begun.is_some_and(|begun| begun > 0 && machine.now().saturating_sub(begun) > DAY) {
        rotate(machine, 0);
    }
    prune(machine, limits);
}

/// Removes what is beyond the limits, oldest first.
fn prune(machine: &Machine, limits: Limits) {
    let closed = closed(machine);
    let size = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    let mut kept: u64 = closed.iter().map(|path| size(path)).sum();
    // With room for the one that grows.
    let room = limits.bytes().saturating_sub(limits.largest());
    let oldest = Duration::from_secs(limits.days.saturating_mul(24 * 3600));
    for path in &closed {
        let age = path.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
        if kept > room || age.is_some_and(|age| age > oldest) {
            kept = kept.saturating_sub(size(path));
            let _ = files::remove(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;

    fn machine(dir: &Path) -> Machine {
        Machine::with(&[("PLIMSOLL_STATE_DIR", dir.to_str().unwrap())], dir)
    }

    #[test]
    fn a_full_file_is_moved_aside_once_under_the_id_of_its_first_record() {
        let dir = tempfile::tempdir().unwrap();
        let machine = machine(dir.path());
        append_unreadable(&machine, "first").unwrap();
        let id = read(&machine)[0].id.clone();
        let filler = " ".repeat(usize::try_from(LARGEST).unwrap());
        append_line(&file(&machine), &filler).unwrap();
        append_unreadable(&machine, "second").unwrap();
        append_unreadable(&machine, "third").unwrap();
        assert_eq!(closed(&machine), [dir.path().join(format!("log-{id}.jsonl"))]);
        assert_eq!(read(&machine).len(), 3);
    }

    #[test]
    fn whoever_needs_the_end_reads_no_older_files() {
        let dir = tempfile::tempdir().unwrap();
        let machine = machine(dir.path());
        let line = |event: &str| format!(r#"{{"event":"{event}","verdict":"none"}}"#);
        for (name, events) in [("log-0000000000000001", ["a", "b"]), ("log-0000000000000002", ["a", "a"])] {
            std::fs::write(dir.path().join(format!("{name}.jsonl")), events.map(&line).join("\n")).unwrap();
        }
        std::fs::write(file(&machine), line("b") + "\n").unwrap();
        let skipped =
            |wanted, event: &str| before_last(&machine, wanted, &mut |record| record.event == event);
        assert_eq!([skipped(1, "b"), skipped(2, "b"), skipped(3, "b")], [2, 0, 0]);
        assert_eq!([skipped(1, "a"), skipped(2, "a"), skipped(3, "a"), skipped(1, "c")], [1, 1, 0, 0]);
        let mut seen = Vec::new();
        each_from(&machine, 1, &mut |record, _| seen.push(record.event));
        assert_eq!(seen, ["a", "a", "b"]);
    }

    #[test]
    fn old_files_and_too_many_go_and_the_newest_stay() {
        let dir = tempfile::tempdir().unwrap();
        let machine = machine(dir.path());
        let mebibyte = "x".repeat(1024 * 1024);
        for number in 0..6 {
            std::fs::write(dir.path().join(format!("log-{number:017x}.jsonl")), &mebibyte).unwrap();
        }
        std::fs::write(dir.path().join(FIRST), &mebibyte).unwrap();
        // Half of it is for the file that grows.
        keep_to(&machine, Limits { days: 90, megabytes: 8 });
        let left = |machine: &Machine| -> Vec<String> {
            closed(machine)
                .iter()
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(left(&machine), [2, 3, 4, 5].map(|number| format!("log-{number:017x}.jsonl")));
        let old = std::fs::File::open(dir.path().join("log-00000000000000003.jsonl")).unwrap();
        old.set_modified(SystemTime::now() - Duration::from_hours(91 * 24)).unwrap();
        keep_to(&machine, Limits { days: 90, megabytes: 8 });
        assert_eq!(left(&machine), [2, 4, 5].map(|number| format!("log-{number:017x}.jsonl")));
    }
}
