//! The gates in unusual places: linked work trees, subfolders, no commits, a detached HEAD, no git, odd names and line ends.

use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use super::{STRICT, now, python};
use crate::world::{World, text};

const PLAN: &str = "# Original Intent\n## Phase 1: One\n**Status:** in-progress\n- DEC-APP-001: x\n";

#[test]
fn a_linked_work_tree_has_its_own_branch_plan_and_evidence() {
    let world = World::new().with_user_config(STRICT).with_committed("MASTER_PLAN.md", PLAN);
    world.git(&["worktree", "add", "-q", ".worktrees/one", "-b", "one"]);
    // Main is checked out in the project, a branch in the work tree; the file decides.
    world.wants_to_write("src/a.py", &python(60)).is_denied();
    world.wants_to_write(".worktrees/one/src/a.py", &python(60)).is_silent();
    world.write_ours_in(&world.path(".worktrees/one"), ".test-status", &format!("fail|1|{}\n", now()));
    assert!(
        world.wants_to_write(".worktrees/one/src/a.py", &python(60)).advises().contains("Tests are failing")
    );
    // A commit there needs the evidence there.
    let commit = |dir: &str| world.wants_to_run(&format!("cd {dir} && git commit -m x"));
    assert!(commit(".worktrees/one").is_denied().contains("tests are failing"));
    world.write_ours_in(&world.path(".worktrees/one"), ".test-status", &format!("pass|0|{}\n", now()));
    world.write_ours_in(&world.path(".worktrees/one"), ".proof-status", &format!("verified|{}\n", now()));
    assert!(!commit(".worktrees/one").stdout.contains("\"deny\""));
    // Source that changes there takes the proof there back.
    world.has_written(".worktrees/one/src/a.py", &python(60));
    assert!(world.read(".worktrees/one/.claude/.proof-status").starts_with("pending|"));
    let said = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(said.contains("1 worktree") && said.contains("worktree: "), "{said}");
    // The agent may stand in it.
    let cwd = text(&world.path(".worktrees/one"));
    let said = world.event("UserPromptSubmit", &json!({"prompt": "commit it", "cwd": cwd})).advises();
    assert!(said.contains("Git: branch=one"), "{said}");
    world.event("UserPromptSubmit", &json!({"prompt": "verified", "cwd": cwd})).advises();
    assert!(world.read(".worktrees/one/.claude/.proof-status").starts_with("verified|"));
    assert!(!world.has_record(".proof-status"), "the project itself was not shown");
}

#[test]
fn a_project_in_a_subfolder_of_a_repository() {
    let world = World::new().with_user_config(STRICT).in_subfolder("packages/web");
    world.wants_to_write("src/a.py", &python(60)).is_denied();
    world.git(&["checkout", "-qb", "feature"]);
    world.write("MASTER_PLAN.md", PLAN);
    world.commit("plan");
    world.wants_to_write("src/a.py", &python(60)).is_silent();
    world.sets_record(".test-status", &format!("pass|0|{}\n", now()));
    world.sets_record(".proof-status", &format!("verified|{}\n", now()));
    assert!(
        !world.wants_to_run("git commit -m x").stdout.contains("\"deny\""),
        "evidence of the project counts"
    );
    let said = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(said.contains("Plan: 0/1 phases"), "{said}");
}

#[test]
fn the_agent_stands_in_a_subfolder() {
    let world = World::strict().with_committed("MASTER_PLAN.md", PLAN).with("src/deep/x.py", "x");
    let cwd = text(&world.path("src/deep"));
    let write =
        json!({"tool_name": "Write", "tool_input": {"file_path": "y.py", "content": python(60)}, "cwd": cwd});
    world.event("PreToolUse", &write).is_silent();
    world.write("src/deep/y.py", &python(60));
    world.event("PostToolUse", &write).is_an_answer();
    assert_eq!(world.record(".session-changes-s1"), format!("{}\n", world.name("src/deep/y.py")));
    let said = world.event("UserPromptSubmit", &json!({"prompt": "look at y.py", "cwd": cwd})).advises();
    assert!(said.contains("y.py: @decision DEC-APP-001"), "{said}");
}

