//! Counts of files that do not change any more, kept beside what else can be had again. Each goes on where the file before it
//! ended, so a count is good only behind the same file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::fold::{Carry, Fold};
use super::{Rollup, Summary};
use crate::{Machine, atomic, files, log};

/// Changes whenever something else is counted.
const FORM: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Kept {
    form: u32,
    /// The file's size.
    size: u64,
    /// The file before it.
    behind: String,
    rollup: Rollup,
    carry: Carry,
}

/// Everything that is in the log.
pub fn summed(machine: &Machine) -> Rollup {
    let folder = machine.cache_dir().join("log");
    let closed = log::closed(machine);
    let mut all = Rollup::new();
    let mut carry = Carry::default();
    let mut behind = String::new();
    for file in &closed {
        let name = name(file);
        let size = files::size(file).unwrap_or(0);
        let place = folder.join(format!("{name}.json"));
        let kept = read(&place).filter(|kept| (kept.form, kept.size, &kept.behind) == (FORM, size, &behind));
        let kept = kept.unwrap_or_else(|| {
            let mut fold = Fold::after(std::mem::take(&mut carry));
            // What was removed meanwhile counts no more.
            let _ = log::each_in(file, &mut |record, _| fold.see(&record));
            fold.carry.shorten();
            let kept =
                Kept { form: FORM, size, behind: behind.clone(), rollup: fold.rollup, carry: fold.carry };
            // Without it the next time takes longer.
            let _ = serde_json::to_vec(&kept).map(|bytes| atomic::write_cache(&place, &bytes));
            kept
        });
        add(&mut all, &kept.rollup);
        carry = kept.carry;
        behind = name;
    }
    sweep(&folder, &closed);
    let mut fold = Fold::after(carry);
    let _ = log::each_in(&log::file(machine), &mut |record, _| fold.see(&record));
    add(&mut all, &fold.rollup);
    all
}

fn add(all: &mut Rollup, more: &Rollup) {
    for (project, summary) in more {
        match all.get_mut(project) {
            Some(known) => known.merge(summary),
            None => drop(all.insert(project.clone(), Summary::clone(summary))),
        }
    }
}

fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(place: &Path) -> Option<Kept> {
    serde_json::from_slice(&files::read_bytes(place).ok()?).ok()
}

/// Counts of files that are gone go too.
fn sweep(folder: &Path, closed: &[PathBuf]) {
    for path in files::list(folder) {
        if !atomic::is_temporary(&path) && !closed.iter().any(|file| name(file) == name(&path)) {
            let _ = files::remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64, event: &str, verdict: &str, more: &str) -> String {
        let time = model::time::rfc3339(1_767_556_000 + number);
        format!(
            r#"{{"v":2,"time":"{time}","id":"{number:016x}-1","agent":"a","session":"s{}","event":"{event}","tool":"Bash","call":"c{}","verdict":"{verdict}","rules":["x/{}"],"micros":{number},"subject":"ls","project":"/p"{more}}}"#,
            number % 3,
            number / 2,
            number % 5,
        )
    }

    fn lint(rules: &[&str]) -> String {
        let found: Vec<String> = rules
            .iter()
            .map(|rule| format!(r#"{{"linter":"ruff","rule":"{rule}","file":"a.py","line":1}}"#))
            .collect();
        format!(r#","lint":{{"files":["a.py"],"open":{},"found":[{}]}}"#, rules.len(), found.join(","))
    }

    /// Cut into files anywhere, cached or not, the counts are the same.
    #[test]
    fn files_and_caches_change_no_count() {
        let mut lines = Vec::new();
        for number in 0..200 {
            let verdict = ["none", "allow", "ask", "deny"][usize::try_from(number / 2 % 4).unwrap()];
            let event = if number % 2 == 0 { "PreToolUse" } else { "PostToolUse" };
            lines.push(line(number, event, verdict, ""));
        }
        lines.push(line(300, "PostToolUse", "deny", &lint(&["F401", "F401", "E501"])));
        lines.push(line(301, "PostToolUse", "none", &lint(&["F401"])));
        let whole = counted(&lines, &[]);
        assert_eq!(whole["/p"].days.values().next().unwrap().fixed, 2);
        for cuts in [&[50][..], &[1, 2, 3], &[51, 101, 151], &[199], &[201]] {
            assert_eq!(counted(&lines, cuts), whole, "{cuts:?}");
        }
    }

    fn counted(lines: &[String], cuts: &[usize]) -> Rollup {
        let dir = tempfile::tempdir().unwrap();
        let text = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        let (state, cache) = (text("state"), text("cache"));
        let machine =
            Machine::with(&[("PLIMSOLL_STATE_DIR", &state), ("XDG_CACHE_HOME", &cache)], dir.path());
        std::fs::create_dir_all(&state).unwrap();
        let mut from = 0;
        for (number, cut) in cuts.iter().enumerate() {
            let part = lines[from..*cut].join("\n") + "\n";
            std::fs::write(dir.path().join(format!("state/log-{number:017x}.jsonl")), part).unwrap();
            from = *cut;
        }
        std::fs::write(log::file(&machine), lines[from..].join("\n") + "\n").unwrap();
        let first = summed(&machine);
        assert_eq!(files::list(&machine.cache_dir().join("log")).len(), cuts.len());
        assert_eq!(summed(&machine), first, "from what was kept");
        first
    }
}
