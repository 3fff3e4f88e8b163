//! The linters themselves, as `plimsoll tools install --all` installs them. Without them these tests say so and pass;
//! `scripts/test` installs them.

use std::path::{Path, PathBuf};

use plimsoll::selftest::{LINT_CASES, LintCase, PAYLOAD_VARIABLES};
use serde_json::json;

use crate::world::{Ran, World, text, write};

/// The cache folder of whoever runs the tests, with tools in it.
fn cache() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let there = ["python", "node"]
        .iter()
        .all(|name| base.join("plimsoll/tools").join(name).join("plimsoll-tools.json").exists());
    if !there {
        eprintln!("not run: there are no linters in {}; scripts/test installs them", base.display());
    }
    there.then_some(base)
}

/// A project with the strict configuration of every linter, and the real linters.
fn strict(cache: &Path) -> World {
    let world = World::without_git().without_stand_ins().with_variable("XDG_CACHE_HOME", cache);
    for file in linters::strict::STRICT {
        world.write(file.name, file.text);
    }
    world
}

fn run(case: &LintCase, cache: &Path) -> Ran {
    let mut world = strict(cache).with_config(case.config);
    for (name, value) in PAYLOAD_VARIABLES {
        world = world.with_variable(name, value);
    }
    for (name, text) in case.with {
        world.write(name, text);
    }
    let file = world.path(case.file);
    write(&file, case.text);
    let project = world.name("");
    let world = world.with_variable("CLAUDE_PROJECT_DIR", project);
    world.run_with(
        &["compat", "multi_linter"],
        json!({"tool_input": {"file_path": text(&file)}}).to_string().as_bytes(),
    )
}

#[test]
fn m01_to_m42() {
    let Some(cache) = cache() else { return };
    let mut wrong = Vec::new();
    // Without its engine nothing looks at JSON.
    let json = strict(&cache).run(&["tools", "list"]).stdout.contains("embedded");
    for case in LINT_CASES.iter().filter(|case| json || case.id != "M12") {
        let ran = run(case, &cache);
        let said = case.says.iter().all(|part| ran.stderr.contains(part));
        let silent = case.exit != 0 || ran.stderr.is_empty();
        if ran.code != Some(i32::from(case.exit)) || !said || !silent || !ran.stdout.is_empty() {
            wrong.push(format!("{} {}: {ran:#?}", case.id, case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
