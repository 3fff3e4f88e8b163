//! What the real client has recorded, judged again: call by call the same as the hook has said then.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use super::{call, live};
use crate::needs::missing;
use crate::world::{PROGRAM, files_below, json_lines};

/// Replays the sessions of a home, and holds each call against the log of then. How many there were.
#[track_caller]
fn equals_what_was_said(home: &Path, project: &Path) -> usize {
    let mut command = Command::new(PROGRAM);
    command.env_clear().env("HOME", home).env("PATH", std::env::var("PATH").unwrap()).current_dir(project);
    let ran = command.args(["replay", "--calls", "--json"]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let key = |tool: &Json, subject: &Json, answer: &Json| {
        let rewritten = answer["besides"].as_array().is_some_and(|all| all.contains(&json!("rewrite")));
        format!("{tool} {subject} {} {} {rewritten}", answer["verdict"], answer["rules"])
    };
    let mut said: BTreeMap<String, i64> = BTreeMap::new();
    let log = home.join(".local/state/plimsoll/log.jsonl");
    for entry in json_lines(&log).iter().filter(|entry| entry["event"] == "PreToolUse") {
        *said.entry(key(&entry["tool"], &entry["subject"], entry)).or_default() += 1;
    }
    let mut calls = 0;
    for line in String::from_utf8_lossy(&ran.stdout).lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        assert_eq!(row["unknown"], json!([]), "{row}");
        *said.entry(key(&row["tool"], &row["subject"], &row["now"])).or_default() -= 1;
        calls += 1;
    }
    let differ: Vec<_> = said.iter().filter(|(_, count)| **count != 0).collect();
    assert!(differ.is_empty(), "said then and not now (+), or the other way round (-): {differ:#?}");
    calls
}

#[test]
fn a_session_of_claude_code() {
    let bash = |command: &str| call("Bash", &json!({ "command": command }));
    let edit = |file: &str, old: &str, new: &str| {
        call("Edit", &json!({"file_path": format!("@PROJECT@/{file}"), "old_string": old, "new_string": new}))
    };
    let Some(run) = live(&json!({
        "prompt": "Go on.",
        "args": ["--permission-mode", "acceptEdits"],
        "files": {"a.py": "A = 1\n", ".ruff.toml": "line-length = 88\n"},
        "setup": [["@BIN@", "init", "--yes"]],
        "turns": [
            bash("ls -la"),
            edit("a.py", "A = 1", "A = 2"),
            edit(".ruff.toml", "88", "300"),
            call("Write", &json!({"file_path": "@PROJECT@/b.sh", "content": "echo hi\n"})),
            bash("bash b.sh"),
            [{"type": "tool_use", "name": "Bash", "input": {"command": "git status"}},
             {"type": "tool_use", "name": "Bash", "input": {"command": "sudo rm -rf /"}}],
            bash("git push --force origin topic"),
            bash("git branch -D topic"),
            bash("pip install reqeusts"),
            call("Agent", &json!({"description": "x", "prompt": "go", "subagent_type": "general-purpose"})),
            [{"type": "text", "text": "Done."}],
        ],
        "subagent_turns": [bash("pwd"), bash("cat ~/.ssh/id_rsa"), [{"type": "text", "text": "ok"}]],
    })) else {
        return;
    };
    assert_eq!(equals_what_was_said(&run.work.join("home"), &run.work.join("project")), 13);
}

#[test]
fn a_session_of_codex() {
    let Some(base) = std::env::var_os("PLIMSOLL_TEST_AGENTS").map(PathBuf::from) else {
        return missing("agents", "PLIMSOLL_TEST_AGENTS names no folder with clients of other agents");
    };
    if !base.join("codex/.ok").exists() {
        return missing("agents", "codex is not installed");
    }
    let dir = tempfile::tempdir().unwrap();
    let scenario = dir.path().join("scenario.json");
    let steps = json!({"files": {"a.txt": "one\n"}, "steps": [
        {"shell": "ls -la"}, {"shell": "git branch -D topic && echo ran > made.txt"},
        {"write": "b.py", "content": "B = 2\n"}, {"edit": "a.txt", "old": "one", "new": "two"},
        {"write": ".claude/settings.json", "content": "{}\n"}, {"shell": "git push --force origin topic"},
        {"text": "finished"}]});
    std::fs::write(&scenario, steps.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live_agents/run.py");
    let done = Command::new("python3")
        .arg(script)
        .args(["codex", "--keep", "--hook", &format!("{PROGRAM} hook --agent codex"), "--scenario"])
        .arg(&scenario)
        .arg("--dir")
        .arg(base.join("codex"))
        .env("TMPDIR", dir.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let log = files_below(dir.path()).into_iter().find(|file| file.ends_with("plimsoll/log.jsonl")).unwrap();
    let home = log.ancestors().find(|dir| dir.ends_with("home")).unwrap();
    assert_eq!(equals_what_was_said(home, &home.with_file_name("project")), 6);
}
