//! Stops after changes: what the session changed, and the report that it needs. On real repositories.

use serde_json::{Value as Json, json};

use crate::world::{Ran, World};

pub(crate) const FILE: &str = ".claude/completion-checkpoint.json";

pub(crate) fn autonomous() -> World {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    starts(&world, "s1", "startup");
    world
}

pub(crate) fn starts(world: &World, session: &str, source: &str) -> Ran {
    world.event("SessionStart", &json!({"session_id": session, "source": source}))
}

pub(crate) fn valid() -> Json {
    json!({
        "self_report": {"is_job_complete": true, "code_changes_made": true, "linters_pass": true, "category": "bugfix"},
        "reflection": {
            "what_was_done": "Fixed the CORS settings of the proxy",
            "what_remains": "none",
            "key_insight": "The proxy strips the header, so the origin must be set behind it",
            "search_terms": ["cors", "proxy"],
        },
    })
}

#[track_caller]
fn is_held(world: &World) -> String {
    world.session_stops("s1").is_blocked()
}

#[track_caller]
fn goes_through(world: &World) {
    let ran = world.session_stops("s1");
    assert!(!ran.stdout.contains("\"block\""), "{ran:#?}");
}

#[test]
fn without_changes_a_stop_goes_through() {
    goes_through(&autonomous());
}

#[test]
fn after_an_edit_the_schema_is_asked_for_and_a_valid_report_suffices() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    let reason = is_held(&world);
    assert!(reason.starts_with("BLOCKED: Cannot stop without valid completion checkpoint.\n\nRequired: .claude/completion-checkpoint.json\n\nSchema:\n{"), "{reason}");
    assert!(reason.ends_with("- linters_pass must be true if code_changes_made is true"), "{reason}");
    world.write(FILE, &valid().to_string());
    goes_through(&world);
}

// The ways in which the original did not see a change.

#[test]
fn a_new_file_is_a_change() {
    let world = autonomous();
    world.write("new.py", "x = 1\n");
    is_held(&world);
}

#[test]
fn a_commit_does_not_make_a_change_undone() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    world.commit("work");
    is_held(&world);
}

#[test]
fn a_compaction_keeps_the_beginning() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    starts(&world, "s1", "compact");
    is_held(&world);
    starts(&world, "s1", "resume");
    is_held(&world);
}

#[test]
fn from_a_subdirectory_the_whole_repository_counts() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#).in_subfolder("sub");
    starts(&world, "s1", "startup");
    world.write("../app.py", "x = 2\n");
    is_held(&world);
}

#[test]
fn bytes_that_are_no_text_disturb_nobody() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    std::fs::write(world.path("latin.py"), b"# caf\xe9\n").unwrap();
    world.commit("latin");
    std::fs::write(world.path("latin.py"), b"# caf\xe9\xff\n").unwrap();
    starts(&world, "s1", "startup");
    goes_through(&world);
    std::fs::write(world.path("latin.py"), b"# caf\xe9\xff\xfe\n").unwrap();
    is_held(&world);
}

