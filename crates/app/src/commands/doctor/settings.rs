//! Configuration, trust, and where records are kept.

use state::{files, log, trust};

use super::{Item, State, Visit};
use crate::commands::own_tools;
use crate::commands::setup::remove_emptied;
use crate::ui::human;

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
    for (tone, line) in crate::commands::policy::lines(visit.machine, visit.loaded) {
        let state = if tone == crate::ui::Tone::Bad { State::Bad } else { State::Good };
        items.push(Item::new("configuration", state, format!("policy: {line}")));
    }
    for text in visit.loaded.overruled.iter().cloned().chain(crate::commands::config::held(visit.loaded)) {
        items.push(Item::new("configuration", State::Note, text));
    }
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
    let commands = crate::gates::load(visit.machine, visit.project, &visit.machine.cwd())
        .map(|gates| gates.bound())
        .unwrap_or_default();
    let waits = !visit.loaded.untrusted.is_empty()
        || (!commands.is_empty() && !trust::is_trusted_commands(visit.machine, visit.project, &commands));
    let bound = visit.loaded.bound.len() + commands.len();
    match (bound, waits) {
        (_, true) => Item::new(
            "trust",
            State::Note,
            "this project asks for settings that need your consent; until then they are ignored",
        )
        .todo("`plimsoll trust` shows it and asks you"),
        (0, false) => {
            Item::new("trust", State::Good, "this project asks for nothing that needs your consent")
        }
        (bound, false) => Item::new(
            "trust",
            State::Good,
            format!(
                "{} of this project {} your consent; `plimsoll trust show`",
                human::plural(bound as u64, "value"),
                if bound == 1 { "has" } else { "have" }
            ),
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
    let there = files::is_dir(&dir);
    let probe = dir.join(".doctor");
    match state::atomic::write(&probe, b"").and_then(|()| files::remove(&probe)) {
        // Who only looks makes nothing.
        Ok(()) if !there => {
            let _ = files::remove_empty_dir(&dir);
            remove_emptied(visit.machine, &dir);
            Item::new("records", State::Good, format!("{} can be written", dir.display()))
        }
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
