//! `plimsoll log`: what was decided, chosen and followed.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::world::{RUFF, World, write};

/// An edit refused, one passed, and a stop held in another session.
fn told() -> World {
    let world = World::new();
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    world.wants_to_edit(&world.name("app.py")).is_silent();
    world.write(RUFF, "line-length = 300\n");
    world.session_stops("s2").is_blocked();
    world
}

fn entries(world: &World, args: &[&str]) -> Vec<Json> {
    let ran = world.run(&[&["log", "--json"], args].concat()).succeeds();
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_newest_is_last() {
    let world = told();
    let ran = world.run(&["log"]).succeeds();
    let _plain = world.plain();
    insta::assert_snapshot!(ran.stdout, @r"
    [TIME] deny  PreToolUse   Edit [MICROS]  [WORLD]/project/.ruff.toml  file/linter-config
    [TIME] none  PreToolUse   Edit [MICROS]  [WORLD]/project/app.py
    [TIME] deny  Stop [MICROS]    stop/config-guardian (with notice)
    ");
}

#[test]
fn as_json_the_entries_are_those_of_the_log() {
    let world = told();
    assert_eq!(entries(&world, &[]), world.log());
}

#[test]
fn entries_are_chosen() {
    let world = told();
    let events = |args: &[&str]| -> Vec<String> {
        let entries = entries(&world, args);
        entries
            .iter()
            .map(|e| format!("{} {}", e["event"].as_str().unwrap(), e["verdict"].as_str().unwrap()))
            .collect()
    };
    assert_eq!(events(&["--verdict", "deny"]), ["PreToolUse deny", "Stop deny"]);
    assert_eq!(events(&["--rule", "file/linter-config"]), ["PreToolUse deny"]);
    assert_eq!(events(&["--event", "Stop"]), ["Stop deny"]);
    assert_eq!(events(&["--session", "s1"]), ["PreToolUse deny", "PreToolUse none"]);
    assert_eq!(events(&["-n", "1"]), ["Stop deny"]);
    assert_eq!(events(&["--session", "s1", "--last", "1"]), ["PreToolUse none"]);
    assert_eq!(events(&["--verdict", "ask"]), [""; 0]);
}

#[test]
fn other_projects_are_shown_on_demand() {
    let world = told();
    let other = world.base().join("other");
    std::fs::create_dir(&other).unwrap();
    let world = world.moved_to(other);
    world.git(&["init", "-q"]);
    assert_eq!(entries(&world, &[]).len(), 0);
    assert_eq!(entries(&world, &["--all"]).len(), 3);
}

#[test]
fn in_a_subfolder_of_the_repository_the_entries_of_that_project_are_shown() {
    let world = World::new().in_subfolder("packages/web").with("biome.json", "{}");
    world.wants_to_edit("biome.json").is_denied();
    assert_eq!(entries(&world, &[]).len(), 1);
}

#[test]
fn an_empty_log_says_where_it_would_be() {
    let world = World::new();
    let ran = world.run(&["log"]).succeeds();
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr, format!("no entries; the log is {}\n", world.state().join("log.jsonl").display()));
}

#[test]
fn what_went_wrong_on_our_side_stands_below_its_entry() {
    let world = World::new().with(".claude", "a file in its place");
    world.has_edited("app.py").is_silent();
    world.run(&["log"]).succeeds().says(&["    could not record the changed file: "]);
}

#[test]
fn what_was_only_observed_is_marked() {
    let world = World::new().with_user_config(r#"{"profile": "observe"}"#);
    world.wants_to_edit(RUFF).is_silent();
    world.run(&["log"]).succeeds().says(&["file/linter-config (observed)"]);
}

#[test]
fn lines_that_are_no_json_are_read_over() {
    let world = told();
    let file = world.state().join("log.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    write(&file, &format!("half a li\n{text}{{\"event\": \"trunc"));
    let ran = world.run(&["log", "--json"]).succeeds();
    assert_eq!(ran.stdout.lines().count(), 3);
}

#[test]
fn wrong_arguments_are_pointed_out() {
    World::new().run(&["log", "-n", "many"]).is_misused();
}

/// A program that goes on until it is ended; it ends with the test.
struct Following(std::process::Child);

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn following_ends_quietly_when_nobody_reads_any_more() {
    let world = World::new();
    world.wants_to_edit("old.py").is_silent();
    let mut child = Following(world.program(&["log", "--follow"]).spawn().unwrap());
    let mut first = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("old.py"), "{first}");
    let mut ended = None;
    for _ in 0..100 {
        world.wants_to_edit("new.py").is_silent();
        std::thread::sleep(Duration::from_millis(50));
        ended = child.0.try_wait().unwrap();
        if ended.is_some() {
            break;
        }
    }
    assert_eq!(ended.expect("it goes on without a reader").code(), Some(0));
    let mut said = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn following_shows_what_comes() {
    let world = World::new();
    world.wants_to_edit("old.py").is_silent();
    let mut child = Following(world.program(&["log", "--follow", "--json"]).spawn().unwrap());
    let stdout = BufReader::new(child.0.stdout.take().unwrap());
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));

    // A long time, so that a program that says nothing fails the test instead of hanging it.
    let first = lines.recv_timeout(Duration::from_mins(1)).expect("what is there is shown first");
    assert!(first.contains("old.py"), "{first}");
    for number in 0..100 {
        world.wants_to_edit(&format!("new-{number}.py")).is_silent();
        if let Ok(line) = lines.recv_timeout(Duration::from_secs(1)) {
            let entry: Json = serde_json::from_str(&line).unwrap();
            assert_eq!((&entry["event"], &entry["verdict"]), (&json!("PreToolUse"), &json!("none")));
            assert!(entry["subject"].as_str().unwrap().starts_with("new-"), "{line}");
            return;
        }
    }
    panic!("nothing new was shown");
}
