//! `plimsoll completions`, and the top of the command line.

use std::process::Stdio;

use crate::world::{Ran, World};

const COMMANDS: &[&str] = &[
    "try",
    "init",
    "uninstall",
    "explain",
    "approve",
    "trust",
    "config",
    "status",
    "log",
    "hook",
    "compat",
    "completions",
];

#[test]
fn every_shell_gets_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = World::new().run(&["completions", shell]).succeeds();
        for command in COMMANDS {
            assert!(ran.stdout.contains(command), "{shell}: {command}");
        }
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn the_shell_can_read_them() {
    let world = World::new();
    let script = world.run(&["completions", "bash"]).succeeds().stdout;
    world.write("plimsoll.bash", &script);
    // `complete` itself is bash's; a plain shell can at least parse the functions.
    world.sh("if command -v bash >/dev/null; then bash -c '. ./plimsoll.bash && complete -p plimsoll'; fi");
}

#[test]
fn an_unknown_shell_is_pointed_out() {
    World::new().run(&["completions", "cmd"]).is_misused();
    World::new().run(&["completions"]).is_misused();
}

#[test]
fn an_output_that_cannot_be_written_is_no_crash() {
    let world = World::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = world.program(&["completions", "bash"]);
    command.stdout(Stdio::from(full));
    let ran = Ran::of(command, b"");
    assert!(matches!(ran.code, Some(0 | 1 | 70)), "no documented exit code: {ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn help_and_version_go_to_stdout() {
    let world = World::new();
    world.run(&["--help"]).succeeds().says(COMMANDS);
    let version = world.run(&["--version"]).succeeds().stdout;
    assert!(version.starts_with(&format!("plimsoll {} (", env!("CARGO_PKG_VERSION"))), "{version}");
    for command in COMMANDS {
        let ran = world.run(&[command, "--help"]).succeeds();
        assert!(ran.stdout.contains(&format!("Usage: plimsoll {command}")), "{command}: {}", ran.stdout);
    }
}

#[test]
fn an_unknown_command_is_pointed_out_and_a_near_one_named() {
    World::new().run(&["frobnicate"]).is_misused();
    let ran = World::new().run(&["docter"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("doctor"), "{}", ran.stderr);
}

#[test]
fn alone_it_says_where_to_begin() {
    let world = World::new();
    world.run(&[]).succeeds().says(&["plimsoll try", "plimsoll init", "plimsoll --help"]);
    world.run(&["init", "--yes"]).succeeds();
    world.run(&[]).succeeds().says(&["plimsoll status", "plimsoll log"]);
}

#[test]
fn every_command_has_a_manual_page() {
    let world = World::new();
    let page = world.run(&["man"]).succeeds().stdout;
    assert!(page.contains(".TH plimsoll 1"), "{page}");
    world.run(&["man", "--to", "pages"]).succeeds();
    for command in COMMANDS {
        let page = world.read(&format!("pages/plimsoll-{command}.1"));
        assert!(page.contains(".SH SYNOPSIS") && page.contains("plimsoll"), "{command}: {page}");
    }
}

#[test]
fn colours_are_forced_and_forbidden_by_the_usual_variables() {
    let coloured = |variables: &[(&str, &str)]| {
        let world =
            variables.iter().fold(World::new(), |world, (name, value)| world.with_variable(name, *value));
        world.run(&["status"]).succeeds().stdout.contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]) && !coloured(&[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}
