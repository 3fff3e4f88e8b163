//! `plimsoll replay`: recorded sessions, judged again.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::world::{RUFF, World, program, write};

/// A transcript of a session in this world's project.
struct Transcript<'a> {
    world: &'a World,
    branch: &'static str,
    mode: &'static str,
    text: String,
    calls: usize,
}

impl<'a> Transcript<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, branch: "main", mode: "default", text: String::new(), calls: 0 }
    }

    fn record(&mut self, kind: &str, rest: &Json) {
        let mut record = json!({"type": kind, "sessionId": "rec", "cwd": self.world.name("").trim_end_matches('/'),
            "gitBranch": self.branch, "permissionMode": self.mode, "timestamp": "2026-01-02T03:04:05.678Z"});
        record.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let _ = writeln!(self.text, "{record}");
    }

    /// A call, with what the client wrote down of its result.
    fn call(mut self, tool: &str, input: &Json, result: &Json) -> Self {
        self.calls += 1;
        let id = format!("t{}", self.calls);
        let part = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        self.record("assistant", &json!({"message": {"id": format!("m{id}"), "content": [part]}}));
        let mut rest = json!({"message": {"content": [{"type": "tool_result", "tool_use_id": id}]}});
        rest.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
        self.record("user", &rest);
        self
    }

    fn ran(self, command: &str) -> Self {
        let decision = json!({"permissionDecision": {"decision": "accept", "source": "config"}});
        self.call("Bash", &json!({ "command": command }), &decision)
    }

    /// Writes it where the client keeps it.
    fn kept(self) {
        let folder: String = self
            .world
            .name("")
            .trim_end_matches('/')
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let file = self.world.home().join(".claude/projects").join(folder).join("rec.jsonl");
        write(&file, &self.text);
    }
}

fn rows(world: &World, args: &[&str]) -> Vec<Json> {
    let ran = world.run(&[&["replay", "--calls", "--json"], args].concat()).succeeds();
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is said now, call by call.
fn now(world: &World) -> Vec<String> {
    let said = |row: &Json| {
        let gone = if row["unknown"] == json!([]) { "" } else { " unknown" };
        format!("{}{gone}", row["now"]["verdict"].as_str().unwrap())
    };
    rows(world, &[]).iter().map(said).collect()
}

#[test]
fn a_call_is_judged_as_things_were_and_compared_with_what_was_decided() {
    let world = World::new();
    let refused =
        json!({"toolDenialKind": "hook", "permissionDecision": {"decision": "reject", "source": "hook"}});
    Transcript::new(&world)
        .ran("ls -la")
        .call("Bash", &json!({"command": "sudo rm -rf /"}), &refused)
        .ran("git branch -D topic")
        .call(
            "Edit",
            &json!({"file_path": world.name(RUFF), "old_string": "8", "new_string": "9"}),
            &json!({}),
        )
        .kept();
    let rows = rows(&world, &[]);
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            (row["then"]["verdict"].as_str(), row["now"]["verdict"].as_str().unwrap(), row["changed"] == true)
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some("none"), "allow", true),
            (Some("deny"), "deny", false),
            (Some("none"), "ask", true),
            (None, "deny", false)
        ]
    );
    let table = world.run(&["replay"]).succeeds();
    table.says(&[
        "4 calls of 1 recording:",
        "decided differently than then: 2",
        "shell/discard-work",
        "git branch -D topic",
        "file/linter-config: deny",
    ]);
    world.run(&["replay", "--fail-on", "new-deny"]).succeeds();
    assert_eq!(world.run(&["replay", "--fail-on", "new-ask"]).code, Some(1));
}

