//! Evidence from wherever tests run, tied to the code: whole lives of a session with a real runner.

use serde_json::json;

use super::agent::{BAD, GOOD, PLAN, SUITE, TEST};
use crate::world::World;

/// From a plan to merged main, without help but the proof word.
#[test]
fn a_worktree_is_tested_committed_and_merged_without_a_second_run() {
    let world = World::tested_project();
    let mut agent = world.agent("s1");
    agent.starts("startup");
    agent.may_not_run("git commit --allow-empty -m x");
    agent.runs("git worktree add .worktrees/double -b double");
    agent.cwd = world.path(".worktrees/double");
    let better = GOOD.replace("x + x", "2 * x");
    agent.writes("src/double.py", &better);
    let reason = agent.may_not_run("git add -A && git commit -m work");
    assert!(reason.contains("there are no test results") && reason.contains("plimsoll test"), "{reason}");
    assert!(agent.runs(SUITE).0);
    let reason = agent.may_not_run("git add -A && git commit -m work");
    assert!(!reason.contains("test") && reason.contains("not seen it work"), "{reason}");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("git add -A && git commit -qm work").0);
    let said = agent.stops().json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains("branch=double, clean. Tests: passing."), "{said}");
    let summary = &said[said.find("Session:").unwrap()..];
    assert!(summary.lines().count() <= 3 && summary.contains("Next: merge to main"), "{said}");
    agent.cwd = world.path("");
    assert!(agent.runs("git merge -q double").0);
    assert_eq!(world.read("src/double.py"), better);
    assert_eq!(world.git(&["branch", "--show-current"]), "main");
    agent.ends();
}

#[test]
fn a_merge_of_code_that_nobody_tested_says_what_to_do() {
    let world = World::tested_project();
    let agent = world.agent("s1");
    agent.starts("startup");
    world.git(&["checkout", "-qb", "side"]);
    world.write("src/more.py", "\"\"\"More.\"\"\"\n");
    world.commit("more");
    world.git(&["checkout", "-q", "main"]);
    let reason = agent.may_not_run("git merge side");
    assert!(reason.contains("On side, merge main first"), "{reason}");
    for other in [
        "git pull . side",
        "git fetch . side:main",
        "git push . side:main",
        "git branch -f main side",
        "git checkout -B main side",
    ] {
        agent.may_not_run(other);
    }
    assert!(!world.has("src/more.py"));
}

/// The verb asks for itself, whoever has started it and however.
#[test]
fn our_own_merge_asks_the_gates_too() {
    let world = World::tested_project();
    let mut agent = world.agent("s1");
    agent.starts("startup");
    let made = world.run(&["worktree", "create", "a"]).succeeds();
    agent.cwd = made.stdout.lines().last().unwrap().into();
    let better = GOOD.replace("x + x", "2 * x");
    crate::world::write(&agent.cwd.join("src/double.py"), &better);
    world.git(&["-C", &agent.cwd.to_string_lossy(), "commit", "-qam", "better"]);
    let refused = world.run(&["worktree", "merge", "a"]);
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    for part in ["Cannot merge: there are no test results", "Cannot merge: the user has not seen it work"] {
        assert!(refused.stderr.contains(part), "{refused:#?}");
    }
    assert_eq!(world.read("src/double.py"), GOOD);
    assert!(agent.runs(SUITE).0);
    agent.prompts("verified").is_an_answer();
    world.run(&["worktree", "merge", "a"]).succeeds().says(&["fast-forwarded"]);
    assert_eq!(world.read("src/double.py"), better);
    // Where there is nothing to merge, there is nothing to ask.
    world.run(&["worktree", "merge", "a"]).succeeds().says(&["has everything"]);
}

/// Line ends that git changes on the way into a commit change nothing for the evidence.
#[test]
fn a_merge_of_files_with_other_line_ends_needs_no_second_run() {
    let world = World::tested_project();
    world.git(&["config", "core.autocrlf", "true"]);
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", &GOOD.replace("x + x", "2 * x").replace('\n', "\r\n"));
    assert!(agent.runs(SUITE).0);
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("git commit -qam work").0);
    world.git(&["checkout", "-q", "main"]);
    assert!(agent.runs("git merge -q work").0);
}

