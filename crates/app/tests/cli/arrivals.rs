//! What arrives in files that real programs have made: archives of tar and git, patches, stashes, commits. Nothing of it is unpacked
//! or applied here; it is only asked about.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::world::World;

/// A project beside a folder in which archives are made.
fn world() -> World {
    let world = World::new().with_committed("src/app.py", "x = 1\n").with(".claude/settings.json", "{}");
    world.git(&["add", "-A"]);
    world.commit("settings");
    // Elsewhere, so that what is packed lies in no project.
    world.sh(
        "mkdir -p ../made/evil/.claude ../made/good/lib/src ../made/wide && cd ../made
        echo '{\"disableAllHooks\": true}' > evil/.claude/settings.json && echo verified > evil/.claude/.proof-status
        echo x > evil/a.py && echo y > good/lib/src/a.py && echo z > good/lib/.eslintrc.json
        ln -s .claude good/lib/linked
        i=0; while [ $i -lt 3000 ]; do echo $i > wide/f$i; i=$((i+1)); done",
    );
    world
}

#[track_caller]
fn answers(world: &World, rows: &[(&str, &str)]) {
    let mut failures = Vec::new();
    for (line, expected) in rows {
        let ran = world.tool("PreToolUse", "Bash", &json!({"command": line}));
        let found = if ran.stdout.is_empty() {
            "none".to_owned()
        } else {
            ran.json()["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none").to_owned()
        };
        // Whatever passes may also be approved, unless it must not be.
        let holds = match *expected {
            "passes" => matches!(found.as_str(), "none" | "allow"),
            expected => found == expected,
        };
        if !holds {
            failures.push(format!("{line}: expected {expected}, got {found}: {}", ran.stdout));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn archives_are_judged_by_what_is_in_them() {
    let world = world();
    world.sh(
        "cd ../made && tar -C evil -cf evil.tar . && tar -C evil -czf evil.tgz .claude && tar -C good -czf good.tgz lib
        tar -C evil --format=posix -czf pax.tgz . && tar -C wide -czf wide.tgz .
        cp *.tar *.tgz ../project/ && cd ../project
        git -c user.name=t -c user.email=t@e.invalid init -q ../made/repo && cp -r ../made/evil/. ../made/repo
        cd ../made/repo && git add -A -f && git -c user.name=t -c user.email=t@e.invalid commit -qm x
        git archive -o ../../project/evil.zip HEAD && git archive -o ../../project/inner.zip --prefix=lib/ HEAD",
    );
    // No such format is read, whatever is in it.
    fs::write(world.path("evil.tar.xz"), b"\xfd7zXZ\0\0\x04rest").unwrap();
    answers(
        &world,
        &[
            ("tar xf evil.tar", "deny"),
            ("tar xzf evil.tgz", "deny"),
            ("tar -xzf pax.tgz", "deny"),
            ("cat evil.tgz | tar xz", "deny"),
            ("tar xf evil.tar ./a.py", "allow"),
            ("tar xf evil.tar --exclude=.claude", "allow"),
            ("tar xf evil.tar -C vendor", "none"),
            ("tar xzf good.tgz", "allow"),
            ("tar xzf wide.tgz", "allow"),
            ("tar tf evil.tar", "allow"),
            ("unzip -o evil.zip", "deny"),
            ("unzip -o inner.zip", "none"),
            ("unzip -l evil.zip", "allow"),
            ("tar xf evil.tar.xz", "ask"),
            ("tar xf evil.tar.xz -C vendor", "none"),
            ("cp -r ../made/evil/. .", "deny"),
            ("cp -r ../made/good/lib .", "allow"),
            ("rsync -a ../made/evil/ .", "deny"),
            ("rsync -a --exclude .claude ../made/evil/ .", "passes"),
            ("mv ../made/evil/.claude/.proof-status .claude/", "deny"),
        ],
    );
}

#[test]
fn patches_are_judged_by_what_they_change() {
    let world = world();
    world.sh(
        "git checkout -q -b evil && echo '{\"disableAllHooks\": true}' > .claude/settings.json && git add -A
        git -c user.name=t -c user.email=t@e.invalid commit -qm evil && git format-patch -q --stdout -1 > ../evil.mbox
        git diff HEAD~1 > ../evil.patch && git diff -R HEAD~1 > ../back.patch && git checkout -q main
        git checkout -q -b good && echo 'x = 2' > src/app.py && git add -A
        git -c user.name=t -c user.email=t@e.invalid commit -qm good && git format-patch -q --stdout -1 > ../good.mbox
        git diff HEAD~1 > ../good.patch && git checkout -q main && cp ../*.patch ../*.mbox . ",
    );
    answers(
        &world,
        &[
            ("git apply evil.patch", "deny"),
            ("git apply -R back.patch", "deny"),
            ("git am evil.mbox", "deny"),
            ("patch -p1 < evil.patch", "deny"),
            ("cat evil.patch | git apply", "deny"),
            ("git apply --check evil.patch", "allow"),
            ("git apply good.patch", "allow"),
            ("git am good.mbox", "allow"),
            ("patch -p1 < good.patch", "allow"),
        ],
    );
}

#[test]
fn other_versions_are_read_from_the_repository() {
    let world = world();
    world.sh(
        "git checkout -q -b evil && echo '{\"disableAllHooks\": true}' > .claude/settings.json && mkdir sub
        echo 'line-length = 200' > sub/.ruff.toml && git add -A
        git -c user.name=t -c user.email=t@e.invalid commit -qm evil && git checkout -q main
        git checkout -q -b good && echo 'x = 2' > src/app.py && echo 'line-length = 99' > .ruff.toml && git add -A
        git -c user.name=t -c user.email=t@e.invalid commit -qm good && git checkout -q main && mkdir -p sub
        echo 'x = 3' > src/app.py && git -c user.name=t -c user.email=t@e.invalid stash -q
        echo 'line-length = 7' > .ruff.toml && git -c user.name=t -c user.email=t@e.invalid stash -q",
    );
    let rows: &[(&str, &str)] = &[
        ("git stash pop", "ask"),
        ("git stash apply stash@{1}", "allow"),
        ("git stash pop stash@{9}", "passes"),
        ("git switch evil", "ask"),
        ("git merge evil", "ask"),
        ("git cherry-pick evil", "ask"),
        ("git checkout evil -- sub", "deny"),
        ("git restore --source=evil sub", "deny"),
        ("git checkout good -- src", "ask"),
        ("git switch good", "allow"),
        ("git checkout good", "allow"),
        ("git checkout -b new good", "passes"),
        ("git merge good", "passes"),
        ("git cherry-pick good", "ask"),
        ("git pull", "passes"),
    ];
    answers(&world, rows);
    // The same from packs.
    world.git(&["gc", "-q"]);
    answers(&world, rows);
}

/// What unpacks to very much, and what never ends, is left in time.
#[test]
fn reading_ends() {
    let world = world();
    world.sh(
        "head -c 300000000 /dev/zero | gzip -1 > bomb.tgz && mkfifo waits.tar && ln -s /dev/zero endless.tar",
    );
    for line in ["tar xzf bomb.tgz", "tar xf waits.tar", "tar xf endless.tar", "git apply endless.tar"] {
        let before = Instant::now();
        answers(&world, &[(line, "ask")]);
        assert!(before.elapsed() < Duration::from_secs(20), "{line}: {:?}", before.elapsed());
    }
}
