//! The gates before a write: their answers, their strikes, and the ways round them.

use serde_json::json;

use super::{now, python};
use crate::world::World;

#[test]
fn source_is_not_written_on_main() {
    let world = World::new().with_user_config(super::STRICT);
    let reason = world.wants_to_write("src/deep/new.py", &python(5)).is_denied();
    assert!(reason.starts_with("Cannot write source code on main (src/deep/new.py)."), "{reason}");
    let reason = world.wants_to_run("cat > src/a.py <<'EOF'\n# What it is for.\nEOF").is_denied();
    assert!(reason.contains("Cannot write source code on main"), "{reason}");
    world.wants_to_run("sed -i s/1/2/ app.py").is_denied();
    world.wants_to_run("printf 'x = 2\\n' | tee app.py").is_denied();
    world.wants_to_run("python3 -c \"open('app.py', 'w').write('x')\"").is_denied();
    world.git(&["checkout", "-qb", "feature"]);
    world.wants_to_write("src/a.py", &python(5)).advises();
    world.git(&["checkout", "-q", "--detach"]);
    world.wants_to_write("src/a.py", &python(5)).advises();
}

#[test]
fn failing_tests_warn_and_then_block_until_they_pass() {
    let world = World::strict();
    world.sets_record(".test-status", &format!("fail|2|{}\n", now()));
    let said = world.wants_to_write("src/a.py", &python(5)).advises();
    assert!(said.contains("Tests are failing (2 failures, "), "{said}");
    assert_eq!(world.record_without_time(".test-gate-strikes"), "1");
    let reason = world.wants_to_write("src/a.py", &python(5)).is_denied();
    assert!(reason.starts_with("Tests are still failing (2 failures, "), "{reason}");
    assert_eq!(world.record_without_time(".test-gate-strikes"), "2");
    let reason = world.wants_to_run("echo 'x = 1' >> src/a.py").is_denied();
    assert!(reason.contains("3 times"), "{reason}");
    world.wants_to_write("tests/test_a.py", "# A test.\n").is_silent();
    world.sets_record(".test-status", &format!("pass|0|{}\n", now()));
    world.wants_to_edit(&world.name("app.py"));
    assert!(!world.has_record(".test-gate-strikes"), "passing tests clear the strikes");
}

#[test]
fn mocks_of_our_own_code_warn_and_then_block() {
    let world = World::strict();
    let mock = "# A test.\nfrom unittest.mock import patch\n@patch('app.total')\ndef test_a(): ...\n";
    assert!(world.wants_to_write("tests/test_a.py", mock).advises().contains("(patch of app.total)"));
    assert!(world.wants_to_write("tests/test_b.py", mock).is_denied().contains("again (patch of app.total)"));
    assert_eq!(world.record_without_time(".mock-gate-strikes"), "2");
    world.wants_to_write("tests/test_c.py", &mock.replace("app.total", "requests.get")).is_silent();
    world.wants_to_write("tests/test_d.py", &format!("{mock}# @mock-exempt: no clock\n")).is_silent();
}

#[test]
fn a_plan_comes_before_work_of_some_size_and_keeps_up_with_it() {
    let world = World::strict();
    let large = python(60);
    let reason = world.wants_to_write("src/a.py", &large).is_denied();
    assert!(reason.starts_with("There is no MASTER_PLAN.md, and src/a.py has 60 lines."), "{reason}");
    for number in 0..9 {
        world.write(&format!("src/{number}.py"), "x");
    }
    world.write("MASTER_PLAN.md", "# Original Intent\n## Phase 1\n**Status:** planned\n");
    world.commit("plan");
    world.wants_to_write("src/a.py", &large).is_silent();
    for number in 0..2 {
        world.write(&format!("src/{number}.py"), "y");
        world.commit("work");
    }
    let said = world.wants_to_write("src/a.py", &large).advises();
    assert!(said.contains("20 % of the source files have changed since it was updated (2 of 10)"), "{said}");
    for number in 2..4 {
        world.write(&format!("src/{number}.py"), "y");
        world.commit("work");
    }
    let reason = world.wants_to_write("src/a.py", &large).is_denied();
    assert!(reason.contains("40 %"), "{reason}");
    // Bringing the plan up to date settles it, committed or not.
    world.write("MASTER_PLAN.md", "# Original Intent\n## Phase 1\n**Status:** in-progress\n");
    world.wants_to_write("src/a.py", &large).is_silent();
    world.sets_record(".plan-drift", "audit_epoch=1\nunplanned_count=3\nunimplemented_count=2\n");
    assert!(world.wants_to_write("src/a.py", &large).is_denied().contains("3 decisions are in code"));
}

#[test]
fn a_file_says_what_it_is_for() {
    let world = World::strict();
    let reason = world.wants_to_write("src/a.ts", "export const x = 1\n").is_denied();
    assert!(reason.contains("Begin the file like this:\n/**\n * What this file is for"), "{reason}");
    let said = world.tool(
        "PreToolUse",
        "Edit",
        &json!({"file_path": world.name("app.py"), "old_string": "1", "new_string": "2"}),
    );
    assert!(said.advises().contains("app.py has no header"), "{said:#?}");
    assert!(world.wants_to_write("IDEAS.md", "x").advises().contains("IDEAS.md is a new Markdown file"));
    world.wants_to_write("docs/ideas.md", "x").is_silent();
}

