//! Lives of an honest agent in repositories of other shapes: from each state there is a way to a commit that no gate refuses, and what is
//! said on the way is true.

use super::agent::{Agent, BAD, GOOD, PLAN, SUITE, TEST};
use crate::world::World;

fn better() -> String {
    GOOD.replace("x + x", "2 * x")
}

/// What the user is shown at a stop.
fn said(agent: &Agent<'_>) -> String {
    let ran = agent.stops();
    let json = if ran.stdout.is_empty() { serde_json::Value::Null } else { ran.json() };
    json["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// Tests, the user's word, and the commit.
#[track_caller]
fn commits(agent: &Agent<'_>, tests: &str) {
    let (passed, printed) = agent.runs(tests);
    assert!(passed, "{tests}: {printed}");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("git add -A && git commit -qm work").0);
}

/// A work tree with a commit that is tested and seen, and an agent in it.
fn in_a_work_tree(world: &World) -> Agent<'_> {
    let mut agent = world.agent("s1");
    agent.starts("startup");
    agent.runs("git worktree add .worktrees/double -b double");
    agent.cwd = world.path(".worktrees/double");
    agent.writes("src/double.py", &better());
    commits(&agent, SUITE);
    agent
}

fn goes_on(world: &World, name: &str, text: &str) {
    world.write(name, text);
    world.git(&["add", "--", name]);
    world.git(&["commit", "-qm", "main goes on"]);
}

#[test]
fn main_has_gone_on_and_is_merged_into_the_branch() {
    let world = World::tested_project();
    let mut agent = in_a_work_tree(&world);
    goes_on(&world, "src/other.py", "\"\"\"Other.\"\"\"\n");
    agent.cwd = world.path("");
    let reason = agent.may_not_run("git merge double");
    assert!(reason.contains("merge main first"), "{reason}");
    agent.cwd = world.path(".worktrees/double");
    assert!(agent.runs("git merge -q main -m both").0);
    let told = said(&agent);
    assert!(
        told.contains("Tests: passed before the last changes.") && told.contains("Next: run the tests."),
        "{told}"
    );
    assert!(agent.runs(SUITE).0);
    agent.cwd = world.path("");
    assert!(agent.runs("git merge -q double").0);
    assert!(said(&agent).contains("clean. Tests: passing."));
    // The work tree goes, what was seen stays.
    assert!(agent.runs("git worktree remove .worktrees/double && git branch -q -d double").0);
    agent.writes("README.md", "x\n");
    let told = said(&agent);
    assert!(told.contains("Tests: passing."), "{told}");
}

#[test]
fn main_has_gone_on_and_the_branch_is_rebased() {
    let world = World::tested_project();
    let mut agent = in_a_work_tree(&world);
    goes_on(&world, "src/other.py", "\"\"\"Other.\"\"\"\n");
    assert!(agent.runs("git rebase -q main").0);
    assert!(agent.runs(SUITE).0);
    agent.cwd = world.path("");
    assert!(agent.runs("git merge -q double").0, "the user has seen it in its work tree");
}

#[test]
fn a_rebase_that_meets_a_conflict() {
    let world = World::tested_project();
    let mut agent = in_a_work_tree(&world);
    goes_on(&world, "src/double.py", &GOOD.replace("x + x", "x * 2"));
    assert!(!agent.runs("git rebase -q main").0);
    assert!(agent.runs("git rebase --abort").0);
    assert!(!agent.runs("git rebase -q main").0);
    assert!(agent.runs("git rebase --skip").0, "what is left out commits nothing");
    agent.writes("src/double.py", &better());
    commits(&agent, SUITE);
    agent.cwd = world.path("");
    assert!(agent.runs("git merge -q double").0);
}

#[test]
fn a_merge_that_meets_a_conflict() {
    let world = World::tested_project();
    let mut agent = in_a_work_tree(&world);
    goes_on(&world, "src/double.py", &GOOD.replace("x + x", "x * 2"));
    assert!(!agent.runs("git merge main").0);
    assert!(agent.runs("git merge --abort").0);
    assert!(!agent.runs("git merge --no-commit --no-ff main").0);
    agent.writes("src/double.py", &format!("{}# both\n", better()));
    commits(&agent, SUITE);
    agent.cwd = world.path("");
    assert!(agent.runs("git merge -q double").0);
}

