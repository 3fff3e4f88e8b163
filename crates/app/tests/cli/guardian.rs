//! What an agent may tell git so that it looks away: the stop guardian compares contents, and is held all the same.

use crate::world::{RUFF, Ran, World};

const BEFORE: &str = "line-length = 88\n";
const WEAK: &str = "echo 'line-length = 300' > .ruff.toml";

fn git_as_somebody(world: &World, line: &str) {
    world.sh(&format!(
        "export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.invalid GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.invalid\n{line}"
    ));
}

fn restores(reason: &str) -> Vec<&str> {
    let lines = reason.lines().filter_map(|line| line.trim_start().strip_prefix("restore:"));
    lines.map(str::trim).collect()
}

/// What the session does, by its name; what makes `.ruff.toml` weaker is `WEAK`.
const HIDDEN: &[(&str, &str)] = &[
    ("assume-unchanged", "git update-index --assume-unchanged .ruff.toml; WEAK"),
    ("skip-worktree", "git update-index --skip-worktree .ruff.toml; WEAK"),
    ("fsmonitor-valid", "git update-index --fsmonitor-valid .ruff.toml 2>/dev/null; WEAK"),
    ("untracked and excluded", "git rm -q --cached .ruff.toml; echo .ruff.toml >> .git/info/exclude; WEAK"),
    (
        "a filter that gives the old text",
        "git config filter.x.clean 'echo line-length = 88'; echo '*.toml filter=x' > .git/info/attributes; WEAK",
    ),
    (
        "trustctime and an old time",
        "git config core.trustctime false; touch -r .ruff.toml ref; printf 'line-length = 99\\n' > .ruff.toml; touch -r ref .ruff.toml; rm ref",
    ),
    (
        "a backdated commit",
        "WEAK; GIT_COMMITTER_DATE='2001-01-01T00:00:00Z' GIT_AUTHOR_DATE='2001-01-01T00:00:00Z' git commit -qam old",
    ),
    ("an amended commit", "WEAK; git commit -q -a --amend --no-edit"),
    (
        "a backdated and amended commit",
        "WEAK; GIT_COMMITTER_DATE='2001-01-01T00:00:00Z' git commit -q -a --amend --no-edit --date 2001-01-01T00:00:00Z",
    ),
    ("a made-up remote reference", "WEAK; git commit -qam x; git update-ref refs/remotes/origin/x HEAD"),
    ("a made-up remote", "WEAK; git commit -qam x; git remote add o .; git fetch -q o"),
    ("a moved database", "mv .git .git2; WEAK"),
    ("a database that is made anew", "mv .git .git2; git init -q; WEAK; git add -A; git commit -qm all"),
    ("a database that is made anew, nothing added", "mv .git .git2; git init -q; WEAK"),
    ("a broken index", "echo broken > .git/index; WEAK"),
    ("an index of another kind", "rm .git/index; WEAK"),
    ("a broken HEAD", "echo broken > .git/HEAD; WEAK"),
    ("a replaced commit", "WEAK; git commit -qam x; git replace HEAD~1 HEAD; git reset -q --hard HEAD"),
    (
        "a graft",
        "old=$(git rev-parse HEAD); WEAK; git commit -qam x; echo \"$old $(git rev-parse HEAD)\" > .git/info/grafts",
    ),
    ("a shallow history", "WEAK; git commit -qam x; git rev-parse HEAD > .git/shallow"),
    ("an orphan branch", "git checkout -q --orphan o; WEAK; git add -A; git commit -qm x"),
    (
        "another branch of the moment",
        "git checkout -q -b side; WEAK; git commit -qam x; git checkout -q -b third",
    ),
    (
        "a sparse checkout",
        "git config core.sparseCheckout true; echo '/app.py' > .git/info/sparse-checkout; git read-tree -mu HEAD",
    ),
    ("an unreadable file", "WEAK; chmod 000 .ruff.toml"),
    ("a folder in its place", "rm .ruff.toml; mkdir .ruff.toml; echo x > .ruff.toml/y"),
    (
        "a link in its place",
        "echo 'line-length = 300' > other.txt; rm .ruff.toml; ln -s other.txt .ruff.toml",
    ),
];

