//! A place in the log that outlasts moving: for whoever takes records in batches, now and then.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::{Record, segments};
use crate::{Machine, files};

/// Up to where the log was read. A file is known by the id of its first record, which stays when the file is moved aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Empty before the first record.
    pub file: String,
    pub offset: u64,
}

/// Some records, with the place behind them.
#[derive(Debug, Default)]
pub struct Batch {
    /// Each with the line that it was read from.
    pub records: Vec<(Record, String)>,
    pub end: Position,
    /// Whether the place was no longer there: records were removed before they were read.
    pub lost: bool,
}

/// The next records behind a place, at most `most`, and at most about a file's size. Half a line waits for its end.
pub fn after(machine: &Machine, place: &Position, most: usize) -> Batch {
    let all: Vec<(PathBuf, String)> =
        segments::all(machine).into_iter().filter_map(|path| name(&path).map(|name| (path, name))).collect();
    let at = all.iter().position(|(_, name)| *name == place.file);
    let lost = at.is_none() && !place.file.is_empty();
    let mut batch = Batch { records: Vec::new(), end: place.clone(), lost };
    for (number, (path, name)) in all.iter().enumerate().skip(at.unwrap_or(0)) {
        let offset = if Some(number) == at { place.offset } else { 0 };
        let Some(text) = rest(path, offset) else { continue };
        let mut end = offset;
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            if batch.records.len() == most {
                batch.end = Position { file: name.clone(), offset: end };
                return batch;
            }
            end += line.len() as u64;
            let line = line.trim_end();
            batch.records.extend(Record::parse(line).map(|record| (record, line.to_owned())));
        }
        batch.end = Position { file: name.clone(), offset: end };
    }
    batch
}

/// The place behind everything.
pub fn end(machine: &Machine) -> Position {
    let mut all = segments::all(machine);
    all.reverse();
    let last = all.into_iter().find_map(|path| Some((name(&path)?, files::size(&path).ok()?)));
    last.map_or_else(Position::default, |(file, offset)| Position { file, offset })
}

fn name(path: &std::path::Path) -> Option<String> {
    let first = segments::first_line(path)?;
    let record = Record::parse(&first);
    Some(
        record.map_or_else(
            || crate::sha256(first.as_bytes()).to_string(),
            |record| record.key(first.trim_end()),
        ),
    )
}

fn rest(path: &std::path::Path, offset: u64) -> Option<String> {
    let mut file = files::open(path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    // Whole lines only, so that a letter that is half written is not mistaken for a broken one.
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    bytes.truncate(end);
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        // Byte for byte as long as it was, so that the offset stays right.
        Err(broken) => Some(
            broken.into_bytes().iter().map(|&b| if b.is_ascii() { char::from(b) } else { '?' }).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::append_unreadable;
    use super::*;

    #[test]
    fn a_place_outlasts_moving_and_nothing_comes_twice() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", dir.path().to_str().unwrap())], dir.path());
        assert!(after(&machine, &Position::default(), 10).records.is_empty());
        let told = |batch: &Batch| -> Vec<String> {
            batch.records.iter().map(|(record, _)| record.failures[0].clone()).collect()
        };
        for text in ["a", "b", "c"] {
            append_unreadable(&machine, text).unwrap();
        }
        let first = after(&machine, &Position::default(), 2);
        assert_eq!(told(&first), ["a", "b"]);
        let id = &first.records[0].0.id;
        std::fs::rename(segments::file(&machine), dir.path().join(format!("log-{id}.jsonl"))).unwrap();
        append_unreadable(&machine, "d").unwrap();
        let second = after(&machine, &first.end, 10);
        assert_eq!((told(&second), second.lost), (vec!["c".into(), "d".into()], false));
        assert_eq!(second.end, end(&machine));
        assert!(after(&machine, &second.end, 10).records.is_empty());
        std::fs::remove_file(dir.path().join(format!("log-{id}.jsonl"))).unwrap();
        let rest = after(&machine, &first.end, 10);
        assert_eq!((told(&rest), rest.lost), (vec!["d".into()], true));
    }
}
