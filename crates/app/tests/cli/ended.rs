//! A hook that is ended, cannot write or is given nonsense: a dangerous call is never let through in silence.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, program};

fn remove_all() -> Json {
    json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}})
}

/// The hook in a shell, after `before` has been done to it.
fn hook_after(world: &World, before: &str, payload: &Json) -> Ran {
    let command = world.hook_program(&[]);
    let program = command.get_program().to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{before}exec \"$0\" hook --deadline 30"), program.to_str().unwrap()]);
    let mut shell = like(shell, &command);
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::of(shell, payload.to_string().as_bytes())
}

/// In the same folder with the same variables.
fn like(mut command: Command, other: &Command) -> Command {
    command.env_clear().envs(other.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(dir) = other.get_current_dir() {
        command.current_dir(dir);
    }
    command
}

#[test]
fn a_file_size_limit_does_not_end_it() {
    let world = World::new();
    for blocks in ["0", "1"] {
        hook_after(&world, &format!("ulimit -f {blocks}; "), &world.payload("PreToolUse", &remove_all()))
            .is_denied();
    }
}

#[test]
fn a_denial_that_stdout_does_not_take_leaves_by_stderr() {
    let world = World::new();
    for before in ["exec >/dev/full; ", "exec >&-; ", "exec >&- <&0; ulimit -f 0; "] {
        let ran = hook_after(&world, before, &world.payload("PreToolUse", &remove_all()));
        assert_eq!(ran.code, Some(2), "{before}: {ran:#?}");
        assert!(
            ran.stderr.contains("delete") && ran.stderr.contains("could not be written to stdout"),
            "{ran:#?}"
        );
    }
    // Where there is nothing to say, nothing is lost.
    let harmless = json!({"tool_name": "Read", "tool_input": {"file_path": world.name("app.py")}});
    let ran = hook_after(&world, "exec >/dev/full; ", &world.payload("PreToolUse", &harmless));
    assert_eq!(ran.code, Some(0), "{ran:#?}");
}

#[test]
fn without_stdin_it_asks() {
    let world = World::new();
    hook_after(&world, "exec <&-; ", &world.payload("PreToolUse", &remove_all())).is_asked();
}

/// Inputs that no honest client sends, and what is odd about them.
#[test]
fn an_input_of_a_wrong_shape_is_a_question() {
    let world = World::new();
    for (tool, input, why) in [
        ("Bash", json!("rm -rf ~"), "not an object"),
        ("Bash", json!(["rm -rf ~"]), "not an object"),
        ("Bash", json!(null), "not an object"),
        ("Bash", json!({"command": ["rm", "-rf", "~"]}), "command is not a text"),
        ("Bash", json!({"command": null}), "command is not a text"),
        ("Bash", json!({}), "does not say"),
        ("Bash", json!({"command": "echo a\u{0}; rm -rf ~/x"}), "NUL"),
        ("Write", json!({"file_path": "a\u{0}b", "content": ""}), "NUL"),
        ("Write", json!({"file_path": ["a"], "content": ""}), "path is not a text"),
        ("Write", json!({"content": ""}), "does not say"),
        ("Edit", json!("x"), "not an object"),
        ("NotebookEdit", json!({"notebook_path": 3}), "path is not a text"),
        ("mcp__x__run", json!({"command": "ls\u{0}"}), "NUL"),
        ("mcp__x__read", json!({"where": [{"file": "a\u{0}b"}]}), "NUL"),
    ] {
        let ran = world.event("PreToolUse", &json!({"tool_name": tool, "tool_input": input}));
        let decision =
            ran.json()["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned();
        assert!(["ask", "deny"].contains(&decision.as_str()), "{tool} {input}: {ran:#?}");
        if decision == "ask" {
            assert!(ran.stdout.contains(why), "{tool} {input}: {ran:#?}");
        }
    }
    for (tool, input) in [
        ("Grep", json!({"pattern": "x"})),
        ("TodoWrite", json!({})),
        ("mcp__x__list", json!({"path": "."})),
        ("mcp__x__run", json!({"command": ["ls", "-la"]})),
    ] {
        world.event("PreToolUse", &json!({"tool_name": tool, "tool_input": input})).is_silent();
    }
}

/// A hook whose input does not end.
fn waiting(world: &World, args: &[&str], begin: &str) -> Child {
    let mut command = world.hook_program(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(begin.as_bytes()).unwrap();
    child
}

/// What a child said that is ended without its input being closed.
fn end(mut child: Child) -> Ran {
    let _open = child.stdin.take();
    let done = child.wait_with_output().unwrap();
    Ran {
        code: done.status.code(),
        stdout: String::from_utf8(done.stdout).unwrap(),
        stderr: String::from_utf8(done.stderr).unwrap(),
    }
}

#[test]
fn when_the_time_is_up_it_asks() {
    let world = World::new();
    world.session_starts("s1");
    let child = waiting(&world, &["--deadline", "1"], "{\"hook_event_name\": \"PreToolUse\"");
    let ran = end(child);
    assert!(ran.is_asked().contains("could not judge this call"), "{ran:#?}");
    let logged = world.last_logged().to_string();
    assert!(logged.contains("its time was up"), "{logged}");
    let legacy = end(waiting(&world, &["--deadline", "1", "--dialect", "legacy"], ""));
    assert_eq!(legacy.code, Some(0), "not known to be a tool call: {legacy:#?}");
}

#[test]
fn a_signal_gets_an_answer() {
    let world = World::new();
    for signal in ["TERM", "HUP", "INT", "QUIT", "USR1", "XCPU", "SEGV", "ABRT", "BUS", "ALRM"] {
        let child = waiting(&world, &["--deadline", "30"], "{");
        // The kernel tells when it has its handlers.
        for _ in 0..2000 {
            let caught = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            if caught.lines().any(|line| line.starts_with("SigCgt") && !line.ends_with("0000000000000000")) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let killed =
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        end(child).is_asked();
    }
}

#[test]
fn what_it_started_ends_with_it() {
    what_it_started_ends("TERM", Some(0));
}

/// Nobody of ours can do anything then; the kernel does.
#[test]
#[cfg(target_os = "linux")]
fn what_it_started_ends_when_it_is_killed() {
    what_it_started_ends("KILL", None);
}

/// After an edit there is nothing to guard, so the hook ends in silence.
fn what_it_started_ends(signal: &str, code: Option<i32>) {
    let world = World::new();
    // A linter that writes down its process and does not end.
    let pid = world.base().join("pid");
    program(
        &world.base().join("tools/ruff"),
        &format!("echo $$ > '{0}.new'; mv '{0}.new' '{0}'; exec sleep 600", pid.display()),
    );
    let world = world.with_user_config(r#"{"engine": "external", "pace": "thorough"}"#);
    let payload = world.payload(
        "PostToolUse",
        &json!({"tool_name": "Edit", "tool_input": {"file_path": world.name("app.py"), "old_string": "a", "new_string": "b"}}),
    );
    let mut child = waiting(&world, &["--deadline", "60"], &payload.to_string());
    drop(child.stdin.take());
    let linter = loop {
        if let Ok(text) = std::fs::read_to_string(&pid) {
            break text.trim().to_owned();
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended without the linter");
        std::thread::sleep(Duration::from_millis(5));
    };
    let killed =
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stdout.len()), (code, 0));
    let alive =
        || std::fs::read_to_string(format!("/proc/{linter}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while alive() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Each of these in the place of a config made the hook wait for ever, or read without end.
#[test]
fn no_file_of_a_project_makes_it_wait() {
    type Plant = fn(&std::path::Path);
    let plants: &[(&str, Plant)] = &[
        ("a FIFO", |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
        ("/dev/zero", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
        ("/dev/ptmx", |path| std::os::unix::fs::symlink("/dev/ptmx", path).unwrap()),
        ("/dev/tty", |path| std::os::unix::fs::symlink("/dev/tty", path).unwrap()),
        ("its own stdout", |path| std::os::unix::fs::symlink("/proc/self/fd/1", path).unwrap()),
        ("a file of eight gigabytes", |path| std::fs::File::create(path).unwrap().set_len(8 << 30).unwrap()),
        ("a hundred thousand levels", |path| std::fs::write(path, "[".repeat(100_000)).unwrap()),
        ("levels of objects", |path| std::fs::write(path, "{\"a\":".repeat(100_000)).unwrap()),
        ("a loop", |path| std::os::unix::fs::symlink(path.file_name().unwrap(), path).unwrap()),
    ];
    for name in [".claude/hooks/config.json", ".claude/hooks/config.local.json", ".claude/settings.json"] {
        for (what, plant) in plants {
            let world = World::new();
            world.write(".claude/hooks/x", "");
            plant(&world.path(name));
            let ran =
                world.hook(&["--deadline", "20"], world.payload("PreToolUse", &remove_all()).to_string());
            assert!(!ran.stdout.contains("ran out of time"), "{name}, {what}: {ran:#?}");
            ran.is_denied();
            let start = world.payload("SessionStart", &json!({"source": "startup"})).to_string();
            let ran = world.hook(&["--deadline", "20"], start);
            assert_eq!(ran.code, Some(0), "{name}, {what}: {ran:#?}");
        }
    }
}
