//! The second layer: the real client, offline, with a scripted model that makes one tool call. M19 and P28.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::environment;
use serde_json::{Value as Json, json};
use state::process::Program;
use state::reach::Fence;
use state::{Machine, files, git};

use super::scripted::ScriptedModel;
use super::{Bench, Case, Expected, Observed};

const EDIT_LIMIT: Duration = Duration::from_mins(2);
const COMMAND_LIMIT: Duration = Duration::from_secs(30);

/// Where the specification looks for the client, then where our own tests put it.
pub(crate) fn find_client(machine: &Machine, project: &Path) -> Option<PathBuf> {
    let home = machine.home().unwrap_or_default();
    let usual =
        [home.join(".local/bin/claude"), home.join(".npm-global/bin/claude"), "/usr/local/bin/claude".into()];
    Fence::around(machine, project)
        .program_outside(machine, "claude")
        .or_else(|| usual.into_iter().find(|path| files::is_file(path)))
        .or_else(|| cached_client(&machine.cache_dir()))
}

fn cached_client(cache: &Path) -> Option<PathBuf> {
    let versions = files::list(cache).into_iter().rev();
    let mut clients = versions
        .filter(|dir| dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with("client-")));
    clients.find_map(|dir| {
        let modules = dir.join("node_modules/@anthropic-ai");
        let native = files::list(&modules).into_iter().map(|package| package.join("claude"));
        native.chain([dir.join("node_modules/.bin/claude")]).find(|path| files::is_file(path))
    })
}

/// M19: an edit that leaves a violation; the hook after it must fire.
pub(super) fn fired_on_edit() -> Case {
    live("M19", "live_trigger", "Edit of a .py file with F841 through the client", |bench| {
        let file = bench.scratch.join("M19/project/app.py");
        let turns = vec![
            call("Read", &json!({"file_path": file})),
            call(
                "Edit",
                &json!({"file_path": file, "old_string": "    return 1\n", "new_string": "    unused = 1\n    return 1\n"}),
            ),
        ];
        let text = "\"\"\"Doc.\"\"\"\n\n\ndef f() -> int:\n    \"\"\"Doc.\"\"\"\n    return 1\n";
        drive(bench, "M19", ("app.py", text), turns, EDIT_LIMIT, |shown, log| {
            // What it found reaches the model; where there was nothing left to say, the log tells that it ran.
            shown.contains("PostToolUse:Edit") || log.contains("\"event\":\"PostToolUse\"")
        })
    })
}

/// P28: an install with the wrong package manager; the hook before it must refuse.
pub(super) fn refused_install() -> Case {
    live("P28", "live_trigger", "pip install requests through the client's Bash tool", |bench| {
        let turns = vec![call("Bash", &json!({"command": "pip install requests", "description": "install"}))];
        drive(bench, "P28", ("uv.lock", "version = 1\n"), turns, COMMAND_LIMIT, |shown, _| {
            shown.contains("hook:block") || shown.contains("uv add requests")
        })
    })
}

fn live(
    id: &'static str,
    name: &'static str,
    summary: &str,
    run: impl Fn(&Bench) -> Observed + Send + Sync + 'static,
) -> Case {
    Case {
        id,
        name,
        category: "live_trigger",
        summary: summary.into(),
        basis: "test specification D3, layer 2",
        expected: Expected { decision: "hook_fired", exit: None, says: vec![] },
        required: false,
        run: Box::new(run),
    }
}

fn call(tool: &str, input: &Json) -> Json {
    json!([{"type": "tool_use", "id": format!("toolu_{tool}"), "name": tool, "input": input}])
}

/// Sets a project up as a user does, lets the client loose on it, and looks for the hook in what the model was shown.
fn drive(
    bench: &Bench,
    id: &str,
    (name, text): (&str, &str),
    turns: Vec<Json>,
    limit: Duration,
    fired: fn(&str, &str) -> bool,
) -> Observed {
    let Some(client) = &bench.client else {
        return Observed::skipped("absent: no client on PATH, in the usual folders or in the cache");
    };
    let work = bench.scratch.join(id);
    match prepare(bench, &work, name, text).and_then(|()| {
        let model = ScriptedModel::start(turns)?;
        let done = start(bench, &work, client, &model, limit)?;
        Ok((model, done))
    }) {
        Ok((model, done)) => {
            let log = files::read(&work.join("state/log.jsonl")).ok().flatten().unwrap_or_default();
            let shown = model.shown();
            let fired = fired(&shown, &log);
            let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
            let note = if fired {
                "Layer 2: confirmed hook lifecycle registration"
            } else {
                "the hook was not seen"
            };
            Observed {
                decision: if fired { "hook_fired" } else { "not_fired" }.into(),
                stdout: said_by_hooks(&shown),
                stderr,
                note: note.into(),
                ..Observed::default()
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::TimedOut => Observed::timed_out(limit),
        Err(error) => Observed::failed(error.to_string()),
    }
}

/// The lines about hooks of what the model was shown.
fn said_by_hooks(shown: &str) -> String {
    let start = shown.find("ToolUse:").map_or(0, |at| at.saturating_sub(4));
    shown.get(start..).unwrap_or_default().chars().take(600).collect()
}

fn prepare(bench: &Bench, work: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let project = work.join("project");
    for dir in ["home/.claude", "tmp", "state", "project"] {
        files::create_dir(&work.join(dir))?;
    }
    state::atomic::write(&project.join(name), text.as_bytes())?;
    git::run(&project, &["init", "-q", "-b", "main"], COMMAND_LIMIT)?;
    let done = surroundings(Program::new(bench.program()).args(["init", "--yes"]), work)
        .within(COMMAND_LIMIT)
        .run()?;
    if done.code == Some(0) {
        return Ok(());
    }
    Err(std::io::Error::other(format!(
        "plimsoll init failed: {}",
        String::from_utf8_lossy(&done.stderr).trim()
    )))
}

/// Nothing of the user's own but PATH.
fn surroundings(program: Program, work: &Path) -> Program {
    let path = Machine::real().var(&environment::PATH).unwrap_or_default();
    program
        .clean()
        .cwd(&work.join("project"))
        .env("PATH", path)
        .env("HOME", work.join("home"))
        .env("TMPDIR", work.join("tmp"))
        .env("PLIMSOLL_STATE_DIR", work.join("state"))
        .env("LANG", "C.UTF-8")
        .env("TERM", "dumb")
        .env("SHELL", "/bin/sh")
}

fn start(
    bench: &Bench,
    work: &Path,
    client: &Path,
    model: &ScriptedModel,
    limit: Duration,
) -> std::io::Result<state::process::Finished> {
    let address = model.address();
    let words =
        ["-p", "go", "--output-format", "json", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
    let mut program = surroundings(Program::new(client).args(words), work)
        // The tools that the user has installed for us lie in their cache.
        .env("XDG_CACHE_HOME", bench.cache_home())
        .within(limit);
    for (name, value) in offline(&address) {
        program = program.env(name, value);
    }
    program.run()
}

/// A client that is told so speaks to the scripted model and to nobody else.
pub(super) fn offline(address: &str) -> [(&'static str, &str); 9] {
    [
        ("ANTHROPIC_BASE_URL", address),
        ("ANTHROPIC_API_KEY", "made-up-for-loopback"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        // Whatever asks for another host is refused by the same server.
        ("HTTPS_PROXY", address),
        ("HTTP_PROXY", address),
        ("NO_PROXY", "127.0.0.1,localhost"),
    ]
}
