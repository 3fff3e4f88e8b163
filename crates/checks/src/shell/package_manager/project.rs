//! What a project shows of the package managers that it uses.

use std::path::{Path, PathBuf};

use model::Facts;
use serde_json::Value;

use super::form::Ecosystem;

/// By its lock file, or by what it says itself.
pub(super) fn uses(ecosystem: Ecosystem, facts: &dyn Facts) -> bool {
    let read = |name: &str| facts.read(&facts.project().join(name)).ok().flatten();
    match ecosystem {
        Ecosystem::Python => {
            read("pyproject.toml").is_some_and(|text| has_uv_table(&text)) || read("uv.lock").is_some()
        }
        Ecosystem::JavaScript => {
            read("package.json").is_some_and(|text| is_of_bun(&text))
                || ["bun.lock", "bun.lockb"].iter().any(|name| read(name).is_some())
        }
    }
}

fn has_uv_table(toml: &str) -> bool {
    toml.lines().any(|line| {
        let name = line.trim_start().trim_start_matches('[');
        line.trim_start().starts_with('[')
            && name.strip_prefix("tool.uv").is_some_and(|rest| rest.starts_with([']', '.']))
    })
}

pub(super) fn package_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn is_of_bun(text: &str) -> bool {
    package_json(text)["packageManager"]
        .as_str()
        .is_some_and(|name| name == "bun" || name.starts_with("bun@"))
}

/// Whether the package in `cwd` has a script of this name.
pub(super) fn has_script(name: &str, cwd: &str, facts: &dyn Facts) -> bool {
    let dir = if shell::text::is_known(cwd) { PathBuf::from(cwd) } else { facts.project().to_owned() };
    let text = facts.read(&dir.join(Path::new("package.json"))).ok().flatten().unwrap_or_default();
    package_json(&text)["scripts"][name].is_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_uv_is_told_from_others() {
        for (toml, uv) in [
            ("[tool.uv]\n", true),
            ("[project]\n\n  [tool.uv.sources]\nx = 1\n", true),
            ("[[tool.uv.index]]\n", true),
            ("[tool.uvicorn]\n", false),
            ("# [tool.uv]\n", false),
            ("x = \"[tool.uv]\"\n", false),
        ] {
            assert_eq!(has_uv_table(toml), uv, "{toml}");
        }
    }

    #[test]
    fn a_package_says_that_it_is_of_bun() {
        for (json, bun) in [
            (r#"{"packageManager": "bun@1.4.4"}"#, true),
            (r#"{"packageManager":"bun"}"#, true),
            (r#"{"packageManager": "bundler@1"}"#, false),
            (r#"{"packageManager": "pnpm@9"}"#, false),
            (r#"{"description": "\"packageManager\": \"bun\""}"#, false),
            ("{broken", false),
        ] {
            assert_eq!(is_of_bun(json), bun, "{json}");
        }
    }
}
