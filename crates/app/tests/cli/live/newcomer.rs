//! The way of somebody who has just heard of it: a clean clone, an empty home, the README's commands, another repository, and out again.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{REASON, RULES, edit, live, read, says, scenario};
use crate::world::{PROGRAM, Ran};

fn repository() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    root.to_string_lossy().into_owned()
}

/// Settings as a user has them, spaced in their own way.
const SETTINGS: &str = "{\n\t\"model\": \"opus\",   \n\t\"hooks\": {\"Stop\": []}\n}";

#[test]
pub(super) fn from_a_clean_clone_to_a_guarded_project_and_out_again() {
    let blocked = [read(".ruff.toml"), edit(".ruff.toml", "88", "300"), says("Well then.")];
    let mut scenario = scenario(&["--version"], &blocked);
    scenario["files"][".claude/settings.json"] = SETTINGS.into();
    let path = std::env::var("PATH").unwrap_or_default();
    // Where rustc is a proxy it looks for its toolchain by this; packing asks it for the system's name.
    let home = std::env::var("HOME").unwrap_or_default();
    let rustup = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{home}/.rustup"));
    scenario["env"] = json!({"PATH": format!("@HOME@/.local/bin:{path}"), "RUSTUP_HOME": rustup});
    // Building from an empty cache takes half an hour; what was built for the tests is packed instead, by the clone's own scripts.
    let install = format!(
        "git clone -q '{}' \"$HOME/src\" && cd \"$HOME/src\" && \
         archive=$(scripts/package --bin @BIN@ --to \"$HOME/dist\") && scripts/install --archive \"$archive\"",
        repository()
    );
    scenario["setup"] =
        json!([["bash", "-c", install], ["plimsoll", "init", "--yes"], ["plimsoll", "doctor", "--json"],]);
    // Taken out again, the same agent in the same project is nobody's concern.
    scenario["then"] =
        json!([{"setup": [["plimsoll", "uninstall", "--yes"]], "prompt": "go", "continue": false}]);
    scenario["nested_turns"] = json!([read(".ruff.toml"), edit(".ruff.toml", "88", "99"), says("Done.")]);
    let Some(run) = live(&scenario) else { return };

    let doctor: serde_json::Value =
        serde_json::from_str(run.summary["setup"][2]["stdout"].as_str().unwrap()).unwrap();
    assert_eq!(doctor["good"], true, "{doctor:#}");
    let items = doctor["items"].as_array().unwrap();
    assert!(items.iter().all(|item| item["state"] != "bad"), "{doctor:#}");
    let refused = |item: &serde_json::Value| {
        item["text"].as_str().is_some_and(|text| text.contains("`rm -rf /` is refused"))
    };
    assert!(items.iter().any(refused), "{doctor:#}");

    run.shows_the_model(REASON);
    assert_eq!(run.file(".ruff.toml"), RULES.replace("88", "99"), "the second run was not guarded any more");
    assert_eq!(run.file(".claude/settings.json"), SETTINGS, "byte for byte as it was");
}

/// The first command that the README shows, with the executable of the tests in cargo's place.
#[test]
fn the_first_command_of_the_readme_works_with_an_empty_home() {
    let readme = std::fs::read_to_string(format!("{}/README.md", repository())).unwrap();
    let line = readme.split("```sh\n").nth(1).unwrap().lines().next().unwrap();
    let words = line.strip_prefix("cargo run --release -- ").expect("it needs nothing but Rust and git");
    let home = tempfile::tempdir().unwrap();
    let clone = home.path().join("plimsoll");
    let cloned = Command::new("git").args(["clone", "-q", &repository()]).arg(&clone).status().unwrap();
    assert!(cloned.success());
    let mut command = Command::new(PROGRAM);
    command.args(words.split(' ')).env_clear().current_dir(&clone);
    command.env("HOME", home.path().join("empty")).env("PATH", std::env::var_os("PATH").unwrap());
    command.env("TMPDIR", home.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = Ran::of(command, b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for part in ["deny: ", "runs instead: ", "block: Protected config files changed"] {
        assert!(ran.stdout.contains(part), "«{part}» is not in\n{}", ran.stdout);
    }
    let status = Command::new("git").args(["status", "--porcelain"]).current_dir(&clone).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&status.stdout), "", "it leaves the clone alone");
    assert!(!home.path().join("empty").exists(), "and the home");
}

/// Why `init` and `doctor` speak of it: the client says nothing.
#[test]
pub(super) fn settings_with_a_comment_are_not_read_by_the_client() {
    let turns = [read(".ruff.toml"), edit(".ruff.toml", "88", "300"), says("Done.")];
    let mut scenario = scenario(super::INIT, &turns);
    scenario["files"][".claude/settings.json"] = "{\n  // mine\n}\n".into();
    let Some(run) = live(&scenario) else { return };
    assert!(run.file(".claude/settings.json").contains("PreToolUse"), "they are registered");
    assert_eq!(run.file(".ruff.toml"), RULES.replace("88", "300"), "and nothing is guarded");
    assert!(
        run.summary["setup"][0]["stderr"].as_str().unwrap().contains("silently ignores every hook in it")
    );
}
