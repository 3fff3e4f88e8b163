//! The real client, offline: a scripted model on 127.0.0.1 says what to do, the client does it and calls our hooks.
//!
//! `tests/live/live.py` drives it; its head lists the keys of a scenario and of the summary. Without a client
//! (`PLIMSOLL_TEST_CLIENT`) these tests are skipped; `scripts/test` always gives one.

mod after;
mod answers;
mod autonomy;
mod clone;
mod coverage;
mod events;
mod everywhere;
mod lint;
mod newcomer;
mod plugin;
mod replay;
mod screen;
mod shell;
mod tools;
mod work;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::needs::missing;
use crate::world::{PROGRAM, Ran, files_below, json_lines};

const RULES: &str = "line-length = 88\n";

/// What a run left: the client's summary, and its folder until the test ends.
struct Live {
    _dir: TempDir,
    summary: Json,
    work: PathBuf,
}

/// Runs a scenario, or says why not.
#[track_caller]
fn live(scenario: &Json) -> Option<Live> {
    let Some(client) = std::env::var_os("PLIMSOLL_TEST_CLIENT") else {
        missing("client", "PLIMSOLL_TEST_CLIENT names no client; scripts/test installs it");
        return None;
    };
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/live.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .args(["/dev/stdin", "--full", "--keep", "--claude"])
        .arg(client)
        .args(["--bin", PROGRAM]);
    // Everything of the run lies in our folder, and nothing beside the sources.
    command.env("TMPDIR", dir.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = Ran::of(command, scenario.to_string().as_bytes());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stderr, ran.stdout);
    let summary = ran.json();
    let work = PathBuf::from(summary["work"].as_str().unwrap());
    assert_eq!(summary["timed_out"], false);
    // On a screen the client looks for news of its maker too; it is refused.
    if scenario.get("screen").is_none() {
        let asked = (&summary["blocked"], &summary["others"]);
        assert_eq!(asked, (&json!([]), &json!([])), "only the model was asked");
    }
    let run = Live { _dir: dir, summary, work };
    run.note(scenario);
    Some(run)
}

impl Live {
    /// Leaves what happened for `cargo dev live`, which makes a page of it.
    fn note(&self, scenario: &Json) {
        let Some(folder) = std::env::var_os("PLIMSOLL_LIVE_NOTES") else { return };
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        let log = self.work.join("home/.local/state/plimsoll/log.jsonl");
        let answers: Vec<Json> = if log.exists() { json_lines(&log) } else { Vec::new() };
        // Answers that a hook of the scenario has printed for us.
        let files = scenario["files"].as_object().into_iter().flatten();
        let printed: Vec<Json> = files
            .filter_map(|(name, text)| {
                let event = name.strip_prefix(".answers/")?.strip_suffix(".out")?;
                let text = text.as_str().filter(|text| !text.is_empty());
                let text = text.or_else(|| scenario["files"][format!(".answers/{event}.err")].as_str())?;
                Some(json!({"event": event, "text": text.trim()}))
            })
            .collect();
        let shown = format!("{}\n{}", self.shown_from(0), self.subagents());
        // The client's own words around what a hook said.
        let marks =
            ["hook error", "hook additional context", "hook feedback", "hook success", "blocking error"];
        let said: Vec<String> = shown
            .lines()
            .filter(|line| marks.iter().any(|mark| line.contains(mark)))
            .map(|line| self.anywhere(line))
            .collect();
        let note = json!({"scenario": test, "answers": answers, "printed": printed, "shown": said});
        // A test with several runs has a file for each.
        let number = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        let file = Path::new(&folder).join(format!("{}-{number}.json", test.replace("::", "-")));
        std::fs::write(file, note.to_string()).unwrap();
    }

    /// A text without the places of this machine.
    fn anywhere(&self, text: &str) -> String {
        let work = self.work.to_string_lossy();
        text.replace(&format!("{work}/project"), "PROJECT")
            .replace(&*work, "WORK")
            .replace(PROGRAM, "plimsoll")
    }

