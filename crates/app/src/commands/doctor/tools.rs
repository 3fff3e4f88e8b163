//! The tools, by the specification's numbers.

use super::{Item, State, Visit};
use crate::selftest::{self, Outcome};

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let records = match selftest::dependencies(visit.machine, visit.project) {
        Ok(records) => records,
        Err(error) => {
            return vec![Item::new("tools", State::Bad, format!("they could not be looked at: {error:#}"))];
        }
    };
    let mut items = Vec::new();
    for record in records {
        // Registrations and settings have been looked at, here and not in a scratch project.
        if (14..=21).contains(&record.id[3..].parse::<u32>().unwrap_or(0)) {
            continue;
        }
        let name = record
            .test_name
            .trim_end_matches("_opt")
            .trim_end_matches("_present")
            .trim_end_matches("_advisory");
        let (state, text) = match record.outcome() {
            Outcome::Passed if record.note.is_empty() => {
                (State::Good, format!("{name}: {}", record.actual_output))
            }
            Outcome::Passed => (State::Good, format!("{name}: {}", record.note)),
            Outcome::Skipped => (State::Note, format!("{name}: absent")),
            // What is there and too old is wrong. What is only needed for the self-test is absent, and no fault.
            Outcome::Failed if record.actual_decision == "failed" => {
                (State::Bad, format!("{name}: {}", record.note))
            }
            Outcome::Failed => (State::Note, format!("{name}: absent; {}", record.note)),
        };
        let mut item = Item::new("tools", state, text);
        item.id = Some(record.id);
        items.push(item);
    }
    if items.iter().any(|item| item.state == State::Note) {
        items.push(
            Item::new("tools", State::Note, "without a tool, what is built in lints in its place")
                .todo("`plimsoll tools install --all` brings all of them into your cache"),
        );
    }
    items
}
