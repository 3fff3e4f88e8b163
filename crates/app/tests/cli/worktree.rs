//! `plimsoll worktree`, on real repositories.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, text};

fn made(world: &World, agent: &str) -> PathBuf {
    let ran = world.run(&["worktree", "create", agent]).succeeds();
    PathBuf::from(ran.stdout.lines().last().unwrap())
}

fn state(world: &World) -> Json {
    let text = std::fs::read_to_string(world.home().join(".claude/worktree-state.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn git(world: &World, dir: &Path, args: &[&str]) {
    let dir = text(dir);
    let all: Vec<&str> = ["-C", &dir].into_iter().chain(args.iter().copied()).collect();
    world.git(&all);
}

#[track_caller]
fn refuses(ran: &Ran, part: &str) {
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.stderr.contains(part), "{ran:#?}");
}

#[test]
fn an_agent_gets_a_folder_and_a_branch_and_its_work_comes_back() {
    let world = World::new();
    let path = made(&world, "agent-1");
    assert!(path.ends_with("claude-worktrees/agent-1") && path.join("app.py").is_file());
    let entry = &state(&world)["worktrees"]["agent-1"];
    assert_eq!(entry["branch"], "claude-agent/agent-1");
    assert_eq!(entry["main_repo"], text(&world.path("")).trim_end_matches('/'));
    assert!(
        entry["created_at"].as_str().unwrap().ends_with('Z')
            && !entry["created_at"].as_str().unwrap().contains('+')
    );
    assert_eq!(world.run(&["worktree", "path", "agent-1"]).succeeds().stdout.trim(), text(&path));
    world.run(&["worktree", "list"]).succeeds().says(&["agent-1", "claude-agent/agent-1"]);
    std::fs::write(path.join("new.py"), "x = 1\n").unwrap();
    refuses(&world.run(&["worktree", "merge", "agent-1"]), "uncommitted work (new.py)");
    refuses(&world.run(&["worktree", "cleanup", "agent-1"]), "uncommitted work");
    git(&world, &path, &["add", "-A"]);
    git(&world, &path, &["commit", "-qm", "work"]);
    refuses(&world.run(&["worktree", "cleanup", "agent-1"]), "merged nowhere");
    // Records of ours in the main folder are in nobody's way.
    world.write(".claude/x.json", "{}");
    world.run(&["worktree", "merge", "agent-1"]).succeeds().says(&["fast-forwarded"]);
    assert_eq!(world.read("new.py"), "x = 1\n");
    world.run(&["worktree", "cleanup", "agent-1"]).succeeds();
    assert!(!path.exists());
    assert_eq!(world.git(&["branch", "--list", "claude-agent/*"]), "");
    assert_eq!(state(&world)["worktrees"], json!({}));
    world.run(&["worktree", "list"]).succeeds().says(&["no agent has a work tree"]);
}

#[test]
fn from_elsewhere_it_works_the_same() {
    let world = World::new();
    made(&world, "a");
    let world = world.standing_in(PathBuf::from("/"));
    world.run(&["worktree", "merge", "a"]).succeeds();
    world.run(&["worktree", "cleanup", "a"]).succeeds();
}

#[test]
fn a_conflict_changes_nothing() {
    let world = World::new();
    world.git(&["config", "user.name", "test"]);
    world.git(&["config", "user.email", "test@example.invalid"]);
    let path = made(&world, "a");
    std::fs::write(path.join("app.py"), "x = 'theirs'\n").unwrap();
    git(&world, &path, &["commit", "-qam", "theirs"]);
    world.write("app.py", "x = 'ours'\n");
    refuses(&world.run(&["worktree", "merge", "a"]), "uncommitted changes (app.py)");
    world.commit("ours");
    let ran = world.run(&["worktree", "merge", "a"]);
    refuses(&ran, "does not merge: CONFLICT");
    assert!(ran.stderr.contains("nothing was changed"), "{}", ran.stderr);
    assert_eq!(world.read("app.py"), "x = 'ours'\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    refuses(&world.run(&["worktree", "merge", "nobody"]), "no work tree of nobody is known");
    world.run(&["worktree", "cleanup", "a", "--force"]).succeeds();
}

#[test]
fn a_folder_knows_whether_it_is_one() {
    let world = World::new();
    let path = made(&world, "a");
    let ran = world.run(&["worktree", "is-worktree"]);
    assert_eq!((ran.code, ran.json()), (Some(1), json!({"is_worktree": false})));
    let world = world.standing_in(path);
    let ran = world.run(&["worktree", "is-worktree"]).succeeds();
    assert_eq!((&ran.json()["is_worktree"], &ran.json()["agent_id"]), (&json!(true), &json!("a")));
}

#[test]
fn names_that_would_lead_elsewhere_are_refused() {
    let world = World::new();
    for name in ["../x", "a/b", "", ".x", "-f", "a..b"] {
        let ran = world.run(&["worktree", "create", "--", name]);
        assert_eq!(ran.code, Some(2), "{name}: {ran:#?}");
    }
}

fn age(world: &World, agent: &str) {
    let mut state = state(world);
    state["worktrees"][agent]["created_at"] = "2020-01-01T00:00:00Z".into();
    crate::world::write(&world.home().join(".claude/worktree-state.json"), &state.to_string());
}

#[test]
fn what_was_left_behind_is_collected_and_what_lives_or_holds_work_is_not() {
    let world = World::new();
    let (old, young, busy, working) =
        (made(&world, "old"), made(&world, "young"), made(&world, "busy"), made(&world, "working"));
    for agent in ["old", "busy", "working"] {
        age(&world, agent);
    }
    std::fs::write(working.join("x.py"), "").unwrap();
    let mut sleeper = Command::new("sleep").arg("60").current_dir(&busy).spawn().unwrap();
    let dry = world.run(&["worktree", "gc", "--dry-run"]).succeeds();
    assert!(dry.stdout.contains("would remove old") && old.exists(), "{}", dry.stdout);
    let ran = world.run(&["worktree", "gc"]).succeeds();
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert!(ran.stdout.contains("removed old"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("kept busy: it is in use by process")
            && ran.stdout.contains("kept working: it has uncommitted work"),
        "{}",
        ran.stdout
    );
    assert!(!old.exists() && young.exists() && busy.exists() && working.exists());
    // The time to live is the caller's, and folders that nobody knows go too.
    let orphan = young.with_file_name("orphan");
    std::fs::create_dir(&orphan).unwrap();
    let ran = world.run(&["worktree", "gc", "0"]).succeeds();
    assert!(ran.stdout.contains("orphan:orphan") && !orphan.exists() && !young.exists(), "{}", ran.stdout);
}

#[test]
fn a_session_that_starts_collects() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    let path = made(&world, "old");
    age(&world, "old");
    world.event("SessionStart", &json!({"source": "startup"}));
    assert!(!path.exists());
}

#[test]
fn the_clients_own_events_are_answered() {
    let world = World::new();
    let hook = |event: Json| world.run_with(&["worktree", "hook"], event.to_string().as_bytes());
    let ran = hook(json!({"hook_event_name": "WorktreeCreate", "name": "feature", "cwd": world.path("")}))
        .succeeds();
    let path = PathBuf::from(ran.stdout.trim());
    assert!(path.join("app.py").is_file(), "{}", ran.stdout);
    // The client starts the hook in the very folder that is to go. Somebody else in there keeps it.
    let gone = json!({"hook_event_name": "WorktreeRemove", "worktree_path": path}).to_string();
    let from_inside = || {
        let mut command = world.program(&["worktree", "hook"]);
        command.current_dir(&path);
        Ran::of(command, gone.as_bytes())
    };
    let mut other = Command::new("sleep").arg("600").current_dir(&path).spawn().unwrap();
    from_inside().fails_saying(&[&format!("is in use by process {}", other.id())]);
    other.kill().unwrap();
    other.wait().unwrap();
    from_inside().succeeds();
    assert!(!path.exists());
    hook(json!({"hook_event_name": "WorktreeRemove", "worktree_path": "/somewhere/else"})).succeeds();
    hook(json!({"hook_event_name": "WorktreeCreate", "name": "../x"}))
        .fails_saying(&["is no name for an agent"]);
}
