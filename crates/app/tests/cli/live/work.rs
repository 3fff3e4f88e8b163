//! Gates and evidence in the real client: what the model is shown, what is refused, what is run beside it.

use serde_json::{Value as Json, json};

use super::{bash, call, live, says, scenario};

const PLAN: &str = "# Original Intent\nx\n## Goals & Non-Goals\n### Non-Goals\n## Requirements\nREQ-P0-001\n## Success Metrics\n## Phase 1: Double\n\
                    **Status:** in-progress\n- DEC-CORE-001: x — Addresses: REQ-P0-001\n";
const TEST: &str = "\"\"\"Tests.\"\"\"\nimport sys, unittest\nsys.path.insert(0, '.')\nfrom double import double\n\n\nclass T(unittest.TestCase):\n    \
                    def test_it(self):\n        self.assertEqual(double(2), 4)\n";
const BROKEN: &str = "\"\"\"Doubles.\"\"\"\n\n\ndef double(x):\n    return x + 1\n";
const FIXED: &str = "\"\"\"Doubles.\"\"\"\n\n\ndef double(x):\n    return x + x\n";
/// Until the tests in the background have an end of this kind.
fn waits_for(result: &str) -> Json {
    bash(&format!(
        "for i in $(seq 600); do grep -q '^{result}' .claude/.test-status 2>/dev/null && break; sleep 0.1; done; sleep 1"
    ))
}

/// A strict project on a branch, with a plan and a test.
fn strict(turns: &[Json]) -> Json {
    let mut scenario = on_main(turns);
    scenario["files"]["MASTER_PLAN.md"] = PLAN.into();
    scenario["setup"].as_array_mut().unwrap().push(json!(["git", "checkout", "-qb", "feature"]));
    scenario
}

/// A strict project with a test and without a plan.
fn on_main(turns: &[Json]) -> Json {
    let mut scenario = scenario(&["init", "--yes"], turns);
    scenario["files"]["tests/test_double.py"] = TEST.into();
    let config = r#"mkdir -p "$HOME/.claude/hooks" && echo '{"profile": "strict"}' > "$HOME/.claude/hooks/config.json""#;
    let setup = scenario["setup"].as_array_mut().unwrap();
    // Before `init`, which registers what the profile needs.
    setup.insert(0, json!(["sh", "-c", config]));
    // Tests are code of the project.
    setup.push(json!(["@BIN@", "trust", "--tools", "--yes"]));
    scenario
}

fn write(file: &str, content: &str) -> Json {
    call("Write", &json!({"file_path": format!("@PROJECT@/{file}"), "content": content}))
}

#[test]
pub(super) fn the_gates_answer_and_tests_run_beside_the_agent() {
    let turns = [
        write("double.py", BROKEN),
        waits_for("fail"),
        write("double.py", BROKEN),
        write("double.py", FIXED),
        bash("git add -A && git commit -qm x"),
        says("It does not work yet. Shall I go on?"),
    ];
    let Some(run) = live(&strict(&turns)) else { return };
    let start = run.shown_from(0);
    for part in [
        "SessionStart hook additional context: Git: branch=feature",
        "Plan: 0/1 phases | active: Phase 1: Double",
        "UserPromptSubmit hook additional context: ",
    ] {
        assert!(start.contains(part), "«{part}» is not in\n{start}");
    }
    run.shows_the_model("Test failures detected (");
    run.shows_the_model("Tests are failing (1 failure, ");
    run.shows_the_model("PreToolUse:Write hook error: Tests are still failing (1 failure, ");
    run.shows_the_model("Cannot commit: tests are failing (1 failed, ");
    assert_eq!(run.file("double.py"), BROKEN);
    assert!(run.file(".claude/.test-status").starts_with("fail|1|"));
}

#[test]
pub(super) fn the_users_word_lets_a_tested_commit_through() {
    let turns = [
        write("double.py", FIXED),
        waits_for("pass"),
        bash("git add -A && git commit -qm early"),
        says("Do you see that it works?"),
        bash(
            "git add -A && git -c user.name=t -c user.email=t@example.invalid commit -qm done && git log --format=%s -1",
        ),
        says("Committed. What is next?"),
    ];
    let mut scenario = strict(&turns);
    scenario["then"] = json!(["Verified."]);
    let Some(run) = live(&scenario) else { return };
    // A session that goes on keeps what was tested: the code is the same.
    run.shows_the_model("Cannot commit: the user has not seen it work.");
    run.shows_the_model("UserPromptSubmit hook additional context: The user has verified the work");
    assert!(run.file(".claude/.proof-status").starts_with("verified|"));
    assert!(run.model().lines().any(|line| line == "done"), "{}", run.model());
}