/// What main has repairs the branch: it may come in before its tests can pass, but not be committed.
#[test]
fn a_branch_that_only_works_with_main() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    goes_on(&world, "src/double.py", BAD);
    world.git(&["checkout", "-q", "main"]);
    goes_on(&world, "tests/test_double.py", &TEST.replace("(double(2), 4)", "(double(2), 3)"));
    world.git(&["checkout", "-q", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    assert!(!agent.runs(SUITE).0);
    let reason = agent.may_not_run("git merge main");
    assert!(reason.contains("git merge --no-commit --no-ff main"), "{reason}");
    assert!(agent.runs("git merge --no-commit --no-ff main").0);
    commits(&agent, SUITE);
}

#[test]
fn the_last_commit_is_amended() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", &better());
    commits(&agent, SUITE);
    assert!(agent.runs("git commit -q --amend -m 'in better words'").0);
    agent.writes("src/double.py", &format!("{}# more\n", better()));
    agent.may_not_run("git commit -qa --amend --no-edit");
    // Within the same second, too.
    assert!(said(&agent).contains("Tests: passed before the last changes."));
    assert!(agent.runs(SUITE).0);
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("git commit -qa --amend --no-edit").0);
}

#[test]
fn a_broken_commit_is_taken_back() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    goes_on(&world, "src/double.py", BAD);
    let agent = world.agent("s1");
    agent.starts("startup");
    assert!(!agent.runs(SUITE).0);
    let reason = agent.may_not_run("git revert --no-edit HEAD");
    assert!(reason.contains("Do it without a commit (`-n`)"), "{reason}");
    assert!(agent.runs("git revert -n HEAD").0);
    commits(&agent, SUITE);
    assert_eq!(world.read("src/double.py"), GOOD);
}

