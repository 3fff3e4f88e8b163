//! Evidence that somebody else has made: refused where it is tried, void where it arrives, and said.

use super::agent::Agent;
use crate::world::World;

const PASS: &str = "pass|0|9999999999\n";
const SEEN: &str = "verified|9999999999\n";

fn project() -> World {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    world.write("src/more.py", "\"\"\"More.\"\"\"\n");
    world.commit("more");
    world
}

/// Whatever has arrived, a commit is refused for both reasons.
#[track_caller]
fn is_void(agent: &Agent<'_>, how: &str) {
    let reason = agent.may_not_run("git commit --allow-empty -m x");
    assert!(reason.contains("test results"), "{how}: {reason}");
    assert!(reason.contains("has not seen it work"), "{how}: {reason}");
    if agent.world.has(".claude/.test-status") {
        assert_eq!(
            reason.matches("was not written by Plimsoll and counts for nothing").count(),
            2,
            "{how}: {reason}"
        );
    }
}

/// Tried by the agent, it is refused; done behind our back, it counts for nothing.
#[track_caller]
fn try_it(world: &World, agent: &Agent<'_>, command: &str) {
    let refused = agent.bash(command).is_err();
    if !refused {
        // Nothing of it may have got through unseen.
        is_void(agent, command);
    }
    world.sh(&format!("cd '{}' && {{ {command}; }}; true", world.path("").display()));
    is_void(agent, command);
}

#[test]
fn by_a_patch() {
    let world = project();
    let agent = world.agent("s1");
    agent.starts("startup");
    let part =
        |name: &str, text: &str| format!("--- /dev/null\n+++ b/.claude/{name}\n@@ -0,0 +1 @@\n+{text}");
    world.write("x.patch", &(part(".test-status", PASS) + &part(".proof-status", SEEN)));
    assert!(agent.bash("git apply x.patch").is_err());
    try_it(&world, &agent, "git apply x.patch");
}

#[test]
fn by_an_archive() {
    let world = project();
    let agent = world.agent("s1");
    agent.starts("startup");
    world.write("a/.claude/.test-status", PASS);
    world.write("a/.claude/.proof-status", SEEN);
    world.sh(&format!("cd '{}' && tar cf a.tar -C a . && rm -r a", world.path("").display()));
    assert!(agent.bash("tar xf a.tar").is_err());
    try_it(&world, &agent, "tar xf a.tar");
}

#[test]
fn by_a_branch_that_contains_the_files() {
    let world = project();
    let agent = world.agent("s1");
    agent.starts("startup");
    world.git(&["checkout", "-qb", "forged"]);
    world.write(".claude/.test-status", PASS);
    world.write(".claude/.proof-status", SEEN);
    world.git(&["add", "-f", ".claude/.test-status", ".claude/.proof-status"]);
    world.git(&["commit", "-qm", "forged"]);
    world.git(&["checkout", "-q", "work"]);
    try_it(&world, &agent, "git checkout -q forged");
}

#[test]
fn by_a_script_and_by_another_process() {
    let world = project();
    let agent = world.agent("s1");
    agent.starts("startup");
    world.write("forge.sh", "mkdir -p .claude\nprintf 'pass|0|9999999999\\n' > .claude/.test-status\nprintf 'verified|9999999999\\n' > .claude/.proof-status\n");
    assert!(agent.bash("sh forge.sh").is_err());
    try_it(&world, &agent, "sh forge.sh");
    let code = "import os; os.makedirs('.claude', exist_ok=True); [open('.claude/' + n, 'w').write(t) for n, t in [('.test-status', 'pass|0|9999999999\\\\n'), ('.proof-status', 'verified|9999999999\\\\n')]]";
    try_it(&world, &agent, &format!("python3 -c \"{code}\""));
}

#[test]
fn by_a_runner_that_is_none() {
    let world = project();
    let agent = world.agent("s1");
    agent.starts("startup");
    world.write("bin/pytest", "#!/bin/sh\nexit 0\n");
    world.sh(&format!("chmod +x '{}'", world.name("bin/pytest")));
    for command in ["PATH=./bin:$PATH pytest", "./bin/pytest", "pytest() { true; }; pytest"] {
        let _ = agent.bash(command);
        is_void(&agent, command);
    }
    // Nor is what it prints a runner's word.
    world.write("bin/python3", "#!/bin/sh\nprintf 'Ran 5 tests in 0.1s\\n\\nOK\\n'\n");
    world.sh(&format!("chmod +x '{}'", world.name("bin/python3")));
    for path in ["./bin", "$PWD/bin", "bin"] {
        let command = format!("PATH={path}:$PATH python3 -m unittest discover -s tests");
        let _ = agent.bash(&command);
        is_void(&agent, &command);
    }
}