#[test]
fn a_plan_without_its_form_goes_back_with_exit_code_two() {
    let world = World::strict();
    let ran = world.has_written("MASTER_PLAN.md", "# Plan\r\n## Phase 1\r\n**Status:** done\r\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("Phase 1 has the status \"done\""), "{}", ran.stderr);
    assert!(ran.stderr.contains("original intent is missing"), "{}", ran.stderr);
    let ran =
        world.has_written("MASTER_PLAN.md", "# Original Intent\r\n## Phase 1\r\n**Status:** planned\r\n");
    assert_eq!(ran.code, Some(0), "{ran:#?}");
}

#[test]
fn in_the_standard_profile_no_gate_speaks() {
    let world = World::new();
    world.sets_record(".test-status", &format!("fail|2|{}\n", now()));
    world.sets_record(".test-gate-strikes", "5|1\n");
    world.wants_to_write("src/a.py", &"x = 1\n".repeat(60)).is_silent();
}

#[test]
fn each_gate_answers_at_its_old_address() {
    let world = World::new();
    let write = |file: &str, content: &str| json!({"tool_name": "Write", "tool_input": {"file_path": world.name(file), "content": content}});
    world.practice_script("branch-guard.sh", &write("src/a.py", "x")).is_denied();
    world.practice_script("doc-gate", &write("src/a.py", "x = 1\n")).is_denied();
    world.practice_script("plan-check", &write("src/a.py", &"x = 1\n".repeat(20))).is_denied();
    world.sets_record(".test-status", &format!("fail|1|{}\n", now()));
    world.practice_script("test-gate", &write("src/a.py", "x")).advises();
    world.practice_script("test-gate", &write("src/a.py", "x")).is_denied();
    let mock = "jest.mock('./a')";
    world.practice_script("mock-gate", &write("src/a.test.ts", mock)).advises();
    world.practice_script("mock-gate", &write("src/a.test.ts", mock)).is_denied();
    for name in ["branch-guard", "doc-gate", "plan-check", "test-gate", "mock-gate"] {
        world.practice_script(name, &write("README.md", "x")).is_silent();
        world.practice_script(name, &json!({})).is_silent();
    }
    // Without words on the event, as the documentation of the scripts tries them.
    world
        .practice_script(
            "branch-guard",
            &json!({"tool_name": "Write", "tool_input": {"file_path": "/test.ts"}}),
        )
        .is_silent();
}

/// What a command writes is what an edit writes: the same five gates, the same answers, the same strikes.
#[test]
fn every_gate_is_reached_by_the_shell() {
    let world = World::strict();
    let writes = |file: &str, text: &str| format!("cat > {file} <<'EOF'\n{text}EOF");
    let reason = world.wants_to_run(&writes("src/a.py", &python(60).replace("# @decision", "#"))).is_denied();
    assert!(reason.contains("There is no MASTER_PLAN.md"), "plan-check: {reason}");
    let reason = world.wants_to_run(&writes("src/a.py", "x = 1\n")).is_denied();
    assert!(reason.contains("src/a.py"), "doc-gate: {reason}");
    let mock = "# A test.\nfrom unittest.mock import patch\n@patch('app.total')\ndef test_a(): ...\n";
    let said = world.wants_to_run(&writes("tests/test_a.py", mock));
    assert!(said.stdout.contains("(patch of app.total)"), "mock-gate: {said:#?}");
    assert!(world.wants_to_run(&writes("tests/test_b.py", mock)).is_denied().contains("again"));
    assert_eq!(world.record_without_time(".mock-gate-strikes"), "2");
    world.sets_record(".test-status", &format!("fail|2|{}\n", now()));
    let said = world.wants_to_run("echo 'x = 2' >> src/a.py");
    assert!(said.stdout.contains("Tests are failing"), "test-gate: {said:#?}");
    world.wants_to_run("echo 'x = 2' >> src/a.py").is_denied();
    world.git(&["checkout", "-q", "main"]);
    assert!(
        world.wants_to_run(&writes("src/b.py", &python(5))).is_denied().contains("on main"),
        "branch-guard"
    );
}

/// At level `warn` a gate advises, by either road, and the rest of the profile stays.
#[test]
fn a_gate_that_only_advises_does_so_by_either_road() {
    let world = World::new().with_user_config(
        r#"{"profile": "strict", "checks": {"file/branch-guard": "warn", "file/plan-check": "off"}}"#,
    );
    let warning = "[hook:warning] file/branch-guard: Cannot write source code on main";
    assert!(world.wants_to_write("src/a.py", &python(5)).advises().contains(warning));
    let said = world.wants_to_run("sed -i s/1/2/ app.py");
    assert!(
        said.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains(warning),
        "{said:#?}"
    );
    assert_ne!(said.json()["hookSpecificOutput"]["permissionDecision"], "deny");
}

/// `~/.claude` may be a repository of its own, and the project: it is how the gates are set up, not what they are about.
#[test]
fn the_users_own_folder_of_the_agent_has_no_gates() {
    let world = World::new().with_user_config(super::STRICT);
    let folder = world.home().join(".claude");
    let world = world.moved_to(folder);
    world.git(&["init", "-q", "-b", "main"]);
    world.commit("start");
    world.wants_to_write("scripts/own.py", &"x = 1\n".repeat(60)).is_silent();
    world.wants_to_run("cat > scripts/own.py <<'EOF'\nx = 1\nEOF").is_an_answer();
}
