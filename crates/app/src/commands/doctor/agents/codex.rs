//! Codex runs a hook only if the user has trusted exactly that entry, and silently skips it otherwise. Whether they have, Codex itself
//! says: its hash of an entry is its own business.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value as Json, json};
use state::process::{Program, Stopped};
use state::reach::Fence;

use super::super::super::setup::registration::is_line_of_ours;
use super::{Item, SUBJECT, State, Visit};

/// Starting it takes a second on a busy machine.
const LIMIT: Duration = Duration::from_secs(15);
const STEP: &str =
    "start `codex`, type /hooks, and trust each entry of Plimsoll; again after every change of them";

pub(super) fn trust(visit: &Visit<'_>, file: &Path) -> Item {
    // A project may have a program of this name, too, and PATH may lead there by a link.
    let program = Fence::around(visit.machine, &visit.project.root).program_outside(visit.machine, "codex");
    let Some(program) = program else {
        return unknown("codex is not on PATH");
    };
    let cwd = visit.project.root.to_string_lossy();
    let answered = ask(&program, &cwd, visit);
    let hooks = answered.as_ref().and_then(|answer| answer.pointer("/result/data/0/hooks")?.as_array());
    let Some(hooks) = hooks else {
        return unknown("`codex app-server` gave no list of hooks");
    };
    let place = file.to_string_lossy();
    let ours = |hook: &&Json| {
        hook["command"].as_str().is_some_and(is_line_of_ours) && hook["sourcePath"].as_str() == Some(&*place)
    };
    let ours: Vec<&Json> = hooks.iter().filter(ours).collect();
    let skipped = ours.iter().filter(|hook| hook["trustStatus"] != "trusted" || hook["enabled"] == false);
    let skipped: Vec<&str> = skipped.filter_map(|hook| hook["eventName"].as_str()).collect();
    if ours.is_empty() {
        return Item::new(SUBJECT, State::Bad, format!("Codex: it does not read the hooks in {place}"))
            .todo("plimsoll init --agent codex");
    }
    if skipped.is_empty() {
        let text = format!("Codex: all {} hooks in {place} are trusted", ours.len());
        return Item::new(SUBJECT, State::Good, text);
    }
    let text = format!(
        "Codex: {} of {} hooks in {place} are not trusted, and silently skipped: {}",
        skipped.len(),
        ours.len(),
        skipped.join(", ")
    );
    Item::new(SUBJECT, State::Bad, text).todo(STEP)
}

fn unknown(why: &str) -> Item {
    let text = format!(
        "Codex: it silently skips hooks that you have not trusted, and could not be asked about them: {why}"
    );
    Item::new(SUBJECT, State::Note, text).todo(STEP)
}

/// What its server says to `hooks/list`.
fn ask(program: &Path, cwd: &str, visit: &Visit<'_>) -> Option<Json> {
    let client = json!({"name": "plimsoll", "version": env!("CARGO_PKG_VERSION")});
    let questions = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": client}}),
        json!({"jsonrpc": "2.0", "method": "initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": {"cwds": [cwd]}}),
    ];
    let input: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let done = Program::new(program)
        .arg("app-server")
        .cwd(&visit.project.root)
        .stdin(input.as_bytes())
        .until("\"id\":2")
        .within(LIMIT)
        .run();
    let printed = match &done {
        Ok(done) => &done.stdout,
        Err(error) => &Stopped::of(error)?.stdout,
    };
    let printed = String::from_utf8_lossy(printed);
    printed.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()).find(|json| json["id"] == 2)
}
