//! The linter in the real client: what it finds reaches the model, what it fixes does not disturb, and a model of its own is
//! started and ended as it should be. A small linter stands in for ruff, so that nothing has to be installed.

use serde_json::{Value as Json, json};

use super::{INIT, Live, call, edit, live, read, says, scenario};
use crate::world::json_lines;

/// Finds `unused = …` and formats `x=1` to `x = 1`.
pub(super) const RUFF: &str = r#"#!/bin/sh
case "$*" in
  *output-format=json*)
    for file; do :; done
    line=$(grep -n 'unused =' "$file" | head -n 1 | cut -d: -f1)
    [ -z "$line" ] && { echo '[]'; exit 0; }
    printf '[{"code":"F841","filename":"%s","location":{"row":%s,"column":5},"message":"Local variable `unused` is never used"}]' "$file" "$line"
    exit 1 ;;
  *) sed 's/\([a-z]\)=\([0-9]\)/\1 = \2/' ;;
esac
"#;

pub(super) const CODE: &str = "def answer():\n    return 42\n";
pub(super) const UNUSED: &str = "def answer():\n    unused = 1\n    return 42\n";

/// As `scenario`, with the linter in the project's environment.
fn with_linter(turns: &[Json]) -> Json {
    let mut scenario = scenario(INIT, turns);
    scenario["files"]["app.py"] = CODE.into();
    scenario["files"][".venv/bin/ruff"] = RUFF.into();
    let setup = scenario["setup"].as_array_mut().unwrap();
    setup.push(json!(["chmod", "+x", ".venv/bin/ruff"]));
    setup.push(json!(["@BIN@", "trust", "--tools", "--yes"]));
    setup.push(json!(["sh", "-c", ALL_ON]));
    scenario
}

/// The user wants all that a linter says, each file formatted, and a model that fixes: none of it is on by itself.
const ALL_ON: &str = r#"mkdir -p "$HOME/.claude/hooks" && printf '%s' '{"unconfigured": "all", "formatting": "all", "phases": {"subprocess_delegation": true}}' > "$HOME/.claude/hooks/config.json""#;

fn logged_about_edits(run: &Live) -> Vec<String> {
    let log = run.log();
    let edits = log.iter().filter(|entry| entry["event"] == "PostToolUse" && entry["tool"] != "Read");
    edits.map(|entry| format!("PostToolUse {}", entry["verdict"].as_str().unwrap_or_default())).collect()
}

#[test]
pub(super) fn what_was_found_is_in_the_models_next_request() {
    let turns = [read("app.py"), edit("app.py", CODE, UNUSED), says("I see.")];
    let mut scenario = with_linter(&turns);
    scenario["env"] = json!({"HOOK_SKIP_SUBPROCESS": "1"});
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model(
        // By the engine that is linked in, or by the stand-in: they go on in words of their own.
        "1 problem in the lines you just changed:\napp.py:2:5 F841 Local variable `unused` is ",
    );
    assert_eq!(run.file("app.py"), UNUSED);
    assert_eq!(logged_about_edits(&run), ["PostToolUse deny"]);
}

#[test]
pub(super) fn a_model_of_its_own_mends_it_and_nothing_is_said() {
    let turns = [read("app.py"), edit("app.py", CODE, UNUSED), says("Done.")];
    let mut scenario = with_linter(&turns);
    scenario["nested_turns"] =
        json!([read("app.py"), edit("app.py", "    unused = 1\n", ""), says("Fixed.")]);
    scenario["setup"].as_array_mut().unwrap().push(json!(["sh", "-c", CLIENT_ON_PATH]));
    let Some(run) = live(&scenario) else { return };
    assert_eq!(run.file("app.py"), CODE, "{:#}", run.summary["nested_view"]);
    assert_eq!(logged_about_edits(&run), ["PostToolUse none"]);
    // Of the fixer's settings file the user is told, not the model.
    assert!(!run.model().contains("in the lines you just changed"), "{}", run.model());
    let told = run.summary["nested_view"].to_string();
    assert!(told.contains("You are a code quality fixer. Fix ALL violations listed below"), "{told}");
    assert!(!run.has(".claude/subprocess-settings.json"), "nothing of ours is put into the project");
}

/// What a clone has for every client that is started in it: hooks, servers, helpers, variables. The fixer's client runs none of it.
#[test]
pub(super) fn the_fixers_client_runs_nothing_of_the_project() {
    let turns = [read("app.py"), edit("app.py", CODE, UNUSED), says("Done.")];
    let mut scenario = with_linter(&turns);
    scenario["nested_turns"] = json!([says("Nothing to do.")]);
    let mark = |name: &str| format!("touch @PROJECT@/mark-{name}");
    let hook = |name: &str| json!([{"hooks": [{"type": "command", "command": mark(name)}]}]);
    let settings = |name: &str| {
        json!({"hooks": {"SessionStart": hook(name), "UserPromptSubmit": hook(name)}, "apiKeyHelper": mark(name),
            "statusLine": {"type": "command", "command": mark(name)}, "enableAllProjectMcpServers": true})
    };
    // The session's own client starts it too, which is its user's choice: the mark says who did.
    let who = "ps -o args= -p $PPID >> @PROJECT@/mark-server";
    let servers = json!({"mcpServers": {"x": {"command": "sh", "args": ["-c", who]}}});
    for (file, text) in [(".claude/subprocess-settings.json", settings("fixer")), (".mcp.json", servers)] {
        scenario["files"][file] = text.to_string().into();
    }
    scenario["setup"].as_array_mut().unwrap().push(json!(["sh", "-c", CLIENT_ON_PATH]));
    let Some(run) = live(&scenario) else { return };
    let told = run.summary["nested_view"].to_string();
    assert!(told.contains("You are a code quality fixer."), "{told}");
    assert!(!run.has("mark-fixer"), "the project's settings for the fixer");
    assert!(
        run.has("mark-server") && !run.file("mark-server").contains("code quality fixer"),
        "a server of the project"
    );
}