#[test]
fn main_is_not_set_to_what_nobody_has_tested() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    world.write("src/double.py", &better());
    world.commit("work");
    world.git(&["checkout", "-q", "main"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    for command in ["git reset --soft work", "git reset work", "git reset --keep 'work~0'"] {
        let reason = agent.may_not_run(command);
        assert!(reason.contains("has not been tested"), "{command}: {reason}");
    }
    // What main has had is no news, whatever it is called.
    for command in ["git reset -q $(git rev-parse main)", "git reset -q --soft HEAD", "git reset -q main"] {
        assert!(agent.runs(command).0, "{command}");
    }
    world.git(&["checkout", "-q", "work"]);
    assert!(agent.runs(SUITE).0);
    agent.prompts("verified").is_an_answer();
    world.git(&["checkout", "-q", "main"]);
    assert!(agent.runs("git reset -q --keep work").0, "a tested branch is as good as a merge of it");
}

#[test]
fn a_detached_head() {
    let world = World::tested_project();
    world.git(&["checkout", "-q", "--detach"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.writes("src/double.py", &better());
    commits(&agent, SUITE);
    assert!(agent.runs("git switch -q -c kept && git switch -q main").0);
    assert!(agent.runs("git merge -q kept").0);
}

#[test]
fn the_first_commits_of_a_repository() {
    let config = r#"{"profile": "strict", "checks": {"edit/test-runner": "off", "shell/temp-write": "off"}}"#;
    let world = World::without_git().with_user_config(config).with_program_on_path();
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.runs("git init -q -b main");
    assert!(agent.write("src/double.py", GOOD).is_err());
    agent.writes("MASTER_PLAN.md", PLAN);
    assert!(agent.runs("git add -A && git commit -qm plan && git switch -q -c double").0);
    agent.writes("src/double.py", GOOD);
    agent.writes("src/__init__.py", "");
    agent.writes("tests/test_double.py", TEST);
    commits(&agent, SUITE);
    assert!(agent.runs("git switch -q main && git merge -q double").0);
    // Git has just written these files, and they are what was tested.
    let told = said(&agent);
    assert!(told.contains("branch=main, clean. Tests: passing."), "{told}");
}

#[test]
fn a_submodule_has_commits_of_its_own() {
    let world = World::tested_project();
    let lib = world.base().join("lib");
    let at = lib.to_string_lossy().into_owned();
    world.git(&["clone", "-q", ".", &at]);
    world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &at, "lib"]);
    world.commit("a submodule");
    world.git(&["checkout", "-qb", "work"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    agent.runs("git -C lib switch -q -c better");
    agent.writes("lib/src/double.py", &better());
    assert!(agent.runs(&format!("cd lib && {SUITE}")).0);
    let told = said(&agent);
    assert!(told.contains("Git: branch=better, 1 uncommitted. Tests: passing."), "{told}");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("cd lib && git commit -qam better").0);
    commits(&agent, SUITE);
    assert_eq!(world.git(&["-C", "lib", "status", "--porcelain"]), "", "nothing of ours lies in it");
}

#[test]
fn work_trees_beside_each_other_around_a_bare_repository() {
    let world = World::without_git()
        .with_user_config(
            r#"{"profile": "strict", "checks": {"edit/test-runner": "off", "shell/temp-write": "off"}}"#,
        )
        .with_program_on_path();
    world.git(&["init", "-q", "--bare", "-b", "main", ".bare"]);
    world.write(".git", "gitdir: ./.bare\n");
    world.git(&["worktree", "add", "-q", "--orphan", "-b", "main", "main"]);
    for (name, text) in [
        ("tests/test_double.py", TEST),
        ("src/__init__.py", ""),
        ("src/double.py", GOOD),
        ("MASTER_PLAN.md", PLAN),
    ] {
        world.write(&format!("main/{name}"), text);
    }
    world.git(&["-C", "main", "add", "-A"]);
    world.git(&["-C", "main", "commit", "-qm", "start"]);
    let mut agent = world.agent("s1");
    agent.starts("startup");
    agent.runs("git worktree add double -b double");
    agent.cwd = world.path("double");
    agent.writes("src/double.py", &better());
    let told = said(&agent);
    assert!(!told.contains("warning"), "{told}");
    commits(&agent, SUITE);
    agent.cwd = world.path("main");
    assert!(agent.runs("git merge -q double").0);
}

#[test]
fn a_project_in_a_subfolder_with_a_work_tree() {
    let world = World::tested_project();
    for name in ["src/__init__.py", "src/double.py", "tests/test_double.py", "MASTER_PLAN.md"] {
        world.write(&format!("packages/api/{name}"), &world.read(name));
        world.git(&["rm", "-q", "--", name]);
    }
    world.commit("packages");
    let root = world.path("");
    let world = world.in_subfolder("packages/api");
    let mut agent = world.agent("s1");
    agent.starts("startup");
    agent.runs("git worktree add ../../.worktrees/double -b double");
    agent.cwd = root.join(".worktrees/double/packages/api");
    agent.writes("src/double.py", &better());
    commits(&agent, SUITE);
    assert!(said(&agent).contains("branch=double, clean. Tests: passing."));
    agent.cwd = world.path("");
    assert!(agent.runs("git merge -q double").0);
    assert_eq!(world.read("src/double.py"), better());
}

/// What another place has is taken over by a pull, and the refusal of a merge says so.
#[test]
fn a_clone_takes_over_what_others_have_done() {
    let world = World::tested_project();
    let (origin, other) = (world.base().join("origin.git"), world.base().join("other"));
    let (origin, other) = (origin.to_string_lossy().into_owned(), other.to_string_lossy().into_owned());
    world.git(&["clone", "-q", "--bare", ".", &origin]);
    world.git(&["remote", "add", "origin", &origin]);
    world.git(&["fetch", "-q"]);
    world.git(&["branch", "-q", "--set-upstream-to=origin/main"]);
    world.git(&["clone", "-q", &origin, &other]);
    std::fs::write(format!("{other}/src/other.py"), "\"\"\"Other.\"\"\"\n").unwrap();
    world.git(&["-C", &other, "add", "-A"]);
    world.git(&["-C", &other, "commit", "-qm", "other"]);
    world.git(&["-C", &other, "push", "-q"]);
    let agent = world.agent("s1");
    agent.starts("startup");
    let reason = agent.may_not_run("git fetch -q && git merge --ff-only origin/main");
    assert!(reason.contains("git pull --ff-only"), "{reason}");
    assert!(agent.runs("git pull -q --ff-only").0);
    assert!(world.has("src/other.py"));
    agent.runs("git switch -q -c work");
    agent.writes("src/double.py", &better());
    commits(&agent, SUITE);
}
