//! The decision log: one JSON line per hook run, in the user's state directory. `line` writes it, `record` reads it, `segments`
//! keeps its files within bounds, `tail` and `position` follow it, `outcome` says what happened then, `rollup` counts. Its fields are in `schema`.

mod line;
mod outcome;
mod position;
mod record;
pub mod rollup;
pub mod schema;
mod segments;
mod tail;

use std::io::{self, BufRead, BufReader};

use crate::{Machine, append_line, files};

pub(crate) use line::write_id;
pub(crate) use segments::keep_to;

pub use line::Entry;
pub use outcome::{Outcome, Outcomes};
pub use position::{Batch, Position, after, end};
pub use record::{Fixer, Found, Lint, Record, Tests};
pub use segments::{Limits, all, closed, file};
pub use tail::Tail;

pub fn append(machine: &Machine, entry: &Entry<'_>, limits: Option<Limits>) -> io::Result<()> {
    segments::rotate_if_full(machine, limits);
    append_line(&file(machine), &entry.line(machine.nanos()))
}

/// A run whose input could not be read.
pub fn append_unreadable(machine: &Machine, reason: &str) -> io::Result<()> {
    segments::rotate_if_full(machine, None);
    append_line(&file(machine), &line::unreadable(machine.nanos(), machine.micros(), reason))
}

/// All records, oldest first.
pub fn read(machine: &Machine) -> Vec<Record> {
    read_on(machine).0
}

/// The same, with what continues exactly where they end.
pub fn read_on(machine: &Machine) -> (Vec<Record>, Tail) {
    let mut records = Vec::new();
    let tail = each(machine, &mut |record, _| records.push(record));
    (records, tail)
}

/// One record after the other, oldest first, with its line; then what continues there. For those who need not have all at once.
pub fn each(machine: &Machine, see: &mut dyn FnMut(Record, &str)) -> Tail {
    each_from(machine, 0, see)
}

/// The same without the oldest files, for those who need only the end of it: the first `skipped` of `closed`.
pub fn each_from(machine: &Machine, skipped: usize, see: &mut dyn FnMut(Record, &str)) -> Tail {
    for path in closed(machine).iter().skip(skipped) {
        // One that was removed meanwhile was the oldest.
        let _ = each_in(path, see);
    }
    let mut tail = Tail::new(machine);
    for (record, line) in tail.more().unwrap_or_default() {
        see(record, &line);
    }
    tail
}

/// How many of the oldest files hold none of the last `wanted` records that `fits`: what `each_from` need not read.
pub fn before_last(machine: &Machine, wanted: usize, fits: &mut dyn FnMut(&Record) -> bool) -> usize {
    let mut files = closed(machine);
    let mut left = wanted;
    let mut path = file(machine);
    loop {
        let mut found = 0;
        // One that is not there has none.
        let _ = each_in(&path, &mut |record, _| found += usize::from(fits(&record)));
        left = left.saturating_sub(found);
        match files.pop() {
            Some(older) if left > 0 => path = older,
            Some(_) => return files.len() + 1,
            None => return 0,
        }
    }
}

/// The records of one file.
pub fn each_in(path: &std::path::Path, see: &mut dyn FnMut(Record, &str)) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(256 * 1024, files::open(path)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        if let Some(record) = Record::parse(&text) {
            see(record, text.trim_end());
        }
        line.clear();
    }
    Ok(())
}
