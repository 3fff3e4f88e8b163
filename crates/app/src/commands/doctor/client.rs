//! The client: its version, beside the one that the protocol was observed in.

use std::time::Duration;

use state::process::Program;

use super::{Item, State, Visit};
use crate::selftest;

/// The client whose payloads are recorded in `crates/agents/cases`.
const OBSERVED: &str = "2.1.325";

/// What an older client does not know, what follows, and whether it guards all the same.
static SINCE: &[(&str, &str, State)] = &[
    (
        "2.1.139",
        "hooks with `args`, as `plimsoll init` registers them, are not started: nothing is guarded",
        State::Bad,
    ),
    ("2.1.163", "a stop cannot carry context", State::Note),
    ("2.1.295", "`onFailure` is ignored: a hook that fails lets the call pass", State::Note),
];

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let Some(client) = selftest::find_client(visit.machine, &visit.project.root) else {
        return vec![Item::new("client", State::Note, "no client found on PATH or in the usual folders")];
    };
    let home = visit.machine.home().unwrap_or_else(|| visit.project.root.clone());
    let said = Program::new(&client).arg("--version").cwd(&home).within(Duration::from_secs(20)).run();
    let version = said.map(|done| {
        String::from_utf8_lossy(&done.stdout).split_whitespace().next().unwrap_or_default().to_owned()
    });
    let version = match version {
        Ok(version) if !version.is_empty() => version,
        Ok(_) => {
            return vec![Item::new(
                "client",
                State::Note,
                format!("{} does not say its version", client.display()),
            )];
        }
        Err(error) => return vec![Item::new("client", State::Note, error.to_string())],
    };
    let mut items = vec![Item::new("client", State::Good, format!("{version}, {}", client.display()))];
    for (since, what, state) in SINCE.iter().filter(|(since, ..)| numbers(&version) < numbers(since)) {
        items.push(
            Item::new("client", *state, format!("older than {since}: {what}")).todo("update the client"),
        );
    }
    if numbers(&version) > numbers(OBSERVED) {
        items.push(Item::new(
            "client",
            State::Note,
            format!("newer than {OBSERVED}, in which its hooks were observed; fields and events that are new since then are ignored"),
        ));
    }
    items
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(numbers("2.1.99") < numbers("2.1.139"));
        assert!(numbers("2.2.0") > numbers(OBSERVED));
    }
}
