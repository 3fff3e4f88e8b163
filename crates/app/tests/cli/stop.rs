//! `plimsoll hook` at a stop, with real git: what this session did to the protected files is held once, and nothing else.

use serde_json::json;

use crate::world::{RUFF, Ran, World, text, trimmed};

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
