//! Lives of an honest agent in projects whose tests are run in other ways: several folders, runners that are not known, none at all.

use super::agent::{Agent, BAD, GOOD, PLAN, SUITE, TEST};
use crate::world::World;

const CONFIG: &str =
    r#"{"profile": "strict", "checks": {"edit/test-runner": "off", "shell/temp-write": "off"}}"#;

/// A strict project of these files, on a branch.
fn project(files: &[(&str, &str)]) -> World {
    configured(CONFIG, files)
}

fn configured(config: &str, files: &[(&str, &str)]) -> World {
    let world = World::new().with_user_config(config).with_program_on_path();
    std::fs::remove_file(world.path("app.py")).unwrap();
    files.iter().for_each(|(name, text)| world.write(name, text));
    world.write("MASTER_PLAN.md", PLAN);
    world.write(".gitignore", "__pycache__/\n");
    world.commit("a project");
    world.git(&["checkout", "-qb", "work"]);
    world
}

fn said(agent: &Agent<'_>) -> String {
    let ran = agent.stops();
    let json = if ran.stdout.is_empty() { serde_json::Value::Null } else { ran.json() };
    json["systemMessage"].as_str().unwrap_or_default().to_owned()
}

const COMMIT: &str = "git add -A && git commit -qm work";
const NODE: &str = "/** Doubles. */\nexport const double = (x) => x + x\n";
const NODE_TEST: &str = "/** Tests. */\nimport test from 'node:test'\nimport assert from 'node:assert'\nimport { double } from '../double.js'\ntest('doubles', () => assert.equal(double(2), 4))\n";

fn monorepo() -> World {
    project(&[
        ("packages/api/pyproject.toml", "[project]\nname = 'api'\n"),
        ("packages/api/tests/test_double.py", TEST),
        ("packages/api/src/__init__.py", ""),
        ("packages/api/src/double.py", GOOD),
        (
            "packages/web/package.json",
            r#"{"name": "web", "type": "module", "scripts": {"test": "node --test"}}"#,
        ),
        ("packages/web/double.js", NODE),
        ("packages/web/test/double.test.js", NODE_TEST),
    ])
}

#[test]
fn the_packages_of_a_monorepo_do_not_stand_in_for_each_other() {
    let world = monorepo();
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("packages/api/src/double.py", BAD);
    assert!(!agent.runs(&format!("cd packages/api && {SUITE}")).0);
    assert!(agent.runs("cd packages/web && npm test").0);
    let told = said(&agent);
    assert!(told.contains("Tests: FAILING"), "{told}");
    agent.prompts("verified").is_an_answer();
    assert!(agent.may_not_run(COMMIT).contains("tests are failing (1 failed"));
    agent.writes("packages/api/src/double.py", &GOOD.replace("x + x", "2 * x"));
    assert!(agent.runs(&format!("cd packages/api && {SUITE}")).0);
    let told = said(&agent);
    assert!(
        told.contains("Tests: a part of them passed.") && told.contains("Next: run the tests."),
        "{told}"
    );
    assert!(agent.may_not_run(COMMIT).contains("only a part of the tests"));
    // The other part, named from above.
    assert!(agent.runs("npm test --prefix packages/web").0);
    assert!(said(&agent).contains("Tests: passing."));
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs(COMMIT).0);
}

#[test]
fn the_runners_of_one_folder_do_not_stand_in_for_each_other() {
    let world = project(&[
        ("tests/test_double.py", TEST),
        ("src/__init__.py", ""),
        ("src/double.py", GOOD),
        ("package.json", r#"{"name": "web", "type": "module", "scripts": {"test": "node --test"}}"#),
        ("double.js", NODE),
        ("test/double.test.js", NODE_TEST),
    ]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", &format!("{GOOD}# more\n"));
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs(SUITE).0);
    let reason = agent.may_not_run(COMMIT);
    assert!(reason.contains("only a part of the tests has been run"), "{reason}");
    assert!(agent.runs("npm test").0);
    assert!(agent.runs(COMMIT).0, "together they are all");
}

#[test]
fn our_own_verb_runs_all_packages_of_a_monorepo() {
    let world = monorepo();
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("packages/web/double.js", &NODE.replace("x + x", "2 * x"));
    let (passed, printed) = agent.runs("plimsoll test");
    assert!(passed && printed.contains("in packages/api") | printed.contains("unittest"), "{printed}");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs(COMMIT).0);
}

