//! The state files that older systems share, in `<project>/.claude`.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::practice::{Record, Strikes};

use crate::{Lock, Machine, Project, beneath, files};

/// Long enough for every other hook to finish a few lines.
const WAIT: Duration = Duration::from_secs(5);

/// Changes one file. One process at a time: between reading a file and putting a new one in its place nobody else may add to it.
pub fn change(machine: &Machine, project: &Project, name: &str, change: &Record) -> io::Result<()> {
    let file = project.claude_dir().join(name);
    // Nothing to take the lock for, which is most of the time.
    let absent_is_fine = matches!(change, Record::Remove | Record::Keep(_) | Record::Delivered(_));
    if absent_is_fine && !file.exists() {
        return Ok(());
    }
    let _lock = Lock::take(&lock_file(machine, &file), WAIT)?;
    match change {
        Record::Write(text) => beneath::write(&project.root, &file, with_end(text).as_bytes()),
        Record::Append(line) => beneath::append_line(&project.root, &file, line),
        Record::Strike => {
            let strikes = files::read(&file)?.map(|text| Strikes::parse(&text)).unwrap_or_default();
            let strikes = Strikes { count: strikes.count + 1, at: machine.now() };
            beneath::write(&project.root, &file, format!("{strikes}\n").as_bytes())
        }
        Record::Delivered(text) => {
            let now = files::read(&file)?.unwrap_or_default();
            match now.strip_prefix(text.as_str()) {
                Some("") => beneath::remove(&project.root, &file),
                Some(rest) => beneath::write(&project.root, &file, rest.as_bytes()),
                // Somebody has delivered it already.
                None => Ok(()),
            }
        }
        Record::Keep(most) => {
            let text = files::read(&file)?.unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            match lines.len().checked_sub(*most) {
                Some(old) if old > 0 => beneath::write(&project.root, &file, with_end(&lines[old..].join("\n")).as_bytes()),
                _ => Ok(()),
            }
        }
        Record::Remove => beneath::remove(&project.root, &file),
    }
}

/// By the folder, so that projects and work trees do not wait for each other.
fn lock_file(machine: &Machine, file: &Path) -> PathBuf {
    let dir = file.parent().and_then(Path::parent).unwrap_or(file);
    Project::at(machine, files::resolve(dir)).records.join("records.lock")
}

fn with_end(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> (tempfile::TempDir, Machine, Project) {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], dir.path());
        let project = Project::at(&machine, dir.path().join("p"));
        (dir, machine, project)
    }

    #[test]
    fn what_was_delivered_goes_and_what_came_after_stays() {
        let (_dir, machine, project) = world();
        let text = || files::read(&project.claude_dir().join("f")).unwrap();
        let apply = |how: &Record| change(&machine, &project, "f", how).unwrap();
        apply(&Record::Append("a|1".into()));
        let delivered = text().unwrap();
        apply(&Record::Append("b|2".into()));
        apply(&Record::Delivered(delivered.clone()));
        assert_eq!(text().as_deref(), Some("b|2\n"));
        apply(&Record::Delivered(delivered));
        assert_eq!(text().as_deref(), Some("b|2\n"), "delivered twice by two hooks, it goes once");
        apply(&Record::Delivered("b|2\n".into()));
        assert_eq!(text(), None);
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let (_dir, machine, project) = world();
        let lines: Vec<String> = (0..150).map(|n| n.to_string()).collect();
        change(&machine, &project, "f", &Record::Write(lines.join("\n"))).unwrap();
        change(&machine, &project, "f", &Record::Keep(100)).unwrap();
        let text = files::read(&project.claude_dir().join("f")).unwrap().unwrap();
        assert_eq!((text.lines().count(), text.lines().next()), (100, Some("50")));
    }

    #[test]
    fn strikes_of_parallel_writers_add_up() {
        let (_dir, machine, project) = world();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        change(&machine, &project, "strikes", &Record::Strike).unwrap();
                    }
                });
            }
        });
        let text = files::read(&project.claude_dir().join("strikes")).unwrap().unwrap();
        assert_eq!(Strikes::parse(&text).count, 80);
    }
}