#[test]
fn branch_mode_and_files_are_those_of_then() {
    let world = World::new().with_user_config(r#"{"checks": {"shell/commit-on-main": "on"}}"#);
    let mut transcript = Transcript::new(&world).ran("git commit -m x");
    transcript.branch = "topic";
    let script = json!({"file_path": world.name("run.sh"), "content": "sudo rm -rf /\n"});
    let made = json!({"toolUseResult": {"type": "create", "filePath": world.name("run.sh"), "originalFile": null},
        "permissionDecision": {"decision": "accept", "source": "config"}});
    let mut transcript = transcript.ran("git commit -m x").ran("git branch -D topic");
    transcript.mode = "bypassPermissions";
    transcript
        .ran("git branch -D topic")
        .call("Write", &script, &made)
        .ran("bash run.sh")
        .ran("bash gone.sh")
        .kept();
    let now = now(&world);
    assert_eq!(now[0], "deny", "on main");
    assert!(now[1] == "none" || now[1] == "allow", "on another branch: {now:?}");
    assert_eq!(&now[2..4], ["ask", "deny"], "somebody is there to answer, or nobody");
    assert_eq!(now[5], "deny", "the script is in the recording only");
    assert!(now[6].ends_with("unknown"), "nobody knows what it was: {now:?}");
}

#[test]
fn nothing_is_run_and_nothing_is_written() {
    let world =
        World::new().with_user_config(r#"{"profile": "strict"}"#).with("pyproject.toml", "[project]\n");
    world.tool("PreToolUse", "Bash", &json!({"command": "ls"}));
    let transcript = Transcript::new(&world)
        .ran("git commit -am x")
        .ran("git merge topic")
        .ran("git push --force origin topic")
        .ran("pip install reqeusts")
        .ran("pytest")
        .ran("touch made")
        .call(
            "Edit",
            &json!({"file_path": world.name("app.py"), "old_string": "1", "new_string": "2"}),
            &json!({}),
        )
        .call("Write", &json!({"file_path": world.name("new.py"), "content": "x = 1\n"}), &json!({}))
        .call(
            "Edit",
            &json!({"file_path": world.name(RUFF), "old_string": "8", "new_string": "9"}),
            &json!({}),
        );
    transcript.kept();
    // Whatever is started leaves a mark.
    let stubs = world.base().join("bin/stubs");
    for name in ["git", "python3", "ruff", "pytest", "sh", "bash"] {
        program(&stubs.join(name), &format!("echo {name} >> {}", world.base().join("started").display()));
    }
    let world = world.with_variable("PATH", stubs);
    let before = world.snapshot();
    let ran = world.run(&["replay", "--json"]).succeeds();
    assert_eq!(ran.json()["calls"], 9);
    world.run(&["replay", "--log", "--suggest"]).succeeds();
    assert_eq!(world.snapshot(), before);
    assert!(!world.base().join("started").exists());
}

#[test]
fn what_is_damaged_or_not_known_is_counted_and_the_rest_is_read() {
    let world = World::new();
    let mut transcript = Transcript::new(&world).ran("ls");
    transcript
        .text
        .push_str("{\"type\": \"assistant\", \"mess\n\u{0}\u{0}\n[1]\n{\"type\":\"of-tomorrow\"}\n{}\n");
    let transcript = transcript.ran("pwd");
    let cut = transcript.text.len() - 20;
    let damaged = transcript.text[..cut].to_owned();
    let ran = world.run_with(&["replay", "--json", "-"], damaged.as_bytes()).succeeds().json();
    assert_eq!(ran["calls"], 2);
    assert_eq!(ran["read"]["damaged"], 4);
    assert_eq!(ran["read"]["unknown_kinds"], json!({"of-tomorrow": 1, "without a type": 1}));
    let ran = world.run_with(&["replay", "-"], damaged.as_bytes()).succeeds();
    assert!(
        ran.stderr.contains("4 damaged lines") && ran.stderr.contains("of-tomorrow (1)"),
        "{}",
        ran.stderr
    );
}

#[test]
fn other_settings_are_compared_with() {
    let world = World::new();
    Transcript::new(&world).ran("git branch -D topic").ran("ls").kept();
    write(&world.base().join("other.json"), r#"{"checks": {"shell/discard-work": "off"}}"#);
    let other = world.base().join("other.json");
    let other = other.to_str().unwrap();
    let ran = world.run(&["replay", "--against", other, "--json"]).succeeds().json();
    assert_eq!((&ran["new_ask"], &ran["changed"]), (&json!(1), &json!(1)));
    assert_eq!(world.run(&["replay", "--against", other, "--fail-on", "change"]).code, Some(1));
    write(&world.base().join("other.json"), "{broken");
    world.run(&["replay", "--against", other]).fails_saying(&["other.json", "is not JSON"]);
    world.run(&["replay", "nowhere.jsonl"]).fails_saying(&["nowhere.jsonl", "no such recording"]);
    world.run(&["replay", "--last", "soon"]).fails_saying(&["`soon` is not a time"]);
    world.run(&["replay", "--last", "1d"]).succeeds().says(&["0 calls"]);
}

#[test]
fn our_own_log_is_replayed() {
    let world = World::new();
    world.tool("PreToolUse", "Bash", &json!({"command": "git branch -D topic"}));
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    let rows = rows(&world, &["--log"]);
    assert_eq!(rows.len(), 1, "of an edit only the file is kept");
    assert_eq!((&rows[0]["then"]["verdict"], &rows[0]["now"]["verdict"]), (&json!("ask"), &json!("ask")));
}

#[test]
fn habits_become_rules_and_overruled_rules_are_named() {
    let world = World::new();
    let by_hand = json!({"permissionDecision": {"decision": "accept", "source": "user_temporary"}});
    let mut transcript = Transcript::new(&world);
    for target in ["staging", "demo", "test"] {
        let command = format!("fly-ctl deploy {target}");
        transcript = transcript.call("Bash", &json!({ "command": command }), &by_hand);
    }
    // Refused or asked about, and let through all the same.
    let asked = json!({"attachment": {"type": "hook_success", "hookEvent": "PreToolUse", "toolUseID": "t5", "command": "plimsoll hook",
        "stdout": json!({"hookSpecificOutput": {"permissionDecision": "ask"}}).to_string()}});
    transcript = transcript.call("Bash", &json!({"command": "git branch -D topic"}), &json!({}));
    transcript.calls += 1;
    let part =
        json!({"type": "tool_use", "id": "t5", "name": "Bash", "input": {"command": "git branch -D old"}});
    transcript.record("assistant", &json!({"message": {"id": "m5", "content": [part]}}));
    transcript.record("attachment", &asked);
    let mut result = json!({"message": {"content": [{"type": "tool_result", "tool_use_id": "t5"}]}});
    result.as_object_mut().unwrap().extend(by_hand.as_object().unwrap().clone());
    transcript.record("user", &result);
    transcript.kept();
    let said = world.run(&["replay", "--suggest", "--json"]).succeeds().json();
    assert_eq!(said["allow"].as_array().map(Vec::len), Some(1), "{said}");
    assert_eq!(
        (&said["allow"][0]["words"], &said["allow"][0]["approved"]),
        (&json!(["fly-ctl", "deploy"]), &json!(3))
    );
    assert_eq!(said["noise"].as_array().map(Vec::len), Some(1), "{said}");
    assert_eq!(
        (&said["noise"][0]["rule"], &said["noise"][0]["overruled"]),
        (&json!("shell/discard-work"), &json!(1))
    );
    // What is proposed is a rule that keeps its cases.
    write(&world.base().join("new.toml"), said["allow"][0]["rule"].as_str().unwrap());
    let file = world.base().join("new.toml");
    world.run(&["rules", "check", file.to_str().unwrap()]).succeeds();
    world
        .run(&["rules", "suggest", "--last", "36500d"])
        .succeeds()
        .says(&["fly-ctl", "shell/discard-work was overruled"]);
}

/// A file that is larger than anything else that is read, with a line that is none.
#[test]
fn a_file_of_two_hundred_megabytes_is_read() {
    let world = World::new();
    let transcript = Transcript::new(&world).ran("ls");
    let file = world.base().join("large.jsonl");
    write(&file, &transcript.text);
    let mut opened = std::fs::File::options().append(true).open(&file).unwrap();
    // Two hundred megabytes that are nowhere written.
    let length = opened.metadata().unwrap().len() + (200 << 20);
    opened.set_len(length).unwrap();
    let rest = Transcript::new(&world).ran("pwd").text.replace("\"t1\"", "\"t2\"").replace("mt1", "mt2");
    std::io::Write::write_all(&mut opened, format!("\n{rest}").as_bytes()).unwrap();
    drop(opened);
    let ran = world.run(&["replay", "--json", file.to_str().unwrap()]).succeeds();
    assert_eq!((&ran.json()["calls"], &ran.json()["read"]["too_long"]), (&json!(2), &json!(1)));
    let ran = world.run(&["replay", file.to_str().unwrap()]).succeeds();
    assert!(ran.stderr.contains("1 lines were too long"), "{}", ran.stderr);
}
