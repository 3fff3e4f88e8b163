//! What lies in commits of the session, and what the user had changed before it began.

use super::{AFTER, BEFORE, begun, is_held, named, restoring_settles, stop};
use crate::world::{RUFF, World, text};

#[test]
fn committed_in_the_session() {
    let world = begun().with(RUFF, AFTER);
    world.commit("looser");
    is_held(&stop(&world), RUFF, "committed");
}

#[test]
fn what_was_committed_in_the_session_can_be_restored() {
    let world = begun().with(RUFF, AFTER);
    world.commit("looser");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn a_new_file_that_was_committed_in_the_session_can_be_restored() {
    let world = begun().with(".flake8", "[flake8]\n");
    world.commit("rules");
    restoring_settles(&world);
    assert!(!world.has(".flake8"));
}

#[test]
fn a_file_that_a_commit_of_the_session_removed_can_be_restored() {
    let world = begun();
    world.git(&["rm", "-q", RUFF]);
    world.commit("no rules");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn a_change_that_the_session_took_back_in_its_next_commit_is_no_change() {
    let world = begun().with(RUFF, AFTER);
    world.commit("looser");
    world.write(RUFF, BEFORE);
    world.commit("as it was");
    stop(&world).is_silent();
}

#[test]
fn a_file_that_a_commit_of_the_session_renamed_can_be_restored() {
    let world = begun();
    world.git(&["mv", RUFF, "old-rules"]);
    world.commit("renamed");
    is_held(&stop(&world), RUFF, "committed");
    restoring_settles(&world);
    assert_eq!(world.read(RUFF), BEFORE);
}

#[test]
fn a_commit_is_not_settled_by_the_work_tree_alone() {
    let world = begun().with(RUFF, AFTER);
    world.commit("looser");
    world.write(RUFF, BEFORE);
    // The next commit would still have the looser rules.
    is_held(&stop(&world), RUFF, "modified");
    restoring_settles(&world);
}

#[test]
fn committed_and_then_changed_again() {
    let world = begun().with(RUFF, AFTER).with(".flake8", "");
    world.commit("looser");
    world.write(RUFF, "line-length = 400\n");
    world.git(&["rm", "-q", "--cached", ".flake8"]);
    let reason = stop(&world).is_blocked();
    for line in reason.lines().filter_map(|line| line.trim_start().strip_prefix("restore:")) {
        world.sh(line);
    }
    stop(&world).is_silent();
    assert_eq!(world.read(RUFF), BEFORE);
    assert!(!world.has(".flake8"));
}

#[test]
fn the_first_commit_of_a_repository_counts_too() {
    let world = World::without_git();
    world.git(&["init", "-q", "-b", "main"]);
    world.session_starts("s1");
    world.write(RUFF, AFTER);
    world.commit("start");
    is_held(&stop(&world), RUFF, "committed");
    restoring_settles(&world);
    assert!(!world.has(RUFF));
}

#[test]
fn a_commit_from_before_that_is_rewritten_is_no_change() {
    let world = World::new().with_committed(RUFF, AFTER);
    world.session_starts("s1");
    world.write("app.py", "x = 2\n");
    world.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    stop(&world).is_silent();
}

#[test]
fn commits_before_the_session_do_not_count() {
    let world = World::new().with_committed(RUFF, AFTER);
    world.session_starts("s1");
    stop(&world).is_silent();
}

#[test]
fn commits_that_a_remote_had_before_the_session_do_not_count() {
    let world = World::new();
    world.write(RUFF, AFTER);
    world.commit("a colleague's");
    world.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    world.session_starts("s1");
    world.git(&["merge", "-q", "--ff-only", "origin/main"]);
    stop(&world).is_silent();
    world.write("app.py", "x = 2\n");
    world.commit("the session's own");
    stop(&world).is_silent();
}

#[test]
fn commits_that_the_session_has_pushed_count() {
    let world = World::new();
    let remote = text(&world.base().join("remote.git"));
    world.git(&["clone", "-q", "--bare", ".", &remote]);
    world.git(&["remote", "add", "origin", &remote]);
    world.session_starts("s1");
    world.write(RUFF, AFTER);
    world.commit("looser");
    world.git(&["push", "-q", "origin", "main"]);
    is_held(&stop(&world), RUFF, "committed");
}

#[test]
fn a_repository_without_a_commit() {
    let world = World::without_git();
    world.git(&["init", "-q", "-b", "main"]);
    world.session_starts("s1");
    stop(&world).is_silent();
    world.write(RUFF, AFTER);
    is_held(&stop(&world), RUFF, "new");
    restoring_settles(&world);
    assert!(!world.has(RUFF));
}

// What was there before.

#[test]
fn dirty_before_and_unchanged() {
    let world = World::new().with(RUFF, "line-length = 99\n").with(".flake8", "mine\n");
    world.git(&["add", RUFF]);
    world.session_starts("s1");
    stop(&world).is_silent();
}

#[test]
fn dirty_before_and_changed_further() {
    let mine = "line-length = 99\n";
    let world = World::new().with(RUFF, mine);
    world.session_starts("s1");
    world.write(RUFF, AFTER);
    let reason = is_held(&stop(&world), RUFF, "modified");
    assert!(!reason.contains("git checkout"), "that would lose the user's work:\n{reason}");
    let line = named(&reason, "restore");
    let copy = line.rsplit_once("that text is in ").expect("the copy is named").1;
    assert_eq!(world.sh(&format!("cat {copy}")).stdout, mine);
    world.sh(&format!("cp {copy} {RUFF}"));
    stop(&world).is_silent();
}

#[test]
fn dirty_before_and_thrown_away() {
    let world = World::new().with(RUFF, "line-length = 99\n");
    world.session_starts("s1");
    world.git(&["checkout", "-q", "--", RUFF]);
    let reason = stop(&world).is_blocked();
    assert!(reason.contains("held uncommitted work of the user before this session"), "{reason}");
}

#[test]
fn dirty_before_and_thrown_away_can_be_approved() {
    let world = World::new().with(RUFF, "line-length = 99\n");
    world.session_starts("s1");
    world.git(&["checkout", "-q", "--", RUFF]);
    let reason = stop(&world).is_blocked();
    world.sh(named(&reason, "keep"));
    stop(&world).is_silent();
}

#[test]
fn a_new_file_of_the_user_that_is_gone_can_be_approved() {
    let world = World::new().with(".flake8", "mine\n");
    world.session_starts("s1");
    world.remove(".flake8");
    let reason = stop(&world).is_blocked();
    let said = world.sh(named(&reason, "keep")).stdout;
    assert!(said.contains("its removal"), "{said}");
    stop(&world).is_silent();
}

#[test]
fn dirty_before_and_committed_as_it_was() {
    let world = World::new().with(RUFF, "line-length = 99\n");
    world.session_starts("s1");
    world.commit("everything");
    stop(&world).is_silent();
}

#[test]
fn removed_before_and_made_anew() {
    let world = World::new();
    world.remove(RUFF);
    world.session_starts("s1");
    stop(&world).is_silent();
    world.write(RUFF, AFTER);
    restoring_settles(&world);
    assert!(!world.has(RUFF), "the user had removed it");
}
