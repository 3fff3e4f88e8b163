//! Append-only files: one line, one write.

use std::io::{self, Write};
use std::path::Path;

/// Appends `line` and a newline in a single `write` on an `O_APPEND` file, so that lines of parallel processes neither mix nor
/// get lost.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let open = || std::fs::OpenOptions::new().append(true).create(true).open(path);
    let mut file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            open()?
        }
        other => other?,
    };
    let mut bytes = Vec::with_capacity(line.len() + 1);
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    file.write_all(&bytes)
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