#[test]
fn nothing_that_git_is_told_hides_a_change() {
    for (name, script) in HIDDEN {
        let world = World::new();
        world.session_starts("s1");
        git_as_somebody(&world, &script.replace("WEAK", WEAK));
        let ran = world.session_stops("s1");
        assert!(ran.stdout.contains("Protected config files changed"), "{name}: {ran:#?}");
        let reason = ran.is_blocked();
        assert!(reason.contains(&format!("  - {RUFF} (")), "{name}: {reason}");
        // What lies in a folder first.
        for command in restores(&reason).into_iter().rev() {
            world.sh(command);
        }
        assert_eq!(world.read(RUFF), BEFORE, "{name}: {reason}");
    }
}

#[test]
fn what_git_is_not_asked_about_is_looked_at_too() {
    // What there is, what the session does, and the file that is reported.
    const ROWS: &[(&str, &str, &str, &str)] = &[
        (
            "a repository in the repository",
            "mkdir sub; git init -q sub; echo 1 > sub/.flake8; git -C sub add -A; git -C sub commit -qm x",
            "echo 2 > sub/.flake8; git -C sub commit -qam y",
            "sub/.flake8 (modified)",
        ),
        (
            "a repository of the moment",
            "true",
            "git init -q sub; echo 1 > sub/.flake8; git -C sub add -A; git -C sub commit -qm x",
            "sub/.flake8 (new)",
        ),
        (
            "an ignored file",
            "echo local/ > .gitignore; git add .gitignore; git commit -qm i; mkdir local; echo 1 > local/.flake8",
            "echo 2 > local/.flake8",
            "local/.flake8 (modified)",
        ),
        (
            "an ignored file that goes",
            "echo local/ > .gitignore; git add .gitignore; git commit -qm i; mkdir local; echo 1 > local/.flake8",
            "rm -r local",
            "local/.flake8 (deleted)",
        ),
        (
            "a new file that is excluded",
            "true",
            "echo .flake8 >> .git/info/exclude; echo 1 > .flake8",
            ".flake8 (new)",
        ),
        (
            "a new file in a folder that is excluded",
            "true",
            "echo web >> .git/info/exclude; mkdir web; echo '{}' > web/biome.json",
            "web/biome.json (new)",
        ),
        (
            "a hook",
            "true",
            "mkdir -p .claude/hooks; echo .claude >> .git/info/exclude; echo x > .claude/hooks/config.json",
            ".claude/hooks/config.json (new)",
        ),
        (
            "excluded by the user's own list",
            "true",
            "git config core.excludesFile .mine; echo .flake8 > .mine; echo 1 > .flake8",
            ".flake8 (new)",
        ),
    ];
    for (name, before, script, expected) in ROWS {
        let world = World::new();
        git_as_somebody(&world, before);
        world.session_starts("s1");
        world.session_stops("s1").is_silent();
        git_as_somebody(&world, script);
        let reason = world.session_stops("s1").is_blocked();
        assert!(reason.contains(&format!("  - {expected}\n")), "{name}: {reason}");
        for command in restores(&reason) {
            world.sh(command);
        }
        let next: Ran = world.session_stops("s1");
        assert!(next.stdout.is_empty(), "{name}: {reason}\n{next:#?}");
    }
}

