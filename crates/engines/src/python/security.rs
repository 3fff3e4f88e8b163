//! bandit by ruff's `S` rules: same checks, same numbers, bandit's own comments and settings.

use std::path::Path;

use crate::problem::{Outcome, Problem, Trouble};

const LINTER: &str = "bandit";

/// What `[tool.bandit]` says.
#[derive(Debug, Default)]
pub(crate) struct Bandit {
    /// All, where it is empty.
    tests: Vec<String>,
    skips: Vec<String>,
    /// Paths that are left out, or parts of them.
    exclude_dirs: Vec<String>,
}

impl Bandit {
    pub(crate) fn read(file: &Path, text: &str) -> Outcome<Self> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            Trouble::new(format_args!("{}: {}", file.display(), error.message()))
        })?;
        let bandit = table.get("tool").and_then(|tool| tool.get("bandit"));
        let list = |key: &str| -> Vec<String> {
            let items = bandit.and_then(|bandit| bandit.get(key)).and_then(toml::Value::as_array);
            items.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        Ok(Bandit { tests: list("tests"), skips: list("skips"), exclude_dirs: list("exclude_dirs") })
    }

    /// As bandit has it: whatever the entry occurs in, so that `tests` means `latests.py` too.
    pub(crate) fn excludes(&self, file: &Path) -> bool {
        let file = file.to_string_lossy();
        self.exclude_dirs.iter().any(|entry| file.contains(entry) || is_like(&file, entry))
    }

    pub(crate) fn selects(&self, id: &str) -> bool {
        let listed = |list: &[String]| list.iter().any(|item| item == id);
        (self.tests.is_empty() || listed(&self.tests)) && !listed(&self.skips)
    }
}

/// Whether all of a path is like a pattern in which `*` is anything.
fn is_like(path: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return path == pattern };
    let Some(path) = path.strip_prefix(start) else { return false };
    path.char_indices().map(|(at, _)| at).chain([path.len()]).any(|at| is_like(&path[at..], rest))
}

/// ruff took bandit's numbers over.
pub(crate) fn bandit_id(code: &str) -> String {
    code.replacen('S', "B", 1)
}

/// With bandit's ids, and without those on a line that says `# nosec`.
pub(crate) fn as_bandit(found: Vec<Problem>, text: &str) -> Vec<Problem> {
    let lines: Vec<&str> = text.lines().collect();
    let kept = |problem: &Problem| {
        let line = lines.get(problem.line as usize - 1).copied().unwrap_or_default();
        !silenced(line, &problem.code)
    };
    found
        .into_iter()
        .map(|problem| Problem { code: bandit_id(&problem.code).into(), linter: LINTER, ..problem })
        .filter(kept)
        .collect()
}

/// `# nosec`, or `# nosec B101,B602` with ids; words after it that are not ids silence all.
fn silenced(line: &str, id: &str) -> bool {
    let Some(at) = line.find("nosec") else { return false };
    if !line[..at].trim_end().ends_with('#') {
        return false;
    }
    let rest = line[at + "nosec".len()..].trim_start_matches(':');
    let ids: Vec<&str> = rest
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| {
            word.len() == 4 && word.starts_with('B') && word[1..].bytes().all(|byte| byte.is_ascii_digit())
        })
        .collect();
    ids.is_empty() || ids.contains(&id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bandit_is_told_to_leave_out_is_left_out() {
        let text = "[tool.bandit]\nexclude_dirs = [\"tests\", \"*/gen_*.py\"]\n";
        let bandit = Bandit::read(Path::new("pyproject.toml"), text).unwrap();
        for (file, excluded) in [
            ("/project/tests/probe.py", true),
            ("/project/src/gen_tables.py", true),
            ("/project/src/gen_tables.pyi", false),
            ("/project/src/app.py", false),
        ] {
            assert_eq!(bandit.excludes(Path::new(file)), excluded, "{file}");
        }
    }

    #[test]
    fn nosec_names_ids_or_means_all() {
        assert!(silenced("assert x  # nosec", "B101"));
        assert!(silenced("assert x  # nosec: B101, B102", "B101"));
        assert!(silenced("assert x  # nosec because of that", "B101"));
        assert!(!silenced("assert x  # nosec B102", "B101"));
        assert!(!silenced("nosec = 1", "B101"));
    }
}
