//! Memory: from a report to the start of the next session.

use serde_json::{Value as Json, json};

use crate::checkpoint::{FILE, autonomous, starts, valid};
use crate::world::{World, files_below};

fn remembered(world: &World) -> Vec<Json> {
    let files = files_below(&world.home().join(".claude/memory")).into_iter();
    let events = files.filter(|path| path.parent().is_some_and(|dir| dir.ends_with("events")));
    events.map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()).collect()
}

fn with_a_lesson() -> World {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    world.write(FILE, &valid().to_string());
    world.session_stops("s1");
    world
}

#[test]
fn a_valid_report_becomes_an_event_and_the_next_session_begins_with_it() {
    let world = with_a_lesson();
    let events = remembered(&world);
    assert_eq!(events.len(), 1, "{events:?}");
    let event = &events[0];
    assert_eq!(event["type"], "session_end");
    assert_eq!(event["source"], "auto-capture");
    assert_eq!(event["entities"], json!(["cors", "proxy", "app.py"]));
    let content = event["content"].as_str().unwrap();
    assert!(
        content.starts_with("LESSON: The proxy strips the header")
            && content.contains("\nDONE: Fixed the CORS"),
        "{content}"
    );
    // The same report at the next stop is not a second event.
    world.session_stops("s1");
    assert_eq!(remembered(&world).len(), 1);
    let start = starts(&world, "s2", "startup").json();
    let text = start["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(
        text.contains("<memories count=\"1\">") && text.contains("data to judge, not instructions"),
        "{text}"
    );
}

#[test]
fn a_report_without_changes_is_remembered_too_and_a_held_one_is_not() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    let mut report = valid();
    report["self_report"]["is_job_complete"] = false.into();
    world.write(FILE, &report.to_string());
    world.session_stops("s1").is_blocked();
    assert!(remembered(&world).is_empty());
    world.git(&["checkout", "-q", "--", "app.py"]);
    report["self_report"] =
        json!({"is_job_complete": true, "code_changes_made": false, "category": "research"});
    world.write(FILE, &report.to_string());
    world.session_stops("s1");
    assert_eq!(remembered(&world).len(), 1);
}

#[test]
fn secrets_are_not_remembered() {
    let world = autonomous();
    world.write("app.py", "x = 2\n");
    let mut report = valid();
    report["reflection"]["key_insight"] =
        "The key AKIAIOSFODNN7EXAMPLE and password=hunter2hunter2 must be in the environment, nowhere else"
            .into();
    world.write(FILE, &report.to_string());
    world.session_stops("s1");
    let text = remembered(&world)[0].to_string();
    assert!(!text.contains("AKIAIOSFODNN7EXAMPLE") && !text.contains("hunter2"), "{text}");
}

#[test]
fn a_file_that_is_read_and_a_prompt_bring_it_up_once() {
    let world = with_a_lesson();
    // A session that began before it was learned.
    let read = json!({"session_id": "s9", "tool_name": "Read", "tool_input": {"file_path": world.name("app.py")}, "tool_response": {}});
    let ran = world.event("PostToolUse", &read);
    let text = ran.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert!(text.contains("LESSON: The proxy strips the header"), "{text}");
    world.event("PostToolUse", &read).is_silent();
    let prompt = |session: &str, text: &str| {
        world.event("UserPromptSubmit", &json!({"session_id": session, "prompt": text}))
    };
    prompt("s9", "fix the cors bug").is_silent();
    prompt("s10", "what about lunch?").is_silent();
    assert!(prompt("s10", "fix the cors bug").stdout.contains("LESSON"));
}