#[test]
fn what_was_there_before_the_session_is_not_its_change() {
    const ROWS: &[(&str, &str, &str)] = &[
        (
            "another branch",
            "git checkout -q -b side; WEAK; git commit -qam x; git checkout -q main",
            "git checkout -q side",
        ),
        (
            "work on another branch",
            "git checkout -q -b side; WEAK; git commit -qam x; git checkout -q main",
            "git checkout -q side; echo y = 1 >> app.py; git commit -qam y",
        ),
        (
            "a tag",
            "git checkout -q -b side; WEAK; git commit -qam x; git tag v1; git checkout -q main; git branch -qD side",
            "git checkout -q v1",
        ),
        (
            "what a remote had",
            "git checkout -q -b side; WEAK; git commit -qam x; git update-ref refs/remotes/origin/main HEAD; git checkout -q main; git branch -qD side",
            "git merge -q --ff-only origin/main",
        ),
        (
            "a merge of what a remote had",
            "git checkout -q -b side; WEAK; git commit -qam x; git update-ref refs/remotes/origin/main HEAD; git checkout -q main; git branch -qD side; echo y > other; git add other; git commit -qm own",
            "git merge -q -m merged origin/main",
        ),
        (
            "packed references",
            "git checkout -q -b side; WEAK; git commit -qam x; git checkout -q main; git pack-refs --all",
            "git checkout -q side",
        ),
        ("another work tree", "true", "git worktree add -q .worktrees/one -b one"),
        (
            "another work tree of another branch",
            "git checkout -q -b side; WEAK; git commit -qam x; git checkout -q main",
            "git worktree add -q .worktrees/one side; cd .worktrees/one; echo y = 1 >> app.py; git commit -qam y",
        ),
        (
            "packages",
            "echo node_modules > .gitignore; git add .gitignore; git commit -qm i",
            "mkdir -p node_modules/a; echo 1 > node_modules/a/.flake8",
        ),
        (
            "an environment",
            "true",
            "mkdir -p .venv/lib; touch .venv/pyvenv.cfg; echo 1 > .venv/lib/.flake8; echo .venv >> .git/info/exclude",
        ),
        ("put aside and back", "echo y = 1 >> app.py", "git stash -q; git stash pop -q"),
        ("changed and changed back", "true", "cp .ruff.toml x; WEAK; mv x .ruff.toml"),
        (
            "rewritten history of other files",
            "echo y = 1 >> app.py; git commit -qam y",
            "git commit -q --amend -m z",
        ),
    ];
    for (name, before, script) in ROWS {
        let world = World::new();
        git_as_somebody(&world, &before.replace("WEAK", WEAK));
        world.session_starts("s1");
        git_as_somebody(&world, &script.replace("WEAK", WEAK));
        let ran = world.session_stops("s1");
        assert!(ran.stdout.is_empty(), "{name}: {ran:#?}");
    }
}

#[test]
fn a_change_in_another_work_tree_of_the_project_counts() {
    let world = World::new();
    git_as_somebody(&world, "git worktree add -q .worktrees/one -b one");
    world.session_starts("s1");
    world.write(".worktrees/one/.ruff.toml", "line-length = 300\n");
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains("  - .worktrees/one/.ruff.toml (modified)"), "{reason}");
    git_as_somebody(&world, "cd .worktrees/one && git commit -qam looser");
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains("  - .worktrees/one/.ruff.toml (modified)"), "{reason}");
}

#[test]
fn an_older_commit_that_leaves_us_out_is_no_switch_of_branches() {
    let ours = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "plimsoll hook"}]}]}}"#;
    let world = World::new().with(".claude/settings.json", "{}");
    git_as_somebody(&world, "git add -f .claude && git commit -qm one");
    world.write(".claude/settings.json", ours);
    git_as_somebody(
        &world,
        "git add -f .claude && git commit -qm two && git branch other && echo y > app.txt && git add app.txt && git commit -qm three",
    );
    world.session_starts("s1");
    // Another branch whose settings start us, too.
    git_as_somebody(&world, "git checkout -q other");
    world.session_stops("s1").is_silent();
    git_as_somebody(&world, "git reset -q --hard HEAD~1");
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains("  - .claude/settings.json (modified)\n"), "{reason}");
    for command in restores(&reason) {
        world.sh(command);
    }
    assert_eq!(world.read(".claude/settings.json"), ours);
}

#[test]
fn of_the_clients_own_settings_only_counts_that_no_hook_runs() {
    let world = World::new().with(".claude/settings.local.json", r#"{"permissions": {"allow": []}}"#);
    world.session_starts("s1");
    world.write(".claude/settings.local.json", r#"{"permissions": {"allow": ["Bash(ls)"]}}"#);
    world.session_stops("s1").is_silent();
    world.write(".claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains("  - .claude/settings.local.json (modified)\n"), "{reason}");
}

#[test]
fn a_merge_that_takes_an_older_text_on_purpose_counts() {
    let world = World::new();
    git_as_somebody(
        &world,
        &format!("{WEAK}; git commit -qam weak; git checkout -q HEAD~1 -- .ruff.toml; git commit -qm strong"),
    );
    world.session_starts("s1");
    git_as_somebody(
        &world,
        "git checkout -q -b old HEAD~1; echo z > z; git add z; git commit -qm z; git merge -q -s ours main -m m; git checkout -q main; git merge -q --ff-only old",
    );
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains(&format!("  - {RUFF} (committed)\n")), "{reason}");
    for command in restores(&reason) {
        world.sh(command);
    }
    assert_eq!(world.read(RUFF), BEFORE, "{reason}");
}
