//! Many at once, and some cut short: no line is lost or mixed, no file is ever half written.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::world::{RUFF, World, files_below, json_lines, write};

const MANY: usize = 64;

/// Starts `MANY` hooks, waits until all are there, and only then gives each its payload: an edit of a file of its own.
fn edit_at_once(world: &World) {
    let mut hooks: Vec<Child> =
        (0..MANY).map(|_| world.hook_program(&[]).stdin(Stdio::piped()).spawn().unwrap()).collect();
    for (number, hook) in hooks.iter_mut().enumerate() {
        let input =
            json!({"file_path": world.name(&format!("src/{number}.py")), "content": "x".repeat(2000)});
        let payload = world.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": input}));
        let mut stdin = hook.stdin.take().unwrap();
        stdin.write_all(payload.to_string().as_bytes()).unwrap();
    }
    for hook in hooks {
        let done = hook.wait_with_output().unwrap();
        let said = (
            done.status.code(),
            String::from_utf8(done.stdout).unwrap(),
            String::from_utf8(done.stderr).unwrap(),
        );
        assert_eq!(said, (Some(0), String::new(), String::new()));
    }
}

/// The files that `edit_at_once` names, as text.
fn edited(world: &World) -> Vec<String> {
    let mut names: Vec<String> = (0..MANY).map(|number| world.name(&format!("src/{number}.py"))).collect();
    names.sort();
    names
}

fn subjects(entries: &[Json]) -> Vec<String> {
    let mut subjects: Vec<String> =
        entries.iter().map(|entry| entry["subject"].as_str().unwrap().to_owned()).collect();
    subjects.sort();
    subjects
}

#[test]
fn hooks_at_once_lose_no_line() {
    let world = World::new();
    edit_at_once(&world);
    let mut journal: Vec<String> =
        world.read(".claude/.session-changes-s1").lines().map(str::to_owned).collect();
    journal.sort();
    assert_eq!(journal, edited(&world));
    assert_eq!(subjects(&world.log()), edited(&world));
}

#[test]
fn hooks_at_once_lose_no_line_while_the_log_is_moved_aside() {
    let world = World::new();
    let old = format!("{}\n", json!({"event": "", "subject": "", "padding": "x".repeat(1000)}));
    let lines = 8 * 1024 * 1024 / old.len() + 1;
    write(&world.state().join("log.jsonl"), &old.repeat(lines));
    edit_at_once(&world);
    let files = std::fs::read_dir(world.state()).unwrap().map(|entry| entry.unwrap().path());
    let logs = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("log"));
    let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let all: Vec<_> = logs.flat_map(|path| json_lines(&path)).collect();
    let (old, new): (Vec<_>, Vec<_>) = all.into_iter().partition(|entry| entry["event"] == "");
    assert_eq!(old.len(), lines);
    assert_eq!(subjects(&new), edited(&world));
}

