//! A trial: a command that must be refused, sent through the registered line exactly as the client would start it.

use std::time::Duration;

use serde_json::{Value as Json, json};
use state::files;
use state::process::Program;

use super::super::setup::registration;
use super::{Item, State, Visit, hooks};

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
            items.push(one(visit, handler));
        }
    }
    items
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
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "tool_use_id": "doctor",
    });
    program
        .cwd(&visit.project.root)
        .env("CLAUDE_PROJECT_DIR", &visit.project.root)
        .stdin(payload.to_string().as_bytes())
        .within(LIMIT)
}
