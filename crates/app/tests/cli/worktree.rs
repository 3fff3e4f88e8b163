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
    // Records of ours in the main folder do not stop a merge.
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
fn the_same_name_in_two_repositories_is_two_agents() {
    let first = World::new();
    let mine = made(&first, "agent-1");
    std::fs::write(mine.join("mine.py"), "x = 1\n").unwrap();
    let before = state(&first)["worktrees"]["agent-1"].clone();
    // Another repository on the same machine, with a work tree of the same name.
    let other = first.base().join("other");
    std::fs::create_dir(&other).unwrap();
    let second = first.moved_to(other);
    second.git(&["init", "-q", "-b", "main"]);
    second.write("other.py", "y = 1\n");
    second.commit("start");
    refuses(&second.run(&["worktree", "merge", "agent-1"]), "there is one of");
    refuses(&second.run(&["worktree", "cleanup", "agent-1", "--force"]), "run this there");
    let theirs = made(&second, "agent-1");
    assert_ne!(theirs, mine);
    assert!(mine.join("mine.py").is_file() && theirs.join("other.py").is_file());
    assert_eq!(state(&second)["worktrees"]["agent-1"], before, "the first one's entry is as it was");
    assert_eq!(second.run(&["worktree", "path", "agent-1"]).succeeds().stdout.trim(), text(&theirs));
    // Each command means the one of the repository that it is run in, also from within the work tree.
    std::fs::write(theirs.join("new.py"), "z = 1\n").unwrap();
    git(&second, &theirs, &["add", "-A"]);
    git(&second, &theirs, &["commit", "-qm", "work"]);
    let second = second.standing_in(theirs.clone());
    second.run(&["worktree", "merge", "agent-1"]).succeeds().says(&["fast-forwarded"]);
    assert_eq!(second.read("new.py"), "z = 1\n");
    let ran = second.run(&["worktree", "is-worktree"]).succeeds();
    assert_eq!(ran.json()["agent_id"], "agent-1");
    // Outside of both nobody can tell which is meant.
    let nowhere = second.standing_in(PathBuf::from("/"));
    refuses(&nowhere.run(&["worktree", "cleanup", "agent-1", "--force"]), " and one of ");
    let second = nowhere.standing_in(text(&theirs.with_file_name("..").join("../other")).into());
    second.run(&["worktree", "create", "agent-1"]).succeeds();
    second.run(&["worktree", "cleanup", "agent-1"]).succeeds();
    assert!(!theirs.exists() && mine.join("mine.py").is_file());
    assert_eq!(state(&second)["worktrees"], json!({"agent-1": before}));
}

#[test]
fn a_list_that_others_have_written_is_understood_and_kept() {
    let world = World::new();
    let path = made(&world, "mine");
    let file = world.home().join(".claude/worktree-state.json");
    // As the documentation shows it, with what we know nothing of.
    let mut list = state(&world);
    list["version"] = 2.into();
    list["worktrees"]["agent-123"] = json!({
        "path": "/tmp/claude-worktrees/agent-123", "branch": "claude-agent/agent-123",
        "main_repo": "/path/to/main/repo", "base_commit": "abc1234", "created_at": "2026-01-25T10:30:00Z",
    });
    list["worktrees"]["odd"] = json!({"note": "mine"});
    list["worktrees"]["mine"]["main_repo"] = ".".into();
    crate::world::write(&file, &list.to_string());
    world.run(&["worktree", "list"]).succeeds().says(&["agent-123", "of /path/to/main/repo"]);
    assert_eq!(world.run(&["worktree", "path", "mine"]).succeeds().stdout.trim(), text(&path));
    world.run(&["worktree", "cleanup", "mine"]).succeeds();
    assert!(!path.exists());
    list["worktrees"].as_object_mut().unwrap().remove("mine");
    assert_eq!(state(&world), list);
}

#[test]
fn a_list_that_cannot_be_read_is_said_and_kept() {
    for broken in ["{", "[]", "{\"worktrees\": 3}"] {
        let world = World::new();
        let file = world.home().join(".claude/worktree-state.json");
        crate::world::write(&file, broken);
        for command in [&["list"][..], &["merge", "a"], &["cleanup", "a"], &["path", "a"], &["gc"]] {
            let ran = world.run(&[&["worktree"], command].concat());
            assert_eq!(ran.code, Some(1), "{command:?}: {ran:#?}");
            assert!(ran.stderr.contains("worktree-state.json cannot be read"), "{command:?}: {ran:#?}");
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), broken, "nobody has touched it");
        let ran = world.run(&["worktree", "create", "a"]).succeeds();
        assert!(ran.stderr.contains("cannot be read") && ran.stderr.contains("it is "), "{ran:#?}");
        let beside = crate::world::files_below(file.parent().unwrap());
        let kept: Vec<_> =
            beside.iter().filter(|path| text(path).contains("worktree-state.broken-")).collect();
        assert_eq!(kept.len(), 1, "{beside:?}");
        assert_eq!(std::fs::read_to_string(kept[0]).unwrap(), broken);
        assert!(state(&world)["worktrees"]["a"].is_object());
    }
}

#[test]
fn a_merge_says_what_it_did() {
    let world = World::new();
    world.git(&["config", "user.name", "test"]);
    world.git(&["config", "user.email", "test@example.invalid"]);
    let path = made(&world, "a");
    let head = world.git(&["rev-parse", "HEAD"]);
    assert_eq!(state(&world)["worktrees"]["a"]["base_commit"], head.as_str());
    let ran = world.run(&["worktree", "merge", "a"]).succeeds();
    assert!(ran.stdout.contains("has everything of claude-agent/a already"), "{}", ran.stdout);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    // Both sides have gone on, without being in each other's way.
    std::fs::write(path.join("theirs.py"), "x = 1\n").unwrap();
    git(&world, &path, &["add", "-A"]);
    git(&world, &path, &["commit", "-qm", "theirs"]);
    world.write("ours.py", "x = 2\n");
    world.commit("ours");
    world.run(&["worktree", "merge", "a"]).succeeds().says(&["claude-agent/a merged into"]);
    assert_eq!(world.read("theirs.py"), "x = 1\n");
    let parents = world.git(&["rev-list", "--parents", "-n", "1", "HEAD"]);
    assert_eq!(parents.split(' ').count(), 3, "a commit with two parents: {parents}");
    world.run(&["worktree", "merge", "a"]).succeeds().says(&["already"]);
}

#[test]
fn of_a_folder_that_is_gone_nothing_stays() {
    let world = World::new();
    let path = made(&world, "a");
    std::fs::remove_dir_all(&path).unwrap();
    assert!(world.git(&["worktree", "list"]).contains("claude-worktrees/a"));
    world.run(&["worktree", "gc"]).succeeds().says(&["removed a"]);
    assert_eq!(state(&world)["worktrees"], json!({}));
    assert_eq!(world.git(&["branch", "--list", "claude-agent/*"]), "");
    assert!(!world.git(&["worktree", "list"]).contains("claude-worktrees/a"), "git has forgotten it too");
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
        .fails_saying(&["is not a name for an agent"]);
}
