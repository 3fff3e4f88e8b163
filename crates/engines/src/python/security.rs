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
        Ok(Bandit { tests: list("tests"), skips: list("skips") })
    }

    pub(crate) fn selects(&self, id: &str) -> bool {
        let listed = |list: &[String]| list.iter().any(|item| item == id);
        (self.tests.is_empty() || listed(&self.tests)) && !listed(&self.skips)
    }
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

/// `# nosec`, or `# nosec B101,B602` with ids; words after it that are no ids silence all.
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
    fn nosec_names_ids_or_means_all() {
        assert!(silenced("assert x  # nosec", "B101"));
        assert!(silenced("assert x  # nosec: B101, B102", "B101"));
        assert!(silenced("assert x  # nosec because of that", "B101"));
        assert!(!silenced("assert x  # nosec B102", "B101"));
        assert!(!silenced("nosec = 1", "B101"));
    }
}
