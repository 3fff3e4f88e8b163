//! The state files that older systems share, in `<project>/.claude`.

use std::io;

use model::state_files::{Record, Strikes};

use crate::written;
use crate::{Machine, Project};

/// Changes one file. One process at a time: between reading a file and putting a new one in its place nobody else may add to it.
pub fn change(machine: &Machine, project: &Project, name: &str, change: &Record) -> io::Result<()> {
    let file = project.claude_dir().join(name);
    // Nothing to take the lock for, which is most of the time.
    let absent_is_fine = matches!(change, Record::Remove | Record::Keep(_) | Record::Delivered(_));
    if absent_is_fine && !file.exists() {
        // What is written there again is not ours.
        return written::forget(machine, &file);
    }
    let _lock = written::lock(machine, &file)?;
    match change {
        Record::Write(text) => written::replace(machine, &file, &with_end(text)),
        Record::Append(line) => written::append(machine, &file, line),
        Record::Strike => {
            let known = written::ours(machine, &file)?.filter(|_| file.exists());
            let strikes = known.map(|text| Strikes::parse(&text)).unwrap_or_default();
            let strikes = Strikes { count: strikes.count + 1, at: machine.now() };
            written::replace(machine, &file, &format!("{strikes}\n"))
        }
        Record::Delivered(text) => {
            written::rework(machine, &file, |now| match now.strip_prefix(text.as_str()) {
                Some(rest) => Some(rest.to_owned()),
                None => without_lines(now, text),
            })
        }
        Record::Keep(most) => written::rework(machine, &file, |text| {
            let lines: Vec<&str> = text.lines().collect();
            let old = lines.len().checked_sub(*most).filter(|old| *old > 0)?;
            Some(with_end(&lines[old..].join("\n")))
        }),
        Record::Remove => written::remove(machine, &file),
    }
}

/// A journal that others write to as well, without the lines that were delivered. `None` where somebody has delivered them already.
fn without_lines(now: &str, delivered: &str) -> Option<String> {
    let delivered: Vec<&str> = delivered.lines().collect();
    let left: Vec<&str> = now.lines().filter(|line| !delivered.contains(line)).collect();
    let gone = left.len() < now.lines().count();
    gone.then(|| with_end(&left.join("\n")))
}

fn with_end(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

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
