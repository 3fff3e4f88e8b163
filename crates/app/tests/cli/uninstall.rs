//! `plimsoll uninstall`: the hooks go, and every byte is as it was before `init`.

use std::path::PathBuf;

use crate::world::{World, files_below, write};

const SETTINGS: &str = ".claude/settings.json";
const CONFIG: &str = ".claude/hooks/config.json";

fn exclude(world: &World) -> String {
    world.read(".git/info/exclude")
}

/// Settings that people have, in their spacings.
const SHAPES: &[(&str, &str)] = &[
    ("an empty object", "{}\n"),
    ("no newline at the end", "{\n  \"model\": \"opus\"\n}"),
    ("two spaces", "{\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"1\"}\n}\n"),
    ("tabs", "{\n\t\"model\": \"opus\"\n}\n"),
    ("comments", "// top\n{\n  // in it\n  \"model\": \"opus\" // at its end\n  /* last */\n}\n// after\n"),
    ("a comma at the end", "{\n  \"model\": \"opus\",\n}\n"),
    (
        "another hook",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  }\n}\n",
    ),
    (
        "another hook on an event of its own",
        "{\n  \"hooks\": {\n    \"Notification\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}\n    ]\n  },\n  \"model\": \"opus\"\n}\n",
    ),
    (
        "four spaces and a comment in the list",
        "{\n    \"hooks\": {\n        \"Stop\": [\n            // mine\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n        ]\n    }\n}\n",
    ),
];

#[track_caller]
fn comes_back(what: &str, settings: &str) {
    let world = World::new().with(SETTINGS, settings);
    world.run(&["init", "--yes"]).succeeds();
    assert_ne!(world.read(SETTINGS), settings, "{what}");
    world.run(&["uninstall", "--yes"]).succeeds();
    assert_eq!(world.read(SETTINGS), settings, "{what}");
}

#[test]
fn the_old_bytes_come_back() {
    for (what, settings) in SHAPES {
        comes_back(what, settings);
    }
}

#[test]
fn the_old_bytes_come_back_with_windows_line_ends() {
    comes_back("CRLF", "{\r\n  \"model\": \"opus\"\r\n}\r\n");
}

#[test]
fn the_old_bytes_come_back_where_all_was_on_one_line() {
    comes_back("one key", "{\"model\": \"opus\"}\n");
    let hook = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}\n";
    comes_back("another hook", hook);
}

#[test]
fn the_old_bytes_come_back_where_lists_and_objects_were_empty() {
    comes_back("an empty `hooks`", "{\n  \"hooks\": {},\n  \"model\": \"opus\"\n}\n");
    comes_back("an empty list", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n");
}

#[test]
fn the_exclusions_of_git_come_back() {
    let world = World::new().with(".git/info/exclude", "# mine\n*.log");
    world.run(&["init", "--yes"]).succeeds();
    assert!(exclude(&world).contains("# plimsoll"));
    world.run(&["uninstall", "--yes"]).succeeds();
    assert_eq!(exclude(&world).trim_end(), "# mine\n*.log");
}

#[test]
fn what_was_not_there_before_is_not_there_after() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    world.run(&["uninstall", "--yes"]).succeeds();
    assert!(!world.has(".claude"), "{:?}", files_below(&world.path(".claude")));
}

#[test]
fn a_config_that_the_user_has_changed_stays_and_is_named() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    world.write(CONFIG, "{\"profile\": \"strict\"}\n");
    world.run(&["uninstall", "--yes"]).succeeds().says(&[
        "left: ",
        "config.json, which has changed",
        "--purge",
    ]);
    assert!(world.has(CONFIG) && !world.has(SETTINGS));
    world.run(&["uninstall", "--yes", "--purge"]).succeeds();
    assert!(!world.has(".claude"), "{:?}", files_below(&world.path(".claude")));
}

#[test]
fn all_of_it_leaves_nothing_of_ours() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    world.session_starts("s1");
    world.has_edited("app.py");
    let ran = world.run(&["uninstall", "--yes"]).succeeds();
    ran.says(&["left: our records of this project", "the log", "--all", "the program itself"]);
    world.run(&["uninstall", "--yes", "--all"]).succeeds();
    assert!(!world.state().exists(), "{:?}", files_below(&world.state()));
    assert!(!world.has(".claude"), "{:?}", files_below(&world.path(".claude")));
    assert!(!exclude(&world).contains("plimsoll"));
}

#[test]
fn what_the_user_has_written_is_named_and_stays() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    world.write(".claude/hooks/rules.toml", "# mine\n");
    write(&world.home().join(".claude/hooks/config.json"), "{}\n");
    // Again, when nothing is registered any more.
    for _ in 0..2 {
        let ran = world.run(&["uninstall", "--yes"]).succeeds();
        ran.says(&[
            "home/.claude/hooks/config.json",
            "project/.claude/hooks/rules.toml, which you have written",
        ]);
    }
    assert!(world.has(".claude/hooks/rules.toml"));
}

