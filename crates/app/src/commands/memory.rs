//! `plimsoll memory`: what earlier sessions in this project have learned.

use anyhow::{Context, bail};
use checks::memory::{Query, ranked};
use model::{Asked, time};
use serde_json::{Value as Json, json};
use state::memory::{ASSERTION, Event, Store};
use state::{Machine, Project};

use crate::exit;
use crate::fault::Fault;
use crate::ui::{Printer, Tone};

/// What earlier sessions in this project learned: list, search, show, forget, export.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// One line per memory, newest first; before them what every session is told (`core:topic`)
    List {
        /// So many of them
        #[arg(long, default_value_t = 20)]
        most: usize,
    },
    /// Those that are about these words, best first
    Search {
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// One memory, whole
    Show { id: String },
    /// Remove memories
    Forget {
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// All of them as JSON lines
    Export,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let store = Store::of(machine, &project)
        .with_context(|| Fault::Environment("there is no home directory to keep memories in".into()))?;
    match &args.verb {
        Verb::List { most } => {
            let (all, always) = (store.all(), store.assertions());
            if all.is_empty() && always.is_empty() {
                printer.line(&format!("no session has left a memory of {}", project.root.display()));
            }
            let rows = always.iter().map(always_row).chain(all.iter().take(*most).map(row));
            printer.table(&rows.collect::<Vec<_>>());
        }
        Verb::Search { words } => {
            let found = search(machine, &store, words);
            let mut always = store.assertions();
            always.retain(|(topic, text)| {
                let text = format!("{topic} {text}").to_lowercase();
                words.iter().all(|word| text.contains(&word.to_lowercase()))
            });
            if found.is_empty() && always.is_empty() {
                printer.line("nothing is remembered about that");
            }
            let rows = always.iter().map(always_row).chain(found.iter().map(row));
            printer.table(&rows.collect::<Vec<_>>());
        }
        Verb::Show { id } => match (store.get(id), assertion(&store, id)) {
            (Some(event), _) => printer.json(&event.json),
            (None, Some((topic, assertion))) => {
                printer.json(&json!({"type": "assertion", "topic": topic, "assertion": assertion}));
            }
            (None, None) => bail!("unknown memory {id}; `plimsoll memory list` names them"),
        },
        Verb::Forget { ids } => {
            for id in ids {
                if !store.forget(machine, id).with_context(|| format!("{id} could not be removed"))? {
                    bail!("unknown memory {id}; `plimsoll memory list` names them");
                }
                printer.toned(Tone::Good, &format!("forgot {id}"));
            }
        }
        Verb::Export => {
            for event in store.all().iter().rev() {
                printer.line(&event.json.to_string());
            }
            for (topic, assertion) in store.assertions() {
                printer.line(&Json::to_string(
                    &json!({"type": "assertion", "topic": topic, "assertion": assertion}),
                ));
            }
        }
    }
    Ok(exit::OK)
}

/// By the score of what they are about, best first; then those that have the words anywhere in them.
fn search(machine: &Machine, store: &Store, words: &[String]) -> Vec<Event> {
    let query = Query::words(words);
    let known = store.about(machine.now(), query.newest(), &query.keys());
    let best = ranked(&query, Asked::Person, known);
    let mut found: Vec<Event> = best.iter().filter_map(|one| store.get(&one.memory.id)).collect();
    let wanted: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    for event in store.all() {
        let text = event.json.to_string().to_lowercase();
        if wanted.iter().all(|word| text.contains(word)) && !found.iter().any(|known| known.id == event.id) {
            found.push(event);
        }
    }
    found
}

fn assertion(store: &Store, id: &str) -> Option<(String, String)> {
    let topic = id.strip_prefix(ASSERTION)?;
    store.assertions().into_iter().find(|(known, _)| known == topic)
}

fn always_row((topic, assertion): &(String, String)) -> Vec<String> {
    let text: String = assertion.chars().take(90).collect();
    vec![format!("{ASSERTION}{topic}"), "always said".into(), String::new(), text]
}

fn row(event: &Event) -> Vec<String> {
    let first = event.content().lines().next().unwrap_or_default();
    let text: String = first.trim_start_matches("LESSON: ").chars().take(90).collect();
    vec![event.id.clone(), time::rfc3339(event.at()), event.category().to_owned(), text]
}
