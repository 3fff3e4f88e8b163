//! Lives of an honest agent in projects whose tests are run in other ways: several folders, runners that are not known, none at all.

use super::agent::{Agent, BAD, GOOD, PLAN, SUITE, TEST};
use crate::world::World;

const CONFIG: &str =
    r#"{"profile": "strict", "checks": {"edit/test-runner": "off", "shell/temp-write": "off"}}"#;

/// A strict project of these files, on a branch.
fn project(files: &[(&str, &str)]) -> World {
    let world = World::new().with_user_config(CONFIG).with_program_on_path();
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
