//! The plugin, loaded by the real client from this repository.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use super::{INIT, REASON, RULES, edit, live, read, says, scenario};
use crate::world::{PROGRAM, Ran};

fn folder() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap().join("plugin").to_string_lossy().into_owned()
}

/// The plugin beside what is set up otherwise. `path` is where it finds programs.
fn with_plugin(mut scenario: Json, path: &str) -> Json {
    for word in ["--plugin-dir", &folder()] {
        scenario["args"].as_array_mut().unwrap().push(word.into());
    }
    scenario["env"] = json!({"PATH": path});
    scenario
}

/// PATH with our program's folder in front.
fn path_with_us() -> String {
    let ours = Path::new(PROGRAM).parent().unwrap();
    format!("{}:{}", ours.display(), std::env::var("PATH").unwrap())
}

#[test]
fn it_guards_without_any_settings() {
    let turns = [read(".ruff.toml"), edit(".ruff.toml", "88", "300"), says("Well then.")];
    let scenario = with_plugin(scenario(&["--version"], &turns), &path_with_us());
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model(REASON);
    assert_eq!(run.file(".ruff.toml"), RULES);
    assert!(run.logged().contains(&"PreToolUse deny".to_owned()), "{:?}", run.logged());
}

#[test]
fn beside_registered_hooks_it_says_nothing_twice() {
    let turns = [read(".ruff.toml"), edit(".ruff.toml", "88", "300"), says("Well then.")];
    let scenario = with_plugin(scenario(INIT, &turns), &path_with_us());
    let Some(run) = live(&scenario) else { return };
    let denied = run.logged().iter().filter(|entry| *entry == "PreToolUse deny").count();
    assert_eq!(denied, 1, "{:?}", run.logged());
    assert_eq!(run.model().matches("Protected linter config file").count(), 1, "{}", run.model());
}

#[test]
fn without_the_program_it_says_so_once_and_is_in_nobodys_way() {
    let turns = [read("app.py"), edit("app.py", "x = 1", "x = 2"), says("Done.")];
    let scenario = with_plugin(scenario(&["--version"], &turns), "/usr/bin:/bin");
    let Some(run) = live(&scenario) else { return };
    assert_eq!(run.file("app.py"), "x = 2\n");
    assert!(!run.model().contains("hook"), "{}", run.model());
}

#[test]
fn the_launcher_names_what_is_missing_at_the_start_only() {
    let home = tempfile::tempdir().unwrap();
    let said = |event: &str| {
        let mut command = Command::new(format!("{}/scripts/launch", folder()));
        command.args(["hook", "--plugin"]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Ran::of(command, json!({"hook_event_name": event}).to_string().as_bytes())
    };
    let start = said("SessionStart");
    assert_eq!((start.code, start.stderr.as_str()), (Some(0), ""));
    assert!(start.json()["systemMessage"].as_str().unwrap().contains("is not installed"));
    let call = said("PreToolUse");
    assert_eq!((call.code, call.stdout.as_str(), call.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn the_client_finds_nothing_wrong_with_it() {
    let Some(client) = std::env::var_os("PLIMSOLL_TEST_CLIENT") else { return };
    let home = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/live.py");
    let find = format!(
        "import sys; sys.path.insert(0, {:?}); from live import find_client; print(find_client(sys.argv[1]))",
        script.parent().unwrap()
    );
    let found = Command::new("python3").args(["-B", "-c", &find]).arg(client).output().unwrap();
    let client = String::from_utf8(found.stdout).unwrap();
    for dir in [folder(), Path::new(&folder()).parent().unwrap().to_string_lossy().into_owned()] {
        let mut command = Command::new(client.trim());
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.path());
        let checked = command.args(["plugin", "validate", &dir]).output().unwrap();
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(checked.status.success() && said.contains("Validation passed"), "{said}");
    }
}
