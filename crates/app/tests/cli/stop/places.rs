//! Files of which only parts count, subfolders, work trees, and where there is no repository.

use super::{AFTER, BEFORE, PYPROJECT, begun, is_held, named, restoring_settles, stop};
use crate::world::{RUFF, World, text};

#[test]
fn only_the_linter_parts_of_a_shared_file_count() {
    let world = World::new().with_committed("pyproject.toml", PYPROJECT);
    world.session_starts("s1");
    world.write("pyproject.toml", &PYPROJECT.replace("\"a\"", "\"b\""));
    stop(&world).is_silent();
    world.write("pyproject.toml", &PYPROJECT.replace("88", "300"));
    is_held(&stop(&world), "pyproject.toml", "modified");
    restoring_settles(&world);
}

#[test]
fn a_commit_of_the_other_parts_does_not_count() {
    let world = World::new().with_committed("pyproject.toml", PYPROJECT);
    world.session_starts("s1");
    world.write("pyproject.toml", &PYPROJECT.replace("\"a\"", "\"b\""));
    world.commit("renamed");
    stop(&world).is_silent();
    world.write("pyproject.toml", &PYPROJECT.replace("88", "300"));
    world.commit("looser");
    is_held(&stop(&world), "pyproject.toml", "committed");
}

#[test]
fn a_shared_file_without_its_linter_part() {
    let world = World::new().with_committed("pyproject.toml", PYPROJECT);
    world.session_starts("s1");
    world.remove("pyproject.toml");
    is_held(&stop(&world), "pyproject.toml", "deleted");
}

// Where the project is.

#[test]
fn outside_a_repository_there_is_nothing_to_compare_with() {
    let world = World::without_git().with(RUFF, BEFORE);
    world.session_starts("s1");
    world.write(RUFF, AFTER);
    stop(&world).is_silent();
}

#[test]
fn in_a_subfolder_of_the_repository() {
    let world = World::new().with_committed("packages/web/biome.json", "{}\n").in_subfolder("packages/web");
    world.session_starts("s1");
    stop(&world).is_silent();
    world.write("biome.json", "{\"linter\": {}}\n");
    is_held(&stop(&world), "biome.json", "modified");
    restoring_settles(&world);
    assert_eq!(world.read("biome.json"), "{}\n");
}

#[test]
fn a_subfolder_is_not_held_for_what_lies_outside_it() {
    let world = World::new().with_committed("packages/web/a.ts", "").in_subfolder("packages/web");
    world.session_starts("s1");
    world.write("../../.ruff.toml", AFTER);
    stop(&world).is_silent();
}

#[test]
fn an_approval_settles_a_stop_in_a_subfolder() {
    let world = World::new().with_committed("packages/web/biome.json", "{}\n").in_subfolder("packages/web");
    world.session_starts("s1");
    world.write("biome.json", "{\"linter\": {}}\n");
    let reason = stop(&world).is_blocked();
    world.sh(named(&reason, "keep"));
    stop(&world).is_silent();
}

#[test]
fn in_a_linked_worktree() {
    let world = World::new();
    let linked = world.base().join("linked");
    world.git(&["worktree", "add", "-q", "-b", "feature", &text(&linked)]);
    let world = world.moved_to(linked);
    world.session_starts("s1");
    stop(&world).is_silent();
    world.write(RUFF, AFTER);
    let reason = is_held(&stop(&world), RUFF, "modified");
    world.sh(named(&reason, "keep"));
    stop(&world).is_silent();
    world.write(RUFF, "line-length = 400\n");
    restoring_settles(&world);
    world.write(RUFF, "line-length = 500\n");
    world.commit("looser");
    is_held(&stop(&world), RUFF, "committed");
}

#[test]
fn variables_that_git_reads_do_not_lead_it_astray() {
    let world = begun().with(RUFF, AFTER);
    let other = world.base().join("other");
    world.git(&["init", "-q", &text(&other)]);
    let world = world.with_variable("GIT_DIR", other.join(".git")).with_variable("GIT_WORK_TREE", other);
    is_held(&stop(&world), RUFF, "modified");
}

#[test]
fn in_a_repository_that_git_cannot_read_the_user_is_told() {
    let world = begun();
    world.write(".git/index", "no index");
    let ran = stop(&world);
    let message = ran.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(message.contains("could not look at the protected files"), "{message}");
    world.write(RUFF, AFTER);
    let ran = stop(&world);
    assert!(ran.is_blocked().contains(&format!("  - {RUFF} (modified)")), "{ran:?}");
    let command = named(&ran.is_blocked(), "restore").to_owned();
    world.sh(&command);
    assert_eq!(world.read(RUFF), BEFORE);
}