    /// What subagents were shown.
    fn subagents(&self) -> String {
        let steps = self.summary["subagent_view"].as_array().into_iter().flatten();
        let messages = steps.flat_map(|step| step["new"].as_array().into_iter().flatten());
        let theirs = messages.filter(|message| message["role"] != "assistant");
        let texts = theirs.flat_map(|message| message["content"].as_array().into_iter().flatten());
        texts.filter_map(|entry| entry["text"].as_str()).collect::<Vec<_>>().join("\n")
    }

    /// What the model was shown, from its second request on, without its own words.
    fn model(&self) -> String {
        self.shown_from(1)
    }

    fn shown_from(&self, request: usize) -> String {
        let steps = self.summary["model_view"].as_array().unwrap().iter().skip(request);
        let messages = steps.flat_map(|step| step["new"].as_array().unwrap());
        let theirs = messages.filter(|message| message["role"] != "assistant");
        let texts = theirs.flat_map(|message| message["content"].as_array().unwrap());
        texts.filter_map(|entry| entry["text"].as_str()).collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    fn file(&self, name: &str) -> String {
        let path = self.work.join("project").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn has(&self, name: &str) -> bool {
        self.work.join("project").join(name).exists()
    }

    /// Our decision log, where it lies without any variable of ours.
    #[track_caller]
    fn log(&self) -> Vec<Json> {
        json_lines(&self.work.join("home/.local/state/plimsoll/log.jsonl"))
    }

    /// The log as `event verdict`.
    fn logged(&self) -> Vec<String> {
        let word = |entry: &Json, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        self.log()
            .iter()
            .map(|entry| format!("{} {}", word(entry, "event"), word(entry, "verdict")))
            .collect()
    }

    /// What the client has put before the user: lines of its stream (`--output-format stream-json`), and what it noted in the
    /// transcripts of subagents, whose notices are shown there and nowhere else.
    fn told_the_user(&self) -> String {
        let mut told = self.summary["stdout"].as_str().unwrap_or_default().to_owned();
        let transcripts = files_below(&self.work.join("home/.claude/projects")).into_iter();
        for file in transcripts.filter(|file| file.parent().is_some_and(|dir| dir.ends_with("subagents"))) {
            let text = std::fs::read_to_string(file).unwrap();
            for line in text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
                let note = &line["attachment"];
                if note["type"] == "hook_system_message" {
                    told.push_str(note["content"].as_str().unwrap_or_default());
                }
            }
        }
        told
    }

    #[track_caller]
    fn shows_the_model(&self, part: &str) {
        let shown = self.model();
        assert!(shown.contains(part), "the model was not shown «{part}», but\n{shown}");
    }

    #[track_caller]
    fn shows_the_model_nothing_of_ours(&self) {
        // Where the work stands is said at the start of every session.
        let shown =
            self.shown_from(0).replace("SessionStart hook additional context: Git: branch=", "Git: branch=");
        assert!(!shown.to_lowercase().contains("plimsoll"), "{shown}");
        // The client's own words around the text of a hook.
        for words in
            ["hook error", "hook additional context", "hook feedback", "hook success", "blocking error"]
        {
            assert!(!shown.contains(words), "{words}: {shown}");
        }
    }
}

fn call(tool: &str, input: &Json) -> Json {
    json!([{"type": "tool_use", "name": tool, "input": input}])
}

fn read(file: &str) -> Json {
    call("Read", &json!({"file_path": format!("@PROJECT@/{file}")}))
}

fn edit(file: &str, old: &str, new: &str) -> Json {
    call("Edit", &json!({"file_path": format!("@PROJECT@/{file}"), "old_string": old, "new_string": new}))
}

fn bash(command: &str) -> Json {
    call("Bash", &json!({"command": command, "description": "d"}))
}

fn says(text: &str) -> Json {
    json!([{"type": "text", "text": text}])
}

/// A project with rules and code, set up as a user does it, and what the model does there.
fn scenario(setup: &[&str], turns: &[Json]) -> Json {
    let setup: Vec<&str> = ["@BIN@"].iter().chain(setup).copied().collect();
    json!({
        "prompt": "go",
        "args": ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
        "files": {".ruff.toml": RULES, "app.py": "x = 1\n"},
        "setup": [setup],
        "turns": turns,
    })
}

const INIT: &[&str] = &["init", "--yes"];
const REASON: &str =
    "PreToolUse:Edit hook error: Protected linter config file (.ruff.toml). Fix the code, not the rules.";

#[test]
fn an_edit_of_the_rules_is_refused_and_the_model_told_why() {
    let turns = [read(".ruff.toml"), edit(".ruff.toml", "88", "300"), says("Well then.")];
    let Some(run) = live(&scenario(INIT, &turns)) else { return };
    run.shows_the_model(REASON);
    assert_eq!(run.file(".ruff.toml"), RULES);
    assert_eq!(run.summary["result"]["permission_denials"][0]["tool_name"], "Edit");
    assert_eq!(run.summary["result"]["result"], "Well then.");
}

#[test]
fn an_ordinary_edit_passes_and_the_model_hears_nothing_of_us() {
    let turns = [read("app.py"), edit("app.py", "x = 1", "x = 2"), says("Done.")];
    let Some(run) = live(&scenario(INIT, &turns)) else { return };
    assert_eq!(run.file("app.py"), "x = 2\n");
    run.shows_the_model_nothing_of_ours();
    assert_eq!(run.summary["result"]["permission_denials"], json!([]));
}

#[test]
fn the_hooks_that_init_registers_are_called() {
    let turns = [read("app.py"), edit("app.py", "x = 1", "x = 2"), says("Done.")];
    let Some(run) = live(&scenario(INIT, &turns)) else { return };
    for expected in
        ["SessionStart none", "UserPromptSubmit none", "PreToolUse none", "PostToolUse none", "Stop none"]
    {
        assert!(run.logged().iter().any(|entry| entry == expected), "{expected}: {:?}", run.logged());
    }
    let session = run.summary["result"]["session_id"].as_str().unwrap();
    for entry in run.log() {
        assert_eq!(entry["session"], session, "{entry}");
        assert_eq!(entry["project"], run.summary["project"], "{entry}");
        assert_eq!(entry.get("failures"), None, "{entry}");
    }
    // The journal was there for the summary, and ended with the session.
    assert!(!run.has(&format!(".claude/.session-changes-{session}")));
    assert!(
        run.shown_from(0).contains("SessionStart hook additional context: Git: branch=main"),
        "{}",
        run.shown_from(0)
    );
}

/// Another program's hook, such as a formatter, writes the rules after each command of the agent.
fn with_meddler(mut scenario: Json) -> Json {
    let write = "printf 'line-length = 300\\n' > \"$CLAUDE_PROJECT_DIR/.ruff.toml\"";
    scenario["settings"] = json!({"hooks": {"PostToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": write}]},
    ]}});
    scenario
}