/// From a plan to merged main, with no help but the user's word.
#[test]
pub(super) fn a_plan_becomes_a_worktree_and_the_worktree_main() {
    let commit = "git add -A && git -c user.name=t -c user.email=t@example.invalid commit -qm";
    let turns = [
        write("double.py", FIXED),
        write("MASTER_PLAN.md", PLAN),
        bash(&format!("{} plan", commit.replace("-A", "MASTER_PLAN.md"))),
        bash("git worktree add .worktrees/double -b double"),
        write(".worktrees/double/double.py", FIXED),
        bash("cd @PROJECT@/.worktrees/double && python3 -m unittest discover -s tests 2>&1 | tail -5"),
        bash(&format!("cd @PROJECT@/.worktrees/double && {commit} early")),
        says("Do you see that it works?"),
        bash(&format!("cd @PROJECT@/.worktrees/double && {commit} twice")),
        bash("cd @PROJECT@ && git merge -q double && git log --format=%s -1 && git branch --show-current"),
        says("It is on main. What is next?"),
    ];
    let mut scenario = on_main(&turns);
    scenario["then"] = json!(["Verified."]);
    let Some(run) = live(&scenario) else { return };
    run.shows_the_model("Cannot write source code on main");
    run.shows_the_model("Cannot commit: the user has not seen it work.");
    assert!(!run.model().contains("there are no test results"), "what the agent ran counts: {}", run.model());
    for line in ["twice", "main"] {
        assert!(run.model().lines().any(|known| known == line), "{line}: {}", run.model());
    }
    assert_eq!(run.file("double.py"), FIXED);
}

/// The client runs both, one after the other; the warning reaches the model with the answers to both.
#[test]
pub(super) fn two_writes_of_one_message_are_warned_once() {
    let two = json!([write("double.py", BROKEN)[0], write("more.py", "\"\"\"More.\"\"\"\n")[0]]);
    let turns = [
        write("double.py", BROKEN),
        waits_for("fail"),
        two,
        write("other.py", "\"\"\"Other.\"\"\"\n"),
        says("It does not work yet. Shall I go on?"),
    ];
    let Some(run) = live(&strict(&turns)) else { return };
    assert_eq!(run.model().matches("Tests are failing (1 failure, ").count(), 2, "{}", run.model());
    run.shows_the_model("PreToolUse:Write hook error: Tests are still failing (1 failure, ");
    assert!(run.has("more.py") && !run.has("other.py"));
}

#[test]
pub(super) fn an_answer_that_leads_nowhere_is_asked_for_more_once() {
    let turns = [write("notes/a.txt", "x\n"), says("Done."), says("Done. Shall I write more?")];
    let Some(run) = live(&strict(&turns)) else { return };
    run.shows_the_model("Stop hook feedback:\nResponse lacks forward motion");
    assert_eq!(run.model().matches("Stop hook feedback").count(), 1);
    assert_eq!(run.summary["result"]["result"], "Done. Shall I write more?");
}

#[test]
pub(super) fn a_plan_without_its_form_goes_back_to_the_model() {
    let turns = [write("MASTER_PLAN.md", "# Plan\n## Phase 1\n"), says("I will fix it. Is that fine?")];
    let Some(run) = live(&strict(&turns)) else { return };
    run.shows_the_model("MASTER_PLAN.md does not have the form that it needs:");
    run.shows_the_model("Phase 1 has no status");
}

#[test]
pub(super) fn what_is_kept_survives_a_compaction() {
    let turns = [
        write("double.py", FIXED),
        says("Written. What else?"),
        says("More words. What else?"),
        says("Going on. What else?"),
    ];
    let mut scenario = strict(&turns);
    scenario["then"] = json!(["tell me more", "/compact", "go on"]);
    let Some(run) = live(&scenario) else { return };
    let requests = std::fs::read_to_string(run.work.join("requests.jsonl")).unwrap();
    let compaction = requests
        .lines()
        .find(|line| line.contains("\"kind\": \"compact\"") || line.contains("\"kind\":\"compact\""));
    let asked = compaction.expect("the client compacts");
    for part in ["Objective and status", "--- Project State ---", "Git: branch=feature"] {
        assert!(asked.contains(part), "«{part}» is not in the instructions for the summary");
    }
    assert!(run.shown_from(0).contains("Preserved context from before compaction:"), "{}", run.shown_from(0));
    assert!(!run.has(".claude/.preserved-context"));
}

#[test]
pub(super) fn a_subagent_is_told_where_the_work_stands() {
    let agent = call(
        "Agent",
        &json!({"description": "look", "prompt": "look", "subagent_type": "general-purpose", "run_in_background": false}),
    );
    let mut scenario = strict(&[agent, says("It looked. What else?")]);
    scenario["subagent_turns"] = json!([[{"type": "text", "text": "Looked."}]]);
    let Some(run) = live(&scenario) else { return };
    let told = run.summary["subagent_view"].to_string();
    assert!(told.contains("SubagentStart hook additional context: Context: feature | "), "{told}");
    assert!(told.contains("Agent type: general-purpose"), "{told}");
}
