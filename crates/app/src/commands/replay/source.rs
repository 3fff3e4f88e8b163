//! Calls from recordings, one at a time. What cannot be read is counted, and the rest is read.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use agents::recording::{Reader, Recorded, Then, from_words};
use model::time;
use serde_json::{Map, Value as Json};
use state::recordings::{Line, Lines};
use state::{Machine, files, log};

use super::progress::Progress;
use super::then::{Logged, Record};
use crate::ui::Printer;

/// A call, and where it was found.
pub(super) struct Found {
    pub(super) file: Rc<str>,
    pub(super) line: u64,
    pub(super) call: Recorded,
    /// What our log says about it.
    pub(super) logged: Option<Logged>,
}

pub(super) struct Sources {
    wanted: VecDeque<PathBuf>,
    open: Option<Open>,
    ready: VecDeque<Found>,
    record: Record,
    /// Where sessions were started, for their subagents, whose recordings begin where those were.
    started: BTreeMap<String, PathBuf>,
    read_before: u64,
    pub(super) progress: Progress,
    pub(super) files: u64,
    pub(super) unreadable: Vec<String>,
    pub(super) lines: u64,
    pub(super) damaged: u64,
    pub(super) too_long: u64,
    pub(super) unknown: BTreeMap<String, u64>,
    /// Calls of the log of which not all is kept there.
    pub(super) not_whole: u64,
}

struct Open {
    name: Rc<str>,
    lines: Lines,
    line: u64,
    reader: Reader,
}

/// What stands in a text in the place of a secret, or of what was cut off.
pub(super) const MASKS: &[&str] = &["***", "…"];

impl Sources {
    pub(super) fn new(machine: &Machine, wanted: Vec<PathBuf>) -> Self {
        let sizes = wanted.iter().map(|file| files::size(file).unwrap_or(0)).sum();
        Self {
            wanted: wanted.into(),
            open: None,
            ready: VecDeque::new(),
            record: Record::read(machine),
            started: BTreeMap::new(),
            read_before: 0,
            progress: Progress::new(sizes),
            files: 0,
            unreadable: Vec::new(),
            lines: 0,
            damaged: 0,
            too_long: 0,
            unknown: BTreeMap::new(),
            not_whole: 0,
        }
    }

    pub(super) fn next_call(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                let done = self.read_before + self.open.as_ref().map_or(0, |open| open.lines.done);
                self.progress.step(done);
                return Some(found);
            }
            let Some(open) = &mut self.open else {
                let path = self.wanted.pop_front()?;
                self.begin(&path);
                continue;
            };
            match open.lines.read_next() {
                Ok(Some(Line::Bytes(bytes))) => {
                    open.line += 1;
                    self.lines += 1;
                    self.take(&bytes);
                }
                Ok(Some(Line::TooLong)) => {
                    open.line += 1;
                    self.lines += 1;
                    self.too_long += 1;
                }
                Ok(None) => self.finish(),
                Err(error) => {
                    let text = format!("{} could not be read to its end: {error}", open.name);
                    self.unreadable.push(text);
                    self.finish();
                }
            }
        }
    }

    fn begin(&mut self, path: &Path) {
        let opened = if path == Path::new("-") { Ok(Lines::of_stdin()) } else { Lines::of_file(path) };
        match opened {
            Ok(lines) => {
                self.files += 1;
                let name: Rc<str> = path.to_string_lossy().into();
                self.open = Some(Open { name, lines, line: 0, reader: Reader::default() });
            }
            Err(error) => self.unreadable.push(format!("{} could not be read: {error}", path.display())),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let Ok(record) = serde_json::from_slice::<Map<String, Json>>(bytes) else {
            self.damaged += 1;
            return;
        };
        let Some(open) = &mut self.open else { return };
        if record.contains_key("verdict") && record.contains_key("event") {
            let (name, line) = (Rc::clone(&open.name), open.line);
            match log::Record::parse(&String::from_utf8_lossy(bytes)) {
                Some(record) => self.take_own(record, name, line),
                None => self.damaged += 1,
            }
            return;
        }
        let calls = open.reader.record(&record);
        self.give(calls);
    }

    /// A line of our own log. It keeps the words of a command, and of other calls only what they were about.
    fn take_own(&mut self, record: log::Record, file: Rc<str>, line: u64) {
        if record.event != "PreToolUse" {
            return;
        }
        if record.tool != "Bash" || MASKS.iter().any(|mask| record.subject.contains(mask)) {
            self.not_whole += 1;
            return;
        }
        let event =
            from_words("claude-code", &record.session, &record.project, &record.tool, &record.subject);
        let call = Recorded {
            event,
            id: String::new(),
            at: time::parse_rfc3339(&record.time),
            started: Some(PathBuf::from(&record.project)),
            branch: None,
            before: Vec::new(),
            then: Then::default(),
        };
        self.ready.push_back(Found { file, line, call, logged: Some(record.into()) });
    }

    fn give(&mut self, calls: Vec<Recorded>) {
        let Some(open) = &self.open else { return };
        for mut call in calls {
            let session = call.event.session.as_str().to_owned();
            if let Some(started) = &call.started {
                let first = self.started.entry(session).or_insert_with(|| started.clone());
                call.started = Some(first.clone());
            }
            let logged = self.record.find(&call.event);
            self.ready.push_back(Found { file: Rc::clone(&open.name), line: open.line, call, logged });
        }
    }

    fn finish(&mut self) {
        let Some(open) = &mut self.open else { return };
        let rest = open.reader.end();
        self.read_before += open.lines.done;
        for (kind, count) in std::mem::take(&mut open.reader.unknown) {
            *self.unknown.entry(kind).or_default() += count;
        }
        self.give(rest);
        self.open = None;
    }

    /// What was not read, for the user.
    pub(super) fn say(&self, printer: &Printer) {
        for text in &self.unreadable {
            printer.note(text);
        }
        if self.damaged > 0 {
            printer.note(&format!("{} damaged lines were left out", self.damaged));
        }
        if self.too_long > 0 {
            printer.note(&format!("{} lines were too long to be read, and left out", self.too_long));
        }
        if self.not_whole > 0 {
            printer.note(&format!(
                "{} calls stand in the log without all of their words, and were left out",
                self.not_whole
            ));
        }
        if !self.unknown.is_empty() {
            let kinds: Vec<String> =
                self.unknown.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
            printer.note(&format!("records of kinds that are not known were left out: {}", kinds.join(", ")));
        }
    }
}