#[test]
fn a_repository_without_a_commit_is_one_too() {
    let world = World::without_git().with_user_config(r#"{"profile": "autonomous"}"#);
    world.git(&["init", "-q", "-b", "main"]);
    world.write("before.py", "x = 1\n");
    starts(&world, "s1", "startup");
    goes_through(&world);
    world.write("a.py", "x = 1\n");
    is_held(&world);
    world.commit("first");
    is_held(&world);
}

#[test]
fn outside_a_repository_the_journal_tells() {
    let world =
        World::without_git().with_user_config(r#"{"profile": "autonomous"}"#).with("app.py", "x = 1\n");
    starts(&world, "s1", "startup");
    let stop = |world: &World| {
        Ran::of(
            {
                let mut command = world.hook_program(&[]);
                command.env("CLAUDE_PROJECT_DIR", world.path(""));
                command
            },
            world.payload("Stop", &json!({"stop_hook_active": false})).to_string().as_bytes(),
        )
    };
    assert!(!stop(&world).stdout.contains("block"));
    world.has_edited(&world.name("app.py"));
    stop(&world).is_blocked();
}

#[test]
fn what_lay_there_before_is_not_the_sessions() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    world.write("app.py", "x = 5\n");
    world.write("draft.py", "y = 1\n");
    starts(&world, "s1", "startup");
    goes_through(&world);
    // Nor does it become so by being committed as it is.
    world.commit("the user's");
    goes_through(&world);
}

#[test]
fn noise_is_no_change() {
    let world = autonomous();
    for name in ["Cargo.lock", ".env.local", "x.log", ".vscode/a.json", ".claude/notes.md", "tmp/x.py"] {
        world.write(name, "x\n");
    }
    goes_through(&world);
}

#[test]
fn what_a_pull_brings_is_not_the_sessions() {
    let world = autonomous();
    world.git(&["checkout", "-q", "-b", "side"]);
    world.write("theirs.py", "x = 1\n");
    world.commit("theirs");
    world.git(&["update-ref", "refs/remotes/origin/side", "HEAD"]);
    goes_through(&world);
}

#[test]
fn the_snapshot_is_as_documented() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    starts(&world, "s1", "startup");
    let snapshot: Json = serde_json::from_str(&world.read(".claude/session-snapshot.json")).unwrap();
    assert_eq!(snapshot["session_id"], "s1");
    assert_eq!(snapshot["diff_hash_at_start"], "da39a3ee5e6b", "of an empty diff");
    assert!(snapshot["session_started_at"].as_str().unwrap().ends_with('Z'));
    // The next session takes its own, and the last one's report is not its own.
    world.write("app.py", "x = 2\n");
    world.write(FILE, &valid().to_string());
    starts(&world, "s2", "startup");
    let snapshot: Json = serde_json::from_str(&world.read(".claude/session-snapshot.json")).unwrap();
    assert_eq!(snapshot["diff_hash_at_start"], documented_hash(&world).as_str());
    assert_ne!(snapshot["diff_hash_at_start"], "da39a3ee5e6b");
    assert!(!world.has(FILE));
    // Of everything that the command shows: noise, staged changes, bytes that are not text; but not of our own folder.
    world.write("Cargo.lock", "a\n");
    std::fs::write(world.path("latin.txt"), b"caf\xe9\n").unwrap();
    world.write(".claude/tracked.md", "a\n");
    world.git(&["add", "-f", "."]);
    world.git(&["commit", "-qm", "more"]);
    starts(&world, "s3", "startup");
    let snapshot = |world: &World| -> Json {
        serde_json::from_str(&world.read(".claude/session-snapshot.json")).unwrap()
    };
    world.write(".claude/tracked.md", "b\n");
    world.write("Cargo.lock", "b\n");
    std::fs::write(world.path("latin.txt"), b"caf\xe9\xff\n").unwrap();
    world.git(&["add", "Cargo.lock"]);
    starts(&world, "s4", "startup");
    assert_eq!(snapshot(&world)["diff_hash_at_start"], documented_hash(&world).as_str());
    assert_ne!(snapshot(&world)["diff_hash_at_start"], "da39a3ee5e6b");
}

/// As somebody else would compute it, in the documentation's words.
fn documented_hash(world: &World) -> String {
    let line = "git diff HEAD -- ':(exclude).claude/' | sha1sum | cut -c1-12";
    world.sh(&format!("cd '{}' && {line}", world.name(""))).stdout.trim().to_owned()
}

#[test]
fn every_rule_is_said_at_once_and_types_are_strict() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    let mut report = valid();
    report["self_report"] =
        json!({"is_job_complete": "false", "code_changes_made": false, "linters_pass": 1});
    report["reflection"]["what_remains"] = "the tests".into();
    report["reflection"]["search_terms"] = json!(["one"]);
    world.write(FILE, &report.to_string());
    let reason = is_held(&world);
    for part in [
        "  * self_report.is_job_complete is the string \"false\"; it must be true or false",
        "  * self_report.linters_pass is a number",
        "  * self_report.code_changes_made is false, but this session changed app.py",
        "  * self_report.category is missing",
        "  * reflection.what_remains is \"the tests\"",
        "  * reflection.search_terms has 1 items",
    ] {
        assert!(reason.contains(part), "«{part}» is not in\n{reason}");
    }
    for broken in ["[]", "null", "{\"self_report\": null, \"reflection\": null}", "{", "\u{0}"] {
        world.write(FILE, broken);
        is_held(&world);
    }
}

