//! Thousands of hooks, each with a fault drawn by lot: signals, limits, streams that are closed or full, a broken environment, full
//! and read-only disks, input that is not a payload. Each is asked about something dangerous, and each must stop it: by its answer, by
//! exit code 2, or, where the system itself ended it before it could begin, by an end that no client takes for an answer. What must
//! never be is exit code 0 without a whole answer.
//!
//! The lot is drawn from a number, so that a failure can be had again: `PLIMSOLL_FAULTS=5000 PLIMSOLL_FAULTS_SEED=7`.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::{Value as Json, json};

use crate::needs::missing;
use crate::watched::{self, Seen, Watched};
use crate::world::{PROGRAM, World, write};

/// In every run of the tests; `PLIMSOLL_FAULTS` says how many else.
const FEW: usize = 400;
const SIDES: usize = 4;
const DEADLINE: u64 = 20;
const LIMIT: Duration = Duration::from_secs(40);

/// What ends a process, and what a machine, a shell or a client sends.
const SIGNALS: &[Signal] = &[
    Signal::SIGTERM,
    Signal::SIGINT,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGPIPE,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
];

/// How much is asked of a hook under a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    /// It runs, so it says no, asks, or ends with exit code 2.
    Answers,
    /// It may be ended before it can do anything; then nobody may take that for a yes.
    NeverOpens,
}

/// One fault, ready to be brought about.
#[derive(Debug)]
struct Fault {
    name: String,
    demand: Demand,
    how: How,
}