#[test]
fn the_runner_that_comes_with_node_needs_no_script() {
    let world = project(&[
        ("package.json", r#"{"name": "double", "type": "module"}"#),
        ("double.js", NODE),
        ("test/double.test.js", NODE_TEST),
    ]);
    let agent = world.agent("s1");
    agent.starts("startup");
    for (body, tests) in
        [("2 * x", "node --test"), ("x * 2", "plimsoll test"), ("x - -x", "node --test 2>&1 | tail -9")]
    {
        agent.writes("double.js", &NODE.replace("x + x", body));
        assert!(said(&agent).contains("Next: run the tests."), "{tests}");
        let (passed, printed) = agent.runs(tests);
        assert!(passed, "{printed}");
        assert!(said(&agent).contains("Tests: passing."), "{tests}: {printed}");
        agent.prompts("verified").is_an_answer();
        assert!(agent.runs(COMMIT).0);
    }
}

/// Behind a shell of their own, and by programs that show a part of what they print.
#[test]
fn the_same_tests_through_shells_and_pagers() {
    let world = project(&[
        ("src/__init__.py", ""),
        ("src/double.py", GOOD),
        ("tests/test_double.py", TEST),
        ("run_tests.sh", &format!("#!/bin/sh\nset -e\necho testing\n{SUITE}\n")),
        (
            "hides.sh",
            &format!("#!/bin/sh\n{SUITE} >/dev/null 2>&1\necho 'Ran 1 test in 0.1s'; echo; echo OK\n"),
        ),
    ]);
    world.sh(&format!("chmod +x '{}'", world.name("run_tests.sh")));
    let agent = world.agent("s1");
    agent.starts("startup");
    let counts = [
        "./run_tests.sh".to_owned(),
        "sh run_tests.sh 2>&1 | tail -20".to_owned(),
        format!("bash -c '{SUITE}'"),
        format!("cd . && bash -c '{SUITE}'"),
        format!("{SUITE} 2>&1 | head -50"),
    ];
    for (number, command) in counts.iter().enumerate() {
        agent.writes("src/double.py", &format!("{GOOD}# {number}\n"));
        assert!(agent.runs(command).0, "{command}");
        assert!(said(&agent).contains("Tests: passing."), "{command}");
        agent.writes("src/double.py", &format!("{BAD}# {number}\n"));
        let printed = agent.runs(command).1;
        assert!(said(&agent).contains("Tests: FAILING"), "{command}: {printed}");
    }
    // Nothing of it is their word.
    agent.writes("src/double.py", GOOD);
    for command in [
        "sh hides.sh".to_owned(),
        format!("{SUITE} 2>&1 | head -2"),
        format!("bash -c '{SUITE}; true' >/dev/null 2>&1"),
    ] {
        agent.bash(&command).unwrap();
        assert!(agent.may_not_run(COMMIT).contains("test"), "{command}");
    }
    // Run in the same command, they come too late.
    agent.prompts("verified").is_an_answer();
    let reason = agent.may_not_run(&format!("{SUITE} && {COMMIT}"));
    assert!(reason.contains("Run the tests in a command of their own"), "{reason}");
    agent.runs(SUITE);
    assert!(agent.runs(COMMIT).0);
}

/// Where no gate asks for the code's hash, times tell whether it is still the code that was tested.
#[test]
fn a_commit_changes_nothing_that_was_tested() {
    let files = [("src/__init__.py", ""), ("src/double.py", GOOD), ("tests/test_double.py", TEST)];
    let world = configured(r#"{"profile": "standard"}"#, &files);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", &GOOD.replace("x + x", "2 * x"));
    // A file of the same second may be younger than the run.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(agent.runs(SUITE).0);
    assert!(said(&agent).contains("1 uncommitted. Tests: passing."));
    assert!(agent.runs("git commit -qam work").0);
    let told = said(&agent);
    assert!(told.contains("clean. Tests: passing.") && told.contains("Next: merge to main"), "{told}");
    world.git(&["checkout", "-q", "HEAD~1"]);
    let told = said(&agent);
    assert!(told.contains("Tests: passed before the last changes."), "{told}");
}

/// A starter without its runner says nothing about the code, and is no failure that would stay.
#[test]
fn a_runner_that_is_not_there_is_no_failing_test() {
    let world = project(&[("double.sh", "# Doubles.\necho $(($1 + $1))\n")]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("double.sh", "# Doubles.\necho $((2 * $1))\n");
    for command in ["npm test", "make test", "cargo test", "nosuchrunner; python3 -m nosuchrunner"] {
        let _ = agent.bash(command);
        assert!(!world.has(".claude/.test-status"), "{command}");
    }
    agent.writes("double.sh", "# Doubles it.\necho $((2 * $1))\n");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("plimsoll test").1.contains("No tests were found"));
    assert!(!said(&agent).contains("Tests:"));
    assert!(agent.runs(COMMIT).0);
}

/// Nobody but the runner knows how to run these; then its own word and its status count.
#[test]
fn tests_by_a_runner_that_is_found_nowhere() {
    let world = project(&[
        ("double.sh", "# Doubles.\necho $(($1 + $1))\n"),
        ("Makefile", "test:\n\t@test `sh double.sh 2` = 4\n"),
    ]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("double.sh", "# Doubles.\necho $(($1 + 1))\n");
    assert!(!agent.runs("make test").0);
    assert!(said(&agent).contains("Tests: FAILING"));
    agent.writes("double.sh", "# Doubles.\necho $((2 * $1))\n");
    assert!(said(&agent).contains("Tests: failed before the last changes"));
    assert!(agent.runs("make test").0);
    assert!(said(&agent).contains("Tests: passing."));
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs(COMMIT).0);
}

/// `test` is not Python's word alone.
#[test]
fn a_folder_of_other_tests_is_no_project_of_python() {
    let world =
        project(&[("double.sh", "# Doubles.\necho $(($1 + $1))\n"), ("test/double.bats", "@test x {\n}\n")]);
    world.run(&["test", "--show"]).succeeds().says(&["no tests were found"]);
}
