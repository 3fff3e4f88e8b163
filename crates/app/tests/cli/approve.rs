//! `plimsoll approve`: the user's word, for a held stop or for an edit. What it does to a stop is in `stop.rs`.

use serde_json::json;

use crate::world::{RUFF, SESSION, World, files_below, text, write};

/// The command that a refusal names.
fn named(reason: &str) -> &str {
    reason.rsplit_once("with: ").expect("a command is named").1
}

#[test]
fn an_edit_is_let_through_with_the_command_that_the_refusal_names() {
    let world = World::new();
    for file in [RUFF, ".claude/settings.json", "pyproject.toml"] {
        world.write("pyproject.toml", "[tool.ruff]\nline-length = 88\n");
        let reason = world.wants_to_edit(&world.name(file)).is_denied();
        world.sh(named(&reason));
        world.wants_to_edit(&world.name(file)).is_silent();
    }
    world.write("setup.cfg", "[flake8]\nmax-line-length = 88\n");
    world.wants_to_edit(&world.name(".flake8")).is_denied();
}

#[test]
fn the_command_that_a_refusal_names_works_wherever_the_user_is() {
    let world = World::new();
    let home = world.home();
    let world = world.standing_in(home);
    let reason = world.wants_to_edit(&world.name(RUFF)).is_denied();
    world.sh(named(&reason));
    world.wants_to_edit(&world.name(RUFF)).is_silent();
}

#[test]
fn the_command_that_a_refusal_names_works_in_a_subfolder_of_the_repository() {
    let world = World::new().in_subfolder("packages/web").with("biome.json", "{}");
    let reason = world.wants_to_edit(&world.name("biome.json")).is_denied();
    world.sh(named(&reason));
    world.wants_to_edit(&world.name("biome.json")).is_silent();
}

#[test]
fn an_allowance_is_for_the_file_under_every_name() {
    let world = World::new();
    world.link("notes.txt", RUFF);
    world.run(&["approve", "--yes", "--edit", "notes.txt"]).succeeds();
    world.wants_to_edit(RUFF).is_silent();
    world.wants_to_edit("notes.txt").is_silent();
}

#[test]
fn an_allowance_ends() {
    let world = World::new();
    world.run(&["approve", "--yes", "--edit", RUFF]).succeeds();
    world.wants_to_edit(RUFF).is_silent();
    // Its end is a time in our records; a past one is as if the time had come.
    let records = files_below(&world.state());
    let file = records.iter().find(|path| path.ends_with("overrides.json")).unwrap();
    let past = json!({world.name(RUFF): 1_000_000_000}).to_string();
    write(file, &past);
    world.wants_to_edit(RUFF).is_denied();
}

#[test]
fn an_allowance_never_opens_our_own_records() {
    let world = World::new();
    let file = text(&world.state().join("trust.json"));
    world.run(&["approve", "--yes", "--edit", &file]);
    world.wants_to_edit(&file).is_denied();
}

#[test]
fn the_words_say_what_was_allowed_and_how_long() {
    let world = World::new();
    let ran = world.run(&["approve", "--yes", "--edit", RUFF, "--edit", ".flake8", "--for", "2h"]).succeeds();
    let expected = format!(
        "{} may be edited for 2h\n{} may be edited for 2h\n",
        world.name(RUFF),
        world.name(".flake8")
    );
    assert_eq!(ran.stdout, expected);
}

#[test]
fn a_time_that_makes_no_sense_is_refused() {
    let world = World::new();
    for (span, why) in [
        ("soon", "--for soon is not a time; try 10m"),
        ("0s", "--for 0s is out of range: one second to one day"),
        ("25h", "--for 25h is out of range: one second to one day"),
        ("99999999999999999999h", "is not a time"),
        ("-5m", "-5m"),
    ] {
        let ran = world.run(&["approve", "--yes", "--edit", RUFF, &format!("--for={span}")]);
        ran.fails_saying(&[why]);
        world.wants_to_edit(RUFF).is_denied();
    }
}

#[test]
fn the_session_is_the_one_that_started_last() {
    let world = World::new();
    world.session_starts("first");
    world.session_starts("second");
    let ran = world.with(RUFF, "x").run(&["approve", "--yes", RUFF]).succeeds();
    assert_eq!(ran.stdout, "approved: .ruff.toml, as it is now, for session second\n");
}

