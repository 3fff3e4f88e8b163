//! Recordings of sessions on disk: where clients keep them, and their lines, one at a time and bounded.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::{Machine, files};

/// A line that is longer holds a whole repository, or is none.
const LONGEST: usize = 64 << 20;

/// Folders are looked through this deep: a client's own are four.
const DEEPEST: usize = 8;

/// Where Claude Code and Codex keep their sessions.
pub fn folders(machine: &Machine) -> Vec<PathBuf> {
    let Some(home) = machine.home() else { return Vec::new() };
    [".claude/projects", ".codex/sessions"].iter().map(|name| home.join(name)).collect()
}

/// All recordings below a folder that were written at this time or later, each session before its subagents.
pub fn below(folder: &Path, since: u64) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((dir, depth)) = open.pop() {
        for entry in files::entries(&dir) {
            if entry.is_dir && depth < DEEPEST {
                open.push((entry.path, depth + 1));
            } else if entry.is_file
                && entry.path.extension().is_some_and(|ending| ending == "jsonl")
                && files::modified(&entry.path).is_some_and(|at| at >= since)
            {
                found.push(entry.path);
            }
        }
    }
    found.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    found
}

/// One line of a recording.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    Bytes(Vec<u8>),
    /// It was left out, being longer than is ever kept.
    TooLong,
}

/// The lines of a recording.
pub struct Lines {
    reader: Box<dyn BufRead>,
    longest: usize,
    /// Bytes that were read so far.
    pub done: u64,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("done", &self.done).finish_non_exhaustive()
    }
}

impl Lines {
    pub fn of_file(path: &Path) -> io::Result<Self> {
        Ok(Self::new(Box::new(BufReader::with_capacity(1 << 18, files::open(path)?)), LONGEST))
    }

    pub fn of_stdin() -> Self {
        Self::new(Box::new(io::stdin().lock()), LONGEST)
    }

    fn new(reader: Box<dyn BufRead>, longest: usize) -> Self {
        Self { reader, longest, done: 0 }
    }

    /// The next one that is not empty; `None` at the end.
    pub fn read_next(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut too_long = false;
        loop {
            let part = self.reader.fill_buf()?;
            if part.is_empty() {
                return Ok((too_long || !line.is_empty()).then(|| self.finished(line, too_long)));
            }
            let end = part.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(part.len(), |end| end + 1);
            let text = &part[..end.unwrap_or(part.len())];
            if too_long || line.len() + text.len() > self.longest {
                too_long = true;
                line = Vec::new();
            } else {
                line.extend_from_slice(text);
            }
            self.reader.consume(used);
            self.done += used as u64;
            if end.is_some() && (too_long || !line.trim_ascii().is_empty()) {
                return Ok(Some(self.finished(line, too_long)));
            }
            if end.is_some() {
                line.clear();
            }
        }
    }

    fn finished(&self, line: Vec<u8>, too_long: bool) -> Line {
        if too_long { Line::TooLong } else { Line::Bytes(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_the_rest_is_read() {
        let text = b"one\n\n0123456789\ntwo\r\nthree".to_vec();
        let mut lines = Lines::new(Box::new(BufReader::with_capacity(4, io::Cursor::new(text))), 8);
        let mut all = Vec::new();
        while let Some(line) = lines.read_next().unwrap() {
            all.push(line);
        }
        let bytes = |text: &str| Line::Bytes(text.into());
        assert_eq!(all, [bytes("one"), Line::TooLong, bytes("two\r"), bytes("three")]);
        assert_eq!(lines.done, 26);
    }
}
