//! Single answers that a document asks for literally, where features meet.

use serde_json::{Value as Json, json};

use crate::world::{World, write};

#[test]
fn force_makes_any_command_one_for_the_user() {
    let world = World::new();
    world.write("package.json", "{\"name\": \"x\"}\n");
    world.write("package-lock.json", "{}\n");
    for command in ["npm ci", "git fetch", "git status"] {
        assert!(world.wants_to_run(command).stdout.contains("\"allow\""), "{command}");
    }
    for command in
        ["npm ci --force", "git fetch -f", "git fetch -fp", "git status --no-verify", "git add -f app.py"]
    {
        let said = world.wants_to_run(command).advises();
        assert!(said.contains("not auto-approved"), "{command}: {said}");
    }
    // Elsewhere the letter means something else.
    assert!(world.wants_to_run("grep -f app.py app.py").stdout.contains("\"allow\""));
}

#[test]
fn ids_in_a_plan_have_their_form() {
    let world = World::strict();
    let plan = |requirement: &str, decision: &str| {
        format!(
            "# Plan\n## Original Intent\nx\n## Goals & Non-Goals\n## Requirements\n- {requirement}: x\n## Success Metrics\n\
             ## Phase 1: A\n**Status:** in-progress\n- {decision}: y\n"
        )
    };
    assert_eq!(world.has_written("MASTER_PLAN.md", &plan("REQ-P0-001", "DEC-CORE-001")).code, Some(0));
    for bad in ["DEC-1", "DEC-001", "DEC-CORE-1A"] {
        let ran = world.has_written("MASTER_PLAN.md", &plan("REQ-P0-001", bad));
        assert!(ran.code == Some(2) && ran.stderr.contains(&format!("- {bad} ")), "{bad}: {ran:#?}");
    }
    let ran = world.has_written("MASTER_PLAN.md", &plan("REQ-1", "DEC-CORE-001"));
    assert!(ran.code == Some(2) && ran.stderr.contains("- REQ-1 "), "{ran:#?}");
}

#[test]
fn after_a_compaction_no_heading_stands_alone() {
    let world = World::strict();
    let start = |source: &str| world.event("SessionStart", &json!({"source": source})).advises();
    start("startup");
    let compacts = || {
        let ran = world.event("PreCompact", &json!({"trigger": "auto", "custom_instructions": ""}));
        assert_eq!(ran.code, Some(0));
    };
    compacts();
    assert!(!start("compact").contains("Preserved context"), "everything that was kept is said above");
    world.has_written("notes.txt", "x\n");
    compacts();
    let said = start("compact");
    let (_, kept) = said.split_once("Preserved context from before compaction:\n").unwrap();
    assert!(kept.contains(&format!("  changed: {}", world.name("notes.txt"))), "{said}");
}

#[test]
fn work_trees_where_we_advise_them_are_nothing_uncommitted() {
    let world = World::strict();
    world.write("app.py", "x = 1\n");
    world.commit("start");
    world.git(&["worktree", "add", "-q", ".worktrees/one", "-b", "one"]);
    let said = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(said.contains("| 0 uncommitted | 1 worktree\n"), "{said}");
    world.has_written("notes.txt", "x\n");
    world.commit("notes");
    let ran = world.event("Stop", &json!({"stop_hook_active": false, "last_assistant_message": "And?"}));
    let said = ran.notifies();
    assert!(said.contains("Session: 1 file changed") && said.contains("branch=feature, clean."), "{said}");
}

/// The advice is a command that git takes.
#[test]
fn the_advice_for_a_commit_on_main_works() {
    let world = World::tested_project();
    let reason = world.wants_to_run("git commit --allow-empty -m x").is_denied();
    let (_, advice) = reason.split_once("Work on a branch of its own: ").unwrap();
    let words: Vec<&str> = advice.lines().next().unwrap().split(' ').collect();
    assert_eq!(words[0], "git", "{reason}");
    world.git(&words[1..]);
    assert!(world.path(".worktrees/feature-name/src/double.py").is_file());
    let said =
        world.event("Stop", &json!({"stop_hook_active": false, "last_assistant_message": "And?"})).stdout;
    assert!(said.is_empty(), "{said}");
}

#[test]
fn on_main_with_a_plan_the_next_step_is_worktrees() {
    let world = World::tested_project();
    world.event("SessionStart", &json!({"source": "startup"})).is_an_answer();
    world.has_written("MASTER_PLAN.md", &world.read("MASTER_PLAN.md"));
    world.has_written("README.md", "x\n");
    let ran = world.event("Stop", &json!({"stop_hook_active": false, "last_assistant_message": "And?"}));
    let said = ran.notifies();
    assert!(said.contains("Session: 2 files changed") && said.contains("Next: create worktrees"), "{said}");
}

#[test]
fn one_program_is_one_hook_by_its_path_and_by_its_name() {
    let world = World::new().with_program_on_path();
    let hooks = |command: &str| -> Json {
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}})
    };
    let settings = world.home().join(".claude/settings.json");
    for (absolute, bare) in [
        (crate::world::PROGRAM.to_owned() + " hook", "plimsoll hook"),
        (format!("{}/.claude/hooks/guard.sh", world.home().display()), "guard.sh"),
    ] {
        write(&settings, &hooks(&absolute).to_string());
        world.write(".claude/settings.json", &hooks(bare).to_string());
        let said = world.event("SessionStart", &json!({"source": "startup"})).stdout;
        assert!(said.contains(".claude/settings.json duplicates 1 global hook(s)"), "{absolute}: {said}");
    }
    write(&settings, &hooks("/opt/one/guard.sh").to_string());
    world.write(".claude/settings.json", &hooks("/opt/two/guard.sh").to_string());
    let said = world.event("SessionStart", &json!({"source": "startup"})).stdout;
    assert!(!said.contains("duplicates"), "{said}");
}
