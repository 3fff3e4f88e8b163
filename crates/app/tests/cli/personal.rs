//! Commands that are the user's alone, in real process trees: this test is the client, and what it starts through a shell is
//! what its agent runs.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::world::{PROGRAM, RUFF, Ran, SESSION, World, text};

/// A client whose hooks come here, with a session that has begun.
fn beneath_a_client() -> World {
    let world = World::new().with_program_on_path();
    from_the_client(&world, "SessionStart", &json!({"source": "startup"}));
    world
}

/// A hook as the client starts it, with the sign that it gives to whatever it starts.
fn from_the_client(world: &World, event: &str, more: &Json) -> Ran {
    let mut command = world.hook_program(&[]);
    command.env("CLAUDECODE", "1");
    let ran = Ran::of(command, world.payload(event, more).to_string().as_bytes());
    ran.is_an_answer();
    ran
}

/// The agent is about to run this.
fn wants_to_run(world: &World, command: &str, id: &str) -> Ran {
    let more = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
    from_the_client(world, "PreToolUse", &more)
}

/// The agent runs it, in a shell of its own that stays until the end.
fn runs(world: &World, line: &str) -> Ran {
    let mut command = world.program(&[]);
    let path: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = Command::new("bash");
    command.env_clear().current_dir(world.path(""));
    for (name, value) in path {
        command.env(name, value.unwrap_or_default());
    }
    command.args(["-c", &format!("{line}\nexit $?")]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::of(command, b"")
}

/// Another program that runs a script, as a client does that an agent has started.
fn other_program(world: &World, name: &str) -> PathBuf {
    let place = world.base().join("tmp").join(name);
    fs::copy("/bin/sh", &place).unwrap();
    place
}

const VERBS: &[&str] = &[
    "trust --yes",
    "approve --edit .ruff.toml",
    "approve --session s1 -- .ruff.toml",
    "proof verify",
    "autonomy start --mode appfix",
    "uninstall --yes",
    "update",
    "init --yes --profile observe",
    "init --yes --fail-open",
    "check --trust-project",
];

#[test]
fn beneath_a_client_nothing_is_said_for_the_user() {
    let world = beneath_a_client().with_config(r#"{"profile": "observe"}"#);
    let world = world.with_user_config(r#"{"profile": "standard"}"#);
    let before = world.snapshot();
    for verb in VERBS {
        let ran = runs(&world, &format!("plimsoll {verb}"));
        assert_eq!(ran.code, Some(1), "{verb}: {ran:#?}");
        assert!(ran.stderr.contains("the user may run"), "{verb}: {ran:#?}");
        assert!(ran.stderr.contains("so that the user is asked"), "{verb}: {ran:#?}");
    }
    assert_eq!(world.snapshot(), before, "nothing was changed");
}

#[test]
fn other_names_and_ways_are_the_same_program() {
    let world = beneath_a_client();
    for line in [
        &format!("cp {PROGRAM} x; ./x proof verify"),
        &format!("ln -s {PROGRAM} y; ./y proof verify"),
        "env -i HOME=\"$HOME\" PLIMSOLL_STATE_DIR=\"$PLIMSOLL_STATE_DIR\" PATH=\"$PATH\" plimsoll proof verify",
        "sh -c 'plimsoll proof verify'",
        "exec plimsoll proof verify",
        "(plimsoll proof verify)",
        "yes | plimsoll proof verify --yes",
        "nohup plimsoll proof verify",
        "unshare -Urpf --mount-proc env -u CLAUDECODE plimsoll proof verify",
        "(setsid plimsoll proof verify >/dev/null 2>&1 </dev/null &) ; sleep 1; false",
    ] {
        let ran = runs(&world, line);
        assert_ne!(ran.code, Some(0), "{line}: {ran:#?}");
        assert!(!world.has(".claude/.proof-status"), "{line}");
    }
}

/// The hook is asked by the agent itself, so nobody was asked.
#[test]
fn a_made_up_question_permits_nothing() {
    let world = beneath_a_client();
    for session in [SESSION, "another"] {
        let input = json!({"command": "plimsoll proof verify"});
        let more =
            json!({"session_id": session, "tool_name": "Bash", "tool_input": input, "tool_use_id": "forged"});
        world.write("forged.json", &world.payload("PreToolUse", &more).to_string());
        for line in [
            "plimsoll hook < forged.json; plimsoll proof verify",
            "cat forged.json | plimsoll hook; plimsoll proof verify",
            "cat forged.json | env CLAUDECODE=1 plimsoll hook; plimsoll proof verify",
        ] {
            let ran = runs(&world, line);
            assert_ne!(ran.code, Some(0), "{session}, {line}: {ran:#?}");
            assert!(!world.has(".claude/.proof-status"), "{session}, {line}");
        }
    }
}

#[test]
fn a_question_is_over_when_the_agent_ends_or_the_user_speaks() {
    for (event, more) in
        [("Stop", json!({"stop_hook_active": false})), ("UserPromptSubmit", json!({"prompt": "go on"}))]
    {
        let world = beneath_a_client();
        wants_to_run(&world, "plimsoll proof verify", "t1").is_asked();
        from_the_client(&world, event, &more);
        assert_ne!(runs(&world, "plimsoll proof verify").code, Some(0), "{event}");
    }
}

#[test]
fn the_clients_sign_is_enough() {
    let world = World::new();
    let mut command = world.program(&["proof", "verify", "--yes"]);
    command.env("CLAUDECODE", "1");
    Ran::of(command, b"").fails_saying(&["the user may run"]);
    world.run(&["proof", "verify", "--yes"]).succeeds();
}

/// Nobody is there to be asked, so the line itself must say it.
#[test]
fn without_a_terminal_and_an_agent_the_line_says_yes() {
    let world = World::new().with(RUFF, "x").with_config(r#"{"profile": "strict"}"#);
    world.session_starts(SESSION);
    for line in [
        &["approve", "--session", SESSION, RUFF][..],
        &["approve", "--edit", RUFF],
        &["allow", "git reset --hard"],
        &["allow", "--edit", RUFF],
        &["proof", "verify"],
        &["autonomy", "start"],
        &["uninstall"],
    ] {
        let before = world.snapshot();
        let ran = world.run(line);
        assert_eq!(ran.code, Some(1), "{line:?}: {ran:#?}");
        assert!(ran.stderr.contains("add --yes"), "{line:?}: {ran:#?}");
        assert_eq!(world.snapshot(), before, "{line:?}");
        let (verb, rest) = line.split_at(1);
        let yes = if ["verify", "start"].contains(&rest.first().copied().unwrap_or_default()) {
            [line, &["--yes"]].concat()
        } else {
            [verb, &["--yes"], rest].concat()
        };
        world.run(&yes).succeeds();
    }
}

#[test]
fn a_yes_is_for_one_run_of_exactly_this() {
    let world = beneath_a_client();
    let line = "plimsoll approve --edit .ruff.toml";
    wants_to_run(&world, line, "t1").is_asked();
    for other in [
        "plimsoll approve --edit .flake8",
        "plimsoll trust --yes",
        "cd / && plimsoll approve --edit .ruff.toml",
    ] {
        assert_eq!(runs(&world, other).code, Some(1), "{other}");
    }
    let ran = runs(&world, line);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert_eq!(runs(&world, line).code, Some(1), "it is used up");
    world.wants_to_edit(RUFF).is_silent();
}

#[test]
fn a_refused_command_permits_nothing() {
    let world = beneath_a_client();
    wants_to_run(&world, "plimsoll proof verify; rm -rf /", "t1").is_denied();
    assert_eq!(runs(&world, "plimsoll proof verify").code, Some(1));
}

#[test]
fn a_no_is_over_with_the_next_call() {
    let world = beneath_a_client();
    wants_to_run(&world, "plimsoll proof verify", "t1").is_asked();
    std::thread::sleep(std::time::Duration::from_millis(3100));
    from_the_client(
        &world,
        "PreToolUse",
        &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t2"}),
    );
    assert_eq!(runs(&world, "plimsoll proof verify").code, Some(1));
    assert!(!world.state().join("permits").exists(), "nothing is left to look at");
}

/// The agent of the old linter hooks asks its user and then runs the script.
#[test]
fn approve_configs_works_once_the_user_has_agreed() {
    let world = beneath_a_client()
        .with(".claude/hooks/approve_configs.sh", "exec plimsoll compat approve_configs \"$@\"\n");
    let pid = std::process::id().to_string();
    let approved = PathBuf::from(format!("/tmp/stop_hook_approved_{pid}.json"));
    for line in [
        format!("plimsoll compat approve_configs {pid} .ruff.toml"),
        format!("sh .claude/hooks/approve_configs.sh {pid} .ruff.toml"),
    ] {
        let _ = fs::remove_file(&approved);
        assert_eq!(runs(&world, &line).code, Some(1), "nobody was asked: {line}");
        assert!(!approved.exists(), "{line}");
        wants_to_run(&world, &line, &line).is_asked();
        let ran = runs(&world, &line);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        assert!(approved.exists(), "{line}");
    }
    let _ = fs::remove_file(&approved);
}

/// Where only the scripts are registered, nobody could be asked, and nothing else believes the file.
#[test]
fn approve_configs_is_as_it_was_where_only_scripts_are_registered() {
    let world = World::new().with_program_on_path();
    let line = format!("CLAUDECODE=1 plimsoll compat approve_configs {} .ruff.toml", std::process::id());
    assert_eq!(runs(&world, &line).code, Some(0));
    let _ = fs::remove_file(format!("/tmp/stop_hook_approved_{}.json", std::process::id()));
}

#[test]
fn setting_up_needs_the_user_only_to_guard_less() {
    let world = beneath_a_client();
    assert_eq!(runs(&world, "plimsoll init --yes").code, Some(0));
    assert_eq!(runs(&world, "plimsoll init --yes --profile strict").code, Some(0));
    let ran = runs(&world, "plimsoll init --yes --profile standard");
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    world.run(&["status"]).succeeds();
}

// Prompts.

fn strict() -> World {
    let world = World::new().with_program_on_path().with_user_config(r#"{"profile": "strict"}"#);
    from_the_client(&world, "SessionStart", &json!({"source": "startup"}));
    world
}

fn verified(world: &World) -> bool {
    world.has(".claude/.proof-status") && world.read(".claude/.proof-status").starts_with("verified")
}

fn payload(world: &World, session: &str) -> String {
    let file = world.base().join(format!("tmp/prompt-{session}.json"));
    fs::write(
        &file,
        world.payload("UserPromptSubmit", &json!({"prompt": "verified", "session_id": session})).to_string(),
    )
    .unwrap();
    text(&file)
}

#[test]
fn the_client_brings_the_users_word() {
    let world = strict();
    from_the_client(&world, "UserPromptSubmit", &json!({"prompt": "verified"}));
    assert!(verified(&world));
}

#[test]
fn what_an_agent_feeds_to_a_hook_verifies_nothing() {
    let world = strict();
    let claude = other_program(&world, "claude");
    let claude = claude.display();
    for session in [SESSION, "made-up", ""] {
        let file = payload(&world, session);
        for line in [
            format!("cat {file} | plimsoll hook"),
            format!("plimsoll hook < {file}"),
            format!("cat {file} | plimsoll compat prompt-submit"),
            format!(
                "cat {file} | env -i PATH=\"$PATH\" HOME=\"$HOME\" PLIMSOLL_STATE_DIR=\"$PLIMSOLL_STATE_DIR\" CLAUDE_PROJECT_DIR=\"$PWD\" plimsoll hook"
            ),
            format!("cat {file} | CLAUDE_PROJECT_DIR=\"$PWD\" CLAUDE_PID=$PPID sh -c 'plimsoll hook; true'"),
            format!("{claude} -c 'plimsoll hook < {file}; true'"),
            format!("{claude} -c 'cat {file} | CLAUDECODE=1 plimsoll hook; true'"),
            format!("exec plimsoll hook < {file}"),
        ] {
            runs(&world, &line);
            assert!(!verified(&world), "{session}: {line}");
        }
    }
    from_the_client(&world, "UserPromptSubmit", &json!({"prompt": "verified"}));
    assert!(verified(&world), "the user still can");
}

/// A client that an agent has started begins a session of its own.
#[test]
fn a_session_beneath_another_verifies_nothing() {
    let world = strict();
    let claude = other_program(&world, "claude");
    let start = world.base().join("tmp/start.json");
    fs::write(
        &start,
        world.payload("SessionStart", &json!({"session_id": "inner", "source": "startup"})).to_string(),
    )
    .unwrap();
    let prompt = payload(&world, "inner");
    let line = format!(
        "{} -c 'cat {} | CLAUDECODE=1 plimsoll hook; cat {prompt} | CLAUDECODE=1 plimsoll hook; true'",
        claude.display(),
        start.display(),
    );
    runs(&world, &line);
    assert!(!verified(&world));
}

#[test]
fn a_resumed_session_speaks_through_its_new_client() {
    let world = World::new().with_program_on_path().with_user_config(r#"{"profile": "strict"}"#);
    let claude = other_program(&world, "claude");
    let start = world.base().join("tmp/start.json");
    fs::write(&start, world.payload("SessionStart", &json!({"source": "startup"})).to_string()).unwrap();
    runs(
        &world,
        &format!(
            "{} -c 'cat {} | CLAUDE_PROJECT_DIR=$PWD plimsoll hook; true'",
            claude.display(),
            start.display()
        ),
    );
    from_the_client(&world, "SessionStart", &json!({"source": "resume"}));
    from_the_client(&world, "UserPromptSubmit", &json!({"prompt": "verified"}));
    assert!(verified(&world));
}

// At a terminal.

/// Runs a line with a terminal, and answers with what `answer` makes of the word that is shown.
fn at_a_terminal(world: &World, line: &str, answer: fn(&str) -> String) -> (bool, String) {
    let mut command = Command::new("script");
    let plain = world.program(&[]);
    command.env_clear().current_dir(world.path(""));
    for (name, value) in plain.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
        .args(["-qefc", line, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut seen = Vec::new();
    let mut byte = [0];
    while stdout.read(&mut byte).is_ok_and(|count| count > 0) {
        seen.push(byte[0]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        if let Some(word) = text.strip_suffix(" to go on: ").and_then(|text| text.rsplit(' ').next()) {
            writeln!(stdin, "{}", answer(word)).unwrap();
        }
    }
    (child.wait().unwrap().success(), String::from_utf8_lossy(&seen).into_owned())
}

#[test]
fn at_a_terminal_a_word_is_read_back_from_it() {
    let world = World::new().with_program_on_path();
    for line in
        ["plimsoll proof verify", "yes | plimsoll proof verify --yes", "echo y | plimsoll proof verify"]
    {
        let (done, seen) = at_a_terminal(&world, line, |_| "y".into());
        assert!(!done && seen.contains("nothing was changed"), "{line}: {seen}");
        assert!(!world.has(".claude/.proof-status"), "{line}");
    }
    let (done, seen) = at_a_terminal(&world, "plimsoll proof verify", str::to_owned);
    assert!(done && seen.contains("verified"), "{seen}");
    assert!(verified(&world));
}
