//! Files that hold linter settings among other things: which of those settings an edit touches.
//!
//! `pyproject.toml` and `package.json` are parsed before and after; `setup.cfg` and `tox.ini` are cut into their sections.
//! A file that does not parse is compared by its text, so that breaking a file is no way round. Of `tsconfig.json` only what makes the
//! compiler less strict counts.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// The files of which only parts are protected.
pub(crate) const PARTIAL: &[&str] = &["pyproject.toml", "setup.cfg", "tox.ini", "package.json"];

/// Settings of the TypeScript compiler. The stop does not look at them: every new project has one.
const TYPES: &[&str] =
    &["tsconfig.json", "tsconfig.base.json", "tsconfig.app.json", "tsconfig.node.json", "jsconfig.json"];

/// All files of which only parts are protected.
pub(crate) fn partial() -> impl Iterator<Item = &'static str> {
    PARTIAL.iter().chain(TYPES).copied()
}

/// What makes the compiler strict, where it is `true`.
const STRICT: &[&str] = &[
    "alwaysStrict",
    "exactOptionalPropertyTypes",
    "noFallthroughCasesInSwitch",
    "noImplicitAny",
    "noImplicitOverride",
    "noImplicitReturns",
    "noImplicitThis",
    "noPropertyAccessFromIndexSignature",
    "noUncheckedIndexedAccess",
    "noUnusedLocals",
    "noUnusedParameters",
    "strict",
    "strictBindCallApply",
    "strictFunctionTypes",
    "strictNullChecks",
    "strictPropertyInitialization",
    "useUnknownInCatchVariables",
];

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
    if TYPES.contains(&name) {
        return loosened(before, after);
    }
    let parts = |text: &str| match name {
        "pyproject.toml" => pyproject(text),
        "package.json" => package(text),
        _ => Some(ini(text)),
    };
    match (parts(before), parts(after)) {
        (Some(before), Some(after)) => differences(&before, &after),
        // One of them is no longer what it should be: fall back to what is under its headings, or lines that speak of a linter.
        _ if name == "pyproject.toml" => differences(&headed(before), &headed(after)),
        _ => differences(&lines(before), &lines(after)),
    }
}

/// Settings that say less than they did: `true` before and not after, or `false` after and not before.
fn loosened(before: &str, after: &str) -> Vec<String> {
    let said = |text: &str, key: &str| {
        let mut values = text.lines().filter_map(|line| {
            let line = line.split("//").next().unwrap_or_default();
            let rest = line.split_once(&format!("\"{key}\""))?.1.trim_start().strip_prefix(':')?.trim_start();
            Some(if rest.starts_with("true") { 2 } else { 0 })
        });
        values.next_back().unwrap_or(1)
    };
    let weaker = |key: &&&str| said(after, key) < said(before, key);
    STRICT.iter().filter(weaker).map(|key| (*key).to_owned()).collect()
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
    sections(text, |header| {
        let first = header.trim_start_matches("tool:").split([':', '.', '-', ' ']).next().unwrap_or_default();
        INI.contains(&first)
    })
}

/// The same of a `pyproject.toml` that does not parse.
fn headed(text: &str) -> Parts {
    sections(text, |header| {
        let name = header.trim_start_matches('[').strip_prefix("tool.").unwrap_or_default();
        PYPROJECT.contains(&name.split('.').next().unwrap_or_default())
    })
}

/// What is under the headings that count.
fn sections(text: &str, counts: impl Fn(&str) -> bool) -> Parts {
    let mut parts = Parts::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        // An array has its brackets somewhere else.
        let header = line.starts_with('[').then(|| line[1..].split(']').next()).flatten();
        if let Some(header) = header {
            current = counts(header.trim()).then(|| format!("[{header}]"));
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

/// Every line that has a linter's name in it, of a `package.json` that does not parse.
fn lines(text: &str) -> Parts {
    let mut parts = Parts::new();
    for word in PACKAGE {
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
    fn a_broken_pyproject_is_compared_by_its_headings() {
        let before = "[tool.ruff]\nline-length = 88\n";
        assert!(touched("pyproject.toml", before, "[tool.ruff]\nline-length = 88\n[[[").is_empty());
        for after in
            ["[tool.ruf]\nline-length = 88\n[[[", "[tool.ruff]\nline-length = \n", "[tool.ruff]\n[[["]
        {
            assert_eq!(touched("pyproject.toml", before, after), ["[tool.ruff]"], "{after}");
        }
    }

    #[test]
    fn a_compiler_that_is_told_to_look_away() {
        let strict =
            "{ // ours\n  \"compilerOptions\": {\n    \"strict\": true,\n    \"target\": \"es2022\",\n  }\n}";
        for (after, said) in [
            (strict.replace("true", "false"), &["strict"][..]),
            (strict.replace("    \"strict\": true,\n", ""), &["strict"]),
            (strict.replace("true,", "true, // \"strict\": false"), &[]),
            (strict.replace("true,", "true,\n\"noImplicitAny\": false,"), &["noImplicitAny"]),
            (strict.replace("es2022", "es2023"), &[]),
        ] {
            assert_eq!(touched("tsconfig.json", strict, &after), said, "{after}");
        }
        assert!(touched("tsconfig.json", &strict.replace("true", "false"), strict).is_empty());
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