/// The client by the name that the fixer looks for.
pub(super) const CLIENT_ON_PATH: &str = r#"mkdir -p "$HOME/.local/bin" && printf '#!/bin/sh\nexec "%s" "$@"\n' "@CLAUDE@" > "$HOME/.local/bin/claude" && chmod +x "$HOME/.local/bin/claude""#;

/// The same, and each start leaves a line.
const COUNTED_CLIENT_ON_PATH: &str = r#"mkdir -p "$HOME/.local/bin" && printf '#!/bin/sh\necho x >> "%s/fixers"\nexec "%s" "$@"\n' "@PROJECT@" "@CLAUDE@" > "$HOME/.local/bin/claude" && chmod +x "$HOME/.local/bin/claude""#;

/// A plain fault, which counts whatever a project has chosen.
fn with_fault(turns: &[Json]) -> Json {
    let mut scenario = scenario(INIT, turns);
    scenario["files"]["app.py"] = CODE.into();
    scenario["files"][".venv/bin/ruff"] = RUFF.replace("F841", "F821").into();
    // The engine that is linked in knows that this name is defined; only the stand-in is asked.
    scenario["files"][".claude/hooks/config.json"] = r#"{"engine": "external"}"#.into();
    let setup = scenario["setup"].as_array_mut().unwrap();
    setup.push(json!(["chmod", "+x", ".venv/bin/ruff"]));
    setup.push(json!(["@BIN@", "trust", "--tools", "--yes"]));
    setup.push(json!(["sh", "-c", COUNTED_CLIENT_ON_PATH]));
    scenario
}

/// How often a second client was started, and how many requests of its model there were.
fn second_models(run: &Live) -> (usize, usize) {
    let started = if run.has("fixers") { run.file("fixers").lines().count() } else { 0 };
    let requests = json_lines(&run.work.join("requests.jsonl"));
    (started, requests.iter().filter(|request| request["kind"] == "nested").count())
}

#[test]
pub(super) fn after_init_no_second_model_is_started() {
    let turns = [read("app.py"), edit("app.py", CODE, UNUSED), says("I see.")];
    let mut scenario = with_fault(&turns);
    scenario["nested_turns"] = json!([says("Nobody asked for this.")]);
    let Some(run) = live(&scenario) else { return };
    assert_eq!(second_models(&run), (0, 0));
    run.shows_the_model("app.py:2:5 F821");
    assert_eq!(run.file("app.py"), UNUSED);
}

#[test]
pub(super) fn after_a_yes_one_is_started_and_leads_to_no_other() {
    let turns = [read("app.py"), edit("app.py", CODE, UNUSED), says("I see.")];
    let mut scenario = with_fault(&turns);
    // What it edits has the same fault still: its own hooks would start a third.
    scenario["nested_turns"] =
        json!([read("app.py"), edit("app.py", "unused = 1", "unused = 2"), says("Done.")]);
    let yes = r#"mkdir -p "$HOME/.claude/hooks" && printf '%s' '{"phases": {"subprocess_delegation": true}}' > "$HOME/.claude/hooks/config.json""#;
    scenario["setup"].as_array_mut().unwrap().push(json!(["sh", "-c", yes]));
    let Some(run) = live(&scenario) else { return };
    let (started, requests) = second_models(&run);
    assert_eq!(started, 1, "once, and never nested");
    assert!(requests >= 1, "{requests}");
    assert!(run.file("app.py").contains("unused = 2"), "it was the one that edited");
}

#[test]
pub(super) fn the_fixer_is_offered_its_tiers_tools_and_no_other() {
    let turns = [read("app.py"), edit("app.py", CODE, UNUSED), says("Done.")];
    let mut scenario = with_linter(&turns);
    scenario["nested_turns"] = json!([
        call("Bash", &json!({"command": "touch escaped", "description": "d"})),
        call("Write", &json!({"file_path": "@PROJECT@/escaped", "content": "x"})),
        says("Well then."),
    ]);
    scenario["setup"].as_array_mut().unwrap().push(json!(["sh", "-c", CLIENT_ON_PATH]));
    let Some(run) = live(&scenario) else { return };
    assert!(!run.has("escaped"));
    let offered = tools_offered_to_the_fixer(&run);
    assert_eq!(offered, ["Edit", "Read"], "the client offers a tool that the fixer's list does not know");
    run.shows_the_model("1 problem in the lines you just changed:");
}

#[test]
pub(super) fn a_reformatted_file_does_not_break_the_next_edit() {
    let turns = [
        read("app.py"),
        edit("app.py", "return 42", "x=1\n    return x"),
        edit("app.py", "x = 1", "x = 2"),
        says("Done."),
    ];
    let Some(run) = live(&with_linter(&turns)) else { return };
    assert_eq!(run.file("app.py"), "def answer():\n    x = 2\n    return x\n", "{}", run.model());
}

/// What the nested client told its model it could use.
fn tools_offered_to_the_fixer(run: &Live) -> Vec<String> {
    let requests = json_lines(&run.work.join("requests.jsonl"));
    let nested = requests.iter().filter(|request| request["kind"] == "nested");
    let mut names: Vec<String> = nested
        .flat_map(|request| request["body"]["tools"].as_array().into_iter().flatten())
        .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
        // Does nothing: it keeps a feature of the protocol switched on.
        .filter(|name| name != "DeferredToolPlaceholder")
        .collect();
    names.sort();
    names.dedup();
    names
}
