//! What would be masked in trees of other people's files. Each is for a reader to judge: most trees hold no secret.

use std::path::{Path, PathBuf};

use model::hidden::{self, Source};
use model::{OwnValues, find_secrets};

/// What an agent's tools would show of a file.
const LARGEST: u64 = 4 << 20;

#[derive(Debug, Default)]
struct Seen {
    files: usize,
    masked: usize,
    /// Of these, those that a tool's result would have a mark for: what packages were published with has none.
    shown: usize,
    warned: usize,
}

pub(super) fn run(folders: &[PathBuf], most: usize) -> anyhow::Result<()> {
    let mut seen = Seen::default();
    for folder in folders {
        look(folder, most, &mut seen)?;
    }
    println!(
        "{} files, {} with marks by their text, {} when they are read where they lie, {} with warnings",
        seen.files, seen.masked, seen.shown, seen.warned
    );
    Ok(())
}

fn look(folder: &Path, most: usize, seen: &mut Seen) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            look(&entry.path(), most, seen)?;
        } else if kind.is_file() && seen.files < most && entry.metadata()?.len() <= LARGEST {
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            seen.files += 1;
            let secrets = find_secrets(&text, &OwnValues::default());
            seen.masked += usize::from(!secrets.is_empty());
            let published = model::source::is_published(&entry.path());
            seen.shown += usize::from(secrets.iter().any(|secret| !published || !secret.may_be_published()));
            let hits = hidden::find(&text, Source::File);
            seen.warned += usize::from(!hits.is_empty());
            for hit in hits.iter().take(3) {
                println!(
                    "hidden: {}\t{}\t{:?}",
                    hit.how,
                    entry.path().display(),
                    hit.says.chars().take(120).collect::<String>()
                );
            }
            for secret in secrets {
                let shown: String = text[secret.range.clone()].chars().take(60).collect();
                println!("{}\t{}\t{shown:?}", secret.kind, entry.path().display());
            }
        }
    }
    Ok(())
}