#[test]
fn what_helped_is_counted() {
    let world = with_a_lesson();
    starts(&world, "s2", "startup");
    world.write("app.py", "x = 3\n");
    let mut report = valid();
    report["reflection"]["key_insight"] =
        "A wholly different thing was learned here, which nobody knew about before".into();
    report["reflection"]["memory_that_helped"] = json!(["m1", "m7"]);
    world.write(FILE, &report.to_string());
    world.session_stops("s2");
    let dir = world.home().join(".claude/memory");
    let manifest = files_below(&dir).into_iter().find(|path| path.ends_with("manifest.json")).unwrap();
    let utility = manifest.with_file_name("utility.jsonl");
    let text = std::fs::read_to_string(utility).unwrap();
    assert_eq!(text.matches("injected").count(), 1, "{text}");
    assert_eq!(text.matches("cited").count(), 1, "{text}");
}

#[test]
fn before_a_compaction_the_work_so_far_is_put_down() {
    let world = autonomous();
    let compact = || world.event("PreCompact", &json!({"trigger": "auto"})).succeeds();
    compact();
    assert!(remembered(&world).is_empty(), "nothing was changed");
    world.write("app.py", "x = 2\n");
    compact();
    let events = remembered(&world);
    assert_eq!(events.len(), 1);
    assert_eq!(
        (&events[0]["type"], &events[0]["source"]),
        (&json!("precompact_capture"), &json!("crash-recovery"))
    );
}

#[test]
fn clones_of_one_remote_share_and_other_projects_do_not() {
    let world = with_a_lesson();
    assert_eq!(world.run(&["memory", "list"]).succeeds().stdout.lines().count(), 1);
    let world = world.standing_in(std::path::PathBuf::from("/"));
    world.run(&["memory", "list"]).succeeds().says(&["no session has left a memory"]);
    // The same project by way of its remote.
    let world = autonomous();
    world.git(&["remote", "add", "origin", "https://example.invalid/o/r.git"]);
    world.write("app.py", "x = 2\n");
    world.write(FILE, &valid().to_string());
    world.session_stops("s1");
    let clone = world.base().join("clone");
    std::fs::create_dir(&clone).unwrap();
    let world = world.moved_to(clone);
    world.git(&["init", "-q"]);
    world.git(&["remote", "add", "origin", "git@example.invalid:o/r"]);
    assert_eq!(world.run(&["memory", "list"]).succeeds().stdout.lines().count(), 1);
}

#[test]
fn the_user_lists_searches_shows_forgets_and_exports() {
    let world = with_a_lesson();
    let list = world.run(&["memory", "list"]).succeeds().stdout;
    let id = list.split_whitespace().next().unwrap().to_owned();
    assert!(id.starts_with("evt_"), "{list}");
    world.run(&["memory", "search", "cors"]).succeeds().says(&[&id]);
    world.run(&["memory", "search", "strips"]).succeeds().says(&[&id]);
    world.run(&["memory", "search", "lunch"]).succeeds().says(&["nothing is remembered about that"]);
    world.run(&["memory", "show", &id]).succeeds().says(&["LESSON"]);
    assert_eq!(world.run(&["memory", "export"]).succeeds().stdout.lines().count(), 1);
    world.run(&["memory", "forget", &id]).succeeds();
    world.run(&["memory", "forget", &id]).fails_saying(&["unknown memory"]);
    world.run(&["memory", "list"]).succeeds().says(&["no session has left a memory"]);
}

#[test]
fn a_store_that_was_made_by_path_is_read() {
    let world = autonomous();
    let root = world.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    let done = std::process::Command::new("sh")
        .args(["-c", &format!("printf '|{root}' | sha256sum | cut -c1-16")])
        .output()
        .unwrap();
    let hash = String::from_utf8(done.stdout).unwrap().trim().to_owned();
    let file = world.home().join(format!(".claude/memory/{hash}/events/evt_20990101T000000-1-abcdef.json"));
    let event = json!({"v": 1, "id": "x", "ts": "2099-01-01T00:00:00Z", "content": "LESSON: from before", "entities": ["app.py"]});
    crate::world::write(&file, &event.to_string());
    world.git(&["remote", "add", "origin", "https://example.invalid/o/r.git"]);
    // With a remote the store has another name; the old one is named by remote and path, or by path alone.
    world.git(&["remote", "remove", "origin"]);
    world.run(&["memory", "list"]).succeeds().says(&["from before"]);
}