#[test]
fn lengths_are_counted_as_the_schema_says() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    for (field, least) in [("what_was_done", 21), ("key_insight", 51)] {
        let mut report = valid();
        report["reflection"][field] = "é".repeat(least - 1).into();
        world.write(FILE, &report.to_string());
        assert!(is_held(&world).contains(field));
        report["reflection"][field] = "é".repeat(least).into();
        world.write(FILE, &report.to_string());
        goes_through(&world);
    }
    for (count, fits) in [(1, false), (2, true), (7, true), (8, false)] {
        let mut report = valid();
        report["reflection"]["search_terms"] = (0..count).map(|n| format!("term{n}")).collect();
        world.write(FILE, &report.to_string());
        assert_eq!(world.session_stops("s1").stdout.contains("block"), !fits, "{count}");
    }
    for (remains, fits) in [("none", true), ("None", true), ("", true), ("n/a", true), ("a little", false)] {
        let mut report = valid();
        report["reflection"]["what_remains"] = remains.into();
        world.write(FILE, &report.to_string());
        assert_eq!(world.session_stops("s1").stdout.contains("block"), !fits, "{remains}");
    }
}

#[test]
fn a_failing_run_that_was_seen_contradicts_the_report() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    world.write(FILE, &valid().to_string());
    let failure =
        json!({"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "error": "Exit code 1"});
    world.event("PostToolUseFailure", &failure);
    assert!(is_held(&world).contains("the last test run that was seen, `pytest -q`, failed"));
    world.tool("PostToolUse", "Bash", &json!({"command": "pytest -q"}));
    goes_through(&world);
}

#[test]
fn a_stop_is_not_held_for_ever() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    is_held(&world);
    let again = || world.event("Stop", &json!({"stop_hook_active": true}));
    again().is_blocked();
    again().is_blocked();
    let last = again();
    assert!(!last.stdout.contains("\"block\""), "{last:#?}");
    assert!(last.json()["systemMessage"].as_str().unwrap().contains("finishes with this open"), "{last:#?}");
}

#[test]
fn any_category_will_do() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    for category in ["anything", "Бухгалтерия", "a b c"] {
        let mut report = valid();
        report["self_report"]["category"] = category.into();
        world.write(FILE, &report.to_string());
        goes_through(&world);
    }
}

#[test]
fn infrastructure_needs_no_browser() {
    for (file, needs) in [
        ("config/hooks/a.py", false),
        ("config/skills/x/run.py", false),
        ("config/commands/c.ts", false),
        ("prompts/config/a.py", false),
        ("prompts/scripts/b.py", false),
        ("scripts/deploy.py", false),
        // The names count where they stand in the project, not anywhere in a path.
        ("src/scripts/deploy.py", true),
        ("web/page.tsx", true),
    ] {
        let world = autonomous();
        world.write_ours(".claude/autonomous-state.json", &json!({"started_at": now()}).to_string());
        world.git(&["checkout", "-q", "-b", "work"]);
        world.write(file, "x = 1\n");
        world.commit("work");
        world.write(FILE, &valid().to_string());
        let ran = world.session_stops("s1");
        assert_eq!(ran.stdout.contains("web-smoke/summary.json is missing"), needs, "{file}: {ran:#?}");
        if !needs {
            ran.is_let_go();
        }
    }
}

#[test]
fn changes_say_what_to_test() {
    let world = autonomous();
    world.write(
        "web/session.ts",
        "import { useAuth } from './auth';\n// logout\nexport const end = () => clearToken();\n",
    );
    let reason = is_held(&world);
    assert!(
        reason.contains(
            "4. CHANGE-SPECIFIC TESTING REQUIRED:\n\n   ⚠️  AUTH CHANGES DETECTED:\n      - Trace all paths"
        ),
        "{reason}"
    );
    // Only added lines count.
    world.commit("auth");
    world.write(FILE, &valid().to_string());
    goes_through(&world);
    starts(&world, "s2", "startup");
    world.write("web/session.ts", "import { useAuth } from './auth';\n// logout\nexport const end = () => clearToken();\nexport const x = 1;\n");
    let reason = world.session_stops("s2").is_blocked();
    assert!(!reason.contains("DETECTED"), "{reason}");
}

