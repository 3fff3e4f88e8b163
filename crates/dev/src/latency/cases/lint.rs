//! After an edit: the linters of one file, in the hook and each alone. With the tools that `plimsoll tools install` has put into the
//! cache; without them there is nothing to compare, and these cases are left out.

use std::path::{Path, PathBuf};

use linters::{LINTERS, Language, Linter, Places};
use model::config::JsRuntime;
use serde_json::json;
use state::Machine;

use crate::latency::{Case, Stage};
use crate::record::words;

/// One clean file per language, so that no run changes it.
static FILES: &[(Language, &str, &str)] = &[
    (
        Language::Python,
        "app.py",
        "\"\"\"Adds.\"\"\"\n\n\ndef add(first: int, second: int) -> int:\n    \"\"\"Add two numbers.\"\"\"\n    return first + second\n",
    ),
    (Language::Shell, "run.sh", "#!/bin/bash\nname=\"$1\"\necho \"${name}\"\n"),
    (Language::Yaml, "data.yaml", "---\nkey:\n  value: 1\n"),
    (Language::Json, "data.json", "{\n  \"key\": 1\n}\n"),
    (Language::Toml, "data.toml", "[table]\nkey = 1\n"),
    (Language::Markdown, "notes.md", "# Title\n\nA short line.\n"),
    (
        Language::Dockerfile,
        "Dockerfile",
        "FROM ubuntu:24.04\nLABEL maintainer=\"me\" version=\"1.0.0\"\nCOPY app /app\n",
    ),
    (Language::TypeScript, "app.ts", "export const answer: number = 42;\n"),
];

pub(super) fn cases(stage: &Stage) -> anyhow::Result<Vec<Case>> {
    let machine = Machine::real();
    let cache = forgetful(stage, "forgetful", Some(&linters::tools_dir(&machine)))?;
    let bare = forgetful(stage, "bare", None)?;
    let mut all = Vec::new();
    for (setup, subject, pace, engine) in [
        ("thorough", "after an edit, thorough", "thorough", "auto"),
        ("fast", "after an edit, fast", "fast", "auto"),
        // What a machine has that has no linter.
        ("embedded", "after an edit, embedded engines", "fast", "embedded"),
    ] {
        let config = json!({"pace": pace, "engine": engine, "languages": {"typescript": {"enabled": true}}, "phases": {"subprocess_delegation": false}});
        let mut files: Vec<(&str, &str)> = linters::strict::FILES.to_vec();
        files.extend(FILES.iter().map(|(_, name, text)| (*name, *text)));
        let project = stage.project(setup, &config, &files)?;
        for (language, name, text) in FILES {
            let input = json!({"file_path": project.join(name), "content": text});
            let body = json!({"tool_name": "Write", "tool_input": input});
            let mut case = stage.hook(subject, language.key(), &project, "PostToolUse", &body)?.dear();
            let cache = if setup == "embedded" { &bare } else { &cache };
            case.variables.push(("XDG_CACHE_HOME".into(), cache.to_string_lossy().into_owned()));
            if setup == "embedded" {
                case = match language {
                    Language::Toml | Language::Json | Language::Yaml => case.at_most(4.0),
                    _ => case.at_most(12.0),
                };
            }
            all.push(case);
        }
        if setup == "thorough" {
            for (language, name, _) in FILES {
                all.extend(alone(stage, &machine, &project, *language, name));
            }
        }
    }
    Ok(all)
}

/// A cache folder with the tools in it, or without, and no room for what they said: each run is to be a first one.
fn forgetful(stage: &Stage, name: &str, tools: Option<&Path>) -> anyhow::Result<PathBuf> {
    let cache = stage.home().join(name);
    std::fs::create_dir_all(cache.join("plimsoll"))?;
    if let Some(tools) = tools {
        std::os::unix::fs::symlink(tools, cache.join("plimsoll/tools"))?;
    }
    std::fs::write(cache.join("plimsoll/results"), "")?;
    Ok(cache)
}

/// Each linter that the hook runs on the file, by itself, and all of them side by side as a shell would.
fn alone(stage: &Stage, machine: &Machine, project: &Path, language: Language, name: &str) -> Vec<Case> {
    let file: PathBuf = project.join(name);
    let places = Places { machine, project, runtime: JsRuntime::Auto };
    let usual = |linter: &&Linter| {
        let biome_on_json = linter.name == "biome" && language == Language::Json;
        linter.languages.contains(&language) && linter.is_usual() && !biome_on_json
    };
    let one = |linter: &'static Linter| {
        let place = places.find(linter, project)?;
        let job = linter.lint.as_ref()?;
        let args: Vec<String> = place.before.iter().cloned().chain(words(job.args, &file, project)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let case =
            stage.program("the same linters alone", linter.name, &place.program.to_string_lossy(), &args);
        Some(Case { project: project.to_owned(), ..case }.dear())
    };
    let mut cases: Vec<Case> = LINTERS.iter().filter(usual).filter_map(one).collect();
    if cases.len() > 1 {
        let lines: Vec<String> = cases
            .iter()
            .map(|case| format!("{} {} &", case.program.display(), case.args.join(" ")))
            .collect();
        let script = format!("{}\nwait", lines.join("\n"));
        let name = format!("{}: all side by side", language.key());
        let case = stage.program("the same linters alone", &name, "/bin/sh", &["-c", &script]);
        cases.push(Case { project: project.to_owned(), ..case }.dear());
    }
    cases
}
