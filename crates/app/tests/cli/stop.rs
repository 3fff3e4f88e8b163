//! `plimsoll hook` at a stop, with real git: what this session did to the protected files is held once, and nothing else.

mod history;
mod places;

use serde_json::json;

use crate::world::{RUFF, Ran, World, trimmed};

const BEFORE: &str = "line-length = 88\n";
const AFTER: &str = "line-length = 300\n";

/// A session has begun in the first commit.
fn begun() -> World {
    let world = World::new();
    world.session_starts("s1");
    world
}

fn stop(world: &World) -> Ran {
    world.session_stops("s1")
}

/// The stop is held because of exactly this file, changed in this way.
#[track_caller]
fn is_held(ran: &Ran, file: &str, how: &str) -> String {
    let reason = ran.is_blocked();
    let expected = format!("Protected config files changed in this session:\n  - {file} ({how})\n");
    assert!(reason.starts_with(&expected), "{reason}");
    assert!(reason.contains("Only the user may change them."), "only {file}: {reason}");
    assert_eq!(ran.json()["systemMessage"], format!("Linter config files modified:\n  - {file}"));
    reason
}

/// The command that a reason names for `what`.
#[track_caller]
fn named<'a>(reason: &'a str, what: &str) -> &'a str {
    let line = reason.lines().find_map(|line| line.trim_start().strip_prefix(what)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {what} in\n{reason}")).trim()
}

/// Runs the restore command that the held stop names: the next stop goes through.
#[track_caller]
fn restoring_settles(world: &World) {
    let reason = stop(world).is_blocked();
    let command = named(&reason, "restore");
    world.sh(command);
    let next = stop(world);
    assert!(next.stdout.is_empty(), "after «{command}» the next stop is held again:\n{}", next.is_blocked());
}

// What is held, and how it is taken back.

#[test]
fn nothing_changed() {
    stop(&begun()).is_silent();
}

#[test]
fn code_changed() {
    let world = begun().with("app.py", "x = 2\n").with("new.py", "");
    stop(&world).is_silent();
}