#[test]
fn without_a_commit() {
    let world = World::without_git().with_user_config(STRICT);
    world.git(&["init", "-q", "-b", "main"]);
    let reason = world.wants_to_write("src/a.py", &python(60)).is_denied();
    assert!(reason.contains("git switch -c feature/name"), "{reason}");
    world.git(&["checkout", "-qb", "feature"]);
    assert!(world.wants_to_write("src/a.py", &python(60)).is_denied().contains("There is no MASTER_PLAN.md"));
    world.write("MASTER_PLAN.md", PLAN);
    world.wants_to_write("src/a.py", &python(60)).is_silent();
    let said = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(said.contains("Git: branch=feature (no commits yet)"), "{said}");
    world.has_written("src/a.py", &python(60));
    assert!(
        world
            .event("Stop", &json!({"stop_hook_active": false}))
            .notifies()
            .contains("Session: 1 file changed")
    );
}

#[test]
fn with_a_detached_head() {
    let world = World::strict().with_committed("MASTER_PLAN.md", PLAN);
    world.git(&["checkout", "-q", "--detach"]);
    world.wants_to_write("src/a.py", &python(60)).is_silent();
    let said = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(said.contains("Git: branch=(detached)"), "{said}");
    world.has_written("src/a.py", &python(60));
    assert!(
        world
            .event("Stop", &json!({"stop_hook_active": false}))
            .notifies()
            .contains("Git: branch=(detached)")
    );
}

#[test]
fn without_git_at_all() {
    let world = World::without_git().with_user_config(STRICT);
    world.wants_to_write("src/a.py", &python(60)).is_silent();
    world.has_written("src/a.py", &python(60));
    let said = world.event("Stop", &json!({"stop_hook_active": false})).notifies();
    assert!(said.contains("Session: 1 file changed (1 source") && !said.contains("Git:"), "{said}");
    assert!(world.record(".plan-drift").contains("total_decisions=1\nsource_files_changed=1\n"));
    let ran = world.event("SessionStart", &json!({"source": "startup"}));
    assert!(!ran.stdout.contains("Git:"), "{ran:#?}");
    world.sets_record(".test-status", &format!("fail|1|{}\n", now()));
    assert!(world.wants_to_write("src/a.py", &python(60)).advises().contains("Tests are failing"));
    for (event, more) in [
        ("PreCompact", json!({"trigger": "auto"})),
        ("SubagentStart", json!({"agent_type": "implementer"})),
        ("SubagentStop", json!({"agent_type": "guardian"})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        assert_eq!(world.event(event, &more).code, Some(0), "{event}");
    }
    for entry in world.log() {
        assert_eq!(entry.get("failures"), None, "{entry}");
    }
}

#[test]
fn names_and_contents_that_are_no_text() {
    let world = World::strict().with_committed("MASTER_PLAN.md", PLAN);
    let odd = |name: &[u8]| world.path("src").join(std::ffi::OsStr::from_bytes(name));
    std::fs::create_dir_all(world.path("src")).unwrap();
    std::fs::write(odd(b"\xff\xfe.py"), b"# @decision DEC-ODD-001\n\xff\xfe\n").unwrap();
    std::fs::write(odd(b"latin.py"), b"# caf\xe9 @decision\n# @decision DEC-APP-001\n# @rationale \xe9\n")
        .unwrap();
    world.commit("odd");
    world.has_written("src/a.py", &python(60));
    let said = world.event("Stop", &json!({"stop_hook_active": false})).notifies();
    assert!(said.contains("not in plan: DEC-ODD-001"), "{said}");
    let json = world.run(&["decisions", "--json"]).succeeds().json();
    assert_eq!(json["decisions"].as_array().unwrap().len(), 3, "{json:#}");
    // It is a source file like any other.
    assert!(world.wants_to_write("src/b.py", &python(60)).is_denied().contains("66 % of the source files"));
}

#[test]
fn plans_with_other_line_ends() {
    let plan = format!("{PLAN}## Phase 2: Two\n**Status:** completed\n### Decision Log\n- done\n")
        .replace('\n', "\r\n");
    let world = World::strict().with_committed("MASTER_PLAN.md", &plan);
    let said = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(said.contains("Plan: 1/2 phases | active: Phase 1: One"), "{said}");
    world.has_written("src/a.py", &python(60));
    let said = world.event("Stop", &json!({"stop_hook_active": false})).notifies();
    assert!(!said.contains("Plan drift") && said.contains("Phase status: 1/2 completed"), "{said}");
    assert_eq!(world.has_written("MASTER_PLAN.md", &plan).code, Some(0));
    let json = world.run(&["status", "--json"]).succeeds().json();
    assert_eq!(json["work"]["plan"]["completed"], 1);
    assert_eq!(json["work"]["decisions"]["unplanned"], 0);
}
