//! Append-only files: one line, one write.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use crate::private;

/// Appends `line` and a newline in a single `write` on an `O_APPEND` file, so that lines of parallel processes neither mix nor
/// get lost.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    crate::unwritable::watch(path, append(path, line))
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    let open = || private::options(path).append(true).create(true).open(path);
    let mut file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            open()?
        }
        other => other?,
    };
    write_line(&mut file, line)
}

/// One line, one `write`. The file was opened for appending.
pub(crate) fn write_line(file: &mut File, line: &str) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(line.len() + 1);
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    let written = loop {
        match file.write(&bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if written == bytes.len() {
        return Ok(());
    }
    // The disk is full. The next line would begin in the middle of this one, and both would be lost.
    take_back(file, written);
    Err(io::ErrorKind::StorageFull.into())
}

/// Removes the last `written` bytes, unless somebody else has written after them.
fn take_back(file: &mut File, written: usize) {
    let Ok(end) = file.stream_position() else { return };
    if file.metadata().is_ok_and(|meta| meta.len() == end) {
        let _ = file.set_len(end.saturating_sub(written as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_writers_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/journal");
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for line in 0..200 {
                        append_line(path, &format!("{writer}-{line}-{}", "x".repeat(100))).unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1600);
        assert!(text.lines().all(|line| line.ends_with(&"x".repeat(100)) && line.matches('-').count() == 2));
    }
}
