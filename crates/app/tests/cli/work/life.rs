//! The life of one session, from its start to its end, on a real repository with a real test runner: every answer, every state file.

use std::time::{Duration, Instant};

use serde_json::json;

use super::STRICT;
use super::languages::{Language, in_each_language};
use crate::world::{Ran, SESSION, World};

in_each_language!(live);

impl World {
    /// Waits until a record says this. The bound is only there so that a hang is a failure with words.
    #[track_caller]
    fn waits_for(&self, name: &str, start: &str) {
        let since = Instant::now();
        loop {
            let now = std::fs::read_to_string(self.path(&format!(".claude/{name}"))).unwrap_or_default();
            if now.starts_with(start) {
                return;
            }
            assert!(
                since.elapsed() < Duration::from_mins(5),
                "{name} is «{now}» and never {start}: {:#?}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn prompts(&self, text: &str) -> Ran {
        self.event("UserPromptSubmit", &json!({"prompt": text}))
    }

    /// Prompts until what a task has left is delivered, to the agent and to the user; all that was said.
    #[track_caller]
    fn hears(&self, part: &str) -> String {
        let (since, mut told) = (Instant::now(), String::new());
        loop {
            told.push_str(&self.prompts("and?").stdout);
            if told.matches(part).count() >= 2 {
                return told;
            }
            assert!(since.elapsed() < Duration::from_mins(5), "never told of {part}: {:#?}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn starts(&self, source: &str) -> Ran {
        self.event("SessionStart", &json!({"source": source}))
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "«{part}» is not in\n{text}");
    }
}

fn live(language: &Language) {
    let world = language.in_world(World::new().with_user_config(STRICT).trusting_tools());
    world.git(&["checkout", "-qb", "feature"]);
    begins(&world, language);
    edits(&world, language);
    is_gated(&world, language);
    commits(&world, language);
    changes_again(&world, language);
    delegates(&world);
    stops(&world);
    is_compacted(&world, language);
    ends(&world, language);
}

fn begins(world: &World, language: &Language) {
    let Language { source, .. } = language;
    // The start: an old pass of other code counts no more.
    world.sets_record(".test-status", "pass|0|1\n");
    world.write("src/since.py", "# Since then.\n");
    world.commit("since");
    let said = world.starts("startup").advises();
    has(
        &said,
        &["Git: branch=feature | 0 uncommitted", "Plan: 0/1 phases | active: Phase 1: Double | age: 0d"],
    );
    assert!(!world.has_record(".test-status"));

    // The first prompt is told again.
    has(
        &world.prompts(&format!("implement phase 1 in {source}")).advises(),
        &["Git: branch=feature", "Plan: 0/1 phases"],
    );
    assert_eq!(world.record(".prompt-count-s1"), "1\n");
}

fn edits(world: &World, language: &Language) {
    let Language { runner, source, broken, .. } = language;
    // The first edit, and its tests.
    world.wants_to_write(source, broken);
    world.has_written(source, broken);
    assert_eq!(world.record(".session-changes-s1"), format!("{}\n", world.name(source)));
    world.waits_for(".test-status", "fail|1|");
    world.waits_for(".test-runner.last-run", "1");
    has(&world.record(".audit-log"), &["|test_fail|1 failed"]);
    let told = world.hears("Test failures detected");
    has(
        &told,
        &[
            &format!("Test failures detected ({runner}): 1 failed:\\n"),
            "\"systemMessage\":\"Test failures detected",
        ],
    );
    world.prompts("and?").is_silent();
}

fn is_gated(world: &World, language: &Language) {
    let Language { runner, source, broken, fixed, .. } = language;
    // The gate warns, then blocks; a commit is refused.
    has(&world.wants_to_write(source, broken).advises(), &["Tests are failing (1 failure, "]);
    assert_eq!(world.record_without_time(".test-gate-strikes"), "1");
    has(&world.wants_to_write(source, fixed).is_denied(), &["Tests are still failing (1 failure, "]);
    assert_eq!(world.record_without_time(".test-gate-strikes"), "2");
    has(&world.wants_to_run("git commit -am work").is_denied(), &["tests are failing (1 failed, "]);

    // The user lets the fix through; the tests pass, and the strikes are gone with the next write.
    world.run(&["approve", "--yes", "--edit", &world.name(source)]).succeeds();
    world.wants_to_write(source, fixed);
    world.has_written(source, fixed);
    world.waits_for(".test-status", "pass|0|");
    world.wants_to_write(source, fixed);
    assert!(!world.has_record(".test-gate-strikes"));
    has(&world.hears("Tests passed"), &[&format!("Tests passed ({runner})")]);
    has(&world.prompts("status of the tests").advises(), &["Tests: passing ("]);
}

fn commits(world: &World, language: &Language) {
    let Language { source, test, .. } = language;
    // Proof, and the commit.
    has(&world.wants_to_run("git commit -am work").is_denied(), &["the user has not seen it work"]);
    has(&world.prompts("Verified.").advises(), &["The user has verified the work"]);
    assert_eq!(world.record_without_time(".proof-status"), "verified");
    let ran = world.wants_to_run("git commit -am work");
    assert!(!ran.stdout.contains("\"deny\""), "{ran:#?}");
    world.git(&["add", "-A", "--", source, test]);
    world.git(&["commit", "-qm", "work"]);
    let ran = world.wants_to_run("git commit --amend --no-edit");
    assert!(!ran.stdout.contains("\"deny\""), "what was tested is what is committed: {ran:#?}");
}

fn changes_again(world: &World, language: &Language) {
    let Language { source, test, fixed, .. } = language;
    // A change after that needs both again.
    let changed = format!("{fixed}{}", language.comment);
    world.has_written(source, &changed);
    assert_eq!(world.record_without_time(".proof-status"), "pending");
    let reason = world.wants_to_run("git commit -am more").is_denied();
    has(
        &reason,
        &["source has changed since the tests passed", "the work has changed since the user last saw it"],
    );
    world.run(&["proof", "status"]).succeeds().says(&["pending"]);
    world.run(&["proof", "verify", "--yes"]).succeeds().says(&["verified"]);
    world.waits_for(".test-status", "pass|0|");
    let since = Instant::now();
    while world.wants_to_run("git commit -am more").stdout.contains("\"deny\"") {
        assert!(since.elapsed() < Duration::from_mins(5), "the new run never counts");
        std::thread::sleep(Duration::from_millis(100));
    }
    // A test is not what was shown.
    world.has_written(test, &world.read(test));
    assert_eq!(world.record_without_time(".proof-status"), "verified");
}

fn delegates(world: &World) {
    // A subagent comes and goes.
    let start = world.event("SubagentStart", &json!({"agent_id": "a1", "agent_type": "implementer"}));
    has(&start.advises(), &["Context: feature | ", "CRITICAL FIRST ACTION", "Plan: Phase 1: Double"]);
    let plan = world.read("MASTER_PLAN.md");
    world.remove("MASTER_PLAN.md");
    let stop = world.event(
        "SubagentStop",
        &json!({"agent_id": "a2", "agent_type": "planner", "last_assistant_message": "Do you approve?"}),
    );
    has(&stop.notifies(), &["MASTER_PLAN.md was not created", "it ended with a question"]);
    assert_eq!(
        world.record(".agent-findings"),
        "planner|MASTER_PLAN.md was not created;it ended with a question instead of a finished plan\n"
    );
    world.write("MASTER_PLAN.md", &plan);
    has(&world.prompts("go on").advises(), &["planner: MASTER_PLAN.md was not created"]);
    assert!(!world.has_record(".agent-findings"), "delivered once");
}

fn stops(world: &World) {
    // The stop: a summary for the user, an audit, and a question for an answer that leads nowhere.
    let ran = world
        .event("Stop", &json!({"stop_hook_active": false, "last_assistant_message": "All of it.\n\nDone."}));
    has(&ran.is_blocked(), &["Response lacks forward motion"]);
    let said = ran.notifies();
    has(
        &said,
        &[
            "Session: 2 files changed (2 source, 0 config/other). 1 file with @decision annotations.",
            "Git: branch=feature, ",
            "Next: ",
        ],
    );
    has(&said, &["2 source files changed, 0 need @decision", "Phase status: 0/1 completed"]);
    let drift = world.record(".plan-drift");
    has(
        &drift,
        &[
            "unplanned_count=0\nunimplemented_count=0\nmissing_decisions=0\ntotal_decisions=1\nsource_files_changed=2\nunaddressed_p0s=0\nnogo_count=0\n",
        ],
    );
    // A run in the background may end just now, and is told then.
    let again = world.event("Stop", &json!({"stop_hook_active": true, "last_assistant_message": "Done."}));
    assert!(!again.stdout.contains("\"block\"") && !again.stdout.contains("Session:"), "{again:#?}");
}

fn is_compacted(world: &World, language: &Language) {
    let Language { source, .. } = language;
    // Compaction: what is kept comes back once, and the evidence stays.
    let ran = world.event("PreCompact", &json!({"trigger": "manual", "custom_instructions": ""}));
    assert_eq!(ran.code, Some(0));
    has(&ran.stdout, &["Objective and status", "--- Project State ---", "@decision DEC-CORE-001"]);
    has(
        &world.record(".preserved-context"),
        &["# Kept before a compaction", "Git: branch=feature", &format!("changed: {}", world.name(source))],
    );
    has(
        &world.starts("compact").advises(),
        &["Preserved context from before compaction:", &format!("changed: {}", world.name(source))],
    );
    assert!(!world.has_record(".preserved-context"));
    assert!(world.has_record(".test-status"));
    assert!(!world.has_record(".prompt-count-s1"), "the next prompt is told everything again");
}

fn ends(world: &World, language: &Language) {
    let Language { source, .. } = language;
    // Taken up again, with what it had, and ended.
    world.starts("resume").advises();
    assert!(world.has_record(".test-status"));
    has(
        &world.run(&["status"]).succeeds().stdout,
        &["plan      0 of 1 phases completed", "proof     verified", "decisions 1 in code"],
    );
    has(&world.run(&["decisions"]).succeeds().stdout, &["DEC-CORE-001", "planned", &format!("{source}:3")]);
    world.event("SessionEnd", &json!({"reason": "other"})).is_silent();
    for name in [
        format!(".session-changes-{SESSION}"),
        format!(".prompt-count-{SESSION}"),
        ".test-gate-strikes".into(),
        ".test-runner.last-run".into(),
    ] {
        assert!(!world.has_record(&name), "{name}");
    }
    for name in [".audit-log", ".plan-drift", ".proof-status"] {
        assert!(world.has_record(name), "{name} is for later sessions");
    }
    for entry in world.log() {
        assert_eq!(entry.get("failures"), None, "{entry}");
    }
}
