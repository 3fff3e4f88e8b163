//! The guard's own parts on a real disk: what would delete, move, replace or rewrite them is stopped by whatever name, and its
//! neighbours pass. Nothing here is run; it is only asked about.

use std::fs;

use serde_json::json;

use crate::world::{PROGRAM, Ran, World, text};

fn world() -> World {
    let world = World::new()
        .with_program_on_path()
        .with(".claude/settings.json", "{}")
        .with("notes.txt", "x")
        .with(".cursor/hooks.json", r#"{"hooks": {"preToolUse": [{"command": "plimsoll hook"}]}}"#);
    // What the disk knows and no text says.
    fs::hard_link(world.path(".claude/settings.json"), world.path("second-name")).unwrap();
    fs::hard_link(world.path("notes.txt"), world.path("notes-too.txt")).unwrap();
    world.link("linked", ".claude");
    world.link("tool", PROGRAM);
    // Links that were made by an earlier command.
    std::os::unix::fs::symlink(world.base(), world.path("way")).unwrap();
    world.session_starts("s1");
    world
}

fn decision(ran: &Ran) -> String {
    if ran.stdout.is_empty() {
        return "none".into();
    }
    ran.json()["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none").to_owned()
}

#[track_caller]
fn commands(rows: &[(&str, &str)]) {
    let world = world();
    let mut failures = Vec::new();
    for (line, expected) in rows {
        let line = line
            .replace("@BASE@", &text(world.base()))
            .replace("@PROGRAM@", PROGRAM)
            .replace("@PROJECT@", world.name("").trim_end_matches('/'));
        let found = decision(&world.tool("PreToolUse", "Bash", &json!({"command": line})));
        // What passes may also be approved.
        if found != *expected && !(*expected == "none" && found == "allow") {
            failures.push(format!("{line}: expected {expected}, got {found}"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn the_program_stays() {
    commands(&[
        ("cd @BASE@/bin && rm plimsoll", "deny"),
        ("rm @BASE@/bin/plim*", "deny"),
        ("rm @PROGRAM@", "deny"),
        ("mv @PROGRAM@ /tmp/x", "deny"),
        ("echo x > @PROGRAM@", "deny"),
        ("p=$(echo @PROGRAM@); rm \"$p\"", "deny"),
        ("ln -s @BASE@/bin b; rm b/plimsoll", "deny"),
        ("truncate -s0 tool", "deny"),
        ("cp /bin/true @BASE@/bin/plimsoll", "deny"),
        ("python3 -c \"import os; os.remove('@PROGRAM@')\"", "deny"),
        ("ls -l @BASE@/bin; file @PROGRAM@; cp @PROGRAM@ /tmp/keep", "none"),
    ]);
}

#[test]
fn our_records_stay() {
    commands(&[
        ("rm -rf @BASE@/state", "deny"),
        ("rm -rf @BASE@/st*", "deny"),
        ("mv @BASE@/state @BASE@/old", "deny"),
        ("find @BASE@/state -delete", "deny"),
        ("cd @BASE@/state && rm -rf .", "deny"),
        ("ln -s @BASE@/state s; rm -rf s/projects", "deny"),
        ("echo {} > @BASE@/state/overrides.json", "deny"),
        ("rm -rf way/st*", "deny"),
        ("rm -rf way/state/*", "deny"),
        ("mv way/state x", "deny"),
        ("find @BASE@/state -name '*.json' -exec sh -c '> {}' \\;", "ask"),
        ("chmod 0 @BASE@/state", "deny"),
        ("rm -rf way/other/*", "none"),
        ("ls @BASE@/state; plimsoll status", "none"),
        ("rm -rf @BASE@/tmp/x", "none"),
    ]);
}

#[test]
fn settings_stay_by_whatever_name() {
    commands(&[
        ("echo {} > second-name", "deny"),
        ("sed -i s/a/b/ second-name", "deny"),
        ("echo {} > linked/settings.json", "deny"),
        ("rm .claude/sett*", "deny"),
        ("cd .claude; echo {} > settings.json", "deny"),
        ("ln .claude/settings.json y; echo {} > y", "deny"),
        ("ln -s .claude y && echo {} > y/settings.json", "deny"),
        ("mv .claude c", "deny"),
        ("echo {} > .cursor/hooks.json", "deny"),
        ("rm -rf .cursor", "deny"),
        ("find . -name 'settings*' -exec truncate -s0 {} +", "ask"),
        ("find . -name settings.json -exec sed -i s/a/b/ {} +", "ask"),
        (
            "find src -name '*.json' -exec sed -i s/a/b/ {} +; find . -name '*.py' -exec sed -i s/a/b/ {} +",
            "none",
        ),
        ("echo {} > .mcp.json", "ask"),
        ("git config core.fsmonitor ./x", "ask"),
        ("git config alias.x '!id'", "ask"),
        ("printf '[core]\\n\\tsshCommand = ./x\\n' >> .git/config", "ask"),
        (
            "git config user.name x; git config --global alias.st status; git remote add o https://example.org/x.git",
            "none",
        ),
        ("cat .claude/settings.json; echo x > notes.txt; echo x > notes-too.txt; rm second-name-not", "none"),
    ]);
}

#[test]
fn edits_are_judged_by_the_same_parts() {
    let world = world();
    for (file, expected) in [
        (PROGRAM, "deny"),
        ("tool", "deny"),
        ("second-name", "deny"),
        ("linked/settings.json", "deny"),
        (".cursor/hooks.json", "deny"),
        (".mcp.json", "ask"),
        ("notes-too.txt", "none"),
        ("bin/other", "none"),
    ] {
        let path = if file.starts_with('/') { file.to_owned() } else { world.name(file) };
        let ran = world.tool("PreToolUse", "Write", &json!({"file_path": path, "content": "{}"}));
        assert_eq!(decision(&ran), expected, "{file}: {ran:#?}");
    }
}
