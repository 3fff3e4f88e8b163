//! The log as it grows. The file is kept open, so that one that is moved aside meanwhile is still read to its end.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use super::Record;
use crate::Machine;

#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    /// `None` until there is a log.
    file: Option<File>,
    /// The beginning of a line whose end is still to come.
    rest: Vec<u8>,
}

impl Tail {
    /// From the beginning of the present file.
    pub fn new(machine: &Machine) -> Self {
        Self { path: super::file(machine), file: None, rest: Vec::new() }
    }

    /// The records that came since the last call, each with its line.
    pub fn more(&mut self) -> io::Result<Vec<(Record, String)>> {
        let mut entries = self.drain()?;
        if self.was_moved() {
            // What was written between reading and moving, and then the new file.
            entries.extend(self.drain()?);
            (self.file, self.rest) = (None, Vec::new());
            entries.extend(self.drain()?);
        }
        Ok(entries)
    }

    fn drain(&mut self) -> io::Result<Vec<(Record, String)>> {
        if self.file.is_none() {
            match File::open(&self.path) {
                Ok(file) => self.file = Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                Err(error) => return Err(error),
            }
        }
        if let Some(file) = &mut self.file {
            file.read_to_end(&mut self.rest)?;
        }
        let end = self.rest.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.rest.drain(..end).collect();
        let read = |line: &[u8]| {
            let line = String::from_utf8_lossy(line);
            Record::parse(&line).map(|record| (record, line.into_owned()))
        };
        Ok(lines.split(|&byte| byte == b'\n').filter_map(read).collect())
    }

    /// Whether the file at our path is no longer the one that is open: a log only grows, so a shorter one is another.
    fn was_moved(&self) -> bool {
        let Some(ours) = self.file.as_ref().and_then(|file| file.metadata().ok()) else { return false };
        self.path.metadata().map_or(true, |present| present.len() < ours.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::append_line;

    #[test]
    fn no_line_is_lost_or_seen_twice_also_when_the_log_is_moved() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", dir.path().to_str().unwrap())], dir.path());
        let path = super::super::file(&machine);
        let mut tail = Tail::new(&machine);
        assert!(tail.more().unwrap().is_empty(), "there is no log yet");
        let line = |number: u32| format!("{{\"verdict\":\"{number}\"}}");
        let told = |tail: &mut Tail| -> Vec<String> {
            tail.more().unwrap().into_iter().map(|(record, _)| record.verdict).collect()
        };
        append_line(&path, &line(1)).unwrap();
        append_line(&path, "no JSON").unwrap();
        append_line(&path, &line(2)).unwrap();
        assert_eq!(told(&mut tail), ["1", "2"]);
        append_line(&path, &line(3)).unwrap();
        std::fs::rename(&path, dir.path().join("log-00000000000000001.jsonl")).unwrap();
        append_line(&path, &line(4)).unwrap();
        assert_eq!(told(&mut tail), ["3", "4"]);
        std::fs::write(&path, format!("{}\n{}", line(4), line(5))).unwrap();
        assert!(tail.more().unwrap().is_empty(), "half a line waits");
        std::fs::write(&path, format!("{}\n{}\n", line(4), line(5))).unwrap();
        assert_eq!(told(&mut tail), ["5"]);
    }
}
