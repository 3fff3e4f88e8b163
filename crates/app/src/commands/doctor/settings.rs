//! Configuration, trust, and where records are kept.

use state::{files, log};

use super::{Item, State, Visit};

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
        if *level == model::Level::Off && checks::is_guard(check) {
            items.push(Item::new(
                "configuration",
                State::Note,
                format!("{check}, which guards, is switched off"),
            ));
        }
    }
    items.push(records(visit));
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