/// A filter of the project's own is never run by us, trusted or not: only a run of the tests would tell. The user's own counts.
#[test]
fn a_merge_of_filtered_files_needs_no_second_run_where_the_filter_is_the_users() {
    for (trusted, users) in [(true, false), (false, false), (false, true)] {
        let world = World::tested_project();
        let scope = if users { "--global" } else { "--local" };
        world.git(&["config", scope, "filter.up.clean", "tr a-z A-Z"]);
        world.git(&["config", scope, "filter.up.smudge", "tr A-Z a-z"]);
        world.write(".gitattributes", "src/more.py filter=up\n");
        world.commit("attributes");
        world.git(&["checkout", "-qb", "work"]);
        let world = if trusted { world.trusting_tools() } else { world };
        let agent = world.agent("s1");
        agent.starts("startup");
        agent.writes("src/more.py", "\"\"\"more.\"\"\"\n");
        assert!(agent.runs(SUITE).0);
        agent.prompts("verified").is_an_answer();
        assert!(agent.runs("git add -A && git commit -qm work").0);
        world.git(&["checkout", "-q", "main"]);
        assert_eq!(agent.bash("git merge -q work").is_ok(), users);
    }
}

#[test]
fn a_status_that_is_hidden_counts_as_the_runner_says() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    let tests = |agent: &super::agent::Agent<'_>| agent.bash("git commit --allow-empty -qm x").unwrap_err();
    for (number, (command, passes)) in [
        (format!("{SUITE} 2>&1 | tail -5"), true),
        (format!("{SUITE} || true"), true),
        (format!("{SUITE}; echo \"exit: $?\""), true),
        (format!("cd . && {SUITE} && echo fine"), true),
        (format!("{SUITE} > /dev/null 2>&1 || true"), false),
        (format!("echo 'Ran 3 tests in 0.1s'; echo; echo OK; {SUITE} > /dev/null 2>&1 || true"), false),
        ("python3() { echo 'Ran 1 test in 0.1s'; echo; echo OK; }; python3 -m unittest".into(), false),
        ("python3 -m unittest tests.test_double".into(), false),
    ]
    .into_iter()
    .enumerate()
    {
        // Other code each time, so that no earlier run counts.
        world.write("src/number.py", &format!("\"\"\"{number}\"\"\"\n"));
        agent.runs(&command);
        let reason = tests(&agent);
        assert_eq!(!reason.contains("test"), passes, "{command}: {reason}");
    }
    let reason = tests(&agent);
    assert!(reason.contains("only a part of the tests has been run"), "{reason}");
}

#[test]
fn a_failing_run_grants_one_write_and_the_repair_is_possible() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", BAD);
    for _ in 0..2 {
        assert!(!agent.runs(SUITE).0);
        agent.writes("src/double.py", BAD);
        let reason = agent.write("src/double.py", GOOD).unwrap_err();
        assert!(reason.contains("Tests are still failing (1 failure"), "{reason}");
    }
    assert!(!agent.runs(SUITE).0);
    agent.writes("src/double.py", GOOD);
    assert!(agent.runs(SUITE).0);
    agent.writes("src/more.py", "\"\"\"More.\"\"\"\n");
    agent.writes("src/other.py", "\"\"\"Other.\"\"\"\n");
}

#[test]
fn a_write_that_another_gate_refuses_uses_up_no_warning() {
    let world = World::tested_project();
    let agent = world.agent("s1");
    agent.starts("startup");
    world.write("src/double.py", BAD);
    assert!(!agent.runs(SUITE).0);
    for _ in 0..3 {
        let reason = agent.write("src/double.py", GOOD).unwrap_err();
        assert!(reason.contains("Cannot write source code on main"), "{reason}");
    }
    world.git(&["checkout", "-qb", "work"]);
    agent.writes("src/double.py", GOOD);
}

/// The client runs them one after the other, and each has been told of the failing tests when the next is asked about. But the agent
/// decided on both before it was told anything.
#[test]
fn writes_of_one_message_count_once() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", BAD);
    assert!(!agent.runs(SUITE).0);
    let line = |message: &str, call: &str| {
        let part = json!([{"type": "tool_use", "id": call, "name": "Write", "input": {}}]);
        json!({"type": "assistant", "message": {"id": message, "content": part}}).to_string() + "\n"
    };
    let transcript = world.base().join("transcript.jsonl");
    std::fs::write(&transcript, line("m1", "a") + &line("m1", "b") + &line("m2", "c")).unwrap();
    let write = |call: &str| {
        let input = json!({"file_path": world.path("src/double.py"), "content": BAD});
        let more = json!({
            "transcript_path": transcript, "tool_name": "Write", "tool_input": input, "tool_use_id": call,
        });
        agent.event("PreToolUse", &more)
    };
    for call in ["a", "b"] {
        assert!(write(call).advises().contains("Tests are failing (1 failure"), "{call}");
        assert_eq!(world.record_without_time(".test-gate-strikes"), "1");
    }
    assert!(write("c").is_denied().contains("Tests are still failing"));
    assert!(write("unknown").is_denied().contains("Tests are still failing"));
}

