//! Tests that only the agent runs, by the command that it would use: from the start of a session to its end, with real runners.

use super::languages::{Language, in_each_language};
use crate::world::World;

/// Nothing runs the tests in the background.
const CONFIG: &str =
    r#"{"profile": "strict", "checks": {"edit/test-runner": "off", "shell/temp-write": "off"}}"#;

in_each_language!(live);

fn live(language: &Language) {
    let world = World::new().with_user_config(CONFIG).with_program_on_path();
    let world = language.in_world(world);
    let mut agent = world.agent("s1");
    agent.starts("startup");
    agent.runs("git worktree add .worktrees/double -b double");
    agent.cwd = world.path(".worktrees/double");
    if let Some((name, folder)) = &language.lent {
        std::os::unix::fs::symlink(folder, agent.cwd.join(name)).unwrap();
    }
    let commit = "git add -A && git commit -qm work";
    agent.writes(language.source, language.broken);
    assert!(agent.may_not_run(commit).contains("there are no test results"));
    let (passed, said) = agent.runs(language.suite);
    assert!(!passed, "{said}");
    let reason = agent.may_not_run(commit);
    assert!(reason.contains("tests are failing (1 failed"), "{reason}\n{said}");
    // What an agent does to see only the end: the runner's own summary still tells, where it has one of all tests.
    agent.writes(language.source, language.fixed);
    // Of one that has none, the last line alone tells nothing.
    let lines = if language.sums_up { 15 } else { 1 };
    let (_, mut said) = agent.runs(&format!("{} 2>&1 | tail -{lines}", language.suite));
    if !language.sums_up {
        assert!(agent.may_not_run(commit).contains("tests are failing (1 failed"), "{said}");
        said = agent.runs(language.suite).1;
    }
    let reason = agent.may_not_run(commit);
    assert!(!reason.contains("test") && reason.contains("not seen it work"), "{reason}\n{said}");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs(commit).0);
    let said = agent.stops().json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains("branch=double, clean. Tests: passing."), "{said}");
    agent.cwd = world.path("");
    assert!(agent.runs("git merge -q double").0);
    assert_eq!(world.read(language.source), language.fixed);
    agent.ends();
}