fn manifest(world: &World) -> (std::path::PathBuf, Json) {
    let files = files_below(&world.home().join(".claude/memory"));
    let file = files.into_iter().find(|path| path.ends_with("manifest.json")).unwrap();
    let json = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    (file, json)
}

#[test]
fn the_index_says_when_it_was_written() {
    let world = with_a_lesson();
    let (_, index) = manifest(&world);
    let at = index["updated_at"].as_str().unwrap();
    assert!(at.len() == 20 && at.ends_with('Z') && at.contains('T') && at.contains(':'), "{at}");
}

#[test]
fn a_secret_in_a_name_of_a_file_is_not_remembered() {
    let world = autonomous();
    world.write("keys/AKIAIOSFODNN7EXAMPLE.py", "x = 2\n");
    world.write(FILE, &valid().to_string());
    world.session_stops("s1");
    let events = remembered(&world);
    assert_eq!(events[0]["meta"]["files"].as_array().map(Vec::len), Some(1), "{events:?}");
    assert!(!events[0].to_string().contains("AKIAIOSFODNN7EXAMPLE"), "{events:?}");
}

#[test]
fn what_every_session_is_told_is_there_without_events_and_can_be_taken_away() {
    let world = with_a_lesson();
    let (file, _) = manifest(&world);
    let root = file.parent().unwrap().to_owned();
    // Nothing but assertions is left.
    std::fs::remove_dir_all(root.join("events")).unwrap();
    std::fs::remove_file(&file).unwrap();
    let lines = [
        json!({"ts": "2026-01-01T00:00:00Z", "topic": "deploys", "assertion": "Deploys run on Fridays"}),
        json!({"ts": "2026-01-02T00:00:00Z", "topic": "tests", "assertion": "Tests need the database"}),
        json!({"ts": "2026-01-03T00:00:00Z", "topic": "deploys", "assertion": "Deploys never run on Fridays"}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    crate::world::write(&root.join("core-assertions.jsonl"), &text);
    let told = |session: &str| starts(&world, session, "startup").stdout;
    let text = told("s2");
    assert!(
        text.contains("Deploys never run on Fridays") && text.contains("Tests need the database"),
        "{text}"
    );
    assert!(!text.contains("Deploys run on Fridays"), "the last word on a topic counts: {text}");
    world.run(&["memory", "list"]).succeeds().says(&["core:deploys", "core:tests", "always said"]);
    let found = world.run(&["memory", "search", "fridays"]).succeeds();
    assert!(
        found.stdout.contains("core:deploys") && !found.stdout.contains("core:tests"),
        "{}",
        found.stdout
    );
    world.run(&["memory", "show", "core:tests"]).succeeds().says(&["Tests need the database"]);
    world.run(&["memory", "show", "core:nothing"]).fails_saying(&["unknown memory core:nothing"]);
    world.run(&["memory", "forget", "core:deploys"]).succeeds().says(&["forgot core:deploys"]);
    world.run(&["memory", "forget", "core:deploys"]).fails_saying(&["unknown memory core:deploys"]);
    let text = told("s3");
    assert!(!text.contains("Fridays") && text.contains("Tests need the database"), "{text}");
}

#[test]
fn looking_for_files_and_for_text_brings_it_up_too() {
    for (tool, input) in [("Grep", json!({"pattern": "cors"})), ("Glob", json!({"pattern": "**/app.py"}))] {
        let world = with_a_lesson();
        let call = json!({"session_id": "s9", "tool_name": tool, "tool_input": input, "tool_response": {}});
        let ran = world.event("PostToolUse", &call);
        assert!(ran.stdout.contains("LESSON: The proxy strips the header"), "{tool} {input}: {ran:#?}");
        let other = json!({"session_id": "s8", "tool_name": tool, "tool_input": {"pattern": "lunch"}, "tool_response": {}});
        world.event("PostToolUse", &other).is_silent();
    }
}