/// An empty home is empty afterwards.
#[test]
fn folders_that_only_ours_was_in_go_with_it() {
    let home = tempfile::tempdir().unwrap();
    let world = World::new()
        .with_variable("HOME", home.path().to_str().unwrap())
        .with_variable("PLIMSOLL_STATE_DIR", "");
    world.run(&["init", "--yes"]).succeeds();
    assert!(home.path().join(".local/state/plimsoll").is_dir());
    world.run(&["uninstall", "--yes", "--all"]).succeeds();
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn all_scopes_are_cleared_and_one_if_asked_for() {
    let world = World::new();
    for scope in ["project", "local", "user"] {
        world.run(&["init", "--yes", "--scope", scope]).succeeds();
    }
    let registered = || {
        let files: [PathBuf; 3] =
            [world.path(SETTINGS), world.path(".claude/settings.local.json"), world.home().join(SETTINGS)];
        files.map(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("PreToolUse")))
    };
    assert_eq!(registered(), [true, true, true]);
    world.run(&["uninstall", "--yes", "--scope", "user"]).succeeds();
    assert_eq!(registered(), [true, true, false]);
    world.run(&["uninstall", "--yes"]).succeeds();
    assert_eq!(registered(), [false, false, false]);
}

#[test]
fn there_is_a_backup_of_everything_that_was_changed() {
    let world = World::new().with(SETTINGS, "{\"model\": \"project's\"}\n");
    write(&world.home().join(SETTINGS), "{\"model\": \"mine\"}\n");
    world.run(&["init", "--yes"]).succeeds();
    world.run(&["init", "--yes", "--scope", "user"]).succeeds();
    let before = [world.read(SETTINGS), std::fs::read_to_string(world.home().join(SETTINGS)).unwrap()];
    world.run(&["uninstall", "--yes"]).succeeds();
    let backups = world.backups();
    for text in before {
        assert!(backups.contains(&text), "no copy of this is left:\n{text}");
    }
}

#[test]
fn the_backup_of_the_first_set_up_outlives_the_next_ones() {
    let world = World::new().with(SETTINGS, "{\"model\": \"opus\"}\n");
    world.run(&["init", "--yes"]).succeeds();
    world.run(&["init", "--yes", "--fail-open"]).succeeds();
    world.run(&["uninstall", "--yes"]).succeeds();
    assert!(world.backups().contains(&"{\"model\": \"opus\"}\n".to_owned()), "{:?}", world.backups());
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    let before = world.snapshot();
    world
        .run(&["uninstall", "--yes", "--dry-run"])
        .succeeds()
        .says(&["-    \"PreToolUse\": [", "nothing was changed"]);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn without_a_yes_nothing_happens() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    let before = world.snapshot();
    let ran = world.run(&["uninstall"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.ends_with("nothing was changed\n"), "{}", ran.stdout);
    assert!(ran.stderr.lines().count() == 1 && ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn without_a_yes_nothing_is_purged_either() {
    let world = World::new();
    world.session_starts("s1");
    let before = world.snapshot();
    world.run(&["uninstall", "--purge"]);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn where_nothing_is_registered_it_says_so() {
    World::new().run(&["uninstall", "--yes"]).succeeds().says(&["no hooks of ours are registered"]);
}

#[test]
fn purging_removes_our_records_of_this_project() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    world.session_starts("s1");
    world.run(&["uninstall", "--yes", "--purge"]).succeeds();
    assert_eq!(files_below(&world.state().join("projects")), Vec::<PathBuf>::new());
}

#[test]
fn purging_leaves_the_backups() {
    let settings = "{\"model\": \"opus\"}\n";
    let world = World::new().with(SETTINGS, settings);
    world.run(&["init", "--yes"]).succeeds();
    world.run(&["uninstall", "--yes", "--purge"]).succeeds();
    assert!(world.backups().contains(&settings.to_owned()), "{:?}", world.backups());
}

#[test]
fn what_was_changed_since_stays_changed() {
    let world = World::new().with(SETTINGS, "{\"model\": \"opus\"}\n");
    world.run(&["init", "--yes"]).succeeds();
    let edited = world.read(SETTINGS).replace("opus", "sonnet");
    world.write(SETTINGS, &edited);
    world.run(&["uninstall", "--yes"]).succeeds();
    let settings: serde_json::Value = serde_json::from_str(&world.read(SETTINGS)).unwrap();
    assert_eq!(settings, serde_json::json!({"model": "sonnet"}));
}

#[test]
fn broken_settings_are_named_and_nothing_is_touched() {
    let world = World::new();
    world.run(&["init", "--yes", "--scope", "user"]).succeeds();
    world.write(SETTINGS, "{\"hooks\": ");
    let before = world.snapshot();
    world.run(&["uninstall", "--yes"]).fails_saying(&[&world.name(SETTINGS), "is not JSON"]);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_script_of_another_name_is_not_ours() {
    let theirs = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"my-plimsoll hook\"}]}]}}\n";
    let world = World::new().with(SETTINGS, theirs);
    world.run(&["uninstall", "--yes"]).succeeds();
    assert_eq!(world.read(SETTINGS), theirs);
}

/// Copies that go in the next moment are not named as if they stayed, and a project that no agent has worked in yet is.
#[test]
fn everything_names_no_copies_that_it_deletes_and_every_other_project() {
    let world = World::new().with_program_on_path().with(SETTINGS, "{\"model\": \"opus\"}\n");
    world.run(&["init", "--yes"]).succeeds();
    let other = world.base().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let elsewhere = world.standing_in(other.clone());
    elsewhere.run(&["init", "--yes", "--here"]).succeeds();
    let ran = elsewhere.run(&["uninstall", "--yes", "--all"]).succeeds();
    assert!(!ran.stdout.contains("backup of"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("left: the hooks in") && ran.stdout.contains("/project; run"),
        "{}",
        ran.stdout
    );
}