#[test]
fn approvals_at_once_all_count() {
    let world = World::new();
    let names: Vec<String> = (0..16).map(|number| format!("{number}/biome.json")).collect();
    let started: Vec<Child> = names
        .iter()
        .flat_map(|name| {
            world.write(name, "{}");
            let approve: &[&str] = &["approve", "--yes", "--session", "s1", name];
            [approve, &["approve", "--yes", "--edit", name]].map(|args| world.program(args).spawn().unwrap())
        })
        .collect();
    for child in started {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    world.session_stops("s1").is_silent();
    for name in &names {
        world.wants_to_edit(name).is_silent();
    }
}

/// Numbers that need not be good, only spread.
struct Spread(u64);

impl Spread {
    fn below(&mut self, limit: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let thousandth = u32::try_from(self.0 % 1000).unwrap();
        limit * thousandth / 1000
    }
}

/// What writes our state, each time with something new to write.
struct Writers {
    world: World,
    payload: PathBuf,
}

impl Writers {
    const KINDS: usize = 5;

    fn new() -> Self {
        let world = World::new().with(".claude/settings.json", "{\"model\": \"opus\"}\n");
        let payload = world.base().join("payload.json");
        Self { world, payload }
    }

    fn command(&self, kind: usize, round: usize) -> Command {
        let (world, number) = (&self.world, round.to_string());
        match kind {
            0 => world.program(&["approve", "--yes", "--edit", &format!("{number}.toml")]),
            1 => {
                let name = format!("{number}.toml");
                world.write(&name, "");
                world.program(&["approve", "--yes", "--session", "s1", &name])
            }
            2 => {
                // Another value each time, so that there is something to trust.
                world.write(
                    ".claude/hooks/config.json",
                    &json!({"subprocess": {"settings_file": number}}).to_string(),
                );
                world.program(&["trust", "--yes"])
            }
            3 => {
                let start = json!({"session_id": format!("session-{number}"), "source": "startup"});
                write(&self.payload, &world.payload("SessionStart", &start).to_string());
                world.write(RUFF, &number);
                let mut hook = world.hook_program(&[]);
                hook.stdin(Stdio::from(File::open(&self.payload).unwrap()));
                hook
            }
            _ => {
                // In and out again, so that the settings change each time.
                let verb = if round.is_multiple_of(2) { "init" } else { "uninstall" };
                world.program(&[verb, "--yes"])
            }
        }
    }

    /// How long a whole run takes here and now, at most.
    fn duration(&self, kind: usize) -> Duration {
        let runs = (0..4).map(|round| {
            let started = Instant::now();
            let mut command = self.command(kind, 10_000 + round);
            let done = command.output().unwrap();
            assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
            started.elapsed()
        });
        runs.max().unwrap()
    }
}

#[test]
fn whatever_is_killed_leaves_whole_files() {
    const KILLS: usize = 20;
    let writers = Writers::new();
    let mut spread = Spread(0x9e37_79b9_7f4a_7c15);
    for kind in 0..Writers::KINDS {
        let duration = writers.duration(kind);
        let (mut kills, mut round) = (0, 0);
        while kills < KILLS {
            let mut child =
                writers.command(kind, round).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(spread.below(duration));
            child.kill().unwrap();
            // One that had ended by itself does not count.
            kills += usize::from(child.wait().unwrap().signal() == Some(9));
            round += 1;
            assert!(round < 100 * KILLS, "of kind {kind} only {kills} of {round} could be killed");
        }
        is_whole(&writers.world);
    }

    let world = &writers.world;
    world.run(&["init", "--yes"]).succeeds();
    world.run(&["trust", "--yes"]).succeeds();
    world.session_starts("after");
    world.write(RUFF, "changed after all that");
    world.session_stops("after").is_blocked();
    world.run(&["approve", "--yes", RUFF]).succeeds().says(&["for session after"]);
    world.session_stops("after").is_silent();
    world.run(&["approve", "--yes", "--edit", RUFF]).succeeds();
    world.wants_to_edit(RUFF).is_silent();
    world.run(&["uninstall", "--yes"]).succeeds();
    is_whole(world);
    let settings: Json = serde_json::from_str(&world.read(".claude/settings.json")).unwrap();
    assert_eq!(settings, json!({"model": "opus"}));
}

/// Every JSON file can be read, and every line of the log; what was cut short has the name of something unfinished.
#[track_caller]
fn is_whole(world: &World) {
    let mut seen = 0;
    for path in [files_below(&world.state()), files_below(&world.path(".claude"))].concat() {
        let unfinished = path.file_name().unwrap().to_str().unwrap().contains(".plimsoll-");
        if unfinished || path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        if let Err(error) = serde_json::from_str::<Json>(&text) {
            panic!("{}: {error}\n{text}", path.display());
        }
        seen += 1;
    }
    assert!(seen > 0, "there is something to read");
    world.log();
}
