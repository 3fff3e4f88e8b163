//! Configuration, trust, and where records are kept.

use state::quality::Gates;
use state::{files, log, trust};

use super::{Item, State, Visit};
use crate::commands::own_tools;

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let config = &visit.loaded.config;
    let mut items = Vec::new();
    let profile = format!("profile {}", config.profile.as_str());
    items.push(if config.hook_enabled {
        Item::new("configuration", State::Good, profile)
    } else {
        Item::new(
            "configuration",
            State::Bad,
            format!("{profile}, but hook_enabled is false: nothing is guarded"),
        )
    });
    for problem in &visit.loaded.problems {
        let state = if problem.untrusted { State::Note } else { State::Bad };
        items.push(Item::new("configuration", state, problem.text.clone()));
    }
    for (check, level) in &config.checks {
        if *level == model::Level::Off && checks::role(check) == Some(model::Role::Guard) {
            items.push(Item::new(
                "configuration",
                State::Note,
                format!("{check}, which guards, is switched off"),
            ));
        }
    }
    items.push(trusted(visit));
    items.extend(own_tools(visit));
    items.push(records(visit));
    items
}

/// What of the project's own files counts only with the user's word.
fn trusted(visit: &Visit<'_>) -> Item {
    let commands = Gates::load(visit.machine, visit.project, &visit.machine.cwd())
        .map(|gates| gates.bound())
        .unwrap_or_default();
    let waits = !visit.loaded.untrusted.is_empty()
        || (!commands.is_empty() && !trust::is_trusted_commands(visit.machine, visit.project, &commands));
    let bound = visit.loaded.bound.len() + commands.len();
    match (bound, waits) {
        (_, true) => Item::new(
            "trust",
            State::Note,
            "this project asks for what needs your word; until then it is left out",
        )
        .todo("`plimsoll trust` shows it and asks you"),
        (0, false) => Item::new("trust", State::Good, "this project asks for nothing that needs your word"),
        (bound, false) => Item::new(
            "trust",
            State::Good,
            format!("{bound} values of this project have your word; `plimsoll trust show`"),
        ),
    }
}

/// Programs and code of the project, which are not run without trust.
fn own_tools(visit: &Visit<'_>) -> Vec<Item> {
    let tools = own_tools::look(visit.machine, visit.project, visit.loaded);
    if tools.trusted {
        return vec![Item::new("trust", State::Good, "this project's own tools may run")];
    }
    let mut items: Vec<Item> = tools
        .waiting
        .iter()
        .map(|(tool, why)| Item::new("trust", State::Note, format!("{tool} waits for your trust: it {why}")))
        .collect();
    if let Some(last) = items.last_mut() {
        last.todo = "`plimsoll trust` lets this project's own tools run".into();
    }
    items
}

/// Whether we can write where we keep things.
fn records(visit: &Visit<'_>) -> Item {
    let dir = visit.machine.state_dir();
    let probe = dir.join(".doctor");
    match state::atomic::write(&probe, b"").and_then(|()| files::remove(&probe)) {
        Ok(()) => {
            let size = files::size(&log::file(visit.machine)).unwrap_or(0) / 1024;
            Item::new("records", State::Good, format!("{}; the log has {size} kB", dir.display()))
        }
        Err(error) => {
            Item::new("records", State::Bad, format!("{} cannot be written: {error}", dir.display()))
                .todo("without it nothing is remembered: no log, no approvals, no evidence")
        }
    }
}