#[test]
fn a_stop_after_the_rules_were_changed_is_held_once() {
    let turns = [bash("true"), says("Done."), says("Done, I said.")];
    let Some(run) = live(&with_meddler(scenario(INIT, &turns))) else { return };
    run.shows_the_model(
        "Stop hook feedback:\nProtected config files changed in this session:\n  - .ruff.toml (modified)",
    );
    run.shows_the_model("restore: git checkout -- .ruff.toml");
    let stops: Vec<String> = run.logged().into_iter().filter(|entry| entry.starts_with("Stop")).collect();
    assert_eq!(stops, ["Stop deny", "Stop none"]);
    assert_eq!(run.model().matches("Stop hook feedback").count(), 1);
    assert_eq!(run.summary["turns"]["main"]["served"], 3);
    assert_eq!(run.summary["result"]["result"], "Done, I said.");
}

#[test]
fn an_approval_is_the_users_to_give_and_holds_for_the_session() {
    let turns = [
        bash("true"),
        says("Done."),
        bash("@BIN@ approve -- .ruff.toml"),
        says("You decide."),
        says("Nothing more."),
    ];
    let mut scenario = with_meddler(scenario(INIT, &turns));
    // In a terminal of their own.
    scenario["then"] =
        json!([{"setup": [["@BIN@", "approve", "--yes", "--", ".ruff.toml"]], "prompt": "anything else?"}]);
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model("Only the user may run `plimsoll approve`.");
    let stops: Vec<String> = run.logged().into_iter().filter(|entry| entry.starts_with("Stop")).collect();
    assert_eq!(stops, ["Stop deny", "Stop none", "Stop none"], "held, gone through, and not held again");
}

