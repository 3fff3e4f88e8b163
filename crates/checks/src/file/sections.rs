//! Files that hold linter settings among other things: which of those settings an edit touches.
//!
//! `pyproject.toml` and `package.json` are parsed before and after; `setup.cfg` and `tox.ini` are cut into their sections.
//! A file that does not parse is compared by its text, so that breaking a file is no way round.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// The files of which only parts are protected.
pub(crate) const PARTIAL: &[&str] = &["pyproject.toml", "setup.cfg", "tox.ini", "package.json"];

/// Tables under `[tool]` in `pyproject.toml`.
const PYPROJECT: &[&str] = &[
    "ruff",
    "ty",
    "bandit",
    "vulture",
    "flake8",
    "black",
    "isort",
    "mypy",
    "pylint",
    "pyright",
    "pydocstyle",
];

/// Sections of `setup.cfg` and `tox.ini`, by their first word.
const INI: &[&str] =
    &["flake8", "pycodestyle", "pydocstyle", "pylint", "mypy", "isort", "bandit", "vulture", "yapf"];

/// Keys of `package.json`.
const PACKAGE: &[&str] = &["eslintConfig", "eslintIgnore", "prettier", "stylelint", "biome", "knip", "jscpd"];

/// The protected parts that differ between two texts of a file called `name`, for a message.
pub(crate) fn touched(name: &str, before: &str, after: &str) -> Vec<String> {
    let parts = |text: &str| match name {
        "pyproject.toml" => pyproject(text),
        "package.json" => package(text),
        _ => Some(ini(text)),
    };
    match (parts(before), parts(after)) {
        (Some(before), Some(after)) => differences(&before, &after),
        // One of them is no longer what it should be: fall back to lines that speak of a linter.
        _ => differences(&lines(name, before), &lines(name, after)),
    }
}

type Parts = BTreeMap<String, String>;

fn differences(before: &Parts, after: &Parts) -> Vec<String> {
    let mut names: Vec<_> =
        before.keys().chain(after.keys()).filter(|k| before.get(*k) != after.get(*k)).cloned().collect();
    names.sort();
    names.dedup();
    names
}

fn pyproject(text: &str) -> Option<Parts> {
    let toml: toml::Table = toml::from_str(text).ok()?;
    let mut parts = Parts::new();
    if let Some(toml::Value::Table(tool)) = toml.get("tool") {
        for name in PYPROJECT {
            if let Some(value) = tool.get(*name) {
                parts.insert(format!("[tool.{name}]"), format!("{value:?}"));
            }
        }
    }
    Some(parts)
}

fn package(text: &str) -> Option<Parts> {
    if text.trim().is_empty() {
        return Some(Parts::new());
    }
    let Json::Object(object) = serde_json::from_str(text).ok()? else { return None };
    let keys = PACKAGE.iter().filter_map(|key| Some(((*key).to_owned(), object.get(*key)?.to_string())));
    Some(keys.collect())
}

fn ini(text: &str) -> Parts {
    let mut parts = Parts::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        if let Some(header) = line.trim().strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            let first = header
                .trim()
                .trim_start_matches("tool:")
                .split([':', '.', '-', ' '])
                .next()
                .unwrap_or_default();
            current = INI.contains(&first).then(|| format!("[{header}]"));
            if let Some(name) = &current {
                parts.entry(name.clone()).or_default();
            }
        } else if let Some(body) = current.as_ref().and_then(|name| parts.get_mut(name)) {
            let line = line.trim_end();
            if !line.is_empty() {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    parts
}

/// Every line that has a linter's name in it, where the file's own syntax is broken.
fn lines(name: &str, text: &str) -> Parts {
    let words = if name == "package.json" { PACKAGE } else { PYPROJECT };
    let mut parts = Parts::new();
    for word in words {
        let found: Vec<_> = text.lines().filter(|line| line.contains(word)).collect();
        if !found.is_empty() {
            parts.insert((*word).to_owned(), found.join("\n"));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linter_tables_of_a_pyproject_count() {
        let before = "[project]\nname = 'a'\n[tool.ruff]\nline-length = 88\n";
        assert!(touched("pyproject.toml", before, &before.replace("'a'", "'b'")).is_empty());
        assert_eq!(touched("pyproject.toml", before, &before.replace("88", "200")), ["[tool.ruff]"]);
        assert_eq!(touched("pyproject.toml", before, "[project]\nname = 'a'\n"), ["[tool.ruff]"]);
        assert_eq!(
            touched("pyproject.toml", before, &format!("{before}[tool.ruff.lint]\nignore = ['E']\n")),
            ["[tool.ruff]"]
        );
        assert_eq!(touched("pyproject.toml", "", "tool.ty.rules.x = 'ignore'\n"), ["[tool.ty]"]);
        assert!(
            touched("pyproject.toml", before, "# note\n[tool.ruff]\nline-length=88\n[project]\nname='a'")
                .is_empty()
        );
    }

    #[test]
    fn a_broken_pyproject_is_compared_by_lines() {
        let before = "[tool.ruff]\nline-length = 88\n";
        assert!(touched("pyproject.toml", before, "[tool.ruff]\nline-length = 88\n[[[").is_empty());
        assert_eq!(touched("pyproject.toml", before, "[tool.ruf]\nline-length = 88\n[[["), ["ruff"]);
    }

    #[test]
    fn ini_sections_by_their_first_word() {
        let before = "[metadata]\nname = a\n[flake8]\nmax-line-length = 88\n[mypy-foo.*]\nx = 1\n";
        assert!(touched("setup.cfg", before, &before.replace("name = a", "name = b")).is_empty());
        assert_eq!(touched("setup.cfg", before, &before.replace("88", "100")), ["[flake8]"]);
        assert_eq!(touched("tox.ini", before, &before.replace("x = 1", "x = 2")), ["[mypy-foo.*]"]);
    }

    #[test]
    fn package_json_keys() {
        let before = r#"{"name":"a","prettier":{"semi":true}}"#;
        assert!(touched("package.json", before, r#"{"name":"b","prettier":{"semi":true}}"#).is_empty());
        assert_eq!(touched("package.json", before, r#"{"name":"a"}"#), ["prettier"]);
    }
}