#[test]
fn autonomous_work_is_tried_in_a_browser_and_committed() {
    let world = autonomous();
    world.write_ours(
        ".claude/autonomous-state.json",
        &json!({"iteration": 1, "started_at": "2020-01-01T00:00:00Z", "last_activity_at": now()}).to_string(),
    );
    world.git(&["checkout", "-q", "-b", "work"]);
    world.write("app.py", "x = 2\n");
    world.write(FILE, &valid().to_string());
    let reason = is_held(&world);
    assert!(
        reason.contains("web-smoke/summary.json is missing") && reason.contains("commit it before you stop"),
        "{reason}"
    );
    world.commit("work");
    let version = world.git(&["rev-parse", "--short", "HEAD"]);
    world.write(".claude/web-smoke/screenshots/home.png", "png");
    let summary =
        json!({"passed": true, "tested_at_version": version, "urls_tested": ["http://localhost:3000/"]});
    world.write(".claude/web-smoke/summary.json", &summary.to_string());
    goes_through(&world);
    // The same commit, written whole.
    let whole = summary.to_string().replace(&version, &world.git(&["rev-parse", "HEAD"]));
    world.write(".claude/web-smoke/summary.json", &whole);
    goes_through(&world);
    let state: Json = serde_json::from_str(&world.read(".claude/autonomous-state.json")).unwrap();
    assert!(state["iteration"].as_u64() >= Some(2), "the next task begins");
    world.write("scripts/x.py", "x = 1\n");
    world.commit("only a script");
    assert!(is_held(&world).contains("tested on version"), "application code changed too");
}

fn now() -> String {
    let done = std::process::Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output().unwrap();
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

#[test]
fn old_states_of_autonomous_work_are_removed_at_the_start() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    world.write(".claude/autonomous-state.json", r#"{"started_at": "2020-01-01T00:00:00Z"}"#);
    world.write(".claude/appfix-state.json", r#"{"started_at": "2020-01-01T00:00:00Z"}"#);
    starts(&world, "s1", "startup");
    assert!(!world.has(".claude/autonomous-state.json") && !world.has(".claude/appfix-state.json"));
    world.write(".claude/autonomous-state.json", &json!({"started_at": now()}).to_string());
    starts(&world, "s2", "startup");
    assert!(world.has(".claude/autonomous-state.json"));
    // The user's own, for all projects.
    let user = world.home().join(".claude/autonomous-state.json");
    for (began, stays) in [("2020-01-01T00:00:00Z".to_owned(), false), (now(), true)] {
        crate::world::write(&user, &json!({"started_at": began}).to_string());
        starts(&world, "s3", "startup");
        assert_eq!(user.exists(), stays, "{began}");
    }
}

// `plimsoll checkpoint`

#[test]
fn a_template_is_written_shown_and_judged() {
    let world = autonomous();
    world.run(&["checkpoint", "show"]).fails_saying(&["there is no", "plimsoll checkpoint new"]);
    world.run(&["checkpoint", "new"]).succeeds();
    world.run(&["checkpoint", "new"]).fails_saying(&["--force"]);
    world.run(&["checkpoint", "show"]).succeeds().says(&["\"is_job_complete\": false"]);
    world.run(&["checkpoint", "check"]).succeeds().says(&["a stop would go through"]);
    world.write("app.py", "x = 2\n");
    let ran = world.run(&["checkpoint", "check"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("self_report.is_job_complete is false"), "{}", ran.stdout);
    world.write(FILE, &valid().to_string());
    world.run(&["checkpoint", "check"]).succeeds().says(&["a stop would go through"]);
}

#[test]
fn where_no_stop_asks_for_it_the_command_says_so() {
    let world = World::new();
    starts(&world, "s1", "startup");
    world.write("app.py", "x = 2\n");
    let ran = world.run(&["checkpoint", "check"]);
    assert!(ran.stderr.contains("stop/checkpoint is off here (profile standard)"), "{ran:#?}");
    let ran = autonomous().run(&["checkpoint", "check"]).succeeds();
    assert_eq!(ran.stderr, "");
}