#[test]
fn what_was_dirty_before_the_session_does_not_hold_it() {
    let mut scenario = scenario(INIT, &[says("Nothing to do.")]);
    scenario["setup"].as_array_mut().unwrap().push(json!(["sh", "-c", "echo mine > .ruff.toml"]));
    let Some(run) = live(&scenario) else { return };
    assert_eq!(run.logged(), ["SessionStart none", "UserPromptSubmit none", "Stop none", "SessionEnd none"]);
    run.shows_the_model_nothing_of_ours();
}

const NOTEBOOK: &str = r#"{"cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [], "execution_count": null,
    "source": "x = 1"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;

#[test]
fn writes_and_notebook_edits_of_protected_files_are_refused() {
    let turns = [
        call("Write", &json!({"file_path": "@PROJECT@/web/biome.json", "content": "{}"})),
        call("Write", &json!({"file_path": "@PROJECT@/src/../.claude/settings.json", "content": "{}"})),
        call("ToolSearch", &json!({"query": "select:NotebookEdit"})),
        read(".claude/hooks/n.ipynb"),
        call(
            "NotebookEdit",
            &json!({
                "notebook_path": "@PROJECT@/.claude/hooks/n.ipynb", "cell_id": "c1", "new_source": "x = 2",
            }),
        ),
        says("Well then."),
    ];
    let mut scenario = scenario(INIT, &turns);
    scenario["files"][".claude/hooks/n.ipynb"] = NOTEBOOK.into();
    // The first config of a tool is a question; a second one is not.
    scenario["files"]["biome.json"] = "{}".into();
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model("PreToolUse:Write hook error: Protected linter config file (biome.json).");
    // The client takes the `..` out before it asks, and then gives the reason without its own words.
    run.shows_the_model(
        "Protected Claude Code config (settings.json). Hook scripts and settings are immutable.",
    );
    run.shows_the_model("PreToolUse:NotebookEdit hook error: Protected Claude Code config (n.ipynb).");
    assert!(!run.has("web/biome.json"));
    assert!(run.file(".claude/settings.json").contains("PreToolUse"));
    assert_eq!(run.file(".claude/hooks/n.ipynb"), NOTEBOOK);
}

#[test]
fn hooks_in_the_users_own_settings_guard_every_project() {
    let turns = [read(".ruff.toml"), edit(".ruff.toml", "88", "300"), says("Well then.")];
    let Some(run) = live(&scenario(&["init", "--yes", "--scope", "user"], &turns)) else { return };
    assert!(!run.has(".claude/settings.json"));
    run.shows_the_model(REASON);
    assert_eq!(run.file(".ruff.toml"), RULES);
}

#[test]
fn an_older_model_is_told_the_same() {
    let turns = [
        read(".ruff.toml"),
        edit(".ruff.toml", "88", "300"),
        bash("true"),
        says("Done."),
        says("Done, I said."),
    ];
    let mut scenario = with_meddler(scenario(INIT, &turns));
    scenario["args"].as_array_mut().unwrap().extend([json!("--model"), json!("claude-sonnet-4-5")]);
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model(REASON);
    run.shows_the_model("Protected config files changed in this session:\n  - .ruff.toml (modified)");
    assert_eq!(run.summary["result"]["result"], "Done, I said.");
}

