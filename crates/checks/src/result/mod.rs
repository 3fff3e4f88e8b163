//! What tools have returned, before the model reads it.

mod hidden;
mod repeats;
mod secrets;
mod size;

use std::path::Path;

use model::{EventName, Facts, On, OwnValues, Tools};

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] =
    &[&secrets::CHECK, &hidden::CHECK, &repeats::CHECK, &size::CHECK];

pub(crate) use hidden::WARNED;

/// After every tool that returns text which the model does not know yet.
static AFTER: &[On] = &[
    On::shell(EventName::PostToolUse),
    On::reads(EventName::PostToolUse),
    On { event: EventName::PostToolUse, tools: Tools::Mcp },
    On::shell(EventName::PostToolUseFailure),
    On { event: EventName::PostToolUseFailure, tools: Tools::Mcp },
];

/// The project's files of settings, as tools for them are wont to call them.
const SETTINGS: &[&str] = &[".env", ".env.local", ".env.development", ".env.production"];

/// The secrets of the project, read anew each time: nothing of them is kept.
pub(crate) fn own_values(facts: &dyn Facts) -> OwnValues {
    let read = |name: &&str| facts.read(&facts.project().join(Path::new(name))).ok().flatten();
    OwnValues::of(&SETTINGS.iter().filter_map(read).collect::<Vec<_>>())
}

/// Kinds of secrets in words, each once.
pub(crate) fn kinds<'a>(kinds: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 5;
    let mut named: Vec<&str> = Vec::new();
    for kind in kinds {
        if !named.contains(&kind) {
            named.push(kind);
        }
    }
    let more = named.len().saturating_sub(SHOWN);
    named.truncate(SHOWN);
    let list = named.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

/// Tells one text from another, in every process alike: FNV-1a.
pub(crate) fn fingerprint(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
