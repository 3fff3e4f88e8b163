//! Ten thousand hook calls from sixteen sides over one project, one in a hundred of them killed: nothing that was answered is lost,
//! nothing is torn, nothing dangerous goes through.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, files_below, json_lines};

const SIDES: usize = 16;

/// All of them with the executable that people have; fewer where only the slow one of the tests is there.
fn calls() -> usize {
    if std::env::var_os("PLIMSOLL_RELEASE_BINARY").is_some() { 10_000 } else { 1_600 }
}

/// What one side saw: numbers of edits that were answered, and answers that were wrong.
#[derive(Default)]
struct Seen {
    journaled: Vec<usize>,
    answered: usize,
    killed: usize,
    wrong: Vec<String>,
}

fn hook(world: &World, payload: &Json) -> Command {
    let mut command = world.hook_program(&[]);
    if let Some(release) = std::env::var_os("PLIMSOLL_RELEASE_BINARY") {
        let mut other = Command::new(release);
        other.args(command.get_args()).env_clear();
        other.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(dir) = command.get_current_dir() {
            other.current_dir(dir);
        }
        command = other;
    }
    let file = tempfile::tempfile().unwrap();
    let mut writer = file.try_clone().unwrap();
    std::io::Write::write_all(&mut writer, payload.to_string().as_bytes()).unwrap();
    std::io::Seek::rewind(&mut writer).unwrap();
    command.stdin(Stdio::from(file)).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn one_side(world: &World, numbers: impl Iterator<Item = usize>) -> Seen {
    let mut seen = Seen::default();
    for number in numbers {
        let edits = number % 2 == 0;
        let payload = if edits {
            let input = json!({"file_path": world.name(&format!("notes/{number}.txt")), "content": "x"});
            world.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": input}))
        } else {
            world.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}))
        };
        let mut child = hook(world, &payload).spawn().unwrap();
        if number % 100 == 37 {
            child.kill().unwrap();
        }
        let done = child.wait_with_output().unwrap();
        if done.status.signal().is_some() {
            seen.killed += 1;
            continue;
        }
        seen.answered += 1;
        let stdout = String::from_utf8_lossy(&done.stdout).into_owned();
        let right =
            if edits { stdout.is_empty() } else { stdout.contains("\"permissionDecision\":\"deny\"") };
        if !right || done.status.code() != Some(0) || !done.stderr.is_empty() {
            let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
            seen.wrong.push(format!("{number}: {:?} {stdout} {stderr}", done.status.code()));
        } else if edits {
            seen.journaled.push(number);
        }
    }
    seen
}

#[test]
fn thousands_of_calls_from_many_sides() {
    let world = World::new();
    let calls = calls();
    let all: Vec<Seen> = std::thread::scope(|scope| {
        let sides: Vec<_> = (0..SIDES)
            .map(|side| {
                let world = &world;
                scope.spawn(move || one_side(world, (side..calls).step_by(SIDES)))
            })
            .collect();
        sides.into_iter().map(|side| side.join().unwrap()).collect()
    });
    let wrong: Vec<&String> = all.iter().flat_map(|seen| &seen.wrong).collect();
    assert!(wrong.is_empty(), "{} wrong, first {}", wrong.len(), wrong[0]);
    assert!(all.iter().map(|seen| seen.killed).sum::<usize>() > 0, "nothing was killed");

    // Every edit that was answered is in the journal, once; a killed one may be.
    let journal = world.read(".claude/.session-changes-s1");
    assert!(journal.ends_with('\n'));
    let lines: Vec<&str> = journal.lines().collect();
    let named: BTreeSet<&str> = lines.iter().copied().collect();
    assert_eq!(lines.len(), named.len(), "a line twice");
    for number in all.iter().flat_map(|seen| &seen.journaled) {
        let name = world.name(&format!("notes/{number}.txt"));
        assert!(named.contains(name.as_str()), "{name} was lost");
    }
    assert!(lines.iter().all(|line| line.ends_with(".txt") && line.starts_with('/')), "a torn line");

    // So is every answer in the log, in whichever of its files: all lines are whole JSON.
    let older = world.state().join("log.1.jsonl");
    let mut logged = world.log().len();
    if older.exists() {
        logged += json_lines(&older).len();
    }
    assert!(logged >= all.iter().map(|seen| seen.answered).sum(), "{logged} lines");
    for file in files_below(&world.state()) {
        assert!(!file.to_string_lossy().ends_with(".tmp"), "{} was left behind", file.display());
    }
    // And the next call is answered as ever.
    let after = hook(
        &world,
        &world.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}})),
    );
    Ran::of(after, b"").is_denied();
}