#[test]
fn a_warning_reaches_the_model_and_does_not_stop_it() {
    let turns = [read(".ruff.toml"), edit(".ruff.toml", "88", "100"), says("Done."), says("Done, I said.")];
    let mut scenario = scenario(INIT, &turns);
    let config = r#"mkdir -p "$HOME/.claude/hooks" && echo '{"checks": {"file/linter-config": "warn"}}' > "$HOME/.claude/hooks/config.json""#;
    scenario["setup"].as_array_mut().unwrap().push(json!(["sh", "-c", config]));
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model("[hook:warning] file/linter-config: Protected linter config file (.ruff.toml).");
    assert_eq!(run.file(".ruff.toml"), "line-length = 100\n");
}

#[test]
fn a_broken_config_does_not_disturb_the_run_and_protection_stays() {
    let turns = [read(".ruff.toml"), edit(".ruff.toml", "88", "300"), says("Well then.")];
    let mut scenario = scenario(INIT, &turns);
    scenario["setup"].as_array_mut().unwrap().push(json!([
        "sh",
        "-c",
        "echo '{broken' > .claude/hooks/config.json"
    ]));
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model(REASON);
    // It is for the user; the model could not fix it.
    assert!(!run.shown_from(0).contains("is not JSON"), "{}", run.shown_from(0));
    assert_eq!(run.summary["result"]["result"], "Well then.");
    assert_eq!(run.logged()[0], "SessionStart none");
}

/// A hook of ours whose program is not there, as on the machine of a colleague who has no plimsoll.
fn without_the_program(more: &Json) -> Json {
    let mut handler =
        json!({"type": "command", "command": "/no/such/plimsoll", "args": ["hook", "--deadline", "30"]});
    handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({
        "prompt": "go",
        "args": ["--permission-mode", "acceptEdits"],
        "files": {"app.py": "x = 1\n"},
        "settings": {"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [handler]}]}},
        "turns": [read("app.py"), edit("app.py", "x = 1", "x = 2"), says("Done.")],
    })
}

/// Why `init` does not put it into settings that are shared.
#[test]
fn with_on_failure_a_colleague_without_the_program_is_locked_out() {
    let Some(run) = live(&without_the_program(&json!({"onFailure": "block"}))) else { return };
    run.shows_the_model("blocking because onFailure is \"block\"");
    assert_eq!(run.file("app.py"), "x = 1\n");
}

#[test]
fn without_on_failure_a_colleague_without_the_program_works_on() {
    let Some(run) = live(&without_the_program(&json!({}))) else { return };
    assert_eq!(run.file("app.py"), "x = 2\n");
    run.shows_the_model_nothing_of_ours();
}

/// The client's project is the folder that it was started in, also inside a larger repository.
#[test]
fn started_in_a_subfolder_of_a_repository_an_approval_holds() {
    let turns = [bash("true"), says("Done."), says("Waiting."), says("Nothing more.")];
    let mut scenario = with_meddler(scenario(INIT, &turns));
    scenario["git"] = json!(false);
    let commit =
        "git init -q .. && git add . && git -c user.name=t -c user.email=t@example.invalid commit -qm start";
    // Registered for all projects, so that nothing in the folder itself says that it is one.
    scenario["setup"] = json!([["sh", "-c", commit], ["@BIN@", "init", "--yes", "--scope", "user"]]);
    scenario["then"] =
        json!([{"setup": [["@BIN@", "approve", "--yes", "--", ".ruff.toml"]], "prompt": "anything else?"}]);
    let Some(run) = live(&scenario) else { return };
    let stops: Vec<String> = run.logged().into_iter().filter(|entry| entry.starts_with("Stop")).collect();
    assert_eq!(stops, ["Stop deny", "Stop none", "Stop none"], "held, gone through, and not held again");
}