#[test]
fn the_whole_answer() {
    let world = begun().with(RUFF, AFTER);
    let answer = stop(&world).json();
    insta::assert_snapshot!(trimmed(answer["reason"].as_str().unwrap()), @r"
    Protected config files changed in this session:
      - .ruff.toml (modified)
    Only the user may change them.
    Use the AskUserQuestion tool NOW and let the user choose for each file: keep it, restore it, or see the diff. Then run what they chose:
      keep:    plimsoll approve --session s1 -- .ruff.toml
      restore: git checkout -- .ruff.toml
      diff:    git diff HEAD -- .ruff.toml
    ");
    insta::assert_snapshot!(answer["systemMessage"].as_str().unwrap(), @r"
    Linter config files modified:
      - .ruff.toml
    ");
}

#[test]
fn modified() {
    let world = begun().with(RUFF, AFTER);
    is_held(&stop(&world), RUFF, "modified");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn staged() {
    let world = begun().with(RUFF, AFTER);
    world.git(&["add", RUFF]);
    is_held(&stop(&world), RUFF, "staged");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn staged_and_then_modified_again() {
    let world = begun().with(RUFF, AFTER);
    world.git(&["add", RUFF]);
    world.write(RUFF, "line-length = 400\n");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn deleted() {
    let world = begun();
    world.remove(RUFF);
    is_held(&stop(&world), RUFF, "deleted");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn deleted_with_git() {
    let world = begun();
    world.git(&["rm", "-q", RUFF]);
    is_held(&stop(&world), RUFF, "deleted");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn renamed() {
    let world = begun();
    world.git(&["mv", RUFF, "old-rules"]);
    is_held(&stop(&world), RUFF, "deleted");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn taken_out_of_git_and_left_in_place() {
    let world = begun();
    world.git(&["rm", "-q", "--cached", RUFF]);
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn new() {
    let world = begun().with("web/biome.json", "{}");
    is_held(&stop(&world), "web/biome.json", "new");
    restoring_settles(&world);
    assert!(!world.has("web/biome.json"));
}

#[test]
fn new_and_staged() {
    let world = begun().with(".flake8", "[flake8]\n");
    world.git(&["add", ".flake8"]);
    is_held(&stop(&world), ".flake8", "new");
    restoring_settles(&world);
    assert!(!world.has(".flake8"));
}

#[test]
fn new_and_staged_and_then_deleted() {
    let world = begun().with(".flake8", "[flake8]\n");
    world.git(&["add", ".flake8"]);
    world.remove(".flake8");
    restoring_settles(&world);
    assert_eq!(world.git(&["ls-files", "--", ".flake8"]), "");
}

#[test]
fn new_and_only_announced_to_git() {
    let world = begun().with(".flake8", "[flake8]\n");
    world.git(&["add", "-N", ".flake8"]);
    is_held(&stop(&world), ".flake8", "new");
    restoring_settles(&world);
    assert!(!world.has(".flake8"));
}

#[test]
fn left_in_conflict_by_a_merge() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "side"]);
    world.write(RUFF, AFTER);
    world.commit("side");
    world.git(&["checkout", "-q", "main"]);
    world.write(RUFF, "line-length = 99\n");
    world.commit("main");
    world.session_starts("s1");
    world.sh("git -c user.name=t -c user.email=t@example.invalid merge -q side || true");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), "line-length = 99\n");
}

#[test]
fn a_name_that_git_could_read_as_a_pattern() {
    let names = ["pages/[id]/biome.json", "pages/i/biome.json"];
    let world = World::new().with_committed(names[0], "{}\n").with_committed(names[1], "{}\n");
    world.session_starts("s1");
    world.write(names[1], "{\"a\": 1}\n");
    world.run(&["approve", "--yes", names[1]]).succeeds();
    world.write(names[0], "{\"a\": 1}\n");
    restoring_settles(&world);
    assert_eq!(world.read(names[0]), "{}\n");
    assert_eq!(world.read(names[1]), "{\"a\": 1}\n", "what the user keeps is not taken back with it");
}

#[test]
fn a_name_that_needs_quoting() {
    let name = "it's $HOME/a b/.ruff.toml";
    let world = World::new().with_committed(name, BEFORE);
    world.session_starts("s1");
    world.write(name, AFTER);
    is_held(&stop(&world), name, "modified");
    restoring_settles(&world);
    assert_eq!(world.read(name), BEFORE);
}

#[test]
fn a_name_that_is_not_ascii() {
    let name = "zażółć/.ruff.toml";
    let world = World::new().with_committed(name, BEFORE);
    world.session_starts("s1");
    world.write(name, AFTER);
    is_held(&stop(&world), name, "modified");
    restoring_settles(&world);
    assert_eq!(world.read(name), BEFORE);
}

#[test]
fn several_at_once_are_one_reason() {
    let world = begun().with(RUFF, AFTER).with(".flake8", "").with(".claude/settings.json", "{}");
    let reason = stop(&world).is_blocked();
    let list = "  - .claude/settings.json (new)\n  - .flake8 (new)\n  - .ruff.toml (modified)\n";
    assert!(reason.contains(list), "{reason}");
    assert_eq!(reason.matches("restore:").count(), 3, "{reason}");
    assert!(named(&reason, "keep").ends_with("-- .claude/settings.json .flake8 .ruff.toml"), "{reason}");
}

#[test]
fn hooks_and_settings_are_watched_and_the_clients_own_file_is_not() {
    for (file, watched) in [
        (".claude/settings.json", true),
        (".claude/hooks/config.json", true),
        (".claude/hooks/deep/er/script.sh", true),
        (".claude/subprocess-settings.json", true),
        (".claude/settings.local.json", false),
        (".claude/agents/reviewer.md", false),
        (".claude/.session-changes-s1", false),
    ] {
        let ran = stop(&begun().with(file, "{}"));
        assert_eq!(ran.stdout.contains("block"), watched, "{file}: {ran:?}");
    }
}

#[test]
fn ignored_files_count_and_packages_do_not() {
    let world = World::new().with_committed(".gitignore", ".flake8\nnode_modules/\n");
    world.session_starts("s1");
    world.write("node_modules/p/.flake8", "[flake8]\n");
    stop(&world).is_silent();
    world.write(".flake8", "[flake8]\n");
    is_held(&stop(&world), ".flake8", "new");
    restoring_settles(&world);
}

// Commits.

#[test]
fn the_baseline_is_that_of_the_beginning() {
    let world = begun().with(RUFF, AFTER);
    for source in ["resume", "compact"] {
        world.event("SessionStart", &json!({"source": source})).is_an_answer();
        is_held(&stop(&world), RUFF, "modified");
    }
}

#[test]
fn a_session_whose_beginning_was_not_seen_is_compared_with_the_last_commit() {
    let world = World::new().with(RUFF, AFTER);
    is_held(&stop(&world), RUFF, "modified");
}

// The user decides.

#[test]
fn it_is_said_once() {
    let world = begun().with(RUFF, AFTER);
    stop(&world).is_blocked();
    world.event("Stop", &json!({"stop_hook_active": true})).is_silent();
}

#[test]
fn approval_holds_for_this_content_and_this_session() {
    let world = begun().with(RUFF, AFTER);
    let reason = stop(&world).is_blocked();
    world.sh(named(&reason, "keep"));
    stop(&world).is_silent();

    world.session_stops("s2").is_blocked();

    world.write(RUFF, "line-length = 400\n");
    is_held(&stop(&world), RUFF, "modified");
    world.write(RUFF, AFTER);
    stop(&world).is_silent();
}

#[test]
fn approval_of_one_file_leaves_the_others() {
    let world = begun().with(RUFF, AFTER).with(".flake8", "");
    world.run(&["approve", "--yes", RUFF]).succeeds();
    is_held(&stop(&world), ".flake8", "new");
    world.run(&["approve", "--yes", ".flake8"]).succeeds();
    stop(&world).is_silent();
}

#[test]
fn a_removal_can_be_approved() {
    let world = begun();
    world.remove(RUFF);
    let reason = stop(&world).is_blocked();
    world.sh(named(&reason, "keep"));
    stop(&world).is_silent();
    world.write(RUFF, AFTER);
    is_held(&stop(&world), RUFF, "modified");
}

#[test]
fn the_named_diff_shows_the_change() {
    let world = begun().with(RUFF, AFTER);
    let reason = stop(&world).is_blocked();
    let diff = world.sh(&format!("GIT_PAGER=cat {}", named(&reason, "diff"))).stdout;
    assert!(diff.contains("-line-length = 88") && diff.contains("+line-length = 300"), "{diff}");
}

// Files that only partly matter.

const PYPROJECT: &str = "[project]\nname = \"a\"\n\n[tool.ruff]\nline-length = 88\n";
