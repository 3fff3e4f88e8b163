//! After an edit: the linters of one file, in the hook and each alone. With the tools that `plimsoll tools install` has put into the
//! cache; without them there is nothing to compare, and these cases are left out.

use std::path::{Path, PathBuf};

use linters::{LINTERS, Language, Linter, Places};
use model::config::JsRuntime;
use serde_json::json;
use state::Machine;
use state::config::Trust;

use crate::latency::beside::Beside;
use crate::latency::{Case, Stage};
use crate::record::words;

/// One clean file per language, so that no run changes it, of a size that people write: with a script of three lines, what is
/// measured is the start of programs.
static FILES: &[(Language, &str, &str)] = &[
    (Language::Python, "app.py", include_str!("../samples/app.py")),
    (Language::Shell, "run.sh", include_str!("../samples/run.sh")),
    (Language::Yaml, "data.yaml", include_str!("../samples/data.yaml")),
    (Language::Json, "data.json", include_str!("../samples/data.json")),
    (Language::Toml, "data.toml", include_str!("../samples/data.toml")),
    (Language::Markdown, "notes.md", include_str!("../samples/notes.md")),
    (Language::Dockerfile, "Dockerfile", include_str!("../samples/Dockerfile")),
    (Language::TypeScript, "app.ts", include_str!("../samples/app.ts")),
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
        // The hook is compared with every tool, also with those that run code of the project.
        stage.trust_tools(&project)?;
        for (language, name, text) in FILES {
            let input = json!({"file_path": project.join(name), "content": text});
            let body = json!({"tool_name": "Write", "tool_input": input});
            let mut case = stage.hook(subject, language.key(), &project, "PostToolUse", &body)?.dear();
            if setup == "thorough" {
                case = case.beside(Beside::Hook(language.key()));
            }
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
    let places = Places { machine, project, runtime: JsRuntime::Auto, trust: Trust::Everything };
    let usual = |linter: &&Linter| {
        let biome_on_json = linter.name == "biome" && language == Language::Json;
        linter.languages.contains(&language) && linter.is_usual() && !biome_on_json
    };
    let one = |linter: &'static Linter| {
        let place = places.find(linter, project)?;
        // The run that does what the hook does.
        let job = linter.glance.as_ref().or(linter.lint.as_ref())?;
        let args: Vec<String> = place.before.iter().cloned().chain(words(job.args, &file, project)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let case = stage.program(
            "thorough: each linter alone",
            linter.name,
            &place.program.to_string_lossy(),
            &args,
        );
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
        let case = stage.program("thorough: each linter alone", &name, "/bin/sh", &["-c", &script]);
        cases.push(Case { project: project.to_owned(), ..case }.dear());
    }
    // Of several, what all of them take together.
    if let Some(last) = cases.pop() {
        cases.push(last.beside(Beside::Tool(language.key())));
    }
    cases
}