#[derive(Debug)]
enum How {
    /// While it waits for its input, or this many microseconds after it has all of it.
    Signal(Signal, Option<u64>),
    /// At any moment, the first ones included.
    Early(Signal, u64),
    /// Words in front of the program, such as `prlimit --fsize=0`.
    Before(Vec<String>),
    /// The same, as a user that is not root, for whom the kernel counts processes.
    Unprivileged(Vec<String>),
    /// What a shell does with the streams: `>/dev/full`.
    Streams(&'static str),
    /// Variables, of which those without a value are taken away.
    Variables(Vec<(&'static str, Option<OsString>)>),
    /// A shell line in a mount namespace of its own, before the program.
    Mounted(&'static str),
    /// Bytes instead of the payload.
    Input(Vec<u8>),
    /// The folder that it stands in is gone.
    Homeless,
}

/// Numbers that look drawn by lot and are the same every time.
pub(crate) struct Lot(u64);

impl Lot {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }

    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let at = usize::try_from(self.below(of.len() as u64)).unwrap();
        &of[at]
    }
}

/// Calls that must not go through.
fn dangerous(world: &World, lot: &mut Lot) -> Json {
    let calls = [
        json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /", "description": "d"}}),
        json!({"tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}}),
        json!({"tool_name": "Edit", "tool_input": {"file_path": world.name(".ruff.toml"), "old_string": "88", "new_string": "300"}}),
        json!({"tool_name": "Write", "tool_input": {"file_path": world.name(".claude/settings.json"), "content": "{}"}}),
    ];
    world.payload("PreToolUse", lot.one(&calls))
}

fn fault(world: &World, lot: &mut Lot) -> Fault {
    let answers = |name: String, how| Fault { name, demand: Demand::Answers, how };
    let perhaps = |name: String, how| Fault { name, demand: Demand::NeverOpens, how };
    match lot.below(20) {
        0 | 1 => {
            let signal = *lot.one(SIGNALS);
            answers(format!("{signal} while it reads"), How::Signal(signal, None))
        }
        2 | 3 => {
            let (signal, after) = (*lot.one(SIGNALS), lot.below(4000));
            answers(format!("{signal} while it judges"), How::Signal(signal, Some(after)))
        }
        4 => {
            let (signal, after) = (*lot.one(SIGNALS), lot.below(6000));
            perhaps(format!("{signal} at any moment"), How::Early(signal, after))
        }
        5 => {
            let after = lot.below(8000);
            perhaps("SIGKILL at any moment".into(), How::Early(Signal::SIGKILL, after))
        }
        6 | 7 => {
            let most = *lot.one(&[0, 0, 1, 16, 100, 512, 4096]);
            answers(format!("files of at most {most} bytes"), prlimit(&format!("--fsize={most}")))
        }
        8 => {
            let most = 3 + lot.below(8);
            answers(format!("{most} open files"), prlimit(&format!("--nofile={most}")))
        }
        9 => {
            let most = *lot.one(&[8, 16, 24, 32, 48, 64, 96, 128, 256]);
            perhaps(format!("{most} MB of memory"), prlimit(&format!("--as={}", most << 20)))
        }
        10 => {
            let most = *lot.one(&[16, 32, 64, 128, 256, 512, 1024]);
            perhaps(format!("{most} KB of stack"), prlimit(&format!("--stack={}", most << 10)))
        }
        11 => {
            let most = lot.below(3);
            let limit = vec!["prlimit".into(), format!("--nproc={most}"), "--".into()];
            answers(format!("{most} processes"), How::Unprivileged(limit))
        }
        12 => {
            let limit =
                *lot.one(&["--core=0", "--memlock=0", "--data=50000000", "--cpu=1", "--sigpending=0"]);
            answers(limit.into(), prlimit(limit))
        }
        13 | 14 => {
            let lines = [
                ">/dev/full",
                ">&-",
                "2>&-",
                "<&-",
                ">&- 2>&-",
                "<&- >&-",
                "<&- 2>&-",
                "<&- >&- 2>&-",
                "2>/dev/full",
                ">/dev/full 2>/dev/full",
                "</dev/null",
                "</",
                ">/dev/full 2>&-",
                "1</dev/null",
                "0>/dev/null",
            ];
            let line = *lot.one(&lines);
            answers(format!("streams {line}"), How::Streams(line))
        }
        15 | 16 => {
            let variables = lot.one(&broken_environments(world)).clone();
            let mut name = "environment".to_owned();
            for (key, value) in &variables {
                let shown =
                    value.as_ref().map(|value| value.to_string_lossy().chars().take(40).collect::<String>());
                let _ = write!(name, " {key}={}", shown.as_deref().unwrap_or("(unset)"));
            }
            answers(name, How::Variables(variables))
        }
        17 => {
            let lines = [
                "mount -t tmpfs -o size=16k none \"$STATE\" && head -c 65536 /dev/zero >\"$STATE/filler\" 2>/dev/null;",
                "mount -t tmpfs -o ro none \"$STATE\";",
                "mount -t tmpfs -o ro none \"$HOME\";",
                "mount -t tmpfs -o ro none \"$TMPDIR\";",
                "mount -t tmpfs -o size=4k,nr_inodes=1 none \"$STATE\";",
                "mount -t tmpfs -o size=16k none \"$CLAUDE_PROJECT_DIR/.claude\" && head -c 65536 /dev/zero >\"$CLAUDE_PROJECT_DIR/.claude/filler\" 2>/dev/null;",
                "mount -o bind \"$CLAUDE_PROJECT_DIR\" \"$CLAUDE_PROJECT_DIR\" && mount -o remount,bind,ro \"$CLAUDE_PROJECT_DIR\";",
                "mount -t tmpfs none /proc 2>/dev/null;",
            ];
            let line = *lot.one(&lines);
            answers(format!("disks {line}"), How::Mounted(line))
        }
        18 => {
            let (name, bytes) = input(world, lot);
            answers(format!("input {name}"), How::Input(bytes))
        }
        _ => answers("the working directory is gone".into(), How::Homeless),
    }
}

fn prlimit(limit: &str) -> How {
    How::Before(vec!["prlimit".into(), limit.into(), "--".into()])
}

fn broken_environments(world: &World) -> Vec<Vec<(&'static str, Option<OsString>)>> {
    let base = world.base();
    let some = |text: &str| Some(OsString::from(text));
    let file = base.join("a-file").into_os_string();
    let state = base.join("other-state").into_os_string();
    let missing = base.join("missing/folder").into_os_string();
    let unread = base.join("unread").into_os_string();
    let bytes = Some(OsStr::from_bytes(b"/\xff\xfe\x80").to_owned());
    vec![
        vec![("LANG", some("xx_YY.nothing"))],
        vec![("LC_ALL", some("garbage")), ("LANGUAGE", some("%s%n"))],
        vec![("LC_ALL", bytes.clone())],
        vec![("TZ", some(":/etc/passwd"))],
        vec![("TZ", some("XXX-99:99:99"))],
        vec![("HOME", None)],
        // Whoever runs this has a home, which the program would find and write to.
        vec![("HOME", None), ("PLIMSOLL_STATE_DIR", None), ("XDG_STATE_HOME", Some(state.clone()))],
        vec![("HOME", some("")), ("PLIMSOLL_STATE_DIR", None), ("XDG_STATE_HOME", Some(state.clone()))],
        vec![("HOME", some("relative/home")), ("PLIMSOLL_STATE_DIR", None), ("XDG_STATE_HOME", Some(state))],
        vec![("HOME", Some(missing.clone())), ("PLIMSOLL_STATE_DIR", None)],
        vec![("HOME", Some(unread)), ("PLIMSOLL_STATE_DIR", None)],
        vec![("HOME", Some(file.clone())), ("PLIMSOLL_STATE_DIR", None)],
        vec![("HOME", some("/dev/null")), ("PLIMSOLL_STATE_DIR", None)],
        vec![("HOME", some("/proc/self")), ("PLIMSOLL_STATE_DIR", None)],
        vec![("HOME", bytes.clone()), ("PLIMSOLL_STATE_DIR", None)],
        vec![("PLIMSOLL_STATE_DIR", Some(file.clone()))],
        vec![("PLIMSOLL_STATE_DIR", some("/dev/full"))],
        vec![("PLIMSOLL_STATE_DIR", some("/proc"))],
        vec![("PLIMSOLL_STATE_DIR", some("relative"))],
        vec![("PLIMSOLL_STATE_DIR", some(""))],
        vec![("XDG_STATE_HOME", some("relative")), ("PLIMSOLL_STATE_DIR", None)],
        vec![("XDG_CONFIG_HOME", Some(file.clone()))],
        vec![("TMPDIR", Some(missing.clone()))],
        vec![("TMPDIR", some(""))],
        vec![("PATH", None)],
        vec![("PATH", some(""))],
        vec![("PATH", bytes.clone())],
        vec![("CLAUDE_PROJECT_DIR", Some(missing))],
        vec![("CLAUDE_PROJECT_DIR", some(""))],
        vec![("CLAUDE_PROJECT_DIR", Some(file))],
        vec![("CLAUDE_PROJECT_DIR", bytes)],
        vec![("CLAUDE_SESSION_ID", some("../../../x"))],
        vec![("X", some(&"x".repeat(100_000)))],
        vec![("RUST_BACKTRACE", some("full")), ("RUST_MIN_STACK", some("1"))],
        vec![("GLIBC_TUNABLES", some("glibc.malloc.check=3")), ("MALLOC_PERTURB_", some("165"))],
    ]
}

fn input(world: &World, lot: &mut Lot) -> (String, Vec<u8>) {
    let good = dangerous(world, lot);
    let bash = |input: Json| {
        let call = json!({"tool_name": "Bash", "tool_input": input});
        world.payload("PreToolUse", &call).to_string().into_bytes()
    };
    let edit = |input: Json| {
        let call = json!({"tool_name": "Edit", "tool_input": input});
        world.payload("PreToolUse", &call).to_string().into_bytes()
    };
    let text = good.to_string();
    match lot.below(22) {
        0 => ("a string for a command's input".into(), bash(json!("rm -rf /"))),
        1 => ("a list for a command's input".into(), bash(json!(["rm", "-rf", "/"]))),
        2 => ("null for a command's input".into(), bash(Json::Null)),
        3 => ("a number for a command's input".into(), bash(json!(7))),
        4 => ("a list for a command".into(), bash(json!({"command": ["rm", "-rf", "/"]}))),
        5 => ("an object for a command".into(), bash(json!({"command": {"a": "rm -rf /"}}))),
        6 => ("a zero byte in a command".into(), bash(json!({"command": "rm -rf /\u{0} x"}))),
        7 => (
            "a zero byte in a path".into(),
            edit(json!({"file_path": ".ruff.toml\u{0}.txt", "old_string": "a", "new_string": "b"})),
        ),
        8 => (
            "a list for a path".into(),
            edit(json!({"file_path": [".ruff.toml"], "old_string": "a", "new_string": "b"})),
        ),
        9 => ("a string for an edit's input".into(), edit(json!(".ruff.toml"))),
        10 => ("null for an edit's input".into(), edit(Json::Null)),
        11 | 12 => {
            let end = usize::try_from(lot.below(text.len() as u64)).unwrap();
            (format!("cut after {end} bytes"), text.as_bytes()[..end].to_vec())
        }
        13 => ("nothing".into(), Vec::new()),
        14 => ("a byte order mark".into(), [b"\xef\xbb\xbf".as_slice(), text.as_bytes()].concat()),
        15 => ("UTF-16".into(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        16 => ("two payloads".into(), text.repeat(2).into_bytes()),
        17 => (
            "no UTF-8".into(),
            bash(json!({"command": "rm -rf /@"})).iter().map(|&b| if b == b'@' { 0xff } else { b }).collect(),
        ),
        18 => {
            ("fifty megabytes".into(), bash(json!({"command": format!("rm -rf / {}", "x".repeat(50 << 20))})))
        }
        19 => ("a list".into(), format!("[{text}]").into_bytes()),
        20 => ("a hundred thousand levels".into(), format!("{}{text}", "[".repeat(100_000)).into_bytes()),
        _ => {
            // What the client runs is the last.
            let once = String::from_utf8(bash(json!({"command": "ls"}))).unwrap();
            let twice = once.replace("{\"command\":\"ls\"}", "{\"command\":\"ls\",\"command\":\"rm -rf /\"}");
            ("the same key twice".into(), twice.into_bytes())
        }
    }
}

fn hook(world: &World, program: &Path, before: &[String], line: &str) -> Command {
    let own = world.hook_program(&[]);
    let mut command = Command::new("/bin/sh");
    // The shell only arranges the streams; what runs has its process number.
    command.args(["-c", &format!("exec \"$@\" {line}"), "sh"]).args(before).arg(program);
    command.args(["hook", "--deadline", &DEADLINE.to_string()]).env_clear();
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(own.get_current_dir().unwrap());
    command
}

/// The program where every user can run it; the folder that it was built in may be root's alone.
static FOR_EVERYBODY: LazyLock<Option<(tempfile::TempDir, PathBuf)>> = LazyLock::new(|| {
    let dir = tempfile::Builder::new().prefix("plimsoll-").tempdir().ok()?;
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).ok()?;
    let place = dir.path().join("plimsoll");
    std::fs::hard_link(PROGRAM, &place).or_else(|_| std::fs::copy(PROGRAM, &place).map(drop)).ok()?;
    Some((dir, place))
});

fn run(world: &World, fault: &Fault, payload: &[u8]) -> Seen {
    let program = Path::new(PROGRAM);
    let sign = format!("CLAUDE_PROJECT_DIR={}", world.name(""));
    let plain = || hook(world, program, &[], "");
    match &fault.how {
        How::Signal(signal, after) => {
            let mut watched = Watched::start(plain(), &sign);
            watched.keep_waiting(payload);
            if let Some(micros) = after {
                watched.give(Vec::new());
                std::thread::sleep(Duration::from_micros(*micros));
            }
            watched.send(*signal);
            watched.give(Vec::new());
            watched.finish(LIMIT)
        }
        How::Early(signal, micros) => {
            let mut watched = Watched::start(plain(), &sign);
            watched.give(payload.to_vec());
            std::thread::sleep(Duration::from_micros(*micros));
            watched.send(*signal);
            watched.finish(LIMIT)
        }
        How::Before(words) => watched::run(hook(world, program, words, ""), payload, LIMIT, &sign),
        How::Unprivileged(words) => {
            let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"].map(str::to_owned);
            let (before, program) = match &*FOR_EVERYBODY {
                Some((_, place)) if nix::unistd::geteuid().is_root() => {
                    ([&user, words.as_slice()].concat(), place.as_path())
                }
                _ => (words.clone(), program),
            };
            watched::run(hook(world, program, &before, ""), payload, LIMIT, &sign)
        }
        How::Streams(line) => watched::run(hook(world, program, &[], line), payload, LIMIT, &sign),
        How::Variables(variables) => {
            let mut command = plain();
            for (name, value) in variables {
                match value {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
            watched::run(command, payload, LIMIT, &sign)
        }
        How::Mounted(line) => {
            let (mut command, own) = (Command::new("unshare"), plain());
            let then = format!("{line} exec \"$0\" hook --deadline {DEADLINE}");
            command.args(["-rm", "sh", "-c", &then, PROGRAM]).env_clear();
            command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.env("STATE", world.state()).current_dir(own.get_current_dir().unwrap());
            watched::run(command, payload, LIMIT, &sign)
        }
        How::Input(bytes) => watched::run(plain(), bytes, LIMIT, &sign),
        How::Homeless => {
            let dir = tempfile::tempdir().unwrap();
            let mut command = hook(world, program, &[], "");
            let line = "cd \"$GONE\" && rmdir \"$GONE\" && exec \"$@\"";
            let own: Vec<OsString> = command.get_args().skip(2).map(OsStr::to_owned).collect();
            let mut homeless = Command::new("/bin/sh");
            homeless.args(["-c", line]).args(own).env_clear();
            homeless.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            homeless.env("GONE", dir.path()).current_dir(dir.path());
            command = homeless;
            watched::run(command, payload, LIMIT, &sign)
        }
    }
}

/// What is wrong with how it ended.
fn wrong(fault: &Fault, seen: &Seen) -> Option<String> {
    let ended = || seen.code.is_none_or(|code| code != 0);
    let holds = match fault.demand {
        Demand::Answers => seen.stops_the_call(),
        Demand::NeverOpens => seen.stops_the_call() || ended(),
    };
    if seen.hung.is_some() || seen.held || !holds {
        return Some(format!("{}: {seen}{}", fault.name, seen.hung.as_deref().unwrap_or_default()));
    }
    None
}

fn furnished() -> World {
    let world = World::new();
    write(&world.base().join("a-file"), "x");
    std::fs::create_dir_all(world.state()).unwrap();
    std::fs::create_dir_all(world.path(".claude")).unwrap();
    let unread = world.base().join("unread");
    std::fs::create_dir(&unread).unwrap();
    std::fs::set_permissions(&unread, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Another user must be able to come this far.
    for dir in [world.base().to_owned(), world.path(""), world.state(), world.home()] {
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    world
}

#[test]
fn whatever_fails_nothing_dangerous_goes_through() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let all = number("PLIMSOLL_FAULTS").unwrap_or(FEW);
    let seed = number("PLIMSOLL_FAULTS_SEED").unwrap_or(1) as u64;
    let mounts = Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success());
    if !mounts {
        missing("namespaces", "full and read-only disks were left out: there are no mount namespaces");
    }
    let found: Vec<String> = std::thread::scope(|scope| {
        let sides: Vec<_> = (0..SIDES)
            .map(|side| {
                scope.spawn(move || {
                    let world = furnished();
                    let mut found = Vec::new();
                    for at in (side..all).step_by(SIDES) {
                        let mut lot =
                            Lot(seed.wrapping_mul(1_000_003) ^ (at as u64).wrapping_mul(0x1234_5677));
                        let fault = fault(&world, &mut lot);
                        if matches!(fault.how, How::Mounted(_)) && !mounts {
                            continue;
                        }
                        let payload = dangerous(&world, &mut lot).to_string().into_bytes();
                        let seen = run(&world, &fault, &payload);
                        found.extend(wrong(&fault, &seen).map(|what| format!("{at}: {what}")));
                    }
                    found
                })
            })
            .collect();
        sides.into_iter().flat_map(|side| side.join().unwrap()).collect()
    });
    assert!(found.is_empty(), "{} of {all} with seed {seed}\n{}", found.len(), found.join("\n"));
}