#[test]
fn our_own_verb_runs_the_tests_and_records_them() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", BAD);
    let (passed, said) = agent.runs("plimsoll test");
    assert!(!passed && said.contains("Test failures detected (unittest): 1 failed"), "{said}");
    assert!(agent.may_not_run("git commit -am x").contains("tests are failing (1 failed"));
    agent.writes("src/double.py", GOOD);
    let (passed, said) = agent.runs("plimsoll test");
    assert!(passed && said.contains("Tests passed (unittest)"), "{said}");
    assert!(!agent.may_not_run("git commit -am x").contains("tests"));
    world.run(&["test", "--show"]).succeeds().says(&["unittest discover"]);
}

#[test]
fn a_project_without_tests_is_committed_too() {
    let config = r#"{"profile": "strict"}"#;
    let world = World::new().with_user_config(config).with_program_on_path();
    world.write("MASTER_PLAN.md", PLAN);
    world.commit("plan");
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("app.py", "\"\"\"An app.\"\"\"\nx = 2\n");
    let said = agent.stops().json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains("branch=work, 1 uncommitted.") && !said.contains("Tests"), "{said}");
    assert!(agent.may_not_run("git commit -am x").contains("plimsoll test"));
    let (passed, said) = agent.runs("plimsoll test");
    assert!(passed && said.contains("No tests were found"), "{said}");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("git commit -qam x").0);
    agent.ends();
}

#[test]
fn a_session_goes_on_after_a_crash_and_after_a_compaction() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", &GOOD.replace("x + x", "2 * x"));
    assert!(agent.runs(SUITE).0);
    let ran = agent.event("PreCompact", &json!({"trigger": "auto", "custom_instructions": ""}));
    assert!(ran.code == Some(0) && ran.stdout.contains("Tests: passing"), "{ran:#?}");
    agent.starts("compact");
    // Nobody said goodbye.
    agent.starts("resume");
    agent.starts("clear");
    assert!(world.has(".claude/.test-status"));
    // And a new session finds evidence for the very code that is there.
    let next = world.agent("s2");
    next.starts("startup");
    assert!(world.has(".claude/.test-status"));
    next.prompts("verified").is_an_answer();
    assert!(next.runs("git commit -qam work").0);
    world.write("tests/test_double.py", &format!("{TEST}# more\n"));
    world.agent("s3").starts("startup");
    assert!(!world.has(".claude/.test-status"), "of other code it says nothing");
}

#[test]
fn plans_and_first_commits_need_no_tests() {
    let world = World::tested_project();
    let agent = world.agent("s1");
    agent.starts("startup");
    world.write("MASTER_PLAN.md", &format!("{PLAN}\nMore.\n"));
    assert!(agent.runs("git add MASTER_PLAN.md && git commit -qm plan").0);
    let fresh = World::without_git().with_user_config(super::STRICT).with_program_on_path();
    fresh.git(&["init", "-q", "-b", "main"]);
    fresh.write("app.py", "x = 1\n");
    assert!(fresh.agent("s1").runs("git add -A && git commit -qm start").0);
}

/// What was said is said again when it is news.
#[test]
fn a_summary_is_said_when_there_is_news() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", &GOOD.replace("x + x", "2 * x"));
    let said = |agent: &super::agent::Agent<'_>| {
        let ran = agent.stops();
        if ran.stdout.is_empty() {
            String::new()
        } else {
            ran.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
        }
    };
    assert!(said(&agent).contains("Tests: not run this session."));
    assert!(!said(&agent).contains("Session:"), "no news");
    assert!(agent.runs(SUITE).0);
    assert!(said(&agent).contains("Tests: passing."));
    assert!(!said(&agent).contains("Session:"));
}