#[test]
fn the_session_of_the_agents_shell_comes_before_the_last_one() {
    let world = World::new();
    world.session_starts("last");
    let world = world.with(RUFF, "x").with_variable("CLAUDE_CODE_SESSION_ID", "shell");
    world.run(&["approve", "--yes", RUFF]).succeeds().says(&["for session shell"]);
    world.run(&["approve", "--yes", "--session", "told", RUFF]).succeeds().says(&["for session told"]);
}

#[test]
fn without_a_session_it_asks_for_one() {
    World::new().run(&["approve", "--yes", RUFF]).fails_saying(&["no session is known in", "give --session"]);
}

#[test]
fn a_file_of_another_place_is_refused() {
    let world = World::new();
    let outside = text(&world.home().join("x.toml"));
    world.run(&["approve", "--yes", "--session", SESSION, &outside]).fails_saying(&[&outside, "is not in"]);
    world.run(&["approve", "--yes", "--session", SESSION, "../x.toml"]).fails_saying(&["is not in"]);
}

#[test]
fn a_name_with_a_typing_error_approves_nothing() {
    let world = World::new().with(RUFF, "line-length = 300\n");
    let ran = world.run(&["approve", "--yes", "--session", SESSION, ".ruf.toml"]);
    assert_eq!(ran.code, Some(1), "there is no such file, and there never was one: {ran:?}");
}

#[test]
fn names_are_relative_to_where_the_user_is() {
    let world = World::new().with("sub/biome.json", "{}");
    world.session_starts(SESSION);
    let sub = world.path("sub");
    let ran = world.standing_in(sub).run(&["approve", "--yes", "biome.json", "../.ruff.toml"]).succeeds();
    ran.says(&["approved: sub/biome.json, as it is now", "approved: .ruff.toml, as it is now"]);
}

#[test]
fn approvals_add_up_in_one_file_of_the_linter_systems_form() {
    let world = World::new().with(RUFF, "abc").with(".flake8", "");
    for file in [RUFF, ".flake8"] {
        world.run(&["approve", "--yes", "--session", SESSION, file]).succeeds();
    }
    let records = files_below(&world.state());
    let file = records.iter().find(|path| path.ends_with("s1/approvals.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(json["files"], json!({".flake8": empty, ".ruff.toml": abc}));
}

#[test]
fn wrong_arguments_are_pointed_out() {
    let world = World::new();
    world.run(&["approve"]).is_misused();
    world.run(&["approve", "--yes", RUFF, "--edit", RUFF]).is_misused();
}

#[test]
fn a_time_is_for_edits_only() {
    World::new().run(&["approve", "--yes", "--session", SESSION, RUFF, "--for", "10m"]).is_misused();
}

#[test]
fn records_that_cannot_be_written_are_an_error_in_one_line() {
    let world = World::new();
    write(&world.base().join("a-file"), "");
    let broken = world.base().join("a-file/state");
    let world = world.with_variable("PLIMSOLL_STATE_DIR", broken);
    world.run(&["approve", "--yes", "--edit", RUFF]).fails_saying(&["the allowance could not be recorded"]);
    world
        .run(&["approve", "--yes", "--session", SESSION, RUFF])
        .fails_saying(&["the approval could not be recorded"]);
}

#[test]
fn a_file_that_is_not_there_is_named_before_anybody_is_asked() {
    let world = World::new();
    world.session_starts("s1");
    let ran = world.run(&["approve", "nosuch.toml"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("nosuch.toml is not there"), "{ran:?}");
    assert!(!ran.stderr.contains("--yes"), "{ran:?}");
    for command in ["approve", "allow"] {
        let ran = world.run(&[command, "--edit", "nosuch.toml"]);
        assert!(ran.stderr.contains("nosuch.toml is not there yet"), "{ran:?}");
        assert!(ran.code == Some(1) && ran.stdout.contains("nothing was changed"), "{ran:?}");
    }
}

#[test]
fn a_command_that_is_not_quoted_is_told_so() {
    let world = World::new();
    for command in ["allow", "explain", "try"] {
        let ran = world.run(&[command, "git", "push", "--force"]);
        assert!(ran.code == Some(2) && ran.stderr.contains("put it in quotes"), "{ran:?}");
    }
    let ran = world.run(&["log", "git", "push"]);
    assert!(ran.code == Some(2) && !ran.stderr.contains("quotes"), "{ran:?}");
}
