//! A trial: a command that must be refused, sent through the registered line exactly as the client would start it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::environment;
use serde_json::{Value as Json, json};
use state::process::Program;
use state::reach::Fence;
use state::{files, trust};

use super::super::setup::registration;
use super::{Item, State, Visit, hooks};
use crate::hook::TRIAL;

const SUBJECT: &str = "trial";
const LIMIT: Duration = Duration::from_secs(10);

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    for file in hooks::settings_files(visit) {
        let settings = files::read(&file).ok().flatten().and_then(|text| state::config::parse(&text).ok());
        let settings = settings.map(Json::Object).unwrap_or_default();
        let groups = settings["hooks"]["PreToolUse"].as_array().cloned().unwrap_or_default();
        let handlers = groups.iter().flat_map(|group| group["hooks"].as_array().into_iter().flatten());
        for handler in handlers.filter(|handler| registration::is_ours(handler)) {
            items.push(if may_start(visit, &file, handler) { one(visit, handler) } else { waits(&file) });
        }
    }
    items
}

/// Whether the registered line may be started to try it. What a project's settings name may be a program of the project that has our
/// name, or a line that does more than start us; both wait for trust.
fn may_start(visit: &Visit<'_>, file: &Path, handler: &Json) -> bool {
    let fence = Fence::around(visit.machine, &visit.project.root);
    if !fence.holds(file) || trust::tools_may_run(visit.machine, &visit.project.root) {
        return true;
    }
    let line = handler["command"].as_str().unwrap_or_default();
    let program = match handler["args"].as_array() {
        Some(_) => Some(line),
        None => plain_words(line).and_then(|words| words.first().copied()),
    };
    program.is_some_and(|program| {
        let named = program.contains('/').then(|| PathBuf::from(program));
        named.or_else(|| visit.machine.find_program(program)).is_some_and(|file| !fence.holds(&file))
    })
}

/// The words of a line that a shell does nothing with but start a program.
fn plain_words(line: &str) -> Option<Vec<&str>> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@+, \t".contains(c);
    let words: Vec<&str> = line.split_whitespace().collect();
    (line.chars().all(plain) && !words.first().is_some_and(|word| word.contains('='))).then_some(words)
}

fn waits(file: &Path) -> Item {
    let text = format!("the hook in {} was not tried: it would run code of this project", file.display());
    Item::new(SUBJECT, State::Note, text).todo("`plimsoll trust` lets this project's own tools run")
}

fn one(visit: &Visit<'_>, handler: &Json) -> Item {
    let begun = visit.machine.micros();
    let done = match start(visit, handler).run() {
        Ok(done) => done,
        Err(error) => {
            return Item::new(SUBJECT, State::Bad, format!("the registered hook did not answer: {error}"));
        }
    };
    let took = visit.machine.micros() - begun;
    let answer: Json = serde_json::from_slice(&done.stdout).unwrap_or_default();
    if answer["hookSpecificOutput"]["permissionDecision"] == "deny" {
        let millis = f64::from(u32::try_from(took).unwrap_or(u32::MAX)) / 1000.0;
        return Item::new(SUBJECT, State::Good, format!("`rm -rf /` is refused, in {millis:.1} ms"));
    }
    if !visit.loaded.config.hook_enabled {
        return Item::new(SUBJECT, State::Bad, "`rm -rf /` is not refused: hook_enabled is false")
            .todo("nothing is guarded");
    }
    if visit.loaded.config.profile == model::config::Profile::Observe {
        return Item::new(
            SUBJECT,
            State::Note,
            "`rm -rf /` is not refused: the profile `observe` only watches",
        );
    }
    let said = String::from_utf8_lossy(&done.stdout).chars().take(200).collect::<String>();
    Item::new(SUBJECT, State::Bad, format!("`rm -rf /` is not refused; exit {:?}, said «{said}»", done.code))
        .todo("run `plimsoll explain 'rm -rf /'` to see why")
}

/// As the client starts it: with `args` directly, without through a shell.
fn start(visit: &Visit<'_>, handler: &Json) -> Program {
    let root = visit.project.root.to_string_lossy().into_owned();
    let filled =
        |text: &str| text.replace("${CLAUDE_PROJECT_DIR}", &root).replace("$CLAUDE_PROJECT_DIR", &root);
    let command = filled(handler["command"].as_str().unwrap_or_default());
    let program = match handler["args"].as_array() {
        Some(args) => Program::new(command).args(args.iter().filter_map(Json::as_str).map(filled)),
        None => Program::new("/bin/sh").args(["-c", &command]),
    };
    let payload = json!({
        "session_id": "doctor", "cwd": visit.project.root, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": TRIAL}, "tool_use_id": "doctor",
    });
    let trusted = trust::tools_may_run(visit.machine, &visit.project.root);
    let fence = Fence::around(visit.machine, &visit.project.root);
    let program = if trusted { program } else { program.apart_from(&fence) };
    program
        .cwd(&visit.project.root)
        .env("CLAUDE_PROJECT_DIR", &visit.project.root)
        .env(environment::PLIMSOLL_TRIAL.name, "1")
        .stdin(payload.to_string().as_bytes())
        .within(LIMIT)
}
